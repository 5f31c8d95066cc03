# expect: memory
# more memory than the limit, and no thought of it
import report

held = []
while True:
    held.append(bytearray(b"\1") * (16 << 20))
