"""The interfaces of optional sections in reviews and findings."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar, cast

from bot.render.words import Phrases
from bot.values import Finding, Review

if TYPE_CHECKING:
    from rich.console import RenderableType

    from bot.config import Config

Part = TypeVar("Part")
# Where a section is in the summary: at the top, just above or after the findings, or among the lists about coverage.
Place = Literal["top", "below", "after", "list"]
CodePlace = tuple[str, int]  # path and line


class Section(ABC, Generic[Part]):
    """An optional section of a review.

    `Review.parts` and the JSON output contain its value (`Part`) under `key`.
    """

    key: ClassVar[str]
    empty: Part  # the value in a review without this section
    place: ClassVar[Place]
    # The template for the summary; empty for a list, because lists share a template.
    template: ClassVar[str] = ""
    title: ClassVar[str] = ""  # for a list, the key of the phrase above it
    is_remembered: ClassVar[bool] = False  # whether a part of the value is passed to the next review

    @property
    @abstractmethod
    def part_type(self) -> Any:  # noqa: ANN401 - a type
        """Return the value's type, for parsing it from JSON. This may load the type's module."""

    def of(self, review: Review) -> Part:
        """Return the value in a review."""
        return cast("Part", review.parts.get(self.key, self.empty))

    def values(self, review: Review, words: Phrases, most: int) -> Mapping[str, Any]:
        """Return the values for the template. `most` is the maximum number of rows per list."""
        del review, words, most
        return {}

    def rows(self, part: Part) -> Sequence[tuple[str, str]]:
        """Return the rows of a list, each with a subject and a sentence."""
        del part
        return ()

    def in_terminal(self, part: Part, most: int | None) -> "Iterable[RenderableType]":
        """Return what the terminal shows. `most` is the maximum number of rows per list; None for all."""
        del part, most
        return ()

    def to_json(self, part: Part) -> Any:  # noqa: ANN401 - any JSON value
        """Return the value as JSON values."""
        return _plain(part)

    def remember(self, row: Any) -> Any:  # noqa: ANN401 - any JSON value
        """Return the part of the JSON that is passed to the next review. `row` is the JSON of the value."""
        return row

    def recall(self, row: Any) -> object:  # noqa: ANN401 - any JSON value
        """Return the remembered JSON as the value for `EarlierReview.parts`.

        Raises ValueError, or a similar error, if it is malformed.
        """
        return row

    def fingerprints(self, row: Any) -> Collection[str]:  # noqa: ANN401 - any JSON value
        """Return what `/deeprepo ignore` accepts besides findings. `row` is the remembered JSON."""
        del row
        return ()

    def with_settings(self, part: Part, settings: "Config") -> Part:
        """Return the value with these settings applied, which may have changed since the review."""
        del settings
        return part

    def without(self, part: Part, silenced_places: Collection[CodePlace]) -> Part:
        """Return the value without references to silenced findings."""
        del silenced_places
        return part


class FindingSection(ABC, Generic[Part]):
    """An optional section of a finding. `Finding.parts` and the JSON output contain its value under `key`."""

    key: ClassVar[str]
    part_type: Any  # the value's type, for parsing it from JSON
    template: ClassVar[str]

    def of(self, finding: Finding) -> Part | None:
        """Return the value in a finding, or None."""
        return cast("Part | None", finding.parts.get(self.key))

    @abstractmethod
    def values(self, part: Part) -> Mapping[str, Any]:
        """Return the values for the template."""

    @abstractmethod
    def in_terminal(self, part: Part) -> "tuple[str, RenderableType]":
        """Return the label and the content of the row in the terminal."""

    @abstractmethod
    def for_agent(self, part: Part) -> tuple[str, str]:
        """Return two texts for a coding agent's prompt: about the proposed fix, and about everything else."""


def _plain(value: Any) -> Any:  # noqa: ANN401 - any section's value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
