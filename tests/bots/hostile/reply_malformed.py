# expect: bad_reply x 22
# one object a line, each of them wrong
import json
import os

from report import next_request, request

DEEP = b'{"id":"ID","action":"play:9S","x":' + b"[" * 30_000 + b"]" * 30_000 + b"}"
REPLIES = [
    b"{",
    b"{}",
    b'{"id":"ID"}',
    b'{"action":"play:9S"}',
    b'{"id":7,"action":"play:9S"}',
    b'{"id":"ID","action":NaN}',
    b'{"id":"ID","action":"play:9S","v":Infinity}',
    b'{"id":"ID","action":"play:9S","v":1e999}',
    b'{"id":"ID","action":"play:9S","v":true}',
    b'{"id":"ID","action":"play:9S","v":2}',
    b'{"id":"ID","action":"play:9S","v":' + b"9" * 5000 + b"}",
    b'{"id":"ID","action":"play:9S","x":NaN}',
    b'{"id":"ID","action":null}',
    b'{"id":"ID","action":["play:9S"]}',
    b'{"id":"ID","action":{"__class__":"os.system"}}',
    b'{"id":"ID","action":"play:9S","log":7}',
    b'{"id":"ID","action":"play:9S","state":"' + b"s" * 20_000 + b'"}',
    b'{"id":"ID","action":"play:9S"} and more',
    b'{"id":"ID","action":"play:\xff\xfe"}',
    b'{"id":"ID","action":"play:9S",}',
    b"{'id':'ID','action':'play:9S'}",
    DEEP,
]
for reply in REPLIES:
    os.write(1, reply.replace(b"ID", request["id"].encode()) + b"\n")
    next_request()
