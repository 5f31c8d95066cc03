# expect: forbidden
# write into another bot's memory
from report import order, sysc, tell

tell(True, sysc(311, 271, order["victim"], None, 0, None, 0, 0))
