# expect: signal
# dies leaving a core file, as large as may be
import os
import resource

from report import tries

tries(resource.setrlimit, (resource.RLIMIT_CORE, (-1, -1)))
os.abort()
