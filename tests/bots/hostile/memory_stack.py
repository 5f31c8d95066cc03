# expect: ended
# an endless recursion in C
import json
import sys

sys.stdin.readline()
sys.setrecursionlimit(10**9)
text = "[" * 10**7
try:
    json.loads(text)
except RecursionError:
    print('{"breach": false, "detail": "refused"}', flush=True)
