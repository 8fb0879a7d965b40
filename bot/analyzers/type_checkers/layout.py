"""Collect the files of one run: the changed ones, unchanged ones that the change may break, and all that these import."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.file_kinds import is_excluded_from_search
from bot.values import ChangedFile, Dependents, Side
from deeprepo.impact.changes import Query, TreeEntry
from deeprepo.impact.paths import above_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.text.paths import is_test

MOST_BYTES = 1 << 20  # per file
MOST_LAID_OUT = 48 << 20  # bytes of all files
MOST_FILES_LAID_OUT = 4_000
PORTION = 400  # files per read
CONTROL = frozenset(map(chr, range(32))) | {"\x7f", "\\"}
Contents = Mapping[str, bytes]
Imports = Callable[[str, bytes], Iterable[str]]  # returns the files of the tree that a file imports
MOST_CHECKED = 60  # unchanged files per run
MOST_SEARCHED = 300  # names per search
MOST_HITS = 150  # files per search; more mean that a name is an everyday word
INDIRECT = 3  # how indirectly a file uses the change that only has one of the names
LONG_WORD = re.compile(rb"[A-Za-z_$][\w$]{2,79}")


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
    tree: Tree, roots: Collection[str], changed: Mapping[Side, Contents], imports: Imports, others: Collection[str] = ()
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


async def unchanged_files(
    tree: Tree,
    files: Sequence[ChangedFile],
    dependents: Dependents,
    suffixes: Sequence[str],
    contents: Sequence[Contents],
    retyped: Collection[str],
) -> tuple[tuple[str, ...], int]:
    """Return the unchanged files to check, most direct users first, and how many were left unchecked.

    `contents` are the language's changed files before and after the change. `retyped`: the keys of definitions
    whose types may have changed.
    """
    endings, touched = tuple(suffixes), {path for file in files for path in (file.path, file.old_path) if path}
    symbols = [
        one
        for one in dependents.symbols
        if one.change != "added" and (one.contract or one.change != "body" or one.key in retyped)
    ]
    keys = {one.key for one in symbols}
    names = {side.short for one in symbols for side in one.sides}
    owners = {one.symbol.owner for one in symbols if one.key in retyped}
    known_targets = {one.symbol.path for one in dependents.symbols}
    found: dict[str, int] = {}  # path -> how indirectly it uses the change
    for reference in dependents.references:
        if reference.symbol in keys:
            found.setdefault(reference.path, 0 if reference.is_bound else 2)
    for user in dependents.files:
        if user.target not in known_targets or not user.names.isdisjoint(names | owners):
            found[user.path] = min(found.get(user.path, 1), 1)
    for words in (names, set(removed_words(files, *contents))):
        longest = sorted(words, key=lambda name: (-len(name), name))[:MOST_SEARCHED]
        hits = await tree.grep(Query(longest, [f"*{suffix}" for suffix in suffixes], word=True)) if words else ()
        for path in hits if len(hits) <= MOST_HITS else ():
            found.setdefault(path, INDIRECT)
    entries, old = await tree.entries(), await tree.entries("base")
    known = [
        path
        for path in found
        if path.endswith(endings)
        and path not in touched
        and path in entries
        and entries[path] == old.get(path)
        and entries[path].kind == "file"
        and not is_excluded_from_search(path, entries[path].size)
    ]
    known.sort(key=lambda path: (found[path], is_test(path), path))
    return tuple(known[:MOST_CHECKED]), max(0, len(known) - MOST_CHECKED)


def removed_words(files: Sequence[ChangedFile], before: Contents, after: Contents) -> Iterator[str]:
    """Yield the words of removed lines that no longer occur in the file."""
    for file in files:
        old = before.get(file.old_path or "")
        if old is not None:
            is_gone = file.status == "deleted"
            removed = "\n".join(line.text for hunk in file.hunks for line in hunk.lines if line.kind == "-")
            words = set(LONG_WORD.findall(old if is_gone else removed.encode("utf-8", "replace")))
            yield from (word.decode() for word in words - set(LONG_WORD.findall(after.get(file.path, b""))))
