"""Find a local repository without running git or reading its configuration."""

import os
from dataclasses import dataclass
from pathlib import Path

from bot.config import hook
from bot.errors import RevisionError

MAX_LINK_BYTES = 64_000  # of a `.git` file, which contains one path


@dataclass(frozen=True, slots=True)
class RepositoryPaths:
    """The absolute paths of a repository."""

    git_dir: str  # contains HEAD and the index
    common: str  # contains objects, refs and configuration; differs from `git_dir` in a linked work tree
    top: str | None  # the top folder of the work tree, or None in a bare repository


def locate(repo: str) -> RepositoryPaths:
    """Return the paths of the repository that contains a folder, or that the folder is.

    Raises RevisionError.
    """
    if not os.path.isdir(repo):  # noqa: PTH112 - one check of the local disk
        raise RevisionError(f"{repo} is not a folder. Pass the path of a git checkout with --repo")
    start = Path(repo).resolve()
    if _is_git_dir(start):
        return paths_of(start)
    paths = next((place for folder in (start, *start.parents) if (place := _at(folder))), None) or _from_hook(start)
    if paths is None:
        raise RevisionError(f"{start} is not in a git repository. Run deeprepo in a checkout, or pass one with --repo")
    return paths


def git_dir(repo: str) -> str:
    """Return a repository's git folder, or the path itself if it is not a repository."""
    try:
        return locate(repo).git_dir
    except RevisionError:
        return repo


def paths_of(git_dir: str | Path) -> RepositoryPaths:
    """Return the paths for a git folder, without a work tree."""
    return _paths(Path(git_dir), None)


def _paths(git_dir: Path, top: str | None) -> RepositoryPaths:
    return RepositoryPaths(str(git_dir), str(_common(git_dir)), top)


def _at(folder: Path) -> RepositoryPaths | None:
    """Return the paths of the repository whose work tree has this top folder, or None."""
    entry = folder / ".git"
    if entry.is_file():
        link = _line(entry)
        entry = folder / link.removeprefix("gitdir:").strip() if link.startswith("gitdir:") else entry
    return _paths(entry.resolve(), str(folder)) if _is_git_dir(entry) else None


def _from_hook(folder: Path) -> RepositoryPaths | None:
    """Return the repository that git passes to a hook, if its work tree contains the folder, or None."""
    named = hook.repository()
    if named is None or named[1] not in (folder, *folder.parents) or not _is_git_dir(named[0]):
        return None
    return _paths(named[0], str(named[1]))


def _is_git_dir(folder: Path) -> bool:
    """Return whether git accepts a folder as a repository. It must have HEAD, objects and refs."""
    head = folder / "HEAD"
    if not (head.is_file() or head.is_symlink()):
        return False
    common = _common(folder)
    return (common / "objects").is_dir() and (common / "refs").is_dir()


def _common(git_dir: Path) -> Path:
    """Return the folder with objects and refs. A linked work tree has a file with its path."""
    link = git_dir / "commondir"
    return (git_dir / _line(link)).resolve() if link.is_file() else git_dir


def _line(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return os.fsdecode(file.read(MAX_LINK_BYTES)).rstrip("\n")
    except OSError:
        return ""
