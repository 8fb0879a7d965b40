"""The parts that features add to reviews and findings, and how they are shown."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar, cast

from bot import registry
from bot.render.phrases import Phrases
from bot.values import Finding, Review
from bot.values.finding_row import grouped, row_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from bot.config import Config

Part = TypeVar("Part")
# In the summary: at the top, above the findings, or among the lists of what was reviewed.
Place = Literal["top", "below", "list"]
CodePlace = tuple[str, int]  # path and line


class Section(ABC, Generic[Part]):
    """A part of a review, with a template for the summary.

    `Review.parts` and the JSON contain it under `key`.
    """

    key: ClassVar[str]
    nothing: Part  # the value of a review without it
    place: ClassVar[Place]
    template: ClassVar[str] = ""  # none for a list, as lists share one
    title: ClassVar[str] = ""  # of a list: the phrase above it
    is_remembered: ClassVar[bool] = False  # whether the next review gets part of it

    @property
    @abstractmethod
    def form(self) -> Any:  # noqa: ANN401 - a type
        """Return the type for parsing it from JSON. Its module may be loaded only for that."""

    def of(self, review: Review) -> Part:
        """Return a review's value of this part."""
        return cast("Part", review.parts.get(self.key, self.nothing))

    def values(self, review: Review, words: Phrases, most: int) -> Mapping[str, Any]:
        """Return the values for the template. `most` is the number of rows per list."""
        del review, words, most
        return {}

    def rows(self, part: Part) -> Sequence[tuple[str, str]]:
        """Return the rows of a list: the subject and a sentence."""
        del part
        return ()

    def in_terminal(self, part: Part, most: int | None) -> "Iterable[RenderableType]":
        """Return what the terminal shows. `most` is the number of rows per list; None for all."""
        del part, most
        return ()

    def to_json(self, part: Part) -> Any:  # noqa: ANN401 - any JSON value
        """Return it as JSON values."""
        return _plain(part)

    def remember(self, row: Any) -> Any:  # noqa: ANN401 - any JSON value
        """Return the part of its JSON that the next review gets."""
        return row

    def recall(self, row: Any) -> object:  # noqa: ANN401 - any JSON value
        """Return the remembered JSON as `EarlierReview.parts` contains it.

        Raises ValueError or similar for a bad form.
        """
        return row

    def under(self, part: Part, settings: "Config") -> Part:
        """Return it under these settings, which may differ from those at the review."""
        del settings
        return part

    def without(self, part: Part, silenced_places: Collection[CodePlace]) -> Part:
        """Return it without references to silenced findings."""
        del silenced_places
        return part


class FindingSection(ABC, Generic[Part]):
    """A part of a finding. `Finding.parts` and the JSON contain it under `key`."""

    key: ClassVar[str]
    form: Any  # the type for parsing it from JSON
    template: ClassVar[str]

    def of(self, finding: Finding) -> Part | None:
        """Return a finding's value of this part."""
        return cast("Part | None", finding.parts.get(self.key))

    @abstractmethod
    def values(self, part: Part) -> Mapping[str, Any]:
        """Return the values for the template."""

    @abstractmethod
    def in_terminal(self, part: Part) -> "tuple[str, RenderableType]":
        """Return the row's label and content for the terminal."""

    @abstractmethod
    def for_agent(self, part: Part) -> tuple[str, str]:
        """Return a coding agent's prompt texts: about the proposed fix, and on its own."""


def finding_sections() -> tuple[FindingSection[Any], ...]:
    """List the parts that features add to findings."""
    return cast("tuple[FindingSection[Any], ...]", registry.parts("finding"))


def finding_row(finding: Finding) -> dict[str, Any]:
    """Return a finding as JSON values, with features' parts under their keys."""
    parts = asdict(finding)["parts"]
    return {**row_of(finding), **{section.key: parts.get(section.key) for section in finding_sections()}}


def finding_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a finding's fields from JSON. Raises ValueError for a part in another form."""
    from pydantic import TypeAdapter

    given = {section: row[section.key] for section in finding_sections() if row.get(section.key) is not None}
    return {
        **grouped(row),
        "parts": {each.key: TypeAdapter(each.form).validate_python(part) for each, part in given.items()},
    }


def sections() -> tuple[Section[Any], ...]:
    """List the parts that features add to reviews."""
    return cast("tuple[Section[Any], ...]", registry.parts("section"))


def _plain(value: Any) -> Any:  # noqa: ANN401 - any section's value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
