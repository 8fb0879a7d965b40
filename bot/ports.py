"""The edges that really differ: what a part must offer so that `wiring` can hand it over."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from bot.values import (
    Absence,
    ChangedFile,
    Dependents,
    Finding,
    Judgement,
    Review,
    Side,
)
from deeprepo.impact.ports import Tree
from deeprepo.rlm.values import Masks, T


class RunnableTree(Tree, Protocol):
    """A tree whose sides can be handed to a sandbox as a whole."""

    async def archive(self, side: Side, most: int) -> bytes:
        """Return one side as a tar archive below `work/`, of at most `most` bytes."""

    async def with_contents(self, contents: Mapping[Side, Mapping[str, bytes]]) -> "RunnableTree":
        """Return both trees with other contents for some files. Only used while this tree is open."""


class KnownSecrets(Masks, Protocol):
    """The secrets that one review has met. `checkout.views.create_known_secrets` begins to know them."""

    def exclude_paths(self, *sides: Collection[str]) -> None:
        """Take these paths for no secrets."""

    def learn(self, text: str, path: str = "") -> None:
        """Take up the secrets of a text, if it has any."""

    def learn_values(self, values: Iterable[str]) -> None:
        """Take up values that are known to be secrets."""

    def learn_change(self, files: Iterable[ChangedFile]) -> None:
        """Take up those of both sides of a change."""

    def learn_files(self, *sides: Mapping[str, str]) -> None:
        """Take up the secrets of whole files."""

    def hide_known(self, text: str) -> str:
        """Return the text with a placeholder for each known secret."""

    def hide_blob(self, oid: str, blob: bytes) -> bytes:
        """Return a file's content with a placeholder for each known secret."""

    def distinctive_parts(self) -> frozenset[str]:
        """Return parts of the known secrets. A text that contains none of them is never masked."""

    def cover(self, value: T, *, guesses: bool = False) -> T:
        """Return the value with only the first characters of each secret.

        With `guesses`, possible secrets count too.
        """


class Analyzer(Protocol):
    """A check without a model. A module may satisfy it."""

    NAME: str

    def wants(self, file: ChangedFile) -> bool:
        """Return whether it can judge this file."""

    async def check(self, tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> Judgement:
        """Return what is wrong with the change, with verbatim quotes, and which of the files it has judged to their end."""

    def absence(self, finding: Finding, dependents: Dependents) -> Absence:
        """Return what it means that a check no longer reports its finding from an earlier review.

        The check ran to its end.
        """


@runtime_checkable
class Installable(Protocol):
    """An analyser that runs a program which may not be there."""

    def lacks(self, files: Sequence[ChangedFile]) -> bool:
        """Return whether one of these files is for it, and its program is not installed."""


@runtime_checkable
class Compares(Protocol):
    """An analyser that can say which uses of the changed definitions it has compared with their new contract."""

    def compare(self, dependents: Dependents) -> Mapping[tuple[str, str, int], str]:
        """Map (changed definition as "path:name", path and line of the use) to what the comparison has shown."""


@runtime_checkable
class Confirms(Protocol):
    """An analyser that runs another program over the files around the change. Its errors prove what others report on the same lines."""

    async def regressions(self, tree: Tree, paths: Collection[str]) -> Sequence["NewError"]:
        """Return the errors in these changed files that their base versions did not have: what a fix must not bring."""


class NewError(Protocol):
    """An error that a fix would bring."""

    @property
    def path(self) -> str:
        """Return the file."""

    @property
    def line(self) -> int:
        """Return the line after the fix."""

    @property
    def summary(self) -> str:
        """Return what the program says."""


class Output(Protocol):
    """A form in which a review is handed over."""

    def render(self, review: Review) -> str:
        """Return the whole review as text."""
