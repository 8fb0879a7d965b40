"""Collect the files of one run: those to check, the changed ones, and all that these import."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.machine import files as own
from bot.values import Side
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
    """The files of one run: those of the head, and the base's versions of the changed files."""

    head: Contents
    base: Contents  # changed files only
    touched: frozenset[str]
    setup: object = None  # what else the checker needs to know about the tree

    def of(self, side: Side) -> Contents:
        """Return all files of one side."""
        if side == "head":
            return self.head
        return {path: text for path, text in self.head.items() if path not in self.touched} | dict(self.base)


async def gather(
    tree: Tree,
    roots: Collection[str],
    changed: Mapping[Side, Contents],
    imports: Imports,
    others: Collection[str] = (),
    setup: object = None,
) -> Sources:
    """Return the files of a check: the roots, the changed files of both sides, and all their imports.

    `others` are files that every run has. Files that are too large are skipped on both sides.
    """
    entries = await tree.entries()
    texts = {path: text for path, text in changed["head"].items() if is_plain(path)}
    base = {path: text for path, text in changed["base"].items() if is_plain(path)}
    touched = frozenset((*texts, *base))
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
    return Sources(texts, base, touched, setup)


def is_plain(path: str) -> bool:
    """Return whether a path can be passed to a program and recognized in its output."""
    return CONTROL.isdisjoint(path) and not path.startswith("-") and "): error " not in path


def _is_readable(path: str, entries: Mapping[str, object]) -> bool:
    entry = entries.get(path)
    kind, size = getattr(entry, "kind", ""), getattr(entry, "size", -1)
    return kind == "file" and 0 <= size <= MOST_BYTES and is_plain(path)


def folders_of(paths: Iterable[str]) -> frozenset[str]:
    """Return every folder that contains one of these paths, at any depth."""
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(found)


def write_files(folder: Path, contents: Contents) -> None:
    """Write files into an empty temporary folder. A file whose path is another's folder is skipped."""
    folders = folders_of(contents)
    own.fill(folder, {path: text for path, text in contents.items() if path not in folders})
