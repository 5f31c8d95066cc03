"""Uploaded bots: a ``.py`` or a ``.zip``, checked, re-packed, unpacked read-only (sandbox.md section 11).

Nothing in here imports, compiles or executes what was uploaded. The original archive is read entry by entry,
never extracted; what is stored is a new archive with the same files, in one order, with one date.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
import stat
import struct
import tempfile
import unicodedata
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from botapi.errors import DomainError, PlatformError, gettext_noop

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

KIB: Final = 1024
MIB: Final = 1024 * KIB
MAX_SOURCE: Final = 256 * KIB
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
_DATE: Final = (1980, 1, 1, 0, 0, 0)
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


@dataclass(frozen=True, slots=True)
class Archive:
    """An accepted bot: ``canonical_zip`` is what is stored, ``sha256`` (hex) is its content's.

    Two uploads of the same files have the same hash, however they were packed. ``names`` are its files,
    sorted.
    """

    sha256: str
    canonical_zip: bytes
    names: tuple[str, ...]


def accept(filename: str, data: bytes) -> Archive:
    """Check an upload and re-pack it. DomainError says what is wrong and names the entry."""
    if data.startswith(MAGIC):
        files = _read_zip(data)
    elif filename.lower().endswith(".zip"):
        raise _refused(gettext_noop("the file is not a zip archive: it does not start with PK\\3\\4"))
    elif filename.lower().endswith(".py"):
        files = {MAIN: _source(data)}
    else:
        raise _refused(gettext_noop("a bot is one .py file or a .zip archive"))
    return Archive(_digest(files), _pack(files), tuple(sorted(files)))


def unpack(canonical_zip: bytes, sha256: str, root: Path) -> Path:
    """Write an accepted archive to ``root/sha256``, read-only, and return that directory.

    It appears whole or not at all, and is left alone when it is there. PlatformError when the stored bytes
    are not those of ``sha256``; OSError when the disk refuses.
    """
    target = root / sha256
    if target.is_dir():
        return target
    try:
        files = _read_zip(canonical_zip, ours=True)
    except DomainError as error:
        raise PlatformError(f"a stored archive is damaged: {sha256}: {error.message}") from error
    if _digest(files) != sha256:
        raise PlatformError(f"a stored archive is not the one it should be: {sha256}")
    root.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=root))
    try:
        for name, content in sorted(files.items()):
            _write(fresh, name, content)
        for directory in (*_directories(fresh), fresh):
            directory.chmod(0o755)
        with contextlib.suppress(OSError):
            fresh.rename(target)
        if not target.is_dir():
            raise OSError(f"cannot write {target}")
        for directory in (*_directories(target), target):
            directory.chmod(0o555)
    finally:
        if fresh.exists():
            remove(fresh)
    return target


def remove(directory: Path) -> None:
    """Delete an unpacked bot. Links in it are deleted, never followed."""
    if directory.is_symlink():
        directory.unlink()
        return
    for found in (directory, *_directories(directory)):
        found.chmod(0o700)
    shutil.rmtree(directory)


def _directories(root: Path) -> Iterator[Path]:
    """Directories below ``root``, upper ones first, not through links."""
    for entry in os.scandir(root):
        if entry.is_dir(follow_symlinks=False):
            yield Path(entry.path)
            yield from _directories(Path(entry.path))


def _write(root: Path, name: str, content: bytes) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o444)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        os.fchmod(file.fileno(), 0o444)


def _refused(message: str, name: str | None = None, **values: object) -> DomainError:
    """With ``name`` it is about that entry, in English alone: who packs an archive as people do never sees it."""
    if name is not None:
        return DomainError(CODE, f"{name!r}: {message}")
    return DomainError(CODE, message, 400, **values)


def _source(data: bytes) -> bytes:
    if not data.strip():
        raise _refused(gettext_noop("the file is empty"))
    if len(data) > MAX_SOURCE:
        raise _refused(
            gettext_noop("the file has %(size)d bytes; a single source file may have %(most)d"),
            size=len(data),
            most=MAX_SOURCE,
        )
    if b"\0" in data:
        raise _refused(gettext_noop("the file is not Python source: it holds a zero byte"))
    return data


# -- reading a foreign zip -------------------------------------------------------------------------


def _read_zip(data: bytes, *, ours: bool = False) -> dict[str, bytes]:
    """The files of a zip, by name, after every check; one of ``ours`` may be packed as tightly as it is."""
    if len(data) > MAX_ZIP and not ours:
        raise _refused(
            gettext_noop("the archive has %(size)d bytes; it may have %(most)d"), size=len(data), most=MAX_ZIP
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            _check_entries(entries, MAX_TOTAL if ours else MAX_RATIO)
            _check_overlaps(entries, data, archive.start_dir)
            files = _inflate_all(archive, entries, MAX_TOTAL if ours else MAX_RATIO)
    except UnicodeDecodeError as error:  # the only text in an archive's directory is names
        raise _refused("the name is not valid text", error.object.decode("utf-8", "replace")) from error
    except _UNREADABLE as error:
        raise _refused(gettext_noop("the archive cannot be read: %(error)s"), error=str(error)) from error
    if MAIN not in files:
        raise _refused(gettext_noop("the archive has no %(file)s at its top"), file=MAIN)
    return files


def _check_entries(entries: list[zipfile.ZipInfo], ratio: int) -> None:
    if len(entries) > MAX_ENTRIES:
        first = entries[MAX_ENTRIES].orig_filename[:MAX_NAME]
        raise _refused(f"the archive has {len(entries)} entries; it may have {MAX_ENTRIES}", first)
    total = 0
    for entry in entries:
        _check_name(entry)
        _check_kind(entry)
        _check_size(entry, ratio)
        total += entry.file_size
        if total > MAX_TOTAL:
            raise _refused(f"with it the archive holds more than {MAX_TOTAL} bytes", entry.orig_filename)
    _check_clashes(entries)


def _check_name(entry: zipfile.ZipInfo) -> None:
    # zipfile cuts a name at a zero byte: judge the one that was written
    name = entry.orig_filename
    try:
        raw = name.encode()
    except UnicodeEncodeError as error:
        raise _refused("the name is not valid text", name) from error
    if not name or len(raw) > MAX_NAME:
        raise _refused(f"the name has {len(raw)} bytes; it may have 1 to {MAX_NAME}", name[:60])
    for character in name:
        if character in "\\:" or unicodedata.category(character) in _FORBIDDEN_CATEGORIES:
            raise _refused("the name holds a character that names may not hold", name)
    if name != entry.filename:
        raise _refused("the name is not what it seems", name)
    parts = name.removesuffix("/").split("/")
    if name.startswith("/"):
        raise _refused("the name is an absolute path", name)
    if any(part in ("", ".", "..") for part in parts):
        raise _refused("the name has an empty part, . or ..", name)
    if any(part != part.strip() for part in parts):
        raise _refused("a part of the name begins or ends with a space", name)
    if len(parts) > MAX_DEPTH:
        raise _refused(f"the name is {len(parts)} levels deep; it may be {MAX_DEPTH}", name)


def _check_kind(entry: zipfile.ZipInfo) -> None:
    name = entry.orig_filename
    if entry.flag_bits & _ENCRYPTED:
        raise _refused("the entry is encrypted", name)
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise _refused("the entry is neither stored nor deflated", name)
    mode = entry.external_attr >> 16
    kind = stat.S_IFMT(mode)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR) or entry.external_attr & _REPARSE_POINT:
        raise _refused("the entry is a link or another special file", name)
    if (kind and (kind == stat.S_IFDIR) != entry.is_dir()) or (
        entry.external_attr & _DOS_DIRECTORY and not entry.is_dir()
    ):
        raise _refused("the entry's name and kind disagree", name)
    if mode & (stat.S_ISUID | stat.S_ISGID):
        raise _refused("the entry is setuid or setgid", name)
    if entry.is_dir() and (entry.file_size or entry.compress_size > 2):
        raise _refused("the directory has content", name)


def _check_size(entry: zipfile.ZipInfo, ratio: int) -> None:
    name = entry.orig_filename
    if entry.file_size > MAX_ENTRY:
        raise _refused(f"the entry has {entry.file_size} bytes; it may have {MAX_ENTRY}", name)
    if entry.file_size > ratio * entry.compress_size + RATIO_ALLOWANCE:
        raise _refused(f"the entry is packed more than {MAX_RATIO} times", name)


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
            raise _refused("the name is there twice", name)
        seen.add(whole)
        if not entry.is_dir():
            files[whole] = name
        for depth in range(1, len(parts) + entry.is_dir()):
            parent = "/".join(parts[:depth])
            other = directories.setdefault(_folded(parent), parent)
            if other != parent:
                raise _refused(f"its directory differs from {other!r} in case only", name)
    for whole, name in files.items():
        if whole in directories:
            raise _refused("the name is a file and a directory", name)


def _check_overlaps(entries: Iterable[zipfile.ZipInfo], data: bytes, directory: int) -> None:
    """Each entry has its bytes for itself: overlapping ones are how a small file becomes a large one.

    ``directory`` is where the archive's own list of entries begins.
    """
    end, before = 0, ""
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        start = entry.header_offset
        header = data[start : start + _LOCAL_HEADER]
        if start < 0 or len(header) < _LOCAL_HEADER or header[:4] != MAGIC:
            raise _refused("the entry is not where the archive says", entry.orig_filename)
        if start < end:
            raise _refused(f"the entry overlaps {before!r}", entry.orig_filename)
        name_and_extra = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        end = start + _LOCAL_HEADER + name_and_extra + entry.compress_size
        before = entry.orig_filename
        if end > directory:
            raise _refused("the entry overlaps the archive's directory", before)


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
            raise _refused(f"with it the archive holds more than {MAX_TOTAL} bytes", entry.orig_filename)
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
                    raise _refused("the entry is larger than it says or packed too tightly", name)
                parts.append(chunk)
    except _UNREADABLE as error:
        raise _refused(f"the entry cannot be read: {error}", name) from error
    if size != entry.file_size:
        raise _refused(f"the entry says {entry.file_size} bytes and has {size}", name)
    return b"".join(parts)


# -- writing our own -------------------------------------------------------------------------------


def _digest(files: Mapping[str, bytes]) -> str:
    """SHA-256 of names and contents: independent of how a compressor packs them."""
    total = hashlib.sha256()
    for name in sorted(files):
        for part in (name.encode(), files[name]):
            total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest()


def _pack(files: Mapping[str, bytes]) -> bytes:
    """The same files again, and nothing else of the original: sorted, one date, one mode."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _DATE)
            info.create_system = 3
            info.external_attr = (stat.S_IFREG | 0o444) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, files[name])
    return out.getvalue()
