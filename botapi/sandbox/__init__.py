"""Sandboxes for uploaded Python bots (Django-free; sandbox.md).

``choose_backend`` once at the start of a host, then ``spawn`` for each bot. There is no way to start an
uploaded bot without a sandbox.
"""

from botapi.sandbox.backends import KINDS, Capability, Kind, spawn
from botapi.sandbox.canary import choose_backend, probe
from botapi.sandbox.interpreter import DEFAULT_PYTHON
from botapi.sandbox.limits import Limits, cpu_seconds
from botapi.sandbox.packages import Packages
from botapi.sandbox.proc import Cause, Ending, Proc, Usage
from botapi.sandbox.refusal import SandboxUnavailable
from botapi.sandbox.runtime import Runtime

__all__ = [
    "DEFAULT_PYTHON",
    "KINDS",
    "Capability",
    "Cause",
    "Ending",
    "Kind",
    "Limits",
    "Packages",
    "Proc",
    "Runtime",
    "SandboxUnavailable",
    "Usage",
    "choose_backend",
    "cpu_seconds",
    "probe",
    "spawn",
]
