"""When rounds begin: a timetable is five fields as cron writes them, in UTC, read by Celery's own parser.

"0 18 * * 1-5" is six o'clock in the evening, Monday to Friday. Of day of the month and day of the week both
must fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Final

from celery.schedules import ParseException, crontab_parser
from django.utils.translation import gettext

from botapi.errors import DomainError

HORIZON: Final = timedelta(days=9 * 366)
"""Every date that comes at all comes within this: a 29th of February may be eight years away."""


def check(timetable: str) -> None:
    """Raise DomainError ``bad_timetable`` unless ``timetable`` can be read and names a time that comes."""
    if next_after(timetable, datetime(2000, 1, 1, tzinfo=UTC)) is None:
        message = gettext("“%(timetable)s” names a time that never comes.") % {"timetable": timetable}
        raise DomainError("bad_timetable", message)


def next_after(timetable: str, moment: datetime) -> datetime | None:
    """The first time after ``moment``; None when there is none. Raises DomainError ``bad_timetable``."""
    first = moment.astimezone(UTC).date()
    found = (at for at in _times(timetable, _days(first, 1), backwards=False) if at > moment)
    return next(found, None)


def latest(timetable: str, moment: datetime) -> datetime | None:
    """The last time up to ``moment``; None when there was none. Raises DomainError ``bad_timetable``."""
    last = moment.astimezone(UTC).date()
    found = (at for at in _times(timetable, _days(last, -1), backwards=True) if at <= moment)
    return next(found, None)


def coming(timetable: str, moment: datetime, count: int) -> list[datetime]:
    """The next ``count`` times after ``moment``."""
    found: list[datetime] = []
    while len(found) < count:
        at = next_after(timetable, found[-1] if found else moment)
        if at is None:
            break
        found.append(at)
    return found


def _days(start: date, step: int) -> Iterator[date]:
    return (start + timedelta(days=step * number) for number in range(HORIZON.days))


def _times(timetable: str, days: Iterator[date], *, backwards: bool) -> Iterator[datetime]:
    """The times of ``days`` in their order; within a day backwards or forwards."""
    read = _read(timetable)
    for day in days:
        fits = day.month in read.months and day.day in read.days and day.isoweekday() % 7 in read.weekdays
        if fits:
            for hour in sorted(read.hours, reverse=backwards):
                for minute in sorted(read.minutes, reverse=backwards):
                    yield datetime.combine(day, time(hour, minute), UTC)


@dataclass(frozen=True, slots=True)
class _Fields:
    """A timetable as it was read; weekdays from 0, Sunday."""

    minutes: set[int]
    hours: set[int]
    days: set[int]
    months: set[int]
    weekdays: set[int]


@lru_cache(maxsize=256)
def _read(timetable: str) -> _Fields:
    try:
        minute, hour, day, month, weekday = timetable.split()
        return _Fields(
            minutes=crontab_parser(60).parse(minute),
            hours=crontab_parser(24).parse(hour),
            days=crontab_parser(31, 1).parse(day),
            months=crontab_parser(12, 1).parse(month),
            weekdays=crontab_parser(7).parse(weekday),
        )
    except (ParseException, ValueError, KeyError, TypeError) as error:
        message = gettext(
            "“%(timetable)s” is no timetable: minute, hour, day, month and weekday, as in `0 18 * * 1-5`."
        )
        raise DomainError("bad_timetable", message % {"timetable": timetable}) from error
