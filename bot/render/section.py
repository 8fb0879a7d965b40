"""What a feature adds to a review or to a finding, and how it is shown."""

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
# Of the summary: above its own words, between them and the findings, or in a list of what was read.
Place = Literal["top", "below", "list"]
CodePlace = tuple[str, int]  # path and line


class Section(ABC, Generic[Part]):
    """One part of a review. Under its key `Review.parts` and the JSON have it; its template is a part of the summary."""

    key: ClassVar[str]
    nothing: Part  # what a review has without it
    place: ClassVar[Place]
    template: ClassVar[str] = ""  # of a list, which all have in common, none
    title: ClassVar[str] = ""  # of a list: the phrase above it
    is_remembered: ClassVar[bool] = False  # whether the next round is handed some of it

    @property
    @abstractmethod
    def form(self) -> Any:  # noqa: ANN401 - a type
        """Return the type by which it is read back from the JSON. Its module may be loaded for that alone."""

    def of(self, review: Review) -> Part:
        """Return what a review has of it."""
        return cast("Part", review.parts.get(self.key, self.nothing))

    def values(self, review: Review, words: Phrases, most: int) -> Mapping[str, Any]:
        """Return the values of its template. `most`: rows of a list."""
        del review, words, most
        return {}

    def rows(self, part: Part) -> Sequence[tuple[str, str]]:
        """Return the rows of a list: what each is about, and a sentence."""
        del part
        return ()

    def in_terminal(self, part: Part, most: int | None) -> "Iterable[RenderableType]":
        """Return what the terminal shows of it. `most`: rows of a list; None: all."""
        del part, most
        return ()

    def to_json(self, part: Part) -> Any:  # noqa: ANN401 - any JSON value
        """Return it as values of JSON."""
        return _plain(part)

    def remember(self, row: Any) -> Any:  # noqa: ANN401 - any JSON value
        """Return what of its JSON is handed to the next round."""
        return row

    def recall(self, row: Any) -> object:  # noqa: ANN401 - any JSON value
        """Return what was handed over as `Earlier.parts` has it. Raises ValueError and its like if it has another form."""
        return row

    def under(self, part: Part, settings: "Config") -> Part:
        """Return it as it counts under these settings, which may be others than those that it was made with."""
        del settings
        return part

    def without(self, part: Part, silenced_places: Collection[CodePlace]) -> Part:
        """Return it without what sends a reader to findings that are silenced."""
        del silenced_places
        return part


class FindingSection(ABC, Generic[Part]):
    """One part of a finding. Under its key `Finding.parts` and the JSON have it, and templates its value."""

    key: ClassVar[str]
    form: Any  # the type, by which it is read back from the JSON
    template: ClassVar[str]

    def of(self, finding: Finding) -> Part | None:
        """Return what a finding has of it."""
        return cast("Part | None", finding.parts.get(self.key))

    @abstractmethod
    def values(self, part: Part) -> Mapping[str, Any]:
        """Return the value of its template."""

    @abstractmethod
    def in_terminal(self, part: Part) -> "tuple[str, RenderableType]":
        """Return the label of its row in the terminal, and the row."""

    @abstractmethod
    def for_agent(self, part: Part) -> tuple[str, str]:
        """Return what a prompt for a coding agent says of it: of the proposed fix, and by itself."""


def finding_sections() -> tuple[FindingSection[Any], ...]:
    """List what features add to a finding."""
    return cast("tuple[FindingSection[Any], ...]", registry.parts("finding"))


def finding_row(finding: Finding) -> dict[str, Any]:
    """Return a finding as values of JSON, the parts of features under their keys."""
    parts = asdict(finding)["parts"]
    return {**row_of(finding), **{section.key: parts.get(section.key) for section in finding_sections()}}


def finding_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a finding from its JSON. Raises ValueError for a part of another form."""
    from pydantic import TypeAdapter

    given = {section: row[section.key] for section in finding_sections() if row.get(section.key) is not None}
    return {
        **grouped(row),
        "parts": {each.key: TypeAdapter(each.form).validate_python(part) for each, part in given.items()},
    }


def sections() -> tuple[Section[Any], ...]:
    """List what features add to a review."""
    return cast("tuple[Section[Any], ...]", registry.parts("section"))


def _plain(value: Any) -> Any:  # noqa: ANN401 - of any section
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
