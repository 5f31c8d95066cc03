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
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from botapi.errors import DomainError, PlatformError, gettext_noop
from botapi.foreign_zip import KIB, MAGIC, MAIN, read_zip, refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_SOURCE: Final = 256 * KIB
_DATE: Final = (1980, 1, 1, 0, 0, 0)


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
        files = read_zip(data)
    elif filename.lower().endswith(".zip"):
        raise refused(gettext_noop("the file is not a zip archive: it does not start with PK\\3\\4"))
    elif filename.lower().endswith(".py"):
        files = {MAIN: _source(data)}
    else:
        raise refused(gettext_noop("a bot is one .py file or a .zip archive"))
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
        files = read_zip(canonical_zip, ours=True)
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


def _source(data: bytes) -> bytes:
    if not data.strip():
        raise refused(gettext_noop("the file is empty"))
    if len(data) > MAX_SOURCE:
        raise refused(
            gettext_noop("the file has %(size)d bytes; a single source file may have %(most)d"),
            size=len(data),
            most=MAX_SOURCE,
        )
    if b"\0" in data:
        raise refused(gettext_noop("the file is not Python source: it holds a zero byte"))
    return data


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
