"""Compare both sides of a change: which names, paths and anchors did it take away?"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from deeprepo.impact.changes import ChangedFile, DiffLine
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.forgotten.names import anchors, given_names, is_history, is_plain, is_word, templates, words
from deeprepo.impact.forgotten.places import Place, places
from deeprepo.impact.paths import above_of, joined
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.text.paths import is_output, is_prose, is_test
from deeprepo.impact.text.tables import json_table, table
from deeprepo.impact.values import Side

MOST_FILES = 300  # changed files whose definitions and keys are compared
MOST_NAMES = 100  # names for which the head is searched
COMMON = 5  # lines of the head; a name on more of them has other uses
FEW = 3  # the same for a name that the change only used
# Where a name must be in a line to mean what the change took away, by what that was. "given": a definition, or a key.
# "file": its name without suffixes. "upper": a definition in capitals, as variables of the environment are written.
REFERS: Mapping[str, AbstractSet[Place]] = {
    "given": {"code", "flag", "folder", "path", "name", "text", "key", "member"},
    "file": {"code", "folder", "path", "text", "key"},
    "text": {"code", "text", "key"},
    "member": {"code", "key"},
    "code": {"code"},
    "flag": {"flag"},
    "path": {"code", "folder", "path"},
    "upper": {"key"},
}
_UP = re.compile(r"^(?:\.{0,2}/)+")
_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_SCRIPT = r"(?:^|[\s\"'`])(?:npm|pnpm|yarn|bun)(?:\s+run)?\s+(?:NAME)(?![\w:./-])"

Origin = tuple[str, int]  # path and line in the base; line 0 for the file itself


class GoneName(Struct, frozen=True):
    """A name that the change took away, or one that it only used."""

    name: str
    path: str
    line: int
    kind: str  # a key of `REFERS`
    fresh: Collection[str] = ()  # what its file gives only since the change

    @property
    def is_given(self) -> bool:
        """Whether a changed file gave it to others, and none does any more."""
        return self.kind == "given"

    @property
    def most(self) -> int:
        """How many lines of the head may have it."""
        return COMMON if self.is_given else FEW


class GoneUse(Struct, frozen=True):
    """A form that only users of one definition write, such as a dotted path in quotes: any line with it is left behind."""

    name: str
    form: str  # a regular expression
    path: str
    line: int
    folder: str | None = None  # of a manifest: only files below it that have no nearer one run its scripts


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
        is_short = "/" in text.strip("/") and "." not in posixpath.basename(text)
        ways = joined(posixpath.dirname(asker), text), _UP.sub("", text)
        return {
            path: form in ways
            for path in self._by_stem.get(stem_of(text), ())
            for form in {path, posixpath.splitext(path)[0] if is_short else path}
            if form in ways or f"/{form}".endswith(f"/{ways[1]}")
        }

    def has(self, stem: str) -> bool:
        """Return whether a file or folder has this name without suffixes."""
        return stem in self._by_stem


class GonePaths(Struct, frozen=True):
    """The files, folders and anchors that the change took away."""

    paths: Mapping[str, str]  # each with its new path, or ""
    anchors: Mapping[str, Mapping[str, int]]  # document -> anchors of its former headings, each with its line
    base: PathIndex
    head: PathIndex


async def gone_names(
    tree: Tree, files: Sequence[ChangedFile], paths: GonePaths
) -> tuple[list[GoneName], list[GoneUse]]:
    """Return the names, those that a file gave first, and the forms that only users of one definition write."""
    used = dict[str, tuple[Origin, Place]]()  # by removed lines, at a place where a name can refer
    added = set[str]()
    sources = await tree.read_many([file.path for file in files if file.hunks and is_prose(file.path)])
    histories = {path for path, source in sources.items() if is_history(source)}
    for file, line in _changed_lines(files):
        path = file.old_path or file.path
        if file.path in histories or is_output(path):
            continue
        if line.kind == "+":
            added.update(words(line.text))
        elif not is_test(path):
            for name, kinds in places(line.text, path).items():
                for kind in kinds & _USES[is_prose(path), filetype(path).is_parsed]:
                    used.setdefault(name, ((path, line.old or 0), kind))
    before, after = await _given_names(tree, files, "base"), await _given_names(tree, files, "head")
    first = {name: (path, line) for path, names in reversed(before.items()) for name, line in names.items()}
    now = {name for names in after.values() for name in names}
    new_paths = {file.old_path or file.path: file.path for file in files}
    found = []
    for name in first.keys() - now - added:
        path, number = first[name]
        fresh = after.get(new_paths.get(path, path), {}).keys() - before[path].keys()
        if not is_plain(name) and (filetype(path).is_parsed or not is_test(path)):
            found.append(GoneName(name, path, number, "given", fresh))
        if filetype(path).is_parsed and _SNAKE.fullmatch(name):
            found.append(GoneName(name.upper(), path, number, "upper"))
    found += [
        GoneName(name, *origin, kind)
        for name, (origin, kind) in used.items()
        if name not in first and name not in now and name not in added
        if not is_plain(name.lower() if name.isupper() else name)
    ]
    stems = {
        stem: path
        for path in paths.paths
        if is_word(stem := stem_of(path)) and not is_plain(stem) and not paths.head.has(stem)
    }
    found += [GoneName(stem, path, 0, "file") for stem, path in stems.items() if stem not in added]
    found.sort(key=lambda one: (not one.is_given, -len(one.name), one.name))
    return found[:MOST_NAMES], await _gone_uses(tree, files, before, after)


# The places of removed lines from which a name may be missed elsewhere: in documents, in code, in other files.
_USES: Mapping[tuple[bool, bool], AbstractSet[Place]] = {
    (True, False): {"code", "path"},
    (True, True): {"code", "path"},
    (False, True): {"text", "flag", "path", "member"},
    (False, False): {"path"},
}


async def _gone_uses(
    tree: Tree,
    files: Sequence[ChangedFile],
    before: Mapping[str, Mapping[str, int]],
    after: Mapping[str, Mapping[str, int]],
) -> list[GoneUse]:
    """Return the forms of gone definitions in code, of scripts of a manifest, and of templates."""
    old_paths = [file.old_path or file.path for file in files[:MOST_FILES] if file.hunks]
    base, head = (
        await tree.read_many(old_paths, "base"),
        await tree.read_many([file.path for file in files[:MOST_FILES]]),
    )
    kept = {name for source in head.values() for name in templates(source.decode("utf-8", "replace"))}
    found = []
    for path, source in base.items():
        text = head.get(path, b"").decode("utf-8", "replace")
        if posixpath.basename(path) == "package.json":
            lost = (
                table(json_table(source).get("scripts")).keys()
                - table(json_table(head.get(path, b"")).get("scripts")).keys()
            )
            found += [
                GoneUse(
                    name,
                    _SCRIPT.replace("NAME", re.escape(name)),
                    path,
                    before[path].get(name, 0),
                    posixpath.dirname(path),
                )
                for name in lost
            ]
        elif filetype(path).is_parsed:
            module = posixpath.splitext(path)[0].split("/")
            for name in before.get(path, {}).keys() - after.get(path, {}).keys():
                if not re.search(rf"\b{re.escape(name)}\b", text):
                    tails = "".join(rf"(?:{re.escape(part)}\." for part in module[:-1])
                    form = rf"([\"'`]){tails}{')?' * len(module[:-1])}{re.escape(module[-1])}\.{re.escape(name)}\1"
                    found.append(GoneUse(name, form, path, before[path][name]))
        else:
            lines = enumerate(file_lines(source), 1)
            found += [
                GoneUse(name, rf"\b(?:include|template)\s+\"{re.escape(name)}\"", path, number)
                for number, line in lines
                for name in templates(line)
                if name not in kept
            ]
    return found[:MOST_NAMES]


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
    stems = {stem_of(path) for path in (*lost, *lost.values())}
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


async def _given_names(tree: Tree, files: Sequence[ChangedFile], side: Side) -> dict[str, Mapping[str, int]]:
    """Return what the changed files give on one side, by file, each with its first line."""
    asked = [
        file.path if side == "head" or not file.old_path else file.old_path for file in files[:MOST_FILES] if file.hunks
    ]
    return {path: given_names(path, source) for path, source in (await tree.read_many(asked, side)).items()}


def stem_of(path: str) -> str:
    """Return the last part of a path without its suffixes and without a dot at its start."""
    return posixpath.basename(path.rstrip("/")).lstrip(".").partition(".")[0]
