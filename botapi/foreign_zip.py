"""A zip from somebody else, read entry by entry and never extracted: names, kinds, sizes, clashes, overlaps first.

Every limit is sandbox.md section 11's. What an entry says of itself is compared with what is there.
"""

from __future__ import annotations

import io
import stat
import struct
import unicodedata
import zipfile
import zlib
from typing import TYPE_CHECKING, Final

from botapi.errors import DomainError, gettext_noop

if TYPE_CHECKING:
    from collections.abc import Iterable

KIB: Final = 1024
MIB: Final = 1024 * KIB
MAX_ZIP: Final = 5 * MIB
MAX_ENTRIES: Final = 200
MAX_ENTRY: Final = 10 * MIB
MAX_TOTAL: Final = 20 * MIB
MAX_RATIO: Final = 100
RATIO_ALLOWANCE: Final = 64 * KIB
MAX_NAME: Final = 200
MAX_DEPTH: Final = 8
MAIN: Final = "main.py"
MAGIC: Final = b"PK\x03\x04"
CODE: Final = "bad_archive"

_CHUNK: Final = 64 * KIB
_ENCRYPTED: Final = 0x1 | 0x40 | 0x2000
_DOS_DIRECTORY: Final = 0x10
_REPARSE_POINT: Final = 0x400
"""What other systems call a link."""
_LOCAL_HEADER: Final = 30
_UNREADABLE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    OSError,
    ValueError,
)
"""What the standard library raises at a broken archive."""
_FORBIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def refused(message: str, name: str | None = None, **values: object) -> DomainError:
    """No to an upload.

    With ``name`` it is about that entry, in English alone: who packs an archive as people do never sees it.
    """
    if name is not None:
        return DomainError(CODE, f"{name!r}: {message}")
    return DomainError(CODE, message, 400, **values)


def read_zip(data: bytes, *, ours: bool = False) -> dict[str, bytes]:
    """The files of a zip, by name, after every check; one of ``ours`` may be packed as tightly as it is."""
    if len(data) > MAX_ZIP and not ours:
        raise refused(
            gettext_noop("the archive has %(size)d bytes; it may have %(most)d"), size=len(data), most=MAX_ZIP
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            _check_entries(entries, MAX_TOTAL if ours else MAX_RATIO)
            _check_overlaps(entries, data, archive.start_dir)
            files = _inflate_all(archive, entries, MAX_TOTAL if ours else MAX_RATIO)
    except UnicodeDecodeError as error:  # the only text in an archive's directory is names
        raise refused("the name is not valid text", error.object.decode("utf-8", "replace")) from error
    except _UNREADABLE as error:
        raise refused(gettext_noop("the archive cannot be read: %(error)s"), error=str(error)) from error
    if MAIN not in files:
        raise refused(gettext_noop("the archive has no %(file)s at its top"), file=MAIN)
    return files


def _check_entries(entries: list[zipfile.ZipInfo], ratio: int) -> None:
    if len(entries) > MAX_ENTRIES:
        first = entries[MAX_ENTRIES].orig_filename[:MAX_NAME]
        raise refused(f"the archive has {len(entries)} entries; it may have {MAX_ENTRIES}", first)
    total = 0
    for entry in entries:
        _check_name(entry)
        _check_kind(entry)
        _check_size(entry, ratio)
        total += entry.file_size
        if total > MAX_TOTAL:
            raise refused(f"with it the archive holds more than {MAX_TOTAL} bytes", entry.orig_filename)
    _check_clashes(entries)


def _check_name(entry: zipfile.ZipInfo) -> None:
    # zipfile cuts a name at a zero byte: judge the one that was written
    name = entry.orig_filename
    try:
        raw = name.encode()
    except UnicodeEncodeError as error:
        raise refused("the name is not valid text", name) from error
    if not name or len(raw) > MAX_NAME:
        raise refused(f"the name has {len(raw)} bytes; it may have 1 to {MAX_NAME}", name[:60])
    for character in name:
        if character in "\\:" or unicodedata.category(character) in _FORBIDDEN_CATEGORIES:
            raise refused("the name holds a character that names may not hold", name)
    if name != entry.filename:
        raise refused("the name is not what it seems", name)
    parts = name.removesuffix("/").split("/")
    if name.startswith("/"):
        raise refused("the name is an absolute path", name)
    if any(part in ("", ".", "..") for part in parts):
        raise refused("the name has an empty part, . or ..", name)
    if any(part != part.strip() for part in parts):
        raise refused("a part of the name begins or ends with a space", name)
    if len(parts) > MAX_DEPTH:
        raise refused(f"the name is {len(parts)} levels deep; it may be {MAX_DEPTH}", name)


def _check_kind(entry: zipfile.ZipInfo) -> None:
    name = entry.orig_filename
    if entry.flag_bits & _ENCRYPTED:
        raise refused("the entry is encrypted", name)
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise refused("the entry is neither stored nor deflated", name)
    mode = entry.external_attr >> 16
    kind = stat.S_IFMT(mode)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR) or entry.external_attr & _REPARSE_POINT:
        raise refused("the entry is a link or another special file", name)
    if (kind and (kind == stat.S_IFDIR) != entry.is_dir()) or (
        entry.external_attr & _DOS_DIRECTORY and not entry.is_dir()
    ):
        raise refused("the entry's name and kind disagree", name)
    if mode & (stat.S_ISUID | stat.S_ISGID):
        raise refused("the entry is setuid or setgid", name)
    if entry.is_dir() and (entry.file_size or entry.compress_size > 2):
        raise refused("the directory has content", name)


