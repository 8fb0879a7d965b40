"""What a feature adds to a review, and how it is shown."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar, cast

from bot import registry
from bot.render.phrases import Phrases
from bot.values import Review

if TYPE_CHECKING:
    from rich.console import RenderableType

Part = TypeVar("Part")
Place = Literal["top", "below"]  # of the summary: above its own words, or between them and the findings
CodePlace = tuple[str, int]  # path and line


class Section(ABC, Generic[Part]):
    """One part of a review. Under its key `Review.parts` and the JSON have it; its template is a part of the summary."""

    key: ClassVar[str]
    form: Any  # the type, by which it is read back from the JSON
    nothing: Part  # what a review has without it
    place: ClassVar[Place]
    template: ClassVar[str]
    is_remembered: ClassVar[bool] = False  # whether the next round is handed some of it

    def of(self, review: Review) -> Part:
        """Return what a review has of it."""
        return cast("Part", review.parts.get(self.key, self.nothing))

    @abstractmethod
    def values(self, review: Review, words: Phrases, most: int) -> Mapping[str, Any]:
        """Return the values of its template. `most`: rows of a list."""

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

    def without(self, part: Part, silenced_places: Collection[CodePlace]) -> Part:
        """Return it without what sends a reader to findings that are silenced."""
        del silenced_places
        return part


def sections() -> tuple[Section[Any], ...]:
    """List what features add to a review."""
    return cast("tuple[Section[Any], ...]", registry.parts("section"))


def _plain(value: Any) -> Any:  # noqa: ANN401 - of any section
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
