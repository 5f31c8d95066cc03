# expect: start exited
# does not even compile
def broken(:
    pass
