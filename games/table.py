"""One job on the host: its conversation, its drivers, and the events it sends to the parent."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Final

from botapi.errors import PlatformError
from games.check_report import CheckReport
from games.job import BadJob, Job, Pace, setup_of
from games.match import Match
from games.pacing import Pacing
from games.person import PersonDriver
from games.runner import Runner
from games.showing import Showing
from games.steps import Acted, Finished, Refused
from games.version_check import Check

if TYPE_CHECKING:
    from collections.abc import Callable

    import msgspec

    from botapi.drivers.base import Driver, Question
    from botapi.drivers.http import Sign
    from games.seats import Drivers

SIGN_S: Final = 60.0
"""How long the parent may take to sign; it waits for its database at times. Never on a bot's clock."""
PEOPLE_PATIENCE_MS: Final = 1_000.0
"""How much later than a person's time is over the default action is played: an answer given in time is on its way."""
PROGRESS_S: Final = 1.0
"""Progress is told at each deal's end, and between deals this often while actions happen."""


class Table:
    """Plays one job and tells the parent of it.

    ``over`` is called once at the end; ``pause``: see ``runner.Runner``.
    """

    def __init__(
        self,
        job: Job,
        drivers: Drivers,
        emit: Callable[[dict[str, Any]], None],
        over: Callable[[], object],
        pause: Callable[[Callable[[], None]], bool],
    ) -> None:
        self._job = job
        self._makers = drivers
        self._emit_raw = emit
        self._over = over
        self._pause = pause
        self._drivers: list[Driver | None] = []
        self._began = time.monotonic()
        self._told = 0
        self._ticker: asyncio.TimerHandle | None = None
        self._play: Match | Check | None = None
        self._runner: Runner | None = None
        self._pacing: Pacing | None = None
        self._showing: Showing | None = None
        self._unsigned: dict[str, asyncio.Future[dict[str, str]]] = {}

    def begin(self) -> None:
        """Start the job, or say at once why it cannot be."""
        try:
            self._prepare()
        except (BadJob, PlatformError, OSError) as error:
            self._fail(str(error))

    def answer(self, seat: int, action: str) -> None:
        """A person's answer; one that is late or not legal changes nothing."""
        driver = self._drivers[seat] if 0 <= seat < len(self._drivers) else None
        if isinstance(driver, PersonDriver):
            driver.answer(action)

    def stored(self, number: int) -> None:
        """The parent has stored a decision: it may be shown."""
        if self._pacing is not None:
            self._pacing.stored(number)

    def set_away(self, seat: int, away: bool) -> None:
        """A person is away, and a house bot decides for them, or is back from the next decision on."""
        driver = self._drivers[seat] if 0 <= seat < len(self._drivers) else None
        if isinstance(driver, PersonDriver) and isinstance(self._play, Match):
            self._play.set_away(seat, away)
            if away:
                driver.leave()

    def set_pace(self, pace: Pace) -> None:
        """From the next move on."""
        if self._pacing is not None:
            self._pacing.pace = pace

    def stand_still(self, ms: int) -> None:
        """People could not answer for so long: their clocks stood still."""
        for driver in self._drivers:
            if isinstance(driver, PersonDriver):
                driver.stand_still(ms)

    def signed(self, message_id: str, headers: dict[str, str]) -> None:
        """The parent has signed a request."""
        waiting = self._unsigned.pop(message_id, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(headers)

    def abandon(self) -> None:
        """End the bots without a result."""
        if self._ticker is not None:
            self._ticker.cancel()
        if self._pacing is not None:
            self._pacing.close()
        if self._showing is not None:
            self._showing.close()
        for driver in self._drivers:
            if driver is not None:
                driver.close()

    # -- beginning ---------------------------------------------------------------------------------

    def _prepare(self) -> None:
        job = self._job
        setup = setup_of(job)
        play = Check(setup, time.monotonic) if job.job == "check" else Match(setup)
        self._play = play
        if job.pace is not None and isinstance(play, Match):
            people = [seat for seat, plan in enumerate(job.seats) if plan.kind == "person"]
            self._pacing = Pacing(play, people, job.pace, self._emit)
        if job.live and isinstance(play, Match):
            self._showing = Showing(play, [plan.name for plan in job.seats], self._tell_shown)
            self._showing.begin()
        acted = self._acted if self._pacing is not None else None
        runner = Runner(play.play(), self._driver_of, self._tell_progress, self._end, self._pause, acted)
        self._runner = runner
        for seat, plan in enumerate(job.seats):
            driver = self._makers.make(plan, self._asker(seat), runner.fail, self._signer(seat))
            if isinstance(driver, PersonDriver) and self._pacing is not None:
                driver.patience_ms = PEOPLE_PATIENCE_MS
            self._drivers.append(driver)
        self._emit("started")
        self._tick()
        runner.begin()

    def _driver_of(self, seat: int) -> Driver:
        driver = self._drivers[0] if self._job.job == "check" else self._drivers[seat]
        assert driver is not None
        return driver

    def _asker(self, seat: int) -> Callable[[Question, int], None]:
        def ask_person(question: Question, limit_ms: int) -> None:
            self._tell_progress()
            play = self._play
            self._emit(
                "question",
                seat=seat,
                id=question.id,
                number=play.decided(seat) + 1 if isinstance(play, Match) else 1,
                bank_ms=question.content["time"]["bank_ms"],
                view=question.view,
                legal=question.legal,
                limit_ms=limit_ms,
            )

        return ask_person

    def _signer(self, seat: int) -> Sign:
        async def sign(message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
            waiting: asyncio.Future[dict[str, str]] = asyncio.get_running_loop().create_future()
            self._unsigned[message_id] = waiting
            self._emit("sign", seat=seat, id=message_id, timestamp=timestamp, body=body.decode())
            try:
                async with asyncio.timeout(SIGN_S):
                    return await waiting
            except TimeoutError:
                raise PlatformError(f"seat {seat}: the parent signed nothing within {SIGN_S:.0f} s") from None
            finally:
                self._unsigned.pop(message_id, None)

        return sign

    # -- events ------------------------------------------------------------------------------------

    def _emit(self, kind: str, **details: Any) -> None:
        self._emit_raw({"type": kind, "match": self._job.match, "attempt": self._job.attempt, **details})

    def _acted(self, step: Acted, resume: Callable[[], None]) -> None:
        """A decision with people at the table: to be stored first, then shown to whoever watches."""
        assert self._pacing is not None
        self._pacing.acted(step, resume)
        if self._showing is not None:
            self._showing.look()

    def _tell_shown(self, state: msgspec.Raw) -> None:
        self._emit("live", state=state)

    def _tell_progress(self) -> None:
        play = self._play
        if isinstance(play, Match):
            self._told = play.decisions
            self._emit(
                "progress",
                deal=play.game.deal,
                decisions=play.decisions,
                totals=list(play.game.totals),
                open_ms=int(play.open_ms),
            )

    def _tick(self) -> None:
        play = self._play
        if isinstance(play, Match) and play.decisions != self._told:
            self._tell_progress()
        self._ticker = asyncio.get_running_loop().call_later(PROGRESS_S, self._tick)

    def _end(self, result: Any) -> None:
        """The conversation is over: let the bots leave, then tell."""
        present = [driver for driver in self._drivers if driver is not None]
        if not isinstance(result, Finished) or not present:
            self._tell_end(result)
            return
        waiting = len(present)

        def parted() -> None:
            nonlocal waiting
            waiting -= 1
            if not waiting:
                self._tell_end(result)

        for driver in present:
            driver.part(parted)

    def _tell_end(self, result: Any) -> None:
        self.abandon()
        if isinstance(result, Finished):
            self._tell_finished(result)
        elif isinstance(result, Refused):
            stderr = self._driver_of(result.seat).log().stderr
            self._emit("refused", seat=result.seat, code=result.code, message=result.message, stderr=stderr)
        elif isinstance(result, CheckReport):
            log = self._driver_of(0).log()
            self._emit("checked", report={**result.to_json(), "stderr": log.stderr, "notes": log.notes})
        else:
            self._emit("failed", reason=str(result))
        self._over()

    def _fail(self, reason: str) -> None:
        self.abandon()
        self._emit("failed", reason=reason)
        self._over()

    def _tell_finished(self, result: Finished) -> None:
        assert isinstance(self._play, Match)
        seconds = time.monotonic() - self._began
        logs = []
        for turns, notes, driver in zip(result.turns, result.notes, self._drivers, strict=True):
            kept = driver.log() if driver is not None else None
            stderr, oddities = (kept.stderr, kept.notes) if kept is not None else ("", [])
            logs.append({"turns": turns, "stderr": stderr, "notes": notes, "oddities": oddities})
        self._emit(
            "finished",
            record=result.record,
            faults=result.faults,
            logs=logs,
            timings=timings(result.turns),
            seconds=round(seconds, 3),
            decisions=self._play.decisions,
        )


def timings(turns: list[list[dict[str, Any]]]) -> dict[str, Any]:
    """Per seat that was asked.

    The number of questions, and the sums of their wall, used, processor and waiting time in milliseconds.
    """
    return {
        str(seat): {
            "turns": len(entries),
            **{
                key: round(sum(entry[key] for entry in entries), 3)
                for key in ("wall_ms", "used_ms", "cpu_ms", "delay_ms")
            },
        }
        for seat, entries in enumerate(turns)
        if entries
    }
