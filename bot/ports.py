"""The edges that really differ: what a part must offer so that `wiring` can hand it over."""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from bot.values import (
    Absence,
    ChangedFile,
    Dependents,
    Finding,
    Judgement,
    Query,
    Review,
    Side,
    TreeEntry,
    Unit,
)


class Tree(Protocol):
    """Read access to both trees of a change. Git is behind it; nothing is ever opened through a work tree."""

    @property
    def stopped_searches(self) -> Sequence[str]:
        """A sentence for each search that was ended before it was done."""

    async def entries(self, side: Side = "head") -> Mapping[str, TreeEntry]:
        """Every path of one side."""

    async def read(self, path: str, side: Side = "head") -> bytes | None:
        """The content of a file, None where it does not exist, is not a file, or is above the size cap."""

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        """The contents of many files in one pass; those that `read` would answer with None are absent."""

    async def grep(self, query: Query) -> frozenset[str]:
        """Paths of the text files in which any of the patterns occurs."""

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """The matching lines as (path, line, text), in the order of paths."""


class RunnableTree(Tree, Protocol):
    """A tree whose sides can be handed to a sandbox as a whole."""

    async def archive(self, side: Side, most: int) -> bytes:
        """One side as a tar archive below `work/`, of at most so many bytes."""


class Analyzer(Protocol):
    """A check without a model. A module may satisfy it."""

    NAME: str
    READS: str  # what it can judge, as the coverage table says it: "Python files", "every text file"

    def wants(self, file: ChangedFile) -> bool:
        """Whether it can judge this file."""

    async def check(self, tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> Judgement:
        """What is wrong with the change, with verbatim quotes, and which of the files it has judged to their end."""

    def absence(self, finding: Finding, dependents: Dependents) -> Absence:
        """What it means that a finding of its own, of an earlier round, is not among those of a check that ran to its end."""


@runtime_checkable
class Installable(Protocol):
    """An analyser that runs a program which may not be there."""

    def lacks(self, files: Sequence[ChangedFile]) -> bool:
        """Whether one of these files is for it, and its program is not installed."""


@runtime_checkable
class Compares(Protocol):
    """An analyser that can say which uses of the changed definitions it has compared with their new contract."""

    def compare(self, dependents: Dependents) -> Mapping[tuple[str, str, int], str]:
        """(changed definition as "path:name", path and line of the use) -> what the comparison has shown."""


class Lens(Protocol):
    """A question asked of workers, and the reason to ask it. A module satisfies it."""

    QUESTION: str  # the template with its words

    def wants(self, unit: Unit, file: ChangedFile) -> bool:
        """Whether this unit calls for the question."""


class Output(Protocol):
    """A form in which a review is handed over."""

    def render(self, review: Review) -> str:
        """The whole review as text."""
