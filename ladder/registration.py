"""Who takes part in a tournament: registering, withdrawing, excluding, and who is there when a round begins.

A bot that is suspended or paused in mid-tournament sits out: its tables are drawn again without it, matches of
it that have not begun are void, and what it misses is worth nothing to it and the average of their own matches
to the others. It plays on from the next round that begins after it is active again. Whoever withdraws or is
excluded is out for good and has no rank; matches already played count for their opponents.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from botapi.bots import BY_AUTHOR
from botapi.errors import DomainError
from botapi.models import Bot, User, Version
from botapi.state_reasons import state_reason, told
from ladder.phases import locked, wrong_phase
from ladder.tournament_models import Entrant, Tournament

Phase = Tournament.Phase


@transaction.atomic
def register(tournament: Tournament, bot: Bot, *, by: User) -> Entrant:
    """Enter one's own bot. Once entered, the same call changes nothing.

    DomainError: ``not_open``, ``not_your_bot``, ``not_ready``, ``too_many_entries``, ``full``, ``excluded``.
    """
    found = locked(tournament)
    if bot.owner_id != by.pk:
        raise DomainError("not_your_bot", gettext("You can enter your own bots only."), 404)
    _check_window(found)
    if by.email_verified_at is None:
        raise DomainError("not_ready", gettext("Confirm your e-mail address first."), 409)
    known = found.entrants.filter(bot=bot).first()
    if known is not None and known.state == Entrant.State.ENTERED:
        return known
    mine = found.entrants.filter(bot__owner=by, state=Entrant.State.ENTERED).count()
    if mine >= found.per_author:
        raise DomainError(
            "too_many_entries",
            gettext("One author enters at most %(most)d.") % {"most": found.per_author},
            409,
        )
    return _enter(found, bot, known)


@transaction.atomic
def enter(tournament: Tournament, bot: Bot) -> Entrant:
    """An operator enters any bot, a house bot too, for as long as the tournament has not started."""
    found = locked(tournament)
    if found.phase != Phase.REGISTRATION:
        raise DomainError("not_open", gettext("%(name)s takes no entries now.") % {"name": found.name}, 409)
    known = found.entrants.filter(bot=bot).first()
    return known if known and known.state == Entrant.State.ENTERED else _enter(found, bot, known)


@transaction.atomic
def withdraw(entrant: Entrant) -> Entrant:
    """Its author takes it out: before the start without a trace in the draw, later for good."""
    return _leave(entrant, Entrant.State.WITHDRAWN, BY_AUTHOR)


@transaction.atomic
def exclude(entrant: Entrant, *, reason: str) -> Entrant:
    """An operator takes it out for good; ``reason`` is a sentence that everyone may read."""
    return _leave(entrant, Entrant.State.EXCLUDED, reason)


def leave_with_bot(tournament: Tournament) -> int:
    """Entrants whose bots were withdrawn from the service are out as well; how many."""
    gone = tournament.entrants.filter(state=Entrant.State.ENTERED, bot__state=Bot.State.WITHDRAWN)
    return gone.update(
        state=Entrant.State.WITHDRAWN,
        reason=gettext_noop("the bot was withdrawn by its author"),
        left_at=timezone.now(),
    )


def entered(tournament: Tournament) -> QuerySet[Entrant]:
    """Entrants that are in, with what says whether they can play."""
    return tournament.entrants.filter(state=Entrant.State.ENTERED).select_related(
        "bot__owner", "bot__active_version", "version__bot"
    )


def why_absent(entrant: Entrant) -> str:
    """Why this entrant cannot play now, as a sentence that everyone may read; empty when it can."""
    if entrant.state != Entrant.State.ENTERED:
        return f"{entrant.get_state_display()}: {told(entrant.reason)}"
    if entrant.bot.state != Bot.State.ACTIVE:
        return f"{entrant.bot.get_state_display()}: {state_reason(entrant.bot)}"
    if entrant.bot.owner is not None and not entrant.bot.owner.is_active:
        return gettext("its author's account is closed")
    return ""


def ready_version(bot: Bot) -> Version | None:
    """The version with which a bot could play now; None when it has none that passed its check."""
    version = bot.active_version
    return version if version is not None and version.state == Version.State.PASSED else None


def _check_window(tournament: Tournament) -> None:
    now = timezone.now()
    opens, closes = tournament.registration_opens_at, tournament.registration_closes_at
    if tournament.phase != Phase.REGISTRATION or (closes is not None and closes <= now):
        raise DomainError(
            "not_open", gettext("Registration for %(name)s is closed.") % {"name": tournament.name}, 409
        )
    if opens is not None and now < opens:
        raise DomainError(
            "not_open", gettext("Registration opens at %(at)s UTC.") % {"at": f"{opens:%Y-%m-%d %H:%M}"}, 409
        )


def _enter(tournament: Tournament, bot: Bot, known: Entrant | None) -> Entrant:
    """Enter a bot under the lock of the tournament; ``known`` is its row from before."""
    if known is not None and known.state == Entrant.State.EXCLUDED:
        raise DomainError(
            "excluded",
            gettext("%(name)s was excluded: %(reason)s") % {"name": bot.name, "reason": told(known.reason)},
            409,
        )
    if bot.state != Bot.State.ACTIVE or ready_version(bot) is None:
        raise DomainError(
            "not_ready", gettext("%(name)s has no version that plays now.") % {"name": bot.name}, 409
        )
    if entered(tournament).count() >= tournament.max_entrants:
        raise DomainError(
            "full",
            gettext("%(name)s has its %(most)d entrants.")
            % {"name": tournament.name, "most": tournament.max_entrants},
            409,
        )
    if known is not None:
        known.state, known.reason, known.left_at = Entrant.State.ENTERED, "", None
        known.save(update_fields=["state", "reason", "left_at"])
        return known
    last = tournament.entrants.aggregate(last=Max("number"))["last"] or 0
    return Entrant.objects.create(tournament=tournament, bot=bot, number=last + 1)


def _leave(entrant: Entrant, state: str, reason: str) -> Entrant:
    tournament = locked(entrant.tournament)
    found = Entrant.objects.select_for_update(of=("self",)).select_related("bot").get(pk=entrant.pk)
    if tournament.phase not in (Phase.REGISTRATION, Phase.RUNNING):
        raise wrong_phase(tournament)
    if found.state != Entrant.State.ENTERED:
        raise DomainError("not_entered", gettext("%(name)s is not in it.") % {"name": found.bot.name}, 409)
    found.state, found.reason, found.left_at = state, reason[:300], timezone.now()
    found.save(update_fields=["state", "reason", "left_at"])
    return found
