"""Records as tables of text."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


PARAGRAPH_WIDTH: Final = 100
SHOWN_NOTES: Final = 8


def paragraph(text: str) -> str:
    """A paragraph in lines that fit a terminal; a word that does not fit is left whole."""
    return textwrap.fill(text, PARAGRAPH_WIDTH, break_long_words=False, break_on_hyphens=False)


def counted(number: int, thing: str) -> str:
    """``1 record``, ``2 records``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def place(deal: int, action: int) -> str:
    """Where in a match something happened, from 1 as the pages of the match count; ``deal`` and ``action`` are from 0."""
    return f"deal {deal + 1}, step {action + 1}"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Columns as wide as they need to be; the first to the left, the others to the right."""
    cells = [list(head), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if not column else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    )


def seat_names(record: Mapping[str, Any]) -> list[str]:
    """Names of the seats, told apart by the seat's number, from 1, where two are the same."""
    names = [seat["name"] for seat in record["seats"]]
    return [f"{name}/{seat}" if names.count(name) > 1 else name for seat, name in enumerate(names, 1)]


def deal_table(record: Mapping[str, Any]) -> str:
    """One line a deal: declarer, contract, made or not, what each scored and the totals."""
    names = seat_names(record)
    head = ["deal", "declarer", "contract", "", *names, "totals"]
    return table(head, [_deal_row(number, deal, names) for number, deal in enumerate(record["deals"], 1)])


def _deal_row(number: int, deal: Mapping[str, Any], names: Sequence[str]) -> list[object]:
    declarer, contract = deal["declarer"], deal["contract"]
    if deal["void"]:
        outcome = "void"
    elif declarer is None:
        outcome = "-"
    elif contract is None:
        outcome = "conceded"
    else:
        outcome = "made" if deal["points"][declarer] >= contract else "failed"
    name = "-" if declarer is None else names[declarer]
    return [number, name, contract or "-", outcome, *deal["scores"], " ".join(map(str, deal["totals"]))]


def place_table(record: Mapping[str, Any]) -> str:
    """Places, best first."""
    result = record["result"]
    rows = sorted(zip(result["places"], seat_names(record), result["totals"], strict=True))
    return table(["place", "bot", "total"], rows)


def fault_lines(faults: Iterable[Mapping[str, Any]], record: Mapping[str, Any]) -> list[str]:
    """One paragraph a fault, and one line for each seat that was stood in for."""
    names = seat_names(record)
    lines = [
        "\n"
        + paragraph(
            f"fault of {names[f['seat']]} in {place(f['deal'], f['action'])}, {f['code']}: {f['message']}"
        )
        for f in faults
    ]
    lines += [
        f"{names[s['seat']]} was stood in for from deal {s['deal'] + 1} on" for s in record["stand_ins"]
    ]
    return lines


def check_text(report: Mapping[str, Any]) -> str:
    """The report of a check: a line for each table it was asked at, the deals, stderr, and the verdict."""
    steps = report["steps"]
    parts = [_steps_table(steps)]
    parts += [
        f"{_step_name(s)}: {s['detail']}" for s in steps if not s["ok"] and s["detail"] != report["message"]
    ]
    notes = report.get("notes") or []
    if notes:
        more = len(notes) - SHOWN_NOTES
        lines = [f"  {line}" for line in notes[:SHOWN_NOTES]] + ([f"  and {more} more"] if more > 0 else [])
        parts.append("\n".join(["noticed:", *lines]))
    if report.get("stderr"):
        parts.append(f"stderr:\n{report['stderr'].rstrip()}")
    verdict = report["verdict"] + (f" ({report['code']})" if report["code"] else "")
    parts.append(paragraph(f"{verdict}: {report['message']}") if report["message"] else verdict)
    return "\n\n".join(part for part in parts if part)


def _step_name(step: Mapping[str, Any]) -> str:
    """A step's name; its seat, if it has one, from 1."""
    head, _, seat = str(step["name"]).rpartition(" ")
    return f"{head} {int(seat) + 1}" if head == "deals in seat" else str(step["name"])


def _steps_table(steps: Sequence[Mapping[str, Any]]) -> str:
    """Milliseconds of each step by table; an exclamation mark where it failed."""
    columns = ("start", "hello", "situations")
    rows: dict[str, dict[str, str]] = {}
    for step in steps:
        column, _, where = step["name"].partition(" ")
        if column not in columns:
            column, where = columns[-1], _step_name(step)
        rows.setdefault(where, {})[column] = f"{step['ms']:.0f}" + ("" if step["ok"] else " !")
    cells = [[where, *(found.get(column, "") for column in columns)] for where, found in rows.items()]
    return table(["milliseconds", *columns], cells) if cells else ""
