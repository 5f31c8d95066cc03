# expect: held
# an honest bot that the others try to harm
from report import next_request, tell

while True:
    tell(False)
    next_request()
