# expect: exited
# pretends that the sandbox failed, so that a lost match is repeated
import os

import report

os.write(1, b"")
os._exit(97)
