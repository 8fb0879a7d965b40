"""Whose file it is that decides what is read or reported: never one of the reviewed tree, whose author has written it."""

import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from bot.checkout import git, own_git_dir, worktree
from bot.checkout.locate import RepositoryPaths, locate, paths_of
from bot.checkout.tree import Checkout
from bot.errors import RevisionError, UsageError
from bot.text.tree_names import name_of

Origins = Iterable[tuple[str, str]]  # the option or variable, and its file; of a folder, the records in it
REMEDY = "so its author could decide what is reported: name a file outside of the repository"


async def refuse_reviewed(tree: Checkout, origins: Origins) -> None:
    """Raise UsageError if a file belongs to the reviewed tree, or to what the checkout around it tracks.

    A file belongs to it if it has one of its paths in any work tree, by its own name or through links. Which tree that is, the file of
    a review says itself: what its checkout tracks does not depend on it.
    """
    origins = tuple(origins)
    inside = {(option, path) for option, name in origins for each in _files(Path(name)) for _, path in _below(each)}
    if not inside:
        return
    tracked_paths = {path.casefold() for side in ("base", "head") for path in await tree.entries(side)}
    for option, path in sorted(inside):
        if path.casefold() in tracked_paths:
            raise UsageError(f"{option}: {path} is a file of the reviewed tree, {REMEDY}")
    await refuse_tracked(paths_of(tree.pull.git_dir).common, origins)


async def refuse_tracked(common: str, origins: Origins) -> None:
    """Raise UsageError if the HEAD or the index of a checkout of this repository has a file, or those of a checkout inside of it."""
    for option, name in origins:
        for each in _files(Path(name)):
            around: list[tuple[RepositoryPaths, str]] = []
            for folder, path in _below(each):
                around += [(place, path)] if (place := _work_tree(folder)) is not None else []
                if place is None or place.common != common:
                    continue
                for one, inner_path in around:
                    if inner_path.casefold() in await _tracked(one):
                        raise UsageError(f"{option}: {path} is a file that the checkout tracks, {REMEDY}")


async def _tracked(place: RepositoryPaths) -> frozenset[str]:
    """The paths of HEAD and of the index, without case."""
    with tempfile.TemporaryDirectory(prefix="deeprepo-git-") as scratch:
        own = await own_git_dir.revisions(place, Path(scratch, "own.git"))
        index = worktree.index(place, own, await worktree.settings(place, own))
        results = [
            await index.run("ls-files", "-z", "--cached"),
            await git.run(
                "ls-tree", "-r", "-z", "--name-only", "HEAD", cwd=own, env=own_git_dir.environment(own)
            ),  # fails if there is no commit yet
        ]
    return frozenset(name_of(name).casefold() for one in results for name in one.out.split(b"\0") if name)


def _work_tree(folder: Path) -> RepositoryPaths | None:
    """The checkout whose top is this folder."""
    try:
        place = locate(str(folder))
    except RevisionError:
        return None
    return place if place.top == str(folder.resolve()) else None


def _files(path: Path) -> Iterator[Path]:
    """The file itself, under its name and behind its links, and the records in a folder."""
    for each in (path, *path.glob("*.jsonl")):
        yield Path(os.path.abspath(each))  # noqa: PTH100 - a link keeps its name
        yield each.parent.resolve() / each.name
        yield each.resolve()


def _below(path: Path) -> Iterator[tuple[Path, str]]:
    """Each work tree around a path, the innermost first, and the path as seen from it."""
    for folder in path.parents:
        if os.path.lexists(folder / ".git"):
            yield folder, path.relative_to(folder).as_posix()
