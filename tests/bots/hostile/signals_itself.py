# expect: signal
# ends itself and looks like an accident
import signal

signal.raise_signal(signal.SIGKILL)
