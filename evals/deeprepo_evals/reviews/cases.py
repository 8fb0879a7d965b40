"""Real pull requests with a known defect, as files: cases, and twins (the same diff in two trees)."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

NEAR = 10  # lines around a span that count as its place: spans that `git blame` gave are wide, comments stand beside
TWINS, LARGE = "twins", "large"
PAIRED = (TWINS, LARGE)  # the same diff in two trees; each kind lies in a folder of its name
KINDS = (*PAIRED, "natural", "omit", "martian", "clean")  # in the order in which they are reported; others follow
Variant = Literal["", "bad", "good"]


@dataclass(frozen=True, slots=True)
class Span:
    """Lines of the head side, 1-based and inclusive."""

    file: str
    start: int
    end: int
    in_diff: bool = True  # on lines that the change adds


@dataclass(frozen=True, slots=True)
class Proof:
    """A line outside the change that proves a defect."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Defect:
    """One labelled defect. Without spans its place is unknown, and only words can tell whether it was found."""

    description: str
    spans: tuple[Span, ...] = ()
    scope: str = ""  # where the evidence lies: same-hunk, same-file, cross-file
    severity: str = ""
    category: str = ""
    evidence_files: tuple[str, ...] = ()
    evidence: tuple[Proof, ...] = ()
    symbol: str = ""  # of a forgotten caller: what it still asks for
    change: str = ""  # of a mined one: what was changed (function, method, signature, module, ...)
    bound: str = ""  # and how the caller is bound to it (import, receiver, only definer, ...)


@dataclass(frozen=True, slots=True)
class Quote:
    """A line of the tree by its number, with some of its columns replaced, so that an edit repeats no code of others."""

    line: int
    path: str = ""  # of another file than the edited one
    put: tuple[tuple[int, int, str], ...] = ()  # columns `from` to `to` (0-based, in characters) become the text


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines `start` to `end` of a file become `lines`; without `start` the file is written again, with `delete` it goes."""

    path: str
    lines: tuple[str | Quote, ...] = ()
    start: int = 0
    end: int = 0
    delete: bool = False


@dataclass(frozen=True, slots=True)
class Recipe:
    """A head that no commit holds: a real commit with one file left as it was."""

    source_commit: str
    omitted_file: str
    head_tree: str


@dataclass(frozen=True, slots=True)
class Case:
    """One pull request: how it is rebuilt from a clone, and what is known to be wrong with it."""

    id: str
    kind: str
    clone: str  # "owner/name"
    base: str
    head: str = ""
    recipe: Recipe | None = None
    around: tuple[Edit, ...] = ()  # of the tree that the change does not touch
    before: tuple[Edit, ...] = ()  # of the base alone: what a large twin adds to a file that the pull request changes
    change: tuple[Edit, ...] = ()  # the change itself, where it was written over a commit; or what is added to `head`
    title: str = ""
    body: str | None = None  # None: of the commit
    date: str = "2026-01-01"
    language: str = ""
    files: int = 0  # in the tree
    defects: tuple[Defect, ...] = ()
    traps: tuple[Proof, ...] = ()  # lines of a large twin that look broken and are not
    url: str = ""  # of the pull request, where a benchmark names it
    variant: Variant = ""  # of a twin
    digest: str = ""  # of the file's content: an edited case is another case

    @property
    def twin(self) -> str:
        """What both variants of a twin are called."""
        return self.id.rpartition("/")[0] if self.variant else ""


def order(kinds: Collection[str]) -> list[str]:
    """Kinds in the order in which they are reported."""
    return [kind for kind in KINDS if kind in kinds] + sorted(set(kinds) - set(KINDS))


def near(path: str, start: int, end: int, spans: Collection[Span]) -> bool:
    """Whether lines of a file are at one of these places."""
    return any(path == s.file and start <= s.end + NEAR and end >= s.start - NEAR for s in spans)
