"""The ``run`` script: its sentences, and installing in a small checkout of its own."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parent.parent
RUN = CHECKOUT / "run"
NO_PYTHON = "#!/bin/sh\nexit 1\n"
NO_VENV = '#!/bin/sh\ncase "$2" in *venv*) exit 1 ;; esac\n'
PROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "small"
version = "1"
[tool.setuptools]
packages = ["games"]
"""


def run(
    *arguments: str, script: Path = RUN, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    argv: Sequence[str | Path] = (script, *arguments)
    return subprocess.run(argv, capture_output=True, text=True, check=False, env=env, cwd=cwd, timeout=500)


@pytest.mark.parametrize("argument", ["help", "--help", "-h"])
def test_help_names_every_command(argument: str) -> None:
    done = run(argument)
    assert done.returncode == 0
    for command in ("demo", "test", "lint", "bench NAME", "battery", "manage", "thousand"):
        assert f"\n  {command} " in done.stdout


@pytest.mark.parametrize("command", ["demo", "test", "lint", "bench", "battery", "thousand"])
def test_every_command_answers_help(command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert "usage:" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("frobnicate",), "run: there is no command frobnicate; ./run help lists them\n"),
        (("lint", "x"), "run: lint takes no arguments\n"),
        (("bench",), "run: bench needs a name; ./run bench --help lists them\n"),
        (("bench", "nothing"), "run: there is no bench nothing; ./run bench --help lists them\n"),
    ],
)
def test_what_it_does_not_know_gets_one_sentence_and_status_2(
    arguments: tuple[str, ...], sentence: str
) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)


def test_no_command_at_all_shows_the_usage_and_fails() -> None:
    done = run()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: ./run COMMAND")


def test_a_busy_port_gets_one_sentence_and_nothing_starts() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("demo", "--port", str(port))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"demo: port {port} is in use; choose another one with --port.\n"


@pytest.mark.parametrize("port", ["0", "65536", "http"])
def test_an_impossible_port_is_said_to_be_one(port: str) -> None:
    done = run("demo", "--port", port)
    assert done.returncode == 2
    assert f"invalid port value: '{port}'" in done.stderr


def small_checkout(checkout: Path) -> Path:
    """A checkout with this script, a project of one module, and one requirement."""
    for folder in ("requirements", "games"):
        (checkout / folder).mkdir(parents=True)
    shutil.copy(RUN, checkout / "run")
    (checkout / "pyproject.toml").write_text(PROJECT)
    (checkout / "games" / "cli.py").write_text("import os, sys\nprint(os.getcwd(), sys.argv[1:])\n")
    pinned = (CHECKOUT / "requirements" / "server.txt").read_text()
    found = re.search(r"^setuptools==.*?(?=^[a-z])", pinned, re.MULTILINE | re.DOTALL)
    assert found
    for name in ("server", "dev"):
        (checkout / "requirements" / f"{name}.txt").write_text(found[0])
    return checkout


@pytest.fixture
def bare(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A folder that is the whole PATH: a shell's tools, and whatever pythons a test puts there."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "cat", "cksum", "dirname", "basename", "readlink", "mkdir"):
        (tools / name).symlink_to(Path(shutil.which(name) or name).resolve())
    return tools, {"PATH": str(tools)}


def without_the_systems_python(checkout: Path) -> None:
    script = checkout / "run"
    script.write_text(script.read_text().replace("/usr/bin/python3;", "/nowhere/python3;"))


def executable(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("python", "sentence"),
    [
        (
            NO_PYTHON,
            "run: no Python 3.11 to 3.14 was found; on Debian install one with: apt install python3 python3-venv\n",
        ),
        (NO_VENV, "run: python3 has no venv module; on Debian install it with: apt install python3-venv\n"),
    ],
)
def test_a_missing_python_or_venv_gets_one_sentence(
    tmp_path: Path, bare: tuple[Path, dict[str, str]], python: str, sentence: str
) -> None:
    small, (tools, env) = small_checkout(tmp_path / "check out"), bare
    without_the_systems_python(small)
    executable(tools / "python3", python)
    done = run("thousand", script=small / "run", env=env)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", sentence)


@pytest.fixture(scope="module")
def installing(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[str, str]]]:
    """A checkout in a path with a space, in which an installation once broke off; what two runs at once said there."""
    place = tmp_path_factory.mktemp("small")
    small = small_checkout(place / "check out")
    rest = small / ".venv" / "lib" / "rest"
    rest.parent.mkdir(parents=True)
    rest.touch()
    (small / ".run").mkdir()
    (small / ".run" / "installing").touch()
    argv = (small / "run", "thousand", "play", "my bot.py")
    both = [
        subprocess.Popen(argv, cwd=place, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    ended = [process.communicate(timeout=500) for process in both]
    assert not rest.exists()
    return small, ended


def test_two_runs_at_once_after_one_that_broke_off_install_anew_once_and_later_ones_nothing(
    installing: tuple[Path, list[tuple[str, str]]],
) -> None:
    small, ended = installing
    assert [out for out, _ in ended] == [f"{small.parent} ['play', 'my bot.py']\n"] * 2
    assert sorted(bool(err) for _, err in ended) == [False, True]
    assert run("thousand", script=small / "run").stderr == ""
    for name in ("server", "dev"):
        with (small / "requirements" / f"{name}.txt").open("a") as file:
            file.write("# changed\n")
    assert "installing" in run("thousand", script=small / "run").stderr
    assert run("thousand", script=small / "run").stderr == ""


def test_requirements_that_cannot_be_had_are_an_error_and_leave_no_mark_of_success(
    installing: tuple[Path, list[tuple[str, str]]],
) -> None:
    small, _ = installing
    assert list((small / ".venv").glob("installed-*"))
    for name in ("server", "dev"):
        (small / "requirements" / f"{name}.txt").write_text(f"setuptools==80.9.0 --hash=sha256:{'0' * 64}\n")
    done = run("thousand", script=small / "run")
    assert done.returncode == 1
    assert "run: the requirements could not be installed" in done.stderr
    assert not list((small / ".venv").glob("installed-*"))
