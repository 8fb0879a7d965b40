"""Define the questions that features add to a model pass."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from bot.values import Unit


class ReaderQuestions(ABC):
    """One feature's questions in a prompt: a text in the prompt, and a field in the answer."""

    key: ClassVar[str]  # the name of the field

    @property
    @abstractmethod
    def field(self) -> Mapping[str, Any]:
        """The JSON Schema of the field."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The questions, formatted for the prompt."""

    @abstractmethod
    def answers(self, data: Mapping[str, Any] | None, units: Sequence[Unit]) -> tuple[object, ...]:
        """Parse the answers about these code regions, and skip those that don't fit the schema."""
