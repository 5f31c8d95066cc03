"""The refusal: a machine without a safe sandbox runs no matches (sandbox.md section 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_MEND: Final = (
    "Fix: apt install bubblewrap and allow user namespaces (sysctl user.max_user_namespaces, "
    "kernel.apparmor_restrict_unprivileged_userns=0 or an AppArmor profile for bwrap; in Docker/K8s a "
    "seccomp profile that permits unshare/clone/mount/pivot_root), or a kernel >= 6.2 with Landlock in "
    "`lsm=`."
)


class SandboxUnavailable(Exception):  # noqa: N818 - the state of a machine, not somebody's mistake
    """No backend is usable. ``reasons`` holds each backend's, the text also says how to mend it."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        self.reasons = dict(reasons)
        told = " ".join(f"{name}: {reason.rstrip('.')}." for name, reason in reasons.items())
        super().__init__(f"No safe sandbox on this machine; matches will not run. {told} {_MEND}")
