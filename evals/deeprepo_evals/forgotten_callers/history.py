"""The newest commits of a clone as a graph, with the words that each one takes out of each file. Objects are read in batches."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Self

from bot.checkout import git
from bot.errors import GitError
from bot.machine.concurrency import end_process
from bot.text.filetypes import filetype

WORD = re.compile(rb"[A-Za-z_$][\w$]{2,}")
MOST_BYTES = 300_000  # of a file that is looked at
PORTION = 200  # blobs that are looked at together
AT_ONCE = 60  # blobs that are asked for before the first is read
MOST_WORDS = 4_000  # word sets that are kept
NOBODYS = "0" * 40
ALIEN = re.compile(
    r"(^|/)(_?vendor(ed)?|node_modules|third_party|thirdparty|dist|fixtures?|testdata)/|\.min\.js$|\.pb\.go$"
)


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a commit: the ids of both contents; the id of a side that lacks the file is empty."""

    path: str
    old: str
    new: str


@dataclass(frozen=True)
class History:
    """The commits, oldest first, each after its parents; `changes` of those with one parent."""

    clone: Path
    commits: tuple[str, ...]
    parents: tuple[tuple[str, ...], ...]
    changes: dict[str, tuple[FileChange, ...]] = field(default_factory=dict)

    @cached_property
    def places(self) -> dict[str, int]:
        """Commit -> its place in the order."""
        return {sha: place for place, sha in enumerate(self.commits)}

    @cached_property
    def ancestors(self) -> list[int]:
        """The ancestors of each commit, as the bits of a number."""
        sets: list[int] = []
        for parents in self.parents:
            places = [self.places[sha] for sha in parents if sha in self.places]
            bits = 0
            for place in places:
                bits |= sets[place] | 1 << place
            sets.append(bits)
        return sets

    def is_ancestor(self, earlier: int, later: int) -> bool:
        """Whether a commit is in the history of another one."""
        return bool(self.ancestors[later] >> earlier & 1)

    def distance(self, earlier: int, later: int) -> int:
        """How many commits that follow the earlier one lead to the later one, itself included."""
        return 1 + sum(
            self.is_ancestor(earlier, one) and self.is_ancestor(one, later) for one in range(earlier + 1, later)
        )


def is_code(path: str) -> bool:
    """Whether a language reads this file, and its project wrote it."""
    return bool(filetype(path).parser) and not ALIEN.search(path)


async def read(clone: Path, count: int) -> History:
    """The newest commits that HEAD reaches, with what each one changed beside its only parent."""
    out = await git.output("rev-list", "--topo-order", "--parents", f"--max-count={count}", "HEAD", cwd=str(clone))
    rows = [line.split() for line in reversed(out.decode().splitlines())]
    history = History(clone, tuple(row[0] for row in rows), tuple(tuple(row[1:]) for row in rows))
    single = [
        sha
        for sha, parents in zip(history.commits, history.parents, strict=True)
        if len(parents) == 1 and parents[0] in history.places
    ]
    out = await git.output("diff-tree", "--stdin", *RAW, cwd=str(clone), stdin="\n".join(single).encode() + b"\n")
    for sha, changes in _changes(out):
        history.changes[sha] = changes
    return history


RAW = ("-r", "--raw", "--no-renames", "--no-abbrev")


def _changes(out: bytes) -> Iterator[tuple[str, tuple[FileChange, ...]]]:
    sha, rows = "", list[FileChange]()
    for line in out.decode("utf-8", "surrogateescape").split("\n"):
        if not line.startswith(":"):
            if sha:
                yield sha, tuple(rows)
            sha, rows = line[:40], []
            continue
        head, _, path = line.partition("\t")
        mode, new_mode, old, new = head[1:].split(" ")[:4]
        if {mode[:3], new_mode[:3]} <= {"100", "000"} and is_code(path):
            rows.append(FileChange(path, "" if old == NOBODYS else old, "" if new == NOBODYS else new))


async def steps(history: History) -> AsyncIterator[tuple[int, tuple[FileChange, ...]]]:
    """The way from each commit's tree to the next one's, whatever their parents are; first the oldest tree as a whole."""
    clone = str(history.clone)
    out = await git.output("ls-tree", "-r", history.commits[0], cwd=clone)
    rows = [line.partition("\t") for line in out.decode("utf-8", "surrogateescape").splitlines()]
    yield (
        0,
        tuple(
            FileChange(path, "", head.split()[2]) for head, _, path in rows if head.startswith("100") and is_code(path)
        ),
    )
    pairs = "".join(f"{new} {old}\n" for old, new in pairwise(history.commits))
    changes = dict(_changes(await git.output("diff-tree", "--stdin", *RAW, cwd=clone, stdin=pairs.encode())))
    for place, sha in enumerate(history.commits[1:], 1):
        yield place, changes.get(sha, ())


class Contents:
    """The contents of blobs, which one git process hands over as long as it is open, and the words in them."""

    def __init__(self, clone: Path) -> None:
        self._clone = clone
        self._words: dict[str, frozenset[bytes]] = {"": frozenset()}
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        self._process = await git.start("cat-file", "--batch", cwd=str(self._clone))
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._process is not None:
            await end_process(self._process, self._process.stdout, self._process.stderr)

    async def read(self, oids: Collection[str]) -> dict[str, bytes]:
        """Blob id -> content; files that are too long are empty, and those that the clone lacks are absent."""
        wanted = [oid for oid in dict.fromkeys(oids) if oid]
        contents = {"": b""}
        for at in range(0, len(wanted), AT_ONCE):
            contents |= await self._read(wanted[at : at + AT_ONCE])
        return contents

    async def _read(self, oids: Sequence[str]) -> dict[str, bytes]:
        if self._process is None or self._process.stdin is None or self._process.stdout is None:
            raise GitError("the contents of a clone are read while they are open")
        self._process.stdin.write(("\n".join(oids) + "\n").encode())
        await self._process.stdin.drain()
        contents: dict[str, bytes] = {}
        for oid in oids:
            kind, _, size = (await self._process.stdout.readline()).partition(b" ")[2].strip().partition(b" ")
            if kind == b"blob":
                content = await self._process.stdout.readexactly(int(size) + 1)
                contents[oid] = content[:-1] if int(size) <= MOST_BYTES else b""
        return contents

    def words(self, oid: str, content: bytes, only: Collection[bytes] | None = None) -> frozenset[bytes]:
        """The words of a blob, or those of them that are asked for."""
        held = self._words.get(oid)
        if held is None:
            held = frozenset(WORD.findall(content))
            if only is not None:
                held &= frozenset(only) if not isinstance(only, frozenset | set) else only
            if len(self._words) > MOST_WORDS:
                self._words = {"": frozenset()}
            self._words[oid] = held
        return held


def portions(
    changes: Sequence[tuple[int, tuple[FileChange, ...]]], most: int = PORTION
) -> Iterator[list[tuple[int, tuple[FileChange, ...]]]]:
    """Commits in groups that name about so many blobs."""
    group, size = list[tuple[int, tuple[FileChange, ...]]](), 0
    for place, files in changes:
        group.append((place, files))
        size += 2 * len(files)
        if size >= most:
            yield group
            group, size = [], 0
    if group:
        yield group


Say = Callable[[str], None]
