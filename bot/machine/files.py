"""Write files: outputs, journals, ignore lists and the data folder. Almost all writes go through this module.

A checkout can contain symbolic links that would redirect a write to any of the user's files. So no part of a
path below a trusted folder may be a link. Outside of checkouts, the folders in a path given by the user may
be links.
"""

import errno
import os
import re
import shutil
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TextIO

from bot.errors import DeepRepoError, UsageError

# Devices and file descriptors, to which users can write output. A checkout can't contain them.
STREAMS = re.compile(r"/dev/(?!shm/)[\w/]+|/proc/self/fd/\d+")
OPEN_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
NAME_ERRORS = (errno.ENAMETOOLONG, errno.EEXIST, errno.ENOTDIR, errno.EINVAL, errno.EILSEQ)  # about a file's name
UNFINISHED = ".new-"  # the prefix of files that are being written
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
    """Write a file atomically, by renaming a temporary file. Raises UsageError.

    An existing file's mode is kept. `below`: the trusted folder. `private`: only this user can read the file.
    `folders`: create missing folders. `nested`: allow a file in a nested repository. `durable`: wait until
    the file is on disk.
    """
    data = content.encode() if isinstance(content, str) else content
    if STREAMS.fullmatch(str(path)):
        with _translate_os_errors(path), path.open("wb") as stream:
            stream.write(data)
        return
    with _translate_os_errors(path):
        whole = _resolve_without_links(path, below, folders=folders, private=private, nested=nested)
        old_status, temporary = _status(whole), whole.with_name(f".deeprepo-{os.urandom(8).hex()}")
        handle = os.open(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | OPEN_FLAGS, PRIVATE_MODE if private else COMMON_MODE
        )
        with ExitStack() as undo:
            undo.callback(remove, temporary)
            with os.fdopen(handle, "wb") as file:
                if old_status is not None and not private:
                    os.fchmod(handle, stat.S_IMODE(old_status.st_mode) & FOLDER_MODE)
                file.write(data)
                file.flush()
                if durable:
                    os.fsync(handle)
            temporary.rename(whole)
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
    """Raise UsageError if a file can't be written. Call this before money is spent on the contents."""
    if STREAMS.fullmatch(str(path)):
        return
    with _translate_os_errors(path):
        whole = _resolve_without_links(path, below)
        _status(whole)
        if not os.access(whole.parent, os.W_OK | os.X_OK):
            raise OSError(errno.EACCES, f"you cannot create files in {path.parent}")


def content(path: Path, most: int, *, below: Path | None = None, label: str = "") -> bytes | None:
    """Return a file's first `most` bytes, or None if it doesn't exist. Links are not followed.

    Raises UsageError.
    """
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
    """Yield a new private file that replaces `path` at the end, unless there is an exception."""
    import tempfile

    handle, name = tempfile.mkstemp(dir=path.parent, prefix=UNFINISHED)
    with ExitStack() as unfinished:
        unfinished.callback(remove, Path(name))
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(name).replace(path)
        unfinished.pop_all()


def remove(path: Path) -> None:
    """Delete a file that this process created, if it exists."""
    path.unlink(missing_ok=True)


def temporary_log(text: str) -> Path:
    """Write a new private file in the system's temporary folder, and return its path."""
    import tempfile

    handle, name = tempfile.mkstemp(prefix="deeprepo-", suffix=".log")  # created with mode 0600
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    return Path(name)


class UnwritableError(DeepRepoError):
    """The disk refuses the names of some files. `paths`: these files."""

    def __init__(self, cause: str, paths: Collection[str]) -> None:
        super().__init__(cause)
        self.paths = paths


def fill(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write new files into a temporary folder that this process created.

    Raises UnwritableError after writing all files whose names the disk accepts.
    """
    folder.mkdir(parents=True, exist_ok=True)
    refused: dict[str, str] = {}
    for name, data in contents.items():
        try:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            with (folder / name).open("xb") as file:
                file.write(data)
        except OSError as error:
            if error.errno not in NAME_ERRORS:
                raise
            refused[name] = os.strerror(error.errno)
    if refused:
        raise UnwritableError(min(refused.values()), refused.keys())


def copy(source: Path, target: Path) -> None:
    """Copy a file with its modification time into a temporary folder that this process created."""
    shutil.copy2(source, target)


def link(target: Path, source: Path) -> None:
    """Create a symbolic link in a temporary folder that this process created."""
    target.symlink_to(source)


def _resolve_without_links(
    path: Path, below: Path | None, *, folders: bool = False, private: bool = False, nested: bool = True
) -> Path:
    """Return the absolute path. Raises OSError if it is outside the trusted folder, or has links below it."""
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
    """Return a file's status, or None if it doesn't exist.

    Raises OSError if it isn't a regular file. With `change`, it must also be writable.
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
    """Return the outermost checkout that contains a path, or else the file's folder."""
    return next((at for at in reversed(path.parents) if os.path.lexists(at / ".git")), path.parent)


@contextmanager
def _translate_os_errors(path: Path, label: str = "", verb: str = "written") -> Iterator[None]:
    """Convert the system's errors to UsageError, with a message for users."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{label}{path} cannot be {verb}: {error.strerror}") from error
    except ValueError as error:  # a null byte
        raise UsageError(f"{label}{str(path)!r} cannot be {verb}: {error}") from error
