"""Compare both sides of a change: which names, paths and anchors did it take away?"""

import posixpath
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from deeprepo.impact.changes import ChangedFile, DiffLine
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.forgotten.names import anchors, given_names, is_history, is_plain, is_word, quoted_words, words
from deeprepo.impact.paths import above_of, joined
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.paths import is_output, is_prose
from deeprepo.impact.values import Side

MOST_FILES = 300  # changed files whose definitions and keys are compared
MOST_NAMES = 100  # names for which the head is searched
COMMON = 5  # lines of the head; a name on more of them has other uses

Origin = tuple[str, int]  # path and line in the base; line 0 for the file itself


class GoneName(Struct, frozen=True):
    """A name that the change took away, or a word that it only removes."""

    name: str
    path: str
    line: int
    is_given: bool  # whether a changed file gave it to others, and none does any more
    most: int = COMMON  # lines of the head that may have it


class PathIndex:
    """The files and folders of one side whose last part, without its suffix, is of interest."""

    def __init__(self, paths: Collection[str], stems: Collection[str]) -> None:
        self._by_stem: dict[str, set[str]] = defaultdict(set)
        for path in paths if stems else ():
            for one in (path, *above_of(path)):
                if (stem := stem_of(one)) in stems:
                    self._by_stem[stem].add(one)

    def leads(self, text: str, asker: str) -> Mapping[str, bool]:
        """Return the paths that a text in a file may refer to, and whether it is a path from its folder or the root.

        Others are in another folder. Documents and imports may omit the suffix of a path.
        """
        text = text.rstrip("/")
        is_short = "/" in text and "." not in posixpath.basename(text)
        ways = joined(posixpath.dirname(asker), text), text.lstrip("./")
        return {
            path: form in ways
            for path in self._by_stem.get(stem_of(text), ())
            for form in {path, posixpath.splitext(path)[0] if is_short else path}
            if form in ways or f"/{form}".endswith(f"/{ways[1]}")
        }


class GonePaths(Struct, frozen=True):
    """The files, folders and anchors that the change took away."""

    paths: Mapping[str, str]  # each with its new path, or ""
    anchors: Mapping[str, Mapping[str, int]]  # document -> anchors of its former headings, each with its line
    base: PathIndex
    head: PathIndex


async def gone_names(tree: Tree, files: Sequence[ChangedFile], lost: Mapping[str, str]) -> list[GoneName]:
    """Return the names, those that a file gave first. `lost`: the files that no longer have their path."""
    first = dict[str, Origin]()  # the words of removed lines
    weights = Counter[str]()  # of these words; a third of it is how many lines of the head may have one
    added, written = set[str](), set[str]()  # the words of added lines, and of those in documents
    sources = await tree.read_many([file.path for file in files if file.hunks and is_prose(file.path)])
    histories = {path for path, source in sources.items() if is_history(source)}
    for file, line in _changed_lines(files):
        path = file.old_path or file.path
        if file.path in histories or is_output(path):
            continue
        if line.kind == "+":
            (written if is_prose(file.path) else added).update(words(line.text))
        else:
            for word in words(line.text):
                first.setdefault(word, (path, line.old or 0))
                weights[word] += 1
            for word in quoted_words(line.text) if filetype(path).is_parsed else words(line.text):
                weights[word] += 8
    before, after = await _given_names(tree, files, "base"), await _given_names(tree, files, "head")
    found = [
        GoneName(name, *before[name], is_given=True)
        for name in before.keys() - after.keys() - added
        if not is_plain(name)
    ]
    found += [
        GoneName(word, *first[word], is_given=False, most=min(COMMON, most))
        for word in first.keys() - before.keys() - after.keys() - added - written
        if not is_plain(word.lower() if word.isupper() else word) and (most := weights[word] // 3)
    ]
    stems = {stem: path for path in lost if is_word(stem := stem_of(path)) and stem not in added}
    found += [GoneName(stem, path, 0, is_given=False) for stem, path in stems.items()]
    return sorted(found, key=lambda one: (not one.is_given, -len(one.name), one.name))[:MOST_NAMES]


async def gone_paths(tree: Tree, files: Sequence[ChangedFile]) -> GonePaths:
    """Return the files and folders that only the base has, and the anchors that documents lost."""
    base, head = await tree.entries("base"), await tree.entries()
    lost = {
        old: "" if file.status == "deleted" else file.path
        for file in files
        if (old := file.old_path or (file.path if file.status == "deleted" else "")) and old not in head
    }
    folders = {folder for path in head for folder in above_of(path)} if lost else set()
    lost |= {folder: "" for path in list(lost) for folder in above_of(path) if folder not in folders}
    stems = {stem_of(path) for path in lost}
    documents = {
        file.path: file.old_path
        for file in files
        if file.old_path and file.hunks and is_prose(file.path) and file.path in head
    }
    before, after = await tree.read_many([*documents.values()], "base"), await tree.read_many([*documents])
    missing = {
        path: {name: line for name, line in anchors(before.get(old_path, b"")).items() if name not in kept}
        for path, old_path in documents.items()
        for kept in [anchors(after.get(path, b""))]
    }
    return GonePaths(lost, missing, PathIndex(base, stems), PathIndex(head, stems))


def _changed_lines(files: Sequence[ChangedFile]) -> Iterator[tuple[ChangedFile, DiffLine]]:
    return ((file, line) for file in files for hunk in file.hunks for line in hunk.lines if line.kind != " ")


async def _given_names(tree: Tree, files: Sequence[ChangedFile], side: Side) -> dict[str, Origin]:
    """Return what the changed files give on one side, each with its first place."""
    found: dict[str, Origin] = {}
    paths = [
        file.path if side == "head" or not file.old_path else file.old_path for file in files[:MOST_FILES] if file.hunks
    ]
    for path, source in (await tree.read_many(paths, side)).items():
        for name, line in given_names(path, source).items():
            found.setdefault(name, (path, line))
    return found


def stem_of(path: str) -> str:
    """Return the last part of a path without its suffixes and without a dot at its start."""
    return posixpath.basename(path.rstrip("/")).lstrip(".").partition(".")[0]
