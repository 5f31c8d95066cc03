# expect: held
# devices
import os

from report import attempt, order, sysc, tries


def crime():
    paths = ("/dev/mem", "/dev/kmem", "/dev/kmsg", "/dev/tty", "/dev/ptmx", "/dev/vda", "/dev/sda", "/dev/fuse", "/dev/kvm",
             "/dev/net/tun", "/dev/shm/hostile-was-here")
    return tries(os.open, *((path, flags) for path in paths for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR | os.O_CREAT)))


attempt(crime)
