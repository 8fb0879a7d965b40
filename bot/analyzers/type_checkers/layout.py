"""Collect the files of one run: those to check, the changed ones, and all that these import."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.values import Side
from deeprepo.impact.changes import TreeEntry
from deeprepo.impact.paths import above_of
from deeprepo.impact.ports import Tree

MOST_BYTES = 1 << 20  # per file
MOST_LAID_OUT = 48 << 20  # bytes of all files
MOST_FILES_LAID_OUT = 4_000
PORTION = 400  # files per read
CONTROL = frozenset(map(chr, range(32))) | {"\x7f", "\\"}
Contents = Mapping[str, bytes]
Imports = Callable[[str, bytes], Iterable[str]]  # returns the files of the tree that a file imports


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of one check on both sides."""

    head: Contents
    base: Contents
    setup: Any = None  # what else the checker needs to know about the tree

    def of(self, side: Side) -> Contents:
        """Return the files of one side."""
        return self.head if side == "head" else self.base

    def without(self, paths: Collection[str]) -> "Sources":
        """Return the files without these, on both sides."""
        sides = (self.head, self.base)
        head, base = ({path: text for path, text in side.items() if path not in paths} for side in sides)
        return replace(self, head=head, base=base)


async def gather(
    tree: Tree,
    roots: Collection[str],
    changed: Mapping[Side, Contents],
    imports: Imports,
    others: Collection[str] = (),
) -> Sources:
    """Return the files of a check: the roots, the changed files of both sides, and all their imports.

    `others` are files that every run has. Files that are too large are skipped on both sides. The base gets
    nothing from the head, so a file of the change can't make the check of the base fail.
    """
    entries, old = await tree.entries(), await tree.entries("base")
    texts = {path: text for path, text in changed["head"].items() if is_plain(path)}
    base = {path: text for path, text in changed["base"].items() if is_plain(path)}
    room = MOST_LAID_OUT - sum(map(len, (*texts.values(), *base.values())))
    queue = dict.fromkeys((*roots, *others))
    for side in (texts, base):
        for path, text in side.items():
            queue.update(dict.fromkeys(imports(path, text)))
    while queue and room > 0 and len(texts) < MOST_FILES_LAID_OUT:
        portion = [path for path in queue if path not in texts and _is_readable(path, entries)][:PORTION]
        if not portion:
            break
        read = await tree.read_many(portion)
        for path in portion:
            queue.pop(path)
            if path in read:
                text = texts[path] = read[path]
                room -= len(text)
                queue.update((other, None) for other in imports(path, text) if other not in texts)
    unread = [path for path in texts if path not in base]
    same = {path: texts[path] for path in unread if path in old and old[path].oid == entries[path].oid}
    older = [path for path in unread if path not in same and _is_readable(path, old)]
    return Sources(texts, {**same, **await tree.read_many(older, "base"), **base})


def is_plain(path: str) -> bool:
    """Return whether a path can be passed to a program and recognized in its output."""
    return CONTROL.isdisjoint(path) and not path.startswith("-") and "): error " not in path


def _is_readable(path: str, entries: Mapping[str, TreeEntry]) -> bool:
    entry = entries.get(path)
    return entry is not None and entry.kind == "file" and 0 <= entry.size <= MOST_BYTES and is_plain(path)


def folders_of(paths: Iterable[str]) -> frozenset[str]:
    """Return every folder that contains one of these paths, at any depth."""
    return frozenset(folder for path in paths for folder in above_of(path))
