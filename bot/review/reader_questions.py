"""What features ask the readers of a change beside what is wrong with it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from bot.values import Unit


class ReaderQuestions(ABC):
    """The questions of one feature in one prompt. They are a text among the reader's questions, and a field of its answer."""

    key: ClassVar[str]  # of that field

    @property
    @abstractmethod
    def field(self) -> Mapping[str, Any]:
        """The field as JSON Schema has it."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The questions as the reader sees them."""

    @abstractmethod
    def answers(self, data: Mapping[str, Any] | None, units: Sequence[Unit]) -> tuple[object, ...]:
        """Read what the reader of these units says; what does not fit is left out."""
