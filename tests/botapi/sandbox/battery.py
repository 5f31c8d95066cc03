"""Runs hostile bots in one backend, as one user, through the driver that real matches use.

``python -m tests.botapi.sandbox.battery BACKEND BOTS WORK [--uid UID]`` becomes UID once everything is loaded
(no account needs to exist) and prints a JSON line a bot: what was expected, what came, and whether that is as
it should be. The last line says what was left behind. It needs what ``batteries.copy_for_all`` copies and
nothing of the checkout. The bots run a few at a time; all that they attack is real.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import encodings.idna  # noqa: F401 - nothing can be loaded any more once another user has taken over
import json
import os
import resource
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from botapi import faults, protocol
from botapi.drivers.base import Answer, Question
from botapi.drivers.lag import LagMeter
from botapi.drivers.pipes import PipeDriver
from botapi.errors import PlatformError
from botapi.sandbox import Cause, Kind, Limits, Proc, Runtime, spawn
from botapi.sandbox.filters import policy
from botapi.sandbox.groups import NoGroups
from botapi.sandbox.groups import find as find_groups
from tests.botapi.sandbox import outside
from tests.botapi.sandbox.outside import Outside
from tests.botapi.sandbox.weakened import weaken

SIDE_BY_SIDE = 4
SHORT_MS = 400.0
"""For a decision that nobody will make; everything else may take its time on a busy machine."""
LONG_MS = 30_000.0
STOPPED_S = 0.1
"""How long a bot is watched after its answer, while it must stand still."""
STOLEN_MS = 30.0
MEMORY = 256 << 20
LEGAL = ("play:9S", "play:AS")
ENDS = {cause.value: cause.name.lower() for cause in Cause if cause is not Cause.ENDED}
_PR_SET_DUMPABLE = 4


@dataclass
class Verdict:
    """What became of a bot; ``told`` are its own words, ``seen`` what the service saw, decision by decision."""

    bot: str
    expected: str
    seen: list[str] = field(default_factory=list)
    told: str = ""
    faults: list[str] = field(default_factory=list)
    """What is wrong with it: nothing, if all is well."""
    seconds: float = 0.0


class Battery:
    """All bots of one run, and what they run in."""

    def __init__(self, kind: Kind, bots: Path, work: Path, *, weakened: bool = False) -> None:
        self.kind, self.bots = kind, bots
        self.given: set[int] = set()
        self.outside = Outside(work)
        self.runtime = Runtime(work / "runtime", require_group=_groups_here())
        if weakened:
            weaken(self.runtime, readable=[self.outside.place])
        self.folders = {path: self._folder(path, work / "bots") for path in _bots(bots)}
        # a limit of its own tells this battery's processes from everybody else's
        self.limits = Limits(cpu_s=2, memory=MEMORY, address_space=MEMORY, file_size=(1 << 20) + os.getpid())

    def _folder(self, bot: Path, place: Path) -> Path:
        """An unpacked upload: a bot that is a folder comes whole, a single file with what it imports."""
        folder = place / bot.stem
        if bot.is_dir():
            shutil.copytree(bot, folder)
        else:
            folder.mkdir(parents=True)
            shutil.copyfile(bot, folder / "main.py")
        shutil.copyfile(self.bots / "report.py", folder / "report.py")
        for path in folder.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o444)
        folder.chmod(0o755)
        if self.runtime.privileged:  # in plain sight of the bot, and root's alone
            (folder / "private").write_text("canary")
            (folder / "private").chmod(0o600)
        return folder

    def order(self, victim: int) -> dict[str, object]:
        """What each bot is told."""
        return self.outside.order() | {
            "victim": victim,
            "settings": [__file__, str(Path(__file__).parent), os.environ["CHECKOUT"]],
            "memory": MEMORY,
            "threads": self._threads(),
            "ruled": sorted(_ruled(os.uname().machine)),
        }

    def _threads(self) -> int:
        """How many threads a bot may have at most."""
        if self.runtime.groups:
            return self.limits.pids
        # without namespaces the kernel counts all that the user has elsewhere too, and some of those may end
        shared = self.kind == "landlock" and not self.runtime.privileged
        return self.limits.threads + (200 if shared else 0)

    def spawn(self, bot: Path) -> Proc:
        """Start it and remember as whom."""
        proc = spawn(self.folders[bot], self.limits, backend=self.kind, runtime=self.runtime)
        self.given |= self.runtime.slots.taken if self.runtime.slots else {os.getuid()}
        return proc


class Conversation:
    """One bot, asked as a match asks."""

    def __init__(self, name: str, start: Callable[[], Proc]) -> None:
        self.name = name
        self.proc: Proc | None = None
        self.number = 0
        self.open: asyncio.Future[Answer] | None = None
        self.driver = PipeDriver(lambda: self._started(start()), self._failed, lambda: 0, LagMeter())

    def _started(self, proc: Proc) -> Proc:
        self.proc = proc
        return proc

    def _failed(self, error: BaseException) -> None:
        if self.open is not None and not self.open.done():
            self.open.set_exception(error)

    async def ask(self, kind: Any, limit_ms: float, **extra: object) -> Answer:
        """The answer to one question."""
        message_id = f"{self.name}/1/0/{self.number}"
        self.number += 1
        content = {"v": 1, "type": kind, "id": message_id, "legal": LEGAL, **extra}
        question = Question(0, kind, message_id, limit_ms, content, {}, LEGAL)
        done: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.open = done
        if kind == "hello":
            self.driver.start(question, done.set_result)
        elif (answer := self.driver.ask(question, done.set_result)) is not None:
            return answer
        return await done

    def seen(self, answer: Answer) -> str:
        """The answer in a word: ``held`` or the fault; an end by its cause."""
        if isinstance(answer.reply, protocol.ActReply):
            return "held" if answer.reply.action in LEGAL else faults.ILLEGAL
        if answer.fault == faults.CRASH and self.proc is not None:
            if "stderr" in answer.detail:  # the service ended it: how it ended says nothing
                return "flood"
            return ENDS.get(self.proc.ending().cause.value, "ended by the service")
        return answer.fault or "ready"


async def judge(battery: Battery, bot: Path, order: dict[str, object]) -> Verdict:
    """Play one bot and compare what came with its first line."""
    expected, _, times = first_line(bot).removeprefix("# expect: ").partition(" x ")
    verdict = Verdict(bot.stem, expected)
    talk, began = Conversation(bot.stem, lambda: battery.spawn(bot)), time.monotonic()
    try:
        await _converse(talk, verdict, int(times or "1"), order)
    except PlatformError as error:
        verdict.faults.append(f"the sandbox failed: {error}")
    finally:
        talk.driver.close()
    _read_log(talk, verdict)
    verdict.seconds = round(time.monotonic() - began, 2)
    return verdict


async def _converse(talk: Conversation, verdict: Verdict, times: int, order: dict[str, object]) -> None:
    wanted = verdict.expected.split(" or ")
    limit_ms = SHORT_MS if "timeout" in wanted else LONG_MS
    hello = await talk.ask("hello", SHORT_MS * 3 if "start timeout" in wanted else LONG_MS, order=order)
    if hello.reply is None:
        verdict.seen.append(f"start {talk.seen(hello)}")
        verdict.told = hello.detail
    for _ in range(times if hello.reply is not None else 0):
        answer = await talk.ask("act", limit_ms)
        _note(talk, verdict, answer)
        await _watch_stopped(talk, verdict)
    if wanted == ["held"] and verdict.seen == ["held"]:
        _note(talk, verdict, await talk.ask("act", LONG_MS))
        verdict.seen.pop()  # whether it goes on is its own affair, what it reports is not
    if not verdict.seen or not set(verdict.seen) <= set(wanted):
        verdict.faults.append(f"{verdict.expected} was expected, {' '.join(verdict.seen) or 'nothing'} came")


def _note(talk: Conversation, verdict: Verdict, answer: Answer) -> None:
    """What was seen of a decision, and what the bot reports in it."""
    verdict.seen.append(talk.seen(answer))
    verdict.told = answer.detail
    if isinstance(answer.reply, protocol.ActReply) and (answer.reply.log or "").startswith("{"):
        report = json.loads(answer.reply.log or "")
        verdict.told = report["detail"]
        if report["breach"]:
            verdict.faults.append(f"a breach: {report['detail']}")
    if protocol.printable(answer.detail) != answer.detail:
        verdict.faults.append(f"not fit for a terminal: {answer.detail[:80]!r}")


async def _watch_stopped(talk: Conversation, verdict: Verdict) -> None:
    """It must not compute on others' time."""
    if talk.proc is None:
        return
    await asyncio.sleep(0.01)
    before = talk.proc.usage().cpu_ns
    await asyncio.sleep(STOPPED_S)
    stolen_ms = (talk.proc.usage().cpu_ns - before) / 1e6
    if stolen_ms > STOLEN_MS:
        verdict.faults.append(f"it used {stolen_ms:.0f} ms of processor time while it was stopped")


