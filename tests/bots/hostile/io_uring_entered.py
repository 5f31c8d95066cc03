# expect: forbidden
# io_uring on a descriptor that it may have found
from report import sysc, tell

tell(True, sysc(426, 426, 0, 1, 0, 0, None, 0))
