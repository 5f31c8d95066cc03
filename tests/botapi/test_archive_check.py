"""Larger archives: the same verdicts from a process of their own, and a plain no when that process fails."""

from __future__ import annotations

import io
import os
import sys
import time
import zipfile
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from botapi import archive, archive_check, bots
from botapi.errors import DomainError
from botapi.foreign_zip import MAX_ZIP, MIB
from botapi.models import User, Version
from botapi.tokens import create_token

TABLE = os.urandom(MIB)
REAL = sys.executable


def packed(*entries: tuple[str, bytes], table: bytes = TABLE) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in (("main.py", b"print()\n"), ("table.bin", table), *entries):
            made.writestr(name, content)
    return out.getvalue()


def refusal(data: bytes) -> DomainError:
    with pytest.raises(DomainError) as refused:
        archive_check.accept("bot.zip", data)
    return refused.value


@pytest.fixture
def python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A script in the place of the interpreter; a test writes what it does."""
    script = tmp_path / "python"
    script.touch(mode=0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    return script


@pytest.mark.parametrize("entries", [[], [("../evil", b"")], [("a", b""), ("A", b"")], [("ż" * 101, b"")]])
def test_a_larger_archive_gets_the_same_verdict_elsewhere(
    entries: list[tuple[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = packed(*entries)
    try:
        here: archive.Archive | str = archive.accept("bot.zip", data)
    except DomainError as error:
        here = error.message
    monkeypatch.delattr(archive, "accept")
    try:
        there: archive.Archive | str = archive_check.accept("bot.zip", data)
    except DomainError as error:
        there = error.message
    assert there == here


def test_a_small_upload_or_no_zip_starts_no_process(python: Path) -> None:
    assert archive_check.accept("bot.zip", packed(table=b"")).names == ("main.py", "table.bin")
    assert archive_check.accept("bot.py", b"print()\n").names == ("main.py",)
    with pytest.raises(DomainError, match="single source file"):
        archive_check.accept("bot.py", b"#" * (2 * MIB))


def test_the_largest_archives_are_taken_in_time() -> None:
    loose = b"".join(os.urandom(40) + bytes(160) for _ in range(9 * MIB // 200))
    data = packed(("more", loose), ("still", loose[: 9 * MIB]))
    assert 4 * MIB < len(data) <= MAX_ZIP
    assert archive_check.accept("bot.zip", data).names == ("main.py", "more", "still", "table.bin")


def test_a_directory_of_a_hundred_thousand_entries_is_refused_by_name() -> None:
    entry = packed(table=b"")
    start, end = entry.index(b"PK\1\2"), entry.rindex(b"PK\5\6")
    one = entry[start : entry.index(b"PK\1\2", start + 1)]
    many = (MAX_ZIP - len(entry)) // len(one)
    tail = (
        entry[end : end + 8]
        + b"\xff\xff\xff\xff"
        + (many * len(one)).to_bytes(4, "little")
        + entry[end + 16 :]
    )
    assert many > 80_000
    assert "entries; it may have 200" in refusal(entry[:start] + one * many + tail).message


@pytest.mark.parametrize(
    "does",
    [
        "kill -9 $$",
        "exit 0",
        "echo nonsense",
        'ulimit -v 30000; exec "$REAL" "$@"',
        "sleep 600",
    ],
)
def test_a_process_that_fails_is_a_refusal_in_words(
    does: str, python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python.write_text("#!/bin/sh\n" + does.replace("$REAL", REAL))
    if does.startswith("sleep"):
        monkeypatch.setattr(archive_check, "TIME_S", 0.5)
    refused = refusal(packed(("more", os.urandom(3 * MIB))))
    assert (refused.code, refused.status) == ("bad_archive", 400)
    assert "could not be read" in refused.message


def test_a_hanging_process_is_ended(python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 600\n")
    monkeypatch.setattr(archive_check, "TIME_S", 2)
    refusal(packed())
    pid = (tmp_path / "pid").read_text().strip()
    deadline = time.monotonic() + 10
    while Path("/proc", pid).exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not Path("/proc", pid).exists()


def test_where_no_process_can_be_started_one_may_try_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    refused = refusal(packed())
    assert (refused.code, refused.status) == ("busy", 503)


@pytest.mark.django_db
def test_over_the_api_it_is_a_problem_document_and_nothing_is_stored(python: Path) -> None:
    python.write_text("#!/bin/sh\nkill -9 $$\n")
    user = User.objects.create(username="ann", email="ann@example.org")
    bots.create_bot(user, name="my-bot", kind="sandbox")
    client = APIClient()
    token = create_token(user, name="t", scopes=("bots:write",))[1]
    client.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    file = SimpleUploadedFile("bot.zip", packed())
    response = client.post("/api/v1/bots/my-bot/versions/", {"file": file}, format="multipart")
    assert (response.status_code, response["content-type"]) == (400, "application/problem+json")
    assert response.json()["code"] == "bad_archive"
    assert "could not be read" in response.json()["detail"]
    assert not Version.objects.exists()
