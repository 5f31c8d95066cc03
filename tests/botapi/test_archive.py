"""Uploads: what is taken, what is refused and by which name, and what lies on the disk afterwards."""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botapi.archive import MAX_SOURCE, accept, remove, unpack
from botapi.errors import DomainError, PlatformError
from botapi.foreign_zip import MAX_ENTRY, MAX_TOTAL, MAX_ZIP

MAIN = b"print('hello')\n"


def _zip(
    *entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED, main: bool = True
) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        if main:
            archive.writestr("main.py", MAIN)
        for name, content in entries:
            archive.writestr(name, content)
    return out.getvalue()


def _info(name: str, mode: int = 0, **attributes: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    for key, value in attributes.items():
        setattr(info, key, value)
    return info


def _refusal(data: bytes, filename: str = "bot.zip") -> str:
    with pytest.raises(DomainError) as refused:
        accept(filename, data)
    assert refused.value.code == "bad_archive"
    return refused.value.message


def test_a_single_file_becomes_the_main_of_an_archive(tmp_path: Path) -> None:
    accepted = accept("my bot.PY", MAIN)
    assert accepted.names == ("main.py",)
    assert (unpack(accepted.canonical_zip, accepted.sha256, tmp_path) / "main.py").read_bytes() == MAIN
    assert accept("other.zip", _zip()).sha256 == accepted.sha256


def test_the_same_files_have_the_same_hash_however_they_were_packed() -> None:
    one = accept("a.zip", _zip(("lib/a.py", b"1"), ("lib/b.py", b"2")))
    two = accept(
        "b.zip", _zip(("lib/b.py", b"2"), ("lib/", b""), ("lib/a.py", b"1"), method=zipfile.ZIP_STORED)
    )
    assert one == two
    assert one.sha256 != accept("a.zip", _zip(("lib/a.py", b"1"), ("lib/c.py", b"2"))).sha256
    assert one.names == ("lib/a.py", "lib/b.py", "main.py")


def test_an_unpacked_bot_is_read_only_whole_and_named_by_its_hash(tmp_path: Path) -> None:
    accepted = accept("a.zip", _zip((_info("lib/deep/a.py", stat.S_IFREG | 0o777), b"1")))
    place = unpack(accepted.canonical_zip, accepted.sha256, tmp_path / "bots")
    assert place == tmp_path / "bots" / accepted.sha256
    modes = {str(path.relative_to(place)): stat.S_IMODE(path.lstat().st_mode) for path in place.rglob("*")}
    assert modes == {"main.py": 0o444, "lib": 0o555, "lib/deep": 0o555, "lib/deep/a.py": 0o444}
    assert stat.S_IMODE(place.stat().st_mode) == 0o555
    assert unpack(accepted.canonical_zip, accepted.sha256, tmp_path / "bots") == place
    assert os.listdir(tmp_path / "bots") == [accepted.sha256]


def test_a_highly_compressible_bot_can_be_unpacked_again(tmp_path: Path) -> None:
    table = b"\0" * (2 << 20)
    accepted = accept("a.zip", _zip(("table.bin", table), method=zipfile.ZIP_STORED))
    assert len(accepted.canonical_zip) < 10_000
    assert (unpack(accepted.canonical_zip, accepted.sha256, tmp_path) / "table.bin").read_bytes() == table


def test_a_damaged_store_is_ours_to_mend(tmp_path: Path) -> None:
    accepted, other = accept("a.py", MAIN), accept("a.py", b"pass\n")
    for data in (other.canonical_zip, accepted.canonical_zip[:-30], b""):
        with pytest.raises(PlatformError, match=accepted.sha256):
            unpack(data, accepted.sha256, tmp_path / "bots")
    assert not (tmp_path / "bots").exists() or os.listdir(tmp_path / "bots") == []


def test_removing_a_bot_follows_no_links(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o755)
    (outside / "kept").write_text("kept")
    accepted = accept("a.zip", _zip(("lib/a.py", b"1")))
    place = unpack(accepted.canonical_zip, accepted.sha256, tmp_path / "bots")
    place.chmod(0o755)
    (place / "link").symlink_to(outside)
    remove(place)
    assert not place.exists()
    assert (outside / "kept").read_text() == "kept"
    assert stat.S_IMODE(outside.stat().st_mode) == 0o755


@pytest.mark.parametrize(
    "name",
    [
        "../evil.py", "lib/../../evil.py", "lib/./a.py", "/etc/passwd", "//a", "lib//a.py", "a\\b.py", "C:evil.py", "a:b",
        "bad\nname.py", "bad\x1b[31m.py", "bi\u202edi.py", "zero\u200bwidth.py", "x" * 201, "d/" * 8 + "a.py", " a.py",
        "a.py ", "lib /a.py", "..", ".", "\ue000.py", "\ufeffa.py", "a\u2028b",
    ],
)  # fmt: skip
def test_odd_names_are_refused_by_name(name: str) -> None:
    message = _refusal(_zip((name, b"")))
    assert repr(name[:60])[:30] in message


def test_a_name_that_hides_behind_a_zero_byte_is_refused() -> None:
    data = _zip(("evilXpy", b"1")).replace(b"evilXpy", b"evil\0py")
    assert "evil\\x00py" in _refusal(data)


@pytest.mark.parametrize(
    "name", ["żółw.py", "lib/a b.py", ".hidden", "d/" * 7 + "a.py", "x" * 200, "日本.txt"]
)
def test_unusual_but_honest_names_are_taken(name: str, tmp_path: Path) -> None:
    accepted = accept("a.zip", _zip((name, b"1")))
    assert name in accepted.names
    assert (unpack(accepted.canonical_zip, accepted.sha256, tmp_path) / name).read_bytes() == b"1"


@pytest.mark.parametrize(
    ("entry", "content", "reason"),
    [
        (_info("evil", stat.S_IFLNK | 0o777), b"/etc/passwd", "a link or another special file"),
        (_info("evil", stat.S_IFIFO | 0o666), b"", "a link or another special file"),
        (_info("evil", stat.S_IFCHR | 0o666), b"", "a link or another special file"),
        (_info("evil", stat.S_IFSOCK | 0o666), b"", "a link or another special file"),
        (_info("evil", stat.S_IFREG | 0o4755), b"", "setuid"),
        (_info("evil", stat.S_IFREG | 0o2755), b"", "setuid"),
        (_info("evil", stat.S_IFDIR | 0o755), b"", "kind disagree"),
        (_info("evil/", stat.S_IFREG | 0o644), b"", "kind disagree"),
        (_info("evil", external_attr=0x10), b"", "kind disagree"),
        (_info("evil", external_attr=0x400), b"C:\\", "a link or another special file"),
        (_info("evil/"), b"content", "has content"),
        (_info("evil", compress_type=zipfile.ZIP_BZIP2), b"1", "neither stored nor deflated"),
        (_info("evil", compress_type=zipfile.ZIP_LZMA), b"1", "neither stored nor deflated"),
        (_info("evil", compress_type=zipfile.ZIP_DEFLATED), b"\0" * (8 << 20), "packed more than"),
    ],
)
def test_an_entry_that_is_no_plain_file_is_refused_by_name(
    entry: zipfile.ZipInfo, content: bytes, reason: str
) -> None:
    message = _refusal(_zip((entry, content)))
    assert "evil" in message
    assert reason in message


def test_an_encrypted_entry_is_refused_by_name() -> None:
    data = bytearray(_zip(("evil", b"1")))
    central = data.rindex(b"PK\x01\x02")
    data[central + 8] |= 1
    assert "'evil': the entry is encrypted" in _refusal(bytes(data))


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (("a.py", "a.py"), "twice"),
        (("a.py", "A.PY"), "twice"),
        (("straße.py", "STRASSE.py"), "twice"),
        (("ﬁ.py", "fi.py"), "twice"),
        (("Main.py",), "twice"),
        (("lib", "lib/a.py"), "a file and a directory"),
        (("lib/a.py", "LIB"), "a file and a directory"),
        (("lib/a.py", "LIB/b.py"), "case only"),
        (("lib/", "Lib/a.py"), "case only"),
        (("main.py/a",), "a file and a directory"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_that_clash_are_refused(names: tuple[str, ...], reason: str) -> None:
    message = _refusal(_zip(*((name, b"") for name in names)))
    assert reason in message
    assert any(message.startswith(f"{name!r}: ") for name in (*names, "main.py"))


def _loose(size: int) -> bytes:
    """Bytes that deflate to about a tenth: no bomb, and no burden."""
    block = b"".join(os.urandom(20) + bytes(180) for _ in range(MAX_ENTRY // 200 // 8 + 1))
    return (block * (size // len(block) + 1))[:size]


def _deflated(content: bytes) -> int:
    packer = zlib.compressobj(-1, zlib.DEFLATED, -15)
    return len(packer.compress(content) + packer.flush())


def test_a_single_file_has_256_kib_at_most() -> None:
    accept("a.py", b"#" * MAX_SOURCE)
    assert str(MAX_SOURCE) in _refusal(b"#" * (MAX_SOURCE + 1), "a.py")


def test_an_archive_has_5_mib_at_most() -> None:
    around = len(_zip(("a", b""), method=zipfile.ZIP_STORED))
    accept("a.zip", _zip(("a", os.urandom(MAX_ZIP - around)), method=zipfile.ZIP_STORED))
    longer = _zip(("a", os.urandom(MAX_ZIP - around + 1)), method=zipfile.ZIP_STORED)
    assert f"the archive has {MAX_ZIP + 1} bytes" in _refusal(longer)


def test_an_archive_has_200_entries_at_most_directories_included() -> None:
    many = [(f"f{n}.py", b"") for n in range(198)]
    assert len(accept("a.zip", _zip(*many, ("lib/", b""))).names) == 199
    assert _refusal(_zip(*many, ("lib/", b""), ("last.py", b""))).startswith("'last.py': the archive has 201")


def test_an_entry_has_10_mib_and_an_archive_holds_20_at_most() -> None:
    big = _loose(MAX_ENTRY)
    full = MAX_TOTAL - MAX_ENTRY - len(MAIN)
    accept("a.zip", _zip(("big", big), ("rest", big[:full])))
    assert _refusal(_zip(("big", big), ("rest", big[: full + 1]))).startswith("'rest': with it the archive")
    assert _refusal(_zip(("big", big + b"x"))).startswith(f"'big': the entry has {MAX_ENTRY + 1} bytes")


def test_an_entry_is_packed_100_times_at_most_after_64_kib() -> None:
    most = next(
        100 * packed + (64 << 10)
        for packed in range(50, 500)
        if _deflated(bytes(100 * packed + (64 << 10))) == packed
    )
    accept("a.zip", _zip(("loose", bytes(most))))
    assert "'bomb': the entry is packed more than 100 times" in _refusal(_zip(("bomb", bytes(most + 1))))


def test_a_name_that_is_no_text_is_refused_by_name() -> None:
    data = _zip(("ż.py", b"1")).replace("ż.py".encode(), b"\xc5\xff.py")
    assert "\N{REPLACEMENT CHARACTER}.py': the name is not valid text" in _refusal(data)


def test_a_name_is_measured_in_bytes() -> None:
    accept("a.zip", _zip(("ż" * 100, b"")))
    assert "the name has 202 bytes" in _refusal(_zip(("ż" * 101, b"")))


def test_an_entry_that_runs_into_the_archives_directory_is_refused_by_name() -> None:
    data = bytearray(_zip(("last", b"12345678"), method=zipfile.ZIP_STORED))
    for offset in (20, 24):
        struct.pack_into("<I", data, data.rindex(b"PK\x01\x02") + offset, 9)
    assert _refusal(bytes(data)).startswith("'last': the entry overlaps the archive's directory")


def test_an_entry_that_is_not_where_the_archive_says_is_refused_by_name() -> None:
    data = bytearray(_zip(("last", b"1")))
    struct.pack_into("<I", data, data.rindex(b"PK\x01\x02") + 42, 1)
    assert _refusal(bytes(data)).startswith("'last': the entry is not where the archive says")


def test_an_entry_that_lies_about_its_size_is_caught_while_it_is_inflated() -> None:
    data = bytearray(_zip(("bomb", b"\0" * 1_000_000)))
    for header, place in ((data.rindex(b"PK\x01\x02"), 24), (data.rindex(b"PK\x03\x04"), 22)):
        struct.pack_into("<I", data, header + place, 1000)
    assert "'bomb'" in _refusal(bytes(data))


def test_overlapping_entries_are_refused_by_name() -> None:
    """The kernel of a small archive is used by many directory entries (Fifield's zip bomb)."""
    content = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = content.compress(b"a" * 50_000) + content.flush()
    crc = zlib.crc32(b"a" * 50_000)
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 8, 0, 0, crc, len(packed), 50_000, 7, 0)
    body = _zip(method=zipfile.ZIP_STORED)
    start = body.index(b"PK\x01\x02")
    kernel = local + b"over000" + packed
    central = body[start : body.index(b"PK\x05\x06")]
    for number in range(40):
        central += struct.pack(
            "<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 8, 0, 0, crc, len(packed), 50_000, 7, 0, 0, 0, 0, 0, start
        )
        central += b"over%03d" % number
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 41, 41, len(central), start + len(kernel), 0)
    assert "overlaps" in _refusal(body[:start] + kernel + central + end)


@pytest.mark.parametrize(
    ("filename", "data", "reason"),
    [
        ("a.zip", b"", "not a zip"),
        ("a.zip", b"PK\5\6" + bytes(18), "not a zip"),
        ("a.zip", b"#!/bin/sh\n", "not a zip"),
        ("a.zip", b"PK\3\4", "cannot be read"),
        ("a.tar.gz", b"\x1f\x8b", "one .py file or a .zip"),
        ("a", MAIN, "one .py file or a .zip"),
        ("a.py", b"", "empty"),
        ("a.py", b" \n", "empty"),
        ("a.py", b"\x7fELF\0\0", "zero byte"),
    ],
)
def test_what_is_no_bot_at_all_is_refused(filename: str, data: bytes, reason: str) -> None:
    assert reason in _refusal(data, filename)


def test_an_archive_needs_its_main_at_the_top() -> None:
    assert "no main.py" in _refusal(_zip(("bot/main.py", MAIN), main=False))


def test_what_stands_before_or_after_the_archive_is_not_kept() -> None:
    accepted = accept("a.zip", _zip() + b"trailing")
    assert b"trailing" not in accepted.canonical_zip
    assert accepted == accept("a.zip", _zip())


NAMES = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12
) | st.sampled_from(["a", "A", "a/b", "a/", "../a", "/a", "a/b/c/d/e/f/g/h/i", "main.py/", "."])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(NAMES.filter(bool), st.binary(max_size=200)), max_size=6))
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_any_archive_is_taken_whole_and_inside_or_refused(
    tmp_path_factory: pytest.TempPathFactory, entries: list[tuple[str, bytes]]
) -> None:
    _take_or_refuse(_zip(*entries), tmp_path_factory.mktemp("any"))


@settings(max_examples=250, deadline=None)
@given(st.data())
def test_any_damage_is_refused_in_words_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    whole = bytearray(
        _zip(("lib/a.py", b"value = 1\n" * 30), ("table.bin", bytes(range(256))), ("empty/", b""))
    )
    mutations: list[Callable[[int, int], None]] = [
        whole.__setitem__,
        whole.insert,
        lambda at, value: whole.__delitem__(slice(at, at + value)),
        lambda at, value: whole.extend(whole[at : at + value]),
    ]
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(4, max(4, len(whole) - 1)))
        if at < len(whole):
            data.draw(st.sampled_from(mutations))(at, data.draw(st.integers(0, 255)))
    _take_or_refuse(bytes(whole), tmp_path_factory.mktemp("damaged"))


def _take_or_refuse(data: bytes, root: Path) -> None:
    try:
        accepted = accept("a.zip", data)
    except DomainError:
        return
    place = unpack(accepted.canonical_zip, accepted.sha256, root)
    found = sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file())
    assert found == sorted(accepted.names)
    assert os.listdir(root) == [accepted.sha256]
    assert accept("again.zip", accepted.canonical_zip).sha256 == accepted.sha256
    remove(place)
