# expect: start
# does not even compile
def broken(:
    pass
