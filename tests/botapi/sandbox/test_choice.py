"""Which backend is chosen, and the refusal when none holds."""

from __future__ import annotations

import dataclasses
import os
import shutil
from pathlib import Path

import pytest

from botapi.sandbox import KINDS, Kind, Runtime, SandboxUnavailable, bwrap, choose_backend, probe
from botapi.sandbox.interpreter import examine, without_hidden
from botapi.sandbox.packages import name_for
from botapi.sandbox.runtime import _for_all
from tests.botapi.sandbox import carrying
from tests.botapi.sandbox.running import read_all, running, write_bot
from tests.botapi.sandbox.weakened import weaken


def test_both_backends_hold_here(kind: Kind, runtime: Runtime) -> None:
    assert probe(kind, runtime).reason == ""
    assert choose_backend(kind, runtime) == kind


def test_auto_takes_bubblewrap_first(runtime: Runtime) -> None:
    carried = [kind for kind in KINDS if kind not in carrying.refusals()]
    if not carried:
        carrying.require("bwrap")
    assert KINDS[0] == "bwrap"
    assert choose_backend("auto", runtime) == carried[0]


def test_an_unknown_backend_is_refused(runtime: Runtime) -> None:
    with pytest.raises(ValueError, match="SANDBOX_BACKEND"):
        choose_backend("none", runtime)


def test_a_filter_that_silently_lets_everything_through_is_noticed(kind: Kind) -> None:
    runtime = weaken(Runtime())
    found = probe(kind, runtime)
    assert not found.usable
    could = found.reason.removeprefix("a bot in it could do: ").split(", ")
    assert {"unix", "fork", "locks", "shared_futex"} <= set(could)
    with pytest.raises(SandboxUnavailable) as refusal:
        choose_backend("auto", runtime)
    runtime.close()
    text = str(refusal.value)
    assert text.startswith("No safe sandbox on this machine; matches will not run. bwrap: ")
    assert f" {kind}: a bot in it could do: " in text
    assert text.endswith("or a kernel >= 6.2 with Landlock in `lsm=`.")


@pytest.mark.parametrize(
    ("answer", "mode", "reason"),
    [
        ("bubblewrap 0.4.1", 0o755, "0.8 or later is needed"),
        ("bubblewrap 0.11.0", 0o4755, "is setuid"),
        ("hello", 0o755, "does not tell its version"),
    ],
)
def test_a_bubblewrap_that_cannot_be_trusted_is_refused(
    tmp_path: Path, answer: str, mode: int, reason: str
) -> None:
    program = tmp_path / "bwrap"
    program.write_text(f"#!/bin/sh\necho '{answer}'\n")
    program.chmod(mode)
    with pytest.raises(bwrap.NoBubblewrap, match=reason):
        bwrap.find(str(program))
    refused = Runtime(bwrap=str(program))
    assert reason in probe("bwrap", refused).reason
    refused.close()


def test_a_missing_or_relative_bubblewrap_is_refused(tmp_path: Path) -> None:
    for setting in (str(tmp_path / "none"), "bwrap"):
        with pytest.raises(bwrap.NoBubblewrap):
            bwrap.find(setting)


def test_bubblewrap_without_user_namespaces_is_a_reason(tmp_path: Path) -> None:
    program = tmp_path / "bwrap"
    program.write_text(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo 'bubblewrap 0.11.0' && exit\n"
        "echo 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n"
    )
    program.chmod(0o755)
    refused = Runtime(bwrap=str(program))
    found = probe("bwrap", refused)
    refused.close()
    assert "bwrap: No permissions to create a new namespace" in found.reason


def test_a_python_that_cannot_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="absolute"):
        examine("python3")
    broken = tmp_path / "python3"
    broken.write_text("#!/bin/sh\necho broken >&2; exit 1\n")
    broken.chmod(0o755)
    with pytest.raises(ValueError, match="does not run: broken"):
        Runtime(python=str(broken))


def test_the_systems_python_needs_libraries_and_nothing_else() -> None:
    found = examine("/usr/bin/python3")
    assert not [
        path for path in found.readable if path.startswith(("/usr/local", "/home", "/root", "/etc/ssl"))
    ]
    assert "/usr" not in found.readable
    assert without_hidden(found)


