"""The engine's README: its picture of the phases is the phase table, its example runs."""

import re
from importlib import import_module
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


def test_the_examples_run():
    examples = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 2
    for code in examples:
        exec(code, {"print": lambda shown: shown})


def section(title):
    """The first column of each row of a section's tables."""
    text = README.read_text(encoding="utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return [row.split("|")[1] for row in text.splitlines() if row.startswith("| ")]


def test_the_table_of_modules_names_each_module_once_and_nothing_else():
    named = [name for row in section("Modules") for name in re.findall(r"`(\w+)`", row)]
    assert sorted(named) == sorted(
        module.stem for module in README.parent.glob("*.py") if module.stem != "__init__"
    )


def test_each_phase_but_the_end_has_a_class_that_exists():
    phases = [name for row in section("Phases")[1:] for name in row.strip().split(", ")]
    assert sorted(phases) == sorted(set(PHASES) - {"over"})
    text = README.read_text(encoding="utf-8").partition("\n## Phases\n")[2].partition("\n## ")[0]
    for module, name in re.findall(r"`(\w+)\.([A-Z]\w+)`", text):
        assert hasattr(import_module(f"engine.{module}"), name)
