# expect: held
# watch what others do with files
import ctypes

from report import attempt, order, sysc, tries


def crime():
    path = ctypes.c_char_p(b"/tmp")
    calls = {"inotify_init1": (294, 26, 0), "inotify_init": (253, 26, 0), "fanotify_init": (300, 262, 0, 0), "fanotify_mark": (301, 263, 0, 1, 1, -100, path),
             "name_to_handle_at": (303, 264, -100, path, bytes(128), bytes(8), 0), "kcmp": (312, 272, order["host"], order["victim"], 0, 0, 0),
             "get_robust_list": (274, 100, order["host"], bytes(8), bytes(8)), "pidfd_open": (434, 434, order["host"], 0), "cachestat": (451, 451, 0, bytes(16), bytes(40), 0),
             "process_mrelease": (448, 448, 0, 0), "landlock": (444, 444, None, 0, 1), "listmount": (458, 458, bytes(32), bytes(64), 8, 0)}
    return [name for name, (x86, arm, *args) in calls.items() if sysc(x86, arm, *args) >= 0]


attempt(crime)