def _check_size(entry: zipfile.ZipInfo, ratio: int) -> None:
    name = entry.orig_filename
    if entry.file_size > MAX_ENTRY:
        raise refused(f"the entry has {entry.file_size} bytes; it may have {MAX_ENTRY}", name)
    if entry.file_size > ratio * entry.compress_size + RATIO_ALLOWANCE:
        raise refused(f"the entry is packed more than {MAX_RATIO} times", name)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name.casefold()).casefold()


def _check_clashes(entries: Iterable[zipfile.ZipInfo]) -> None:
    """No name twice, whatever its case or form; no name both a file and a directory."""
    files: dict[str, str] = {}
    directories: dict[str, str] = {}
    seen: set[str] = set()
    for entry in entries:
        name = entry.orig_filename
        parts = name.removesuffix("/").split("/")
        whole = _folded("/".join(parts))
        if whole in seen:
            raise refused("the name is there twice", name)
        seen.add(whole)
        if not entry.is_dir():
            files[whole] = name
        for depth in range(1, len(parts) + entry.is_dir()):
            parent = "/".join(parts[:depth])
            other = directories.setdefault(_folded(parent), parent)
            if other != parent:
                raise refused(f"its directory differs from {other!r} in case only", name)
    for whole, name in files.items():
        if whole in directories:
            raise refused("the name is a file and a directory", name)


def _check_overlaps(entries: Iterable[zipfile.ZipInfo], data: bytes, directory: int) -> None:
    """Each entry has its bytes for itself: overlapping ones are how a small file becomes a large one.

    ``directory`` is where the archive's own list of entries begins.
    """
    end, before = 0, ""
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        start = entry.header_offset
        header = data[start : start + _LOCAL_HEADER]
        if start < 0 or len(header) < _LOCAL_HEADER or header[:4] != MAGIC:
            raise refused("the entry is not where the archive says", entry.orig_filename)
        if start < end:
            raise refused(f"the entry overlaps {before!r}", entry.orig_filename)
        name_and_extra = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        end = start + _LOCAL_HEADER + name_and_extra + entry.compress_size
        before = entry.orig_filename
        if end > directory:
            raise refused("the entry overlaps the archive's directory", before)


def _inflate_all(
    archive: zipfile.ZipFile, entries: Iterable[zipfile.ZipInfo], ratio: int
) -> dict[str, bytes]:
    """Contents of the files, counted while they are inflated: the archive's own word is not believed."""
    files: dict[str, bytes] = {}
    total = 0
    for entry in entries:
        if entry.is_dir():
            continue
        content = _inflate(archive, entry, ratio)
        total += len(content)
        if total > MAX_TOTAL:
            raise refused(f"with it the archive holds more than {MAX_TOTAL} bytes", entry.orig_filename)
        files[entry.orig_filename] = content
    return files


def _inflate(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, ratio: int) -> bytes:
    name = entry.orig_filename
    most = min(MAX_ENTRY, ratio * entry.compress_size + RATIO_ALLOWANCE)
    parts, size = [], 0
    try:
        with archive.open(entry) as stream:
            while chunk := stream.read(_CHUNK):
                size += len(chunk)
                if size > most:
                    raise refused("the entry is larger than it says or packed too tightly", name)
                parts.append(chunk)
    except _UNREADABLE as error:
        raise refused(f"the entry cannot be read: {error}", name) from error
    if size != entry.file_size:
        raise refused(f"the entry says {entry.file_size} bytes and has {size}", name)
    return b"".join(parts)
