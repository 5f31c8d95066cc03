# expect: held
# the machine's own switches
import os

from report import attempt, order, sysc, tries


def crime():
    paths = ("/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/sys/fs/cgroup/cgroup.procs", "/sys/kernel/debug",
             "/sys/fs/cgroup/memory/cgroup.procs", "/sys/fs/cgroup/release_agent", "/sys/kernel/uevent_helper", "/proc/kcore", "/proc/kallsyms", "/proc/net/tcp",
             "/proc/version", "/boot", "/var/run/docker.sock", "/run/systemd/private", "/etc/ld.so.preload", "/etc/crontab", "/var/spool/cron", "/etc/sudoers")
    return tries(os.open, *((path, flags) for path in paths for flags in (os.O_RDONLY, os.O_WRONLY)))


attempt(crime)
