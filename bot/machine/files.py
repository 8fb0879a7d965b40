"""The only module that writes files: outputs, journals, ignore lists and the data folder.

A checkout may be untrusted: a link in it could lead a write to any of the user's files. So below a trusted
folder no part of a path may be a link. Outside checkouts, paths named by the user may contain links, up to
the file's folder.
"""

import errno
import os
import re
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TextIO

from bot.errors import UsageError

# Streams named by the user, which no checkout contains.
STREAMS = re.compile(r"/dev/(?!shm/)[\w/]+|/proc/self/fd/\d+")
OPEN_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
UNFINISHED = ".new-"  # prefix of unfinished files
PRIVATE_MODE, COMMON_MODE, FOLDER_MODE = 0o600, 0o666, 0o777


def write(
    path: Path,
    content: str | bytes,
    *,
    below: Path | None = None,
    private: bool = False,
    folders: bool = False,
    nested: bool = True,
    durable: bool = True,
) -> None:
    """Write a file fully or not at all, by renaming a temporary file. Raises UsageError.

    An existing file's mode is kept. `below`: the trusted folder; `private`: readable for this user only;
    `folders`: create missing ones; `nested`: allow a file in a nested repository; `durable`: wait for the
    disk.
    """
    data = content.encode() if isinstance(content, str) else content
    if STREAMS.fullmatch(str(path)):
        with _translate_os_errors(path), path.open("wb") as stream:
            stream.write(data)
        return
    with _translate_os_errors(path):
        whole = _resolve_without_links(path, below, folders=folders, private=private, nested=nested)
        old_status, beside = _status(whole), whole.with_name(f".deeprepo-{os.urandom(8).hex()}")
        handle = os.open(
            beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | OPEN_FLAGS, PRIVATE_MODE if private else COMMON_MODE
        )
        with ExitStack() as undo:
            undo.callback(remove, beside)
            with os.fdopen(handle, "wb") as file:
                if old_status is not None and not private:
                    os.fchmod(handle, stat.S_IMODE(old_status.st_mode) & FOLDER_MODE)
                file.write(data)
                file.flush()
                if durable:
                    os.fsync(handle)
            beside.rename(whole)
            undo.pop_all()


def append(
    path: Path, *, below: Path | None = None, label: str = "", private: bool = False, folders: bool = False
) -> TextIO:
    """Open a file for appending and reading. Raises UsageError."""
    with _translate_os_errors(path, label):
        if STREAMS.fullmatch(str(path)):
            return path.open("a", encoding="utf-8")
        whole = _resolve_without_links(path, below, folders=folders, private=private)
        _status(whole)
        handle = os.open(
            whole, os.O_RDWR | os.O_APPEND | os.O_CREAT | OPEN_FLAGS, PRIVATE_MODE if private else COMMON_MODE
        )
        return os.fdopen(handle, "a+", encoding="utf-8")


def ready(path: Path, *, below: Path | None = None) -> None:
    """Raise UsageError if the file could not be written, for use before money is spent."""
    if STREAMS.fullmatch(str(path)):
        return
    with _translate_os_errors(path):
        whole = _resolve_without_links(path, below)
        _status(whole)
        if not os.access(whole.parent, os.W_OK | os.X_OK):
            raise OSError(errno.EACCES, f"you cannot create files in {path.parent}")


def content(path: Path, most: int, *, below: Path | None = None, label: str = "") -> bytes | None:
    """Return a file's first bytes without following links, None if it does not exist. Raises UsageError."""
    with _translate_os_errors(path, label, "read"):
        try:
            whole = _resolve_without_links(path, below)
        except FileNotFoundError:
            return None
        if _status(whole, change=False) is None:
            return None
        with os.fdopen(os.open(whole, os.O_RDONLY | OPEN_FLAGS), "rb") as file:
            return file.read(most)


