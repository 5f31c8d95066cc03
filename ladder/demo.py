"""The whole service on one machine: ``./run demo``.

Starts the servers, migrates, prepares sample authors and bots, starts web server, workers, beat and the
sample HTTP bot, and keeps them running until Ctrl-C. The data stay in ``.run``, for the next start.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import http.client
import os
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from signal import SIGINT, SIGQUIT, SIGTERM

from ladder import development
from ladder.chaos import Chaos
from ladder.development import CHECKOUT, LOGS, MANAGE, STATE
from ladder.embedded import free_port
from ladder.program import Program, ProgramError
from ladder.supervisor import Stopped, Supervisor

HOST = "127.0.0.1"
CELERY = (sys.executable, "-m", "celery", "--app", "ladder.celery")
WORKERS = {"cpu": max(1, (os.cpu_count() or 2) - 1), "waiting": 2, "default": 1}
"""Queue and processes; a worker each, so that a long match never keeps the short tasks waiting."""
UNTIL = "await_rated"
SETTLE_S = 180
"""After chaos: how long what is open may take to end, leases of 30 s and repetitions included."""


class Failed(Exception):  # noqa: N818 - the demo's own end, in a sentence
    """The demo cannot go on; the message says why."""


def say(line: str) -> None:
    """One line on the console."""
    print(line, flush=True)


def is_free(port: int) -> bool:
    """Whether our web server could listen there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True


def answers_http(port: int) -> bool:
    """Whether a web server there answers anything at all."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException):
        connection.request("HEAD", "/")
        return connection.getresponse().status > 0
    return False


def _program(name: str, argv: Sequence[str], environment: Mapping[str, str]) -> Program:
    return Program(
        name=name,
        argv=tuple(argv),
        log=LOGS / f"{name}.log",
        environment=environment,
        directory=CHECKOUT,
        rank=1,
    )


def web(port: int, environment: Mapping[str, str]) -> Program:
    """The web server; open streams get three seconds at its end (stack.md, trap 9)."""
    argv = [sys.executable, "-m", "uvicorn", "ladder.asgi:application", "--host", HOST, "--port", str(port)]
    argv += ["--timeout-graceful-shutdown", "3", "--lifespan", "off", "--no-access-log"]
    program = _program("web", argv, environment)
    return replace(program, ready=functools.partial(answers_http, port), ready_seconds=60)


def worker(queue: str, processes: int, environment: Mapping[str, str]) -> Program:
    """A Celery worker; a match that does not end in the time of grace is dropped, and repeated later."""
    argv = [*CELERY, "worker", "--queues", queue, "--hostname", f"{queue}@%h", "--pool", "prefork"]
    argv += ["--concurrency", str(processes), "--loglevel", "INFO"]
    argv += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    program = _program(f"worker-{queue}", argv, environment)
    return replace(program, stops=((SIGTERM, 5), (SIGQUIT, 5)))


def beat(environment: Mapping[str, str]) -> Program:
    """Celery's clock, with its schedule from the settings and nothing kept on disk."""
    argv = [*CELERY, "beat", "--scheduler", "celery.beat:Scheduler", "--pidfile", "", "--loglevel", "WARNING"]
    return _program("beat", argv, environment)


def http_bot(port: int, secret: str) -> Program:
    """The sample HTTP bot: it gets its secret and nothing of the service's."""
    argv = (sys.executable, "-P", "-m", "botapi.samples.http_bot", "--port", str(port))
    return replace(_program("http-bot", argv, {"THOUSAND_BOT_SECRET": secret}), stops=((SIGINT, 3),))


def _http_bot_port() -> int:
    """The port the bot was registered with, or a new one if somebody else has taken it."""
    kept = development.kept_secrets()
    port = int(kept.get("http_bot_port", 0))
    if not port or not is_free(port):
        port = free_port()
        development.write_private(STATE / "secrets.json", {**kept, "http_bot_port": str(port)})
    return port


def _must(supervisor: Supervisor, program: Program) -> None:
    code = supervisor.once(program)
    if code:
        raise Failed(f"{program.name} failed with exit status {code}:\n{program.log_tail()}")


def start_everything(supervisor: Supervisor, port: int) -> Mapping[str, str]:
    """From nothing to a service that plays; returns the environment of its Django processes."""
    addresses = development.servers(supervisor)
    environment = {**development.environment(addresses), "SITE_URL": f"http://{HOST}:{port}"}
    _must(supervisor, _program("migrate", (*MANAGE, "migrate", "--no-input", "-v", "1"), environment))
    bot_port, secret = _http_bot_port(), STATE / "http-bot.secret"
    supplied = {**environment, "DEMO_OPERATOR_PASSWORD": development.kept_secrets()["operator_password"]}
    prepare = (*MANAGE, "prepare_demo", f"http://{HOST}:{bot_port}/", str(secret))
    _must(supervisor, _program("prepare", prepare, supplied))
    supervisor.add(http_bot(bot_port, secret.read_text().strip()))
    for queue, processes in WORKERS.items():
        supervisor.add(worker(queue, processes, environment))
    supervisor.add(web(port, environment))
    supervisor.add(beat(environment))
    return environment


