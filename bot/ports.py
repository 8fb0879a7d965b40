"""The edges that really differ: what a part must offer so that `wiring` can hand it over."""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from bot.values import (
    Absence,
    ChangedFile,
    Dependents,
    Finding,
    Judgement,
    Review,
    Side,
    Unit,
)
from impact.ports import Tree


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
