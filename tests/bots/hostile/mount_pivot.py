# expect: forbidden
# another root directory
import ctypes

from report import sysc, tell

place = ctypes.c_char_p(b"/usr")
tell(True, sysc(155, 41, place, place))
