"""``thousand init``: write a first bot."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING

from botapi.samples import starter
from games.commandline.errors import CommandFailed

if TYPE_CHECKING:
    import argparse


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("init", help="write a first bot to start from")
    parser.add_argument("file", nargs="?", default="my_bot.py", type=Path)
    parser.add_argument("--force", action="store_true", help="overwrite the file")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the starter bot."""
    path: Path = options.file
    try:
        with path.open("w" if options.force else "x") as file:
            file.write(inspect.getsource(starter))
    except FileExistsError:
        raise CommandFailed(f"{path} is there already; --force overwrites it") from None
    except OSError as error:
        raise CommandFailed(f"{path} cannot be written: {error.strerror}") from error
    print(f"{path} written. Try it: thousand play {path} greedy counter --rules pl-3 --seed 7")
    return 0
