# expect: held or memory or signal
# source that the parser chokes on, compiled when it is already inside
from report import tell

try:
    compile("x = " + "-" * 3_000_000 + "1", "bot", "exec")
except (MemoryError, RecursionError) as error:
    tell(False, repr(error))
else:
    tell(False, "compiled")
