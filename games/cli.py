"""``thousand``: the authors' command line (service.md, "Authors").

Every command ends with 0 (done), 1 (the thing asked about failed), 2 (it was asked wrongly) or 3 (this machine
was too busy to tell), says what is wrong in one sentence on stderr, and prints what a machine would read with
``--json``.
"""

from __future__ import annotations

import argparse
import os
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING

from games.commandline import arena, check, init, logs, play, records, remote, rerun, selfplay
from games.commandline.errors import CommandFailed, MachineFailed, UsageFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

MODULES = (init, play, arena, check, records, selfplay, remote, logs, rerun)


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(
        prog="thousand", description="Make, try and submit bots that play Thousand."
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in MODULES:
        module.add_to(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names may hold what a terminal cannot show
    options = parser().parse_args(argv)
    try:
        status = int(options.run(options))
        sys.stdout.flush()
    except UsageFailed as error:
        print(f"thousand {options.command}: {error}", file=sys.stderr)
        return 2
    except MachineFailed as error:
        print(f"thousand {options.command}: {error}", file=sys.stderr)
        return 3
    except CommandFailed as error:
        print(f"thousand {options.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
