# expect: forbidden
# keep something in the kernel's keyrings until the next match
import ctypes

from report import sysc, tell

text = ctypes.c_char_p(b"user")
tell(True, sysc(248, 217, text, text, text, 4, -4))
