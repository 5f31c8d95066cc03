# expect: held or memory
# more memory than the limit
from report import attempt, order, sysc, tries


def crime():
    held = []
    while len(held) * 16 << 20 < order["memory"]:
        held.append(bytearray(b"\1") * (16 << 20))
    return len(held) * 16


attempt(crime)
