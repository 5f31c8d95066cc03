"""``.env.example`` and the settings name the same things."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from ladder.development import setting_names

SETTINGS = Path(__file__).parent.parent / "ladder" / "settings.py"
READERS = {"_text", "_flag", "_number"}


def names_read_by_the_settings() -> Iterator[str]:
    for node in ast.walk(ast.parse(SETTINGS.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in READERS:
            yield ast.literal_eval(node.args[0])


def test_every_setting_stands_in_the_example_once_and_nothing_else_does() -> None:
    assert sorted(setting_names()) == sorted(set(names_read_by_the_settings()))


def test_the_settings_read_the_environment_through_their_readers_alone() -> None:
    assert SETTINGS.read_text().count("os.environ") == len(READERS)