def _read_log(talk: Conversation, verdict: Verdict) -> None:
    """The author's log must not hold anything that moves a terminal, nor more than it may."""
    log = talk.driver.log()
    for text in (log.stderr, *log.notes):
        if protocol.printable(text) != text or len(text) > 1 << 19:
            verdict.faults.append(f"not fit for a log: {text[:80]!r}")
    verdict.told = (verdict.told + " " + log.stderr[-300:]).strip()


async def run(battery: Battery, chosen: list[Path]) -> dict[str, Any]:
    """Play them all, a few at a time, and say what is left afterwards."""
    asleep = asyncio.Semaphore(SIDE_BY_SIDE)
    victim = Conversation("victim", lambda: battery.spawn(_by_name(battery.bots, "victim")))
    before = battery.outside.files(), outside.sockets_of({os.getuid()})
    mib = _most_mib()
    await victim.ask("hello", LONG_MS, order={})
    assert victim.proc is not None
    order = battery.order(victim.proc.pid)

    async def play(bot: Path) -> None:
        async with asleep:
            verdict = await judge(battery, bot, order)
        print(json.dumps(vars(verdict)), flush=True)

    await asyncio.gather(*(play(bot) for bot in chosen))
    alive = (await victim.ask("act", LONG_MS)).reply is not None
    victim.driver.close()
    grown = _most_mib() - mib
    return {"victim": "alive" if alive else "dead", "mib": grown, **_left(battery, before)}