def _introduce(port: int) -> None:
    password = development.kept_secrets()["operator_password"]
    say(f"\n  site      http://{HOST}:{port}/")
    say(f"  admin     http://{HOST}:{port}/admin/    operator / {password}")
    say(f"  API       http://{HOST}:{port}/api/v1/")
    say(f"  logs      {LOGS}\n")
    say("Ctrl-C stops everything; the next start goes on with the same data.")


def _until_rated(supervisor: Supervisor, wanted: int, seconds: float, environment: Mapping[str, str]) -> int:
    """Wait for the matches and print the one line about them; returns the exit status."""
    argv = (*MANAGE, UNTIL, str(wanted), "--timeout", str(max(1, int(seconds))))
    program = _program(UNTIL, argv, environment)
    code = supervisor.once(program)
    say((program.log_tail() or f"{UNTIL} said nothing").splitlines()[-1])
    return 1 if code else 0


def _chaos(supervisor: Supervisor, options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Kill at random for a time; then let everything come to an end and audit it. Returns the exit status."""
    since = datetime.now(UTC).isoformat()
    chaos = Chaos(options.chaos, supervisor.running, time.monotonic)
    ends = time.monotonic() + 60 * options.minutes
    while time.monotonic() < ends:
        supervisor.tend()
        if victim := chaos.tend():
            say(f"chaos: {victim} was killed")
        supervisor.rest()
    supervisor.end("beat")  # nothing new is queued from now on
    killed = ", ".join(f"{victim} {times}" for victim, times in sorted(chaos.done.items())) or "nobody"
    say(f"chaos: seed {options.chaos}, {options.minutes:g} min, killed: {killed}")
    audits = (("audit_matches", "--settle", str(SETTLE_S), "--since", since), ("audit_ratings", "--boards"))
    failed = []
    for name, *arguments in audits:
        program = replace(_program(name, (*MANAGE, name, *arguments), environment), log=LOGS / f"{name}.log")
        code = supervisor.once(program)
        say(program.log_tail() or f"{name} said nothing")
        failed += [name] if code else []
    say(f"chaos: not clean: {', '.join(failed)}" if failed else "chaos: clean")
    return 1 if failed else 0


def _keep_last_logs() -> None:
    LOGS.mkdir(parents=True, exist_ok=True)
    for log in LOGS.glob("*.log"):
        log.replace(log.with_suffix(".log.before"))


def demo(options: argparse.Namespace) -> int:
    """Run it; returns the exit status."""
    begun = time.monotonic()
    if not is_free(options.port):
        raise Failed(f"port {options.port} is in use; choose another one with --port.")
    with development.sole_use(), Supervisor(say).in_charge() as supervisor:
        _keep_last_logs()
        say("Starting ...")
        environment = start_everything(supervisor, options.port)
        _introduce(options.port)
        if options.until_rated:
            left = options.timeout - (time.monotonic() - begun)
            return _until_rated(supervisor, options.until_rated, left, environment)
        if options.chaos is not None:
            return _chaos(supervisor, options, environment)
        while not supervisor.asked_to_stop:
            supervisor.tend()
            time.sleep(0.2)
        say("Stopping ...")
    return 0


def _port(text: str) -> int:
    port = int(text)
    if not 1 <= port <= 65535:
        raise ValueError
    return port


_port.__name__ = "port"  # what argparse calls it in its message


def main(argv: Sequence[str] | None = None) -> int:
    """Parse, run, and put every end into one sentence."""
    parser = argparse.ArgumentParser(prog="./run demo", description=__doc__)
    parser.add_argument("--port", type=_port, default=8000, help="of the web server on 127.0.0.1 (8000)")
    parser.add_argument("--until-rated", type=int, metavar="N", help="end after N rated matches, exit 0")
    parser.add_argument("--timeout", type=float, metavar="S", help="for --until-rated: seconds (300 + 20 N)")
    parser.add_argument(
        "--chaos",
        type=int,
        metavar="SEED",
        help="kill workers, hosts and Redis at random, then audit everything",
    )
    parser.add_argument("--minutes", type=float, default=60, metavar="N", help="for --chaos: how long (60)")
    options = parser.parse_args(argv)
    if not 0 < options.minutes <= 24 * 60:
        parser.error("--minutes: more than 0, at most a day")
    options.timeout = options.timeout or 300 + 20 * (options.until_rated or 0)
    try:
        return demo(options)
    except development.AlreadyRunning:
        print("demo: another demo or manage command of this checkout is running.", file=sys.stderr)
    except Stopped:
        print("demo: stopped before its end.", file=sys.stderr)
    except (Failed, ProgramError) as error:
        print(f"demo: {error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
