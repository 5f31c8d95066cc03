# expect: held
# start workers
from report import attempt, order, sysc, tries


def crime():
    import multiprocessing
    worker = multiprocessing.Process(target=print)
    worker.start()
    return True


attempt(crime)
