# expect: signal
# ends itself and looks like an accident
import signal

import report

signal.raise_signal(signal.SIGKILL)
