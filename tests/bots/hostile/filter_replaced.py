# expect: held
# put on a filter or rules of its own, or take the old ones off
from report import attempt, order, sysc, tries


def crime():
    done = [number for number, result in ((317, sysc(317, 277, 0, 0, None)), (444, sysc(444, 444, None, 0, 1)), (446, sysc(446, 446, 3, 0))) if result >= 0]
    return done


attempt(crime)