def _most_mib() -> int:
    """The most memory that this process ever held; it begins with what its parent held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _left(battery: Battery, before: tuple[dict[str, tuple[object, ...]], set[str]]) -> dict[str, Any]:
    """What bots left, found without asking them."""
    files, sockets = before
    work, uids = battery.outside.work, battery.given
    found: dict[str, Any] = {
        "running": outside.descendants(),
        "knocked": battery.outside.visited(),
        "changed": outside.differences(files, battery.outside.files()),
        "uid": os.getuid(),
    }
    own = bool(os.environ.get("OWN_UID"))
    found["processes"] = outside.processes_limited_to(battery.limits.file_size)
    if own:  # nobody else's processes have this user
        found["processes"] += outside.processes_of(uids)
    if (
        own or battery.runtime.privileged
    ):  # neither do files and sockets, which no bot of any battery may have
        found["sockets"] = sorted(outside.sockets_of(uids) - sockets)
    else:  # of an account's own files and sockets only those with the bots' mark are surely a bot's
        uids = set()
    found["written"] = outside.files_of(uids, besides=work)
    battery.runtime.close()
    return found


def _ruled(machine: str) -> set[int]:
    """Numbers of the calls that the policy allows or answers by ending the bot."""
    table = json.loads(Path(policy.__file__).with_name("syscalls.json").read_text())["numbers"][machine]
    named = {rule.name for rule in policy.rules("inner")} | set(policy.KILLED)
    return {number for name, number in table.items() if name in named}


def _groups_here() -> bool:
    try:
        find_groups()
    except NoGroups:
        return False
    return True


def first_line(bot: Path) -> str:
    """What must become of a bot, in its own words."""
    main = bot / "main.py" if bot.is_dir() else bot
    return main.read_text().partition("\n")[0]


def _bots(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name not in ("report.py", "__pycache__"))


def _by_name(folder: Path, name: str) -> Path:
    return next(path for path in _bots(folder) if path.stem == name)


def become(uid: int) -> None:
    """Be an ordinary user from here on, one that can still look at its own processes."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)


def main() -> None:
    """Run the battery as told, twice those bots that look for what they left the first time."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=("bwrap", "landlock"))
    parser.add_argument("bots", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--weakened", action="store_true", help="without filters, the secret in sight")
    parser.add_argument("--uid", type=int, default=-1)
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    if options.uid >= 0:
        become(options.uid)
    battery = Battery(options.kind, options.bots, options.work, weakened=options.weakened)
    chosen = [
        bot for bot in battery.folders if bot.stem in (options.only or {bot.stem}) and bot.stem != "victim"
    ]
    again = [bot for bot in chosen if bot.stem.startswith("persist")]
    print(json.dumps({"bots": [bot.stem for bot in [*chosen, *again]]}), flush=True)
    print(json.dumps({"left": asyncio.run(run(battery, [*chosen, *again]))}), flush=True)


if __name__ == "__main__":
    main()
