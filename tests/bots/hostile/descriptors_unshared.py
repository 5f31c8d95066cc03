# expect: held
# more open files than it may have, with a table of descriptors for each thread
from report import attempt, order, sysc, tries

UNSHARE, CLOSE_ON_EXEC = 2, 4


def crime():
    allowed = [sysc(436, 436, 900, 900, flags) for flags in (0, CLOSE_ON_EXEC)]
    if any(allowed):
        return f"close_range itself is refused: {allowed}"
    return [flags for flags in (UNSHARE, UNSHARE | CLOSE_ON_EXEC) if sysc(436, 436, 900, 900, flags) == 0]


attempt(crime)
