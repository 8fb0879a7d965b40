"""Our static analysis over many changes in one process: git writes and compares the trees once, and they are read from memory."""

import asyncio
import fnmatch
import hashlib
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.refactorings.model import Files
from benchmarks.refactorings.operations import Change
from bot.review.analyzer_worker import load_analyzer
from bot.values import TypedChange, Verdict
from bot.wiring.review import local_review
from deeprepo.impact.changes import MOVED, ChangedFile, Query, TreeEntry
from deeprepo.impact.patches import changed_file, with_patches
from deeprepo.impact.uses import find
from deeprepo.impact.values import Side

CHECKS = ("contracts", "references")
NOBODY = b"bench <bench@example.invalid> 0 +0000"
FLAGS = re.compile(r"^\(\?([a-z]+)\)(.*)$", re.DOTALL)  # of a whole pattern, which is one of several here
SECTION = re.compile(rb"(?:^|(?<=\n))([0-9a-f]{40})\0(?=:)")


@dataclass(frozen=True)
class Said:
    """One place that a review names. `how` is "proven", "likely" or "listed"."""

    how: str
    path: str
    line: int
    rule: str
    title: str


class Memory:
    """Both sides of a change as dictionaries. Satisfies `deeprepo.impact.ports.Tree`."""

    def __init__(self, base: Files, head: Files) -> None:
        self._sides = {"base": _encoded(base), "head": _encoded(head)}
        self.stopped_searches: list[str] = []

    async def entries(self, side: Side = "head") -> Mapping[str, TreeEntry]:
        """Return every path of one side."""
        return {
            path: TreeEntry(path, hashlib.sha1(text, usedforsecurity=False).hexdigest(), "file", len(text))
            for path, text in self._sides[side].items()
        }

    async def read(self, path: str, side: Side = "head") -> bytes | None:
        """Return the content of a file."""
        return self._sides[side].get(path)

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        """Return the contents of files."""
        return {path: self._sides[side][path] for path in paths if path in self._sides[side]}

    async def grep(self, query: Query) -> frozenset[str]:
        """Return the paths of files in which a pattern occurs."""
        return frozenset(path for path, _, _ in self._rows(query))

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """Return the matching lines as (path, line, text)."""
        return tuple(self._rows(query))[: query.limit]

    def _rows(self, query: Query) -> Iterator[tuple[str, int, str]]:
        texts = [
            re.escape(one) if query.syntax == "fixed" else FLAGS.sub(r"(?\1:\2)", one) for one in query.patterns if one
        ]
        either = "|".join(f"(?:{text})" for text in texts)
        if not texts:
            return
        pattern = re.compile(rf"(?<!\w)(?:{either})(?!\w)" if query.word else either)
        for path, source in sorted(self._sides[query.side].items()):
            if _is_under(path, query.globs, empty=True) and not _is_under(path, query.without, empty=False):
                for number, line in enumerate(source.decode().split("\n"), 1):
                    if pattern.search(line):
                        yield path, number, line


def _encoded(files: Files) -> dict[str, bytes]:
    return {path: text.encode() for path, text in files.items()}


def _is_under(path: str, specs: Sequence[str], *, empty: bool) -> bool:
    """Whether one of git's pathspecs means a path."""
    plain = [re.sub(r"^:\([^)]*\)", "", spec).replace("**/", "*") for spec in specs]
    return empty if not plain else any(fnmatch.fnmatch(path, one) or path.startswith(f"{one}/") for one in plain)


class Repository:
    """Changes as commits of one repository, each on a base of its own."""

    def __init__(self, folder: Path, changes: Sequence[Change]) -> None:
        self.folder = folder
        self._git("init", "-q")
        stream = bytearray()
        for number, change in enumerate(changes):
            for mark, files, parent in (
                (2 * number + 1, change.base, 0),
                (2 * number + 2, change.head, 2 * number + 1),
            ):
                stream += b"commit refs/heads/c%d\nmark :%d\ncommitter %s\ndata 1\nx\n" % (mark, mark, NOBODY)
                stream += b"from :%d\ndeleteall\n" % parent if parent else b"deleteall\n"
                for path, text in files.items():
                    data = text.encode()
                    stream += b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data)
        marks = folder / "marks"
        self._git("fast-import", "--quiet", f"--export-marks={marks}", given=bytes(stream))
        names = dict(line[1:].split() for line in marks.read_text().splitlines())
        self.ends = [(names[str(2 * n + 1)], names[str(2 * n + 2)]) for n in range(len(changes))]

    def changed(self) -> Iterator[list[ChangedFile]]:
        """Return the changed files of each change."""
        heads = "".join(f"{head}\n" for _, head in self.ends).encode()
        form = ("-r", "-M", "-p", "--raw", "-z", "--full-index", "--no-color", "-U3")
        parts = SECTION.split(self._git("diff-tree", "--stdin", *form, given=heads))
        sections = dict(zip(parts[1::2], parts[2::2], strict=True))
        for _, head in self.ends:
            status, _, patch = sections.get(head.encode(), b"").partition(b"\0\0")
            files = [changed_file(row, one) for row, one in with_patches(status, patch)]
            yield [replace(f, skip=MOVED if f.status == "renamed" and not f.hunks else None) for f in files]

    def _git(self, *words: str, given: bytes = b"") -> bytes:
        return subprocess.run(["git", *words], cwd=self.folder, check=True, capture_output=True, input=given).stdout


async def said(change: Change, files: Sequence[ChangedFile]) -> list[Said]:
    """Return what our analysis says of one change."""
    tree = Memory(change.base, change.head)
    users = await find(tree, files)
    places: list[Said] = []
    for name in CHECKS:
        check = load_analyzer(name)
        wanted = [file for file in files if check.wants(file)]
        for one in (await check.check(tree, wanted, users)).findings if wanted else ():
            how = "proven" if one.verdict == Verdict.PROVEN else "likely"
            lines = [(one.path, one.start), *((row.path, row.line) for row in one.evidence if row.is_broken)]
            places += [Said(how, *line, one.rule, one.title) for line in dict.fromkeys(lines)]
    named = {(place.path, place.line) for place in places}
    places += [
        Said("listed", row.path, row.line, "", row.name)
        for row in users.references
        if (row.path, row.line) not in named and row.connection != "name"
    ]
    return places


def said_of(changes: Sequence[Change], repository: Repository) -> list[list[Said]]:
    """Return what our analysis says of each change."""

    async def go() -> list[list[Said]]:
        return [await said(*pair) for pair in zip(changes, repository.changed(), strict=True)]

    return asyncio.run(go())


def reviewed(repository: Repository, number: int) -> list[tuple[str, int, str]]:
    """Return the proven findings of a whole review of one change: path, line, title."""
    base, head = repository.ends[number]
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        request = TypedChange(str(repository.folder), base=base, head=head)
        review = asyncio.run(local_review(request, {"strategy": "offline"}, scratch))
    proven = [one.finding for one in review.reported if one.finding.verdict == Verdict.PROVEN]
    return sorted(
        (one.path, one.start, one.title)
        for one in proven
        if {source.name for source in one.basis.sources} & set(CHECKS)
    )
