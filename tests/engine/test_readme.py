"""The engine's README: its picture of the phases is the phase table, its example runs."""

import re
from pathlib import Path

from engine import PHASES

README = Path(__file__).parents[2] / "engine" / "README.md"


def diagram():
    lines = ["stateDiagram-v2", "    [*] --> deal"]
    lines += [
        f"    {phase} --> {successor}" for phase, following in PHASES.items() for successor in following
    ]
    return "\n".join([*lines, "    over --> [*]"])


def test_the_picture_of_the_phases_is_drawn_from_the_table():
    text = README.read_text(encoding="utf-8")
    assert f"<!-- phases -->\n```mermaid\n{diagram()}\n```\n<!-- end -->" in text


def test_the_example_runs():
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    exec(code, {"print": lambda _: None})


def test_every_module_is_in_the_table():
    text = README.read_text(encoding="utf-8")
    for module in README.parent.glob("*.py"):
        assert module.stem == "__init__" or f"`{module.stem}`" in text or module.stem == "errors"
