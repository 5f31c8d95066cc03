"""One bot with numpy in one backend, as whoever starts it: ``python using_numpy.py BACKEND PLACE BOT``.

Prints what the bot printed. It needs the package ``botapi`` on its path and nothing else, so that it can run
as a user who cannot read the checkout.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from botapi.sandbox import Runtime, spawn


def main(kind: str, place: Path, bot: Path) -> bytes:
    """Run the bot to its end; its stdout, or its stderr when it says nothing there."""
    runtime = Runtime(packages=place)
    proc = spawn(bot, backend=kind, runtime=runtime)  # type: ignore[arg-type]
    said = []
    for descriptor in (proc.stdout, proc.stderr):
        os.set_blocking(descriptor, True)
        with open(descriptor, "rb", closefd=False) as file:
            said.append(file.read())
    proc.close()
    runtime.close()
    return said[0] or said[1]


if __name__ == "__main__":
    sys.stdout.buffer.write(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])))
