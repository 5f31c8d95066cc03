# expect: exited
# does not even compile
def broken(:
    pass
