"""Find unchanged files that a change may break: those that use changed definitions or removed names."""

import re
from collections.abc import Iterator, Mapping, Sequence

from bot.file_kinds import is_excluded_from_search
from bot.values import ChangedFile, Dependents
from deeprepo.impact.changes import Query
from deeprepo.impact.ports import Tree
from deeprepo.impact.text.paths import is_test

MOST_CHECKED = 60  # unchanged files per run
MOST_SEARCHED = 300  # names per search
MOST_HITS = 150  # files per search; more mean that a name is an everyday word
INDIRECT = 3  # how indirectly a file uses the change that only has one of the names
LONG_WORD = re.compile(rb"[A-Za-z_$][\w$]{2,79}")
Contents = Mapping[str, bytes]


async def unchanged_files(
    tree: Tree,
    files: Sequence[ChangedFile],
    dependents: Dependents,
    suffixes: Sequence[str],
    contents: Sequence[Contents],
) -> tuple[tuple[str, ...], int]:
    """Return the unchanged files to check, most direct users first, and how many were left unchecked.

    `contents` are the language's changed files before and after the change.
    """
    endings, touched = tuple(suffixes), {path for file in files for path in (file.path, file.old_path) if path}
    symbols = [one for one in dependents.symbols if one.change != "added" and (one.contract or one.change != "body")]
    keys = {one.key for one in symbols}
    sides = [side for one in symbols for side in (one.before, one.after) if side is not None]
    names = {side.short for side in sides}
    known_targets = {one.symbol.path for one in dependents.symbols}
    found: dict[str, int] = {}  # path -> how indirectly it uses the change
    for reference in dependents.references:
        if reference.symbol in keys:
            found.setdefault(reference.path, 0 if reference.is_bound else 2)
    for user in dependents.files:
        if user.target not in known_targets or not user.names.isdisjoint(names):
            found[user.path] = min(found.get(user.path, 1), 1)
    for words in (names, set(_removed_words(files, *contents))):
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


def _removed_words(files: Sequence[ChangedFile], before: Contents, after: Contents) -> Iterator[str]:
    """Yield the words of removed lines that no longer occur in the file."""
    for file in files:
        old = before.get(file.old_path or "")
        if old is not None:
            is_gone = file.status == "deleted"
            removed = "\n".join(line.text for hunk in file.hunks for line in hunk.lines if line.kind == "-")
            words = set(LONG_WORD.findall(old if is_gone else removed.encode("utf-8", "replace")))
            yield from (word.decode() for word in words - set(LONG_WORD.findall(after.get(file.path, b""))))
