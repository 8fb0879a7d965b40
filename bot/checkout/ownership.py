"""Refuse files that affect a review if they are in the reviewed commits, so the author could change them."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from bot.checkout.tree import Checkout
from bot.errors import UsageError

Origins = Iterable[tuple[str, str]]  # an option or variable, and its file, or a folder with journals
REMEDY = "so the author of the change could influence the review. Use a file outside the repository"


async def refuse_reviewed(tree: Checkout, origins: Origins) -> None:
    """Raise UsageError if the reviewed base or head contains one of the files, directly or through links."""
    inside = {(option, path) for option, name in origins for file in _files(Path(name)) for path in _below(file)}
    if not inside:
        return
    tracked_paths = {path.casefold() for side in ("base", "head") for path in await tree.entries(side)}
    for option, path in sorted(inside):
        if path.casefold() in tracked_paths:
            raise UsageError(f"{option}: {path} is part of the reviewed commit, {REMEDY}")


def _files(path: Path) -> Iterator[Path]:
    """Yield the absolute paths of a file, with links resolved in different ways.

    For a folder, include its journals.
    """
    for each in (path, *path.glob("*.jsonl")):
        yield Path(os.path.abspath(each))  # noqa: PTH100 - a link keeps its name
        yield each.parent.resolve() / each.name
        yield each.resolve()


def _below(path: Path) -> Iterator[str]:
    """Yield the path relative to each work tree that contains it."""
    for folder in path.parents:
        if os.path.lexists(folder / ".git"):
            yield path.relative_to(folder).as_posix()