def folder(path: Path, *, below: Path | None = None, label: str = "", private: bool = False) -> None:
    """Create a folder and its parents. Raises UsageError."""
    with _translate_os_errors(path, label):
        _resolve_without_links(path / "-", below, folders=True, private=private)


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Yield a new private file in our own folder. On success it gets this name, otherwise it is deleted."""
    import tempfile

    handle, name = tempfile.mkstemp(dir=path.parent, prefix=UNFINISHED)
    with ExitStack() as unfinished:
        unfinished.callback(remove, Path(name))
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(name).replace(path)
        unfinished.pop_all()


def place(source: Path, path: Path) -> bool:
    """Rename our own folder to this name. Return False if the name exists. Raises UsageError."""
    with _translate_os_errors(path):
        try:
            source.rename(_resolve_without_links(path, None))
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                return False
            raise
    return True


def remove(path: Path) -> None:
    """Delete our own file if it exists."""
    path.unlink(missing_ok=True)


def temporary_log(text: str) -> Path:
    """Write a new private log into the system's temporary folder and return its path."""
    import tempfile

    handle, name = tempfile.mkstemp(prefix="deeprepo-", suffix=".log")  # created with mode 0600
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    return Path(name)


def fill(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write new files into a temporary folder made by this process."""
    for parent in {(folder / name).parent for name in contents}:
        parent.mkdir(parents=True, exist_ok=True)
    for name, data in contents.items():
        with (folder / name).open("xb") as file:
            file.write(data)


def copy(source: Path, target: Path) -> None:
    """Copy a file with its times into a temporary folder made by this process."""
    shutil.copy2(source, target)


def link(target: Path, source: Path) -> None:
    """Create a link in a temporary folder made by this process."""
    target.symlink_to(source)


def _resolve_without_links(
    path: Path, below: Path | None, *, folders: bool = False, private: bool = False, nested: bool = True
) -> Path:
    """Return the absolute path, without links below the trusted folder. Raises OSError."""
    whole = Path(os.path.normpath(path.absolute()))
    start = Path(os.path.normpath(below.absolute())) if below is not None else _trust_root(whole)
    if start not in whole.parents:
        raise OSError(errno.EXDEV, f"it is outside {start}")
    *parts, name = whole.relative_to(start).parts
    if (inside := next((part for part in (*parts, name) if part.casefold() == ".git"), None)) is not None:
        raise OSError(errno.EPERM, f"{inside} belongs to git. Choose another file")
    mode, at = 0o700 if private else FOLDER_MODE, start
    for above in reversed((start, *start.parents)) if folders else ():
        above.mkdir(mode, exist_ok=True)
    for part in parts:
        at /= part
        if at.is_symlink():
            raise OSError(errno.ELOOP, _link_refusal(part))
        if folders and not at.exists():
            at.mkdir(mode, exist_ok=True)
        if at.exists() and not at.is_dir():
            raise OSError(errno.ENOTDIR, f"there is no folder {path.parent}: {part} is a file")
        if not nested and os.path.lexists(at / ".git"):
            raise OSError(errno.EXDEV, f"{part} is a submodule")
    if not at.is_dir():
        raise OSError(errno.ENOENT, f"there is no folder {path.parent}")
    return whole


def _status(path: Path, *, change: bool = True) -> os.stat_result | None:
    """Return a file's status, None if it does not exist.

    Raises OSError for non-files, and read-only ones if `change`.
    """
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, _link_refusal(path.name))
    if stat.S_ISDIR(status.st_mode):
        raise OSError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is a FIFO, a socket or a device, not a file")
    if change and not status.st_mode & 0o222:
        raise OSError(errno.EACCES, "it is read-only")
    return status


def _link_refusal(name: str) -> str:
    return f"{name} is a symbolic link, which is not followed here. Remove it, or name the file that it points to"


def _trust_root(path: Path) -> Path:
    """Return the outermost checkout that contains the path, else the file's own folder."""
    return next((at for at in reversed(path.parents) if os.path.lexists(at / ".git")), path.parent)


@contextmanager
def _translate_os_errors(path: Path, label: str = "", verb: str = "written") -> Iterator[None]:
    """Translate a system error into our message."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{label}{path} cannot be {verb}: {error.strerror}") from error
    except ValueError as error:  # a null byte
        raise UsageError(f"{label}{str(path)!r} cannot be {verb}: {error}") from error
