# expect: held or memory or signal
# an endless recursion in C
import json
import sys

from report import tell

sys.setrecursionlimit(10**9)
text = "[" * 10**7
try:
    json.loads(text)
except RecursionError:
    tell(False, "refused")
