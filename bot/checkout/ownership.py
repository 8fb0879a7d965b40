"""Check that files which affect a review are not in the reviewed tree, whose author wrote them."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from bot.checkout.tree import Checkout
from bot.errors import UsageError

Origins = Iterable[tuple[str, str]]  # option or variable, and its file; for a folder, the records in it
REMEDY = "so the author of the change could influence the review. Use a file outside the repository"


async def refuse_reviewed(tree: Checkout, origins: Origins) -> None:
    """Raise UsageError if a file is in the reviewed tree of any work tree around it, also through links."""
    inside = {(option, path) for option, name in origins for file in _files(Path(name)) for path in _below(file)}
    if not inside:
        return
    tracked_paths = {path.casefold() for side in ("base", "head") for path in await tree.entries(side)}
    for option, path in sorted(inside):
        if path.casefold() in tracked_paths:
            raise UsageError(f"{option}: {path} is part of the reviewed commit, {REMEDY}")


def _files(path: Path) -> Iterator[Path]:
    """Yield the file itself, by name and through links, and the records in a folder."""
    for each in (path, *path.glob("*.jsonl")):
        yield Path(os.path.abspath(each))  # noqa: PTH100 - a link keeps its name
        yield each.parent.resolve() / each.name
        yield each.resolve()


def _below(path: Path) -> Iterator[str]:
    """Yield the path relative to each work tree around it."""
    for folder in path.parents:
        if os.path.lexists(folder / ".git"):
            yield path.relative_to(folder).as_posix()
