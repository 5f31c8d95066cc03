"""``python -m bench NAME``: runs ``bench/NAME.py``'s ``main(argv)``."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path


def main(argv: list[str]) -> int:
    """Run the named bench; returns its exit status, 2 for an unknown name."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    if not argv or argv[0] not in names:
        print(f"bench: name one of: {', '.join(names)}", file=sys.stderr)
        return 2
    status: int = importlib.import_module(f"bench.{argv[0]}").main(argv[1:]) or 0
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
