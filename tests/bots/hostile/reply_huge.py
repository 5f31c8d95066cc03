# expect: bad_reply
# a right answer of fifty megabytes
import sys

from report import reply

sys.stdout.buffer.write(reply(pad="x" * 50_000_000))
sys.stdout.buffer.flush()
