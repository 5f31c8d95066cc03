"""Which sandboxes this machine carries, and what a test does where it does not carry one.

Its refusal is looked at instead and said aloud. With CI set that is a failure: what CI passes must have been
proved in both backends.
"""

from __future__ import annotations

import functools
import os
import re

import pytest

from botapi.sandbox import KINDS, Kind, Runtime, SandboxUnavailable, choose_backend, probe


@functools.cache
def refusals() -> dict[Kind, str]:
    """Why this machine does not carry a backend, for those that it does not."""
    runtime = Runtime()
    found = {kind: reason for kind in KINDS if (reason := probe(kind, runtime).reason)}
    runtime.close()
    return found


def require(kind: Kind) -> None:
    """Go on where the machine carries ``kind``; else see that matches would be refused, and end the test."""
    reason = refusals().get(kind)
    if reason is None:
        return
    runtime = Runtime()
    with pytest.raises(SandboxUnavailable, match=re.escape(reason)):
        choose_backend(kind, runtime)
    runtime.close()
    told = f"this machine does not carry {kind}, which it refuses: {reason}"
    if "CI" in os.environ:
        pytest.fail(f"{told}; CI must prove both backends", pytrace=False)
    pytest.skip(told)
