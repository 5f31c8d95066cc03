"""What authors and operators change while a match is queued and while it is played."""

import pytest
from django.db.models import ProtectedError

import games.leaving
from botapi import archive
from botapi.models import Artifact, User, Version
from games.models import Match
from ladder import leaving
from ladder.eligibility import eligible_bots
from tests.faults import stage
from tests.games import making
from tests.games.processes import celery_worker, until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.e2e]


def replace_version(bot):
    """A new version of the bot that passed its check is its active one from now on."""
    accepted = archive.accept("main.py", b"raise SystemExit('nobody may start this one here')\n")
    artifact, _ = Artifact.objects.get_or_create(
        sha256=accepted.sha256, defaults={"data": accepted.canonical_zip, "size": 1}
    )
    number = bot.versions.count() + 1
    bot.active_version = Version.objects.create(
        bot=bot, number=number, state="passed", sha256=f"{bot.pk:060x}{number:04x}", artifact=artifact
    )
    bot.save()


def test_a_version_replaced_while_its_match_is_queued_and_while_it_plays():
    pool = stage.pool(stage.LONG)
    queued, played = stage.table(), stage.table(0.01)
    first = stage.match(pool, played)
    second = stage.match(pool, queued)
    replace_version(queued[0].bot)
    with celery_worker(program=stage.impatient()):
        until(lambda: stage.playing(deal=1))
        replace_version(played[1].bot)
        until(lambda: stage.over(2))
    stage.after(pool, 2)
    for match, seats in ((first, played), (second, queued)):
        assert [seat.version for seat in match.seats.all()] == seats
        assert set(seats) <= {rating.version for rating in pool.ratings.select_related("version")}


def test_a_deleted_author_whose_bot_is_queued_and_playing():
    """Records keep the bots of who leaves, and play what has begun; an inactive author's bots get nothing new."""
    pool = stage.pool(stage.LONG)
    seats = stage.table(0.01)
    asker = making.author()
    playing = stage.match(pool, seats, requested_by=asker)
    waiting = [stage.match(pool, seats) for _ in range(2)]
    authors = [seat.bot.owner for seat in seats]
    with celery_worker(program=stage.impatient()):
        until(lambda: stage.playing(deal=1))
        with pytest.raises(ProtectedError):
            authors[0].delete()
        asker.delete()
        leaving.leave(authors[0])
        User.objects.filter(pk=authors[1].pk).update(is_active=False)
        until(lambda: stage.over(3))
    stage.after(pool, 3)
    assert {one.pk for one in (playing, *waiting)} == set(Match.objects.values_list("pk", flat=True))
    assert Match.objects.get(pk=playing.pk).requested_by is None
    assert games.leaving.erase_left() == 1
    seats[0].refresh_from_db()
    assert seats[0].artifact is None
    assert [bot.pk for bot in eligible_bots()] == [seats[2].bot_id]
