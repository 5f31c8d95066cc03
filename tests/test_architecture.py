"""The arrows of architecture.md, held by import-linter (contracts in pyproject.toml) and by looking at real imports."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parent.parent
CONTRACTS = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
HOST_SIDE = "games.host, games.cli, botapi.drivers, botapi.sandbox, botapi.archive_check, botapi.house"
LOOK = f"""
import sys, {HOST_SIDE}
print(sorted(sys.modules.keys() & {{"django", "rest_framework", "celery", "psycopg", "redis"}}))
"""


def imported(file: Path) -> Iterator[str]:
    """The top-level names of a file's absolute imports."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield (node.module or "").partition(".")[0]


def python_files(package: str) -> list[Path]:
    return sorted((CHECKOUT / package).rglob("*.py"))


def test_import_linter_finds_every_arrow_pointing_down() -> None:
    tool = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([tool, "--no-cache"], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(CONTRACTS)} kept, 0 broken" in done.stdout


@pytest.mark.parametrize("file", python_files("engine"), ids=lambda file: file.name)
def test_the_engine_imports_the_standard_library_alone(file: Path) -> None:
    assert set(imported(file)) <= sys.stdlib_module_names | {"engine"}


def test_the_match_host_and_the_command_line_load_no_server_library() -> None:
    done = subprocess.run([sys.executable, "-I", "-c", LOOK], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("package", ["engine", "botapi", "games", "ladder"])
def test_no_module_is_named_after_nothing(package: str) -> None:
    vague = {"utils", "util", "helpers", "common", "services", "manager", "signals", "misc"}
    assert not [file for file in python_files(package) if file.stem in vague]
