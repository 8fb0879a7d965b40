"""Whose file it is that decides what is read or reported: never one of the reviewed tree, whose author has written it."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from bot.checkout.tree import Checkout
from bot.errors import UsageError

Origins = Iterable[tuple[str, str]]  # the option or variable, and its file; of a folder, the records in it
REMEDY = "so the author of the change could influence the review. Use a file outside the repository"


async def refuse_reviewed(tree: Checkout, origins: Origins) -> None:
    """Raise UsageError if a file has a path of the reviewed tree in any work tree around it, by its own name or through links."""
    inside = {(option, path) for option, name in origins for file in _files(Path(name)) for path in _below(file)}
    if not inside:
        return
    tracked_paths = {path.casefold() for side in ("base", "head") for path in await tree.entries(side)}
    for option, path in sorted(inside):
        if path.casefold() in tracked_paths:
            raise UsageError(f"{option}: {path} is part of the reviewed commit, {REMEDY}")


def _files(path: Path) -> Iterator[Path]:
    """The file itself, under its name and behind its links, and the records in a folder."""
    for each in (path, *path.glob("*.jsonl")):
        yield Path(os.path.abspath(each))  # noqa: PTH100 - a link keeps its name
        yield each.parent.resolve() / each.name
        yield each.resolve()


def _below(path: Path) -> Iterator[str]:
    """The path as seen from each work tree around it."""
    for folder in path.parents:
        if os.path.lexists(folder / ".git"):
            yield path.relative_to(folder).as_posix()
