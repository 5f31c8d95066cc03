# expect: bad_reply
# the same in a reply that somebody quotes when refusing it
import os

from report import request

os.write(1, b'{"id":"' + request["id"].encode() + b'","action":"play:9S","\x1b[2J\xe2\x80\xae":"\x1b]0;x\x07"}\n')