def test_a_python_elsewhere_comes_without_its_installed_packages(kind: Kind, tmp_path: Path) -> None:
    """As in images whose Python is below /usr/local, where the service itself is installed."""
    place = Runtime()
    system = examine("/usr/bin/python3")
    version = ".".join(system.version.split(".")[:2])
    home = place.path / "python"
    stdlib = home / "lib" / f"python{version}"
    shutil.copytree(
        f"/usr/lib/python{version}",
        stdlib,
        ignore_dangling_symlinks=True,
        ignore=shutil.ignore_patterns(
            "__pycache__", "test", "config-*", "idlelib", "site-packages", "dist-packages"
        ),
    )
    (stdlib / "site-packages").mkdir()
    (stdlib / "site-packages" / "service_settings.py").write_text("SECRET_KEY = 'canary'\n")
    (home / "bin").mkdir()
    shutil.copy(system.executable, home / "bin" / "python3")
    for path in (home, *home.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755)
    runtime = Runtime(place.path, python=str(home / "bin" / "python3"))
    assert runtime.interpreter.hidden == (str(stdlib / "site-packages"),)
    bot = write_bot(
        tmp_path / "bot",
        "import os, sys, random, json\nprint(sys.prefix)\n"
        f"try:\n    print(open({str(stdlib / 'site-packages' / 'service_settings.py')!r}).read())\n"
        "except OSError:\n    print('hidden')\n",
    )
    assert probe(kind, runtime).reason == ""
    with running(bot, kind, runtime) as proc:
        assert read_all(proc.stdout).decode().split() == [str(home), "hidden"]
    place.close()


def test_what_is_hidden_is_hidden_below_the_systems_libraries_too(kind: Kind, tmp_path: Path) -> None:
    runtime = Runtime()
    found = runtime.interpreter
    inside = f"/usr/lib/python{'.'.join(found.version.split('.')[:2])}/wsgiref"
    source = f"import os, random\ntry:\n    print(os.listdir({inside!r}))\nexcept OSError:\n    print([])\n"
    bot = write_bot(tmp_path / "bot", source)
    for hidden, seen in (((), True), ((inside,), False)):
        runtime.interpreter = dataclasses.replace(found, hidden=hidden)
        with running(bot, kind, runtime) as proc:
            said = read_all(proc.stdout)
            assert ("__init__.py" in said.decode(), said == b"[]\n") == (seen, not seen)
    runtime.close()


def test_packages_for_bots_are_there_and_after_the_standard_library(kind: Kind, tmp_path: Path) -> None:
    place = Runtime()
    packages = place.path / name_for(place.interpreter)
    packages.mkdir()
    (packages / "gift.py").write_text("VALUE = 7\n")
    (packages / "random.py").write_text("raise ImportError\n")
    for path in packages.iterdir():
        path.chmod(0o444)
    packages.chmod(0o555)
    runtime = Runtime(place.path, packages=place.path)
    bot = write_bot(tmp_path / "bot", "import gift, random\nprint(gift.VALUE)\n")
    with running(bot, kind, runtime) as proc:
        assert read_all(proc.stdout) == b"7\n"
    place.close()


def test_a_runtime_directory_that_slots_cannot_reach_is_refused(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    if os.geteuid() == 0:
        with pytest.raises(ValueError, match="outside root's home"):
            Runtime(closed / "runtime")
    else:
        Runtime(closed / "runtime").close()


def test_a_runtime_cleans_up_after_itself() -> None:
    runtime = Runtime()
    assert runtime.path.stat().st_mode & 0o777 == 0o711
    runtime.close()
    assert not runtime.path.exists()


def test_a_python_that_sandboxes_of_root_cannot_reach_is_refused(tmp_path: Path) -> None:
    found = examine("/usr/bin/python3")
    hidden = tmp_path / "home" / "lib"
    hidden.mkdir(parents=True)
    hidden.parent.chmod(0o700)
    _for_all(found)
    with pytest.raises(ValueError, match=r"cannot be reached by the sandboxes' users: .*/home/lib"):
        _for_all(dataclasses.replace(found, readable=(*found.readable, str(hidden))))
