# expect: forbidden
# let somebody trace it
from report import sysc, tell

tell(True, sysc(101, 117, 0, 0, 0, 0))
