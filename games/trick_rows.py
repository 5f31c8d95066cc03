"""The tricks of a deal as rows of the table in ``games/deal.html``.

Written in Python where everything else on a page is a template: a long match has four hundred tricks of some twenty
parts each.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext

from games.drawn_cards import face, played_face
from games.replays import DealPage, Played, TrickRow


def trick_rows(deal: DealPage, names: Sequence[str]) -> SafeString:
    """The rows of all tricks; ``names`` are those of the match's seats, as bots and people gave them."""
    known = [conditional_escape(name) for name in names]
    language = get_language() or "en"
    leads = f' <small class="muted">{conditional_escape(gettext("leads"))}</small>'
    draws = conditional_escape(gettext("draws"))
    rows = (
        _row(f"d{deal.number}t{row.number}", row, deal, known, language, leads, draws) for row in deal.tricks
    )
    return mark_safe("\n".join(rows))  # noqa: S308 - all that comes from people is escaped


def _row(
    anchor: str, row: TrickRow, deal: DealPage, names: Sequence[str], language: str, leads: str, draws: str
) -> str:
    played = "".join(_cell(anchor, cell, language, leads) for cell in row.cells)
    trump = f'<span class="suit {row.trump.suit}">{row.trump.sign}</span>' if row.trump else "–"
    needs = f'<td class="num">{row.own}</td><td class="num">{row.needed}</td>' if deal.contract else ""
    melds = "".join(f"<br><small>{conditional_escape(meld)}</small>" for meld in row.melds)
    taken = "".join(
        f'<br><small class="muted">{names[seat]} {draws}</small> {face(card)}' for seat, card in row.drawn
    )
    return (
        f'<tr id="{anchor}"><td class="num"><a href="#{anchor}">{row.number}</a></td>{played}<td>{trump}</td>'
        f'<td class="num">{row.points}</td>{needs}<td>{names[row.winner]}{melds}{taken}</td></tr>'
    )


def _cell(anchor: str, played: Played | None, language: str, leads: str) -> str:
    if played is None:
        return "<td></td>"
    said = leads if played.leads else ""
    drawn = played_face(language, played.card.text, wins=played.wins, melds=played.melds)
    return f'<td id="{anchor}s{played.seat}" class="nowrap">{drawn}{said}</td>'
