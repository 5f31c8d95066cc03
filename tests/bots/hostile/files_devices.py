# expect: held
# devices
import os

from report import attempt, order, sysc, tries


def crime():
    paths = ("/dev/mem", "/dev/kmem", "/dev/kmsg", "/dev/tty", "/dev/ptmx", "/dev/vda", "/dev/sda", "/dev/fuse", "/dev/kvm",
             "/dev/net/tun", "/dev/shm/hostile-was-here")
    return tries(os.open, *((path, os.O_RDWR | os.O_CREAT) for path in paths))


attempt(crime)
