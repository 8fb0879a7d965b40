"""Answers of a type that the caller chooses: a pydantic model, or a type that pydantic can validate."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deeprepo.rlm.errors import UsageError
from deeprepo.rlm.loop.tools import MAX_ANSWER
from deeprepo.rlm.repl.frames import Value

if TYPE_CHECKING:  # pydantic loads where a type is named
    from pydantic import TypeAdapter

MOST_FAULTS = 5  # that a root is told at once
NOT_FOUND = "NOT FOUND"  # what a root says where the text does not hold the answer: nobody makes it make one up


@dataclass(frozen=True, slots=True)
class AnswerType:
    """The type of one answer."""

    adapter: "TypeAdapter[Any]"
    schema: str  # JSON Schema, as the root reads it

    def accept(self, value: Value, hide: Callable[[Value], Value]) -> str:
        """Return the answer as JSON with its secrets hidden, from plain data or from JSON. Raises ValueError, with what does not fit."""
        from pydantic import ValidationError

        if value == NOT_FOUND:
            return NOT_FOUND
        try:
            text = json.dumps(hide(self._fitting(value)), ensure_ascii=False)
        except ValidationError as error:
            faults = [_fault(one["loc"], one["msg"]) for one in error.errors(include_url=False)]
            more = f"; and {len(faults) - MOST_FAULTS} more" if len(faults) > MOST_FAULTS else ""
            raise ValueError(f"the answer does not fit its schema: {'; '.join(faults[:MOST_FAULTS])}{more}") from None
        except (TypeError, RecursionError) as error:
            raise ValueError(f"the answer is no plain data: {error}") from None
        if len(text) > MAX_ANSWER:
            raise ValueError(f"the answer has {len(text):,} characters: at most {MAX_ANSWER:,}")
        return text

    def load(self, text: str, show: Callable[[Value], Value]) -> tuple[str, Any]:
        """Return an accepted answer with its secrets, and the instance of the type, or None for NOT_FOUND."""
        if text == NOT_FOUND:
            return text, None
        shown = json.dumps(show(json.loads(text)), ensure_ascii=False)
        return shown, self.adapter.validate_json(shown)

    def _fitting(self, value: Value) -> Value:
        from pydantic import ValidationError

        text = json.dumps(value)
        try:
            self.adapter.validate_json(text)
        except ValidationError as error:
            if not isinstance(value, str):
                raise
            text = value
            try:
                self.adapter.validate_json(text)
            except ValidationError as other:
                is_json = other.errors()[0]["type"] != "json_invalid"
                raise (other if is_json else error) from None
        return json.loads(text)


def of(kind: Any) -> AnswerType | None:  # noqa: ANN401 - a type, also one such as list[int]
    """Return the type of an answer; None for one that is a text. Raises UsageError for what pydantic cannot validate."""
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    if kind is None:
        return None
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(kind)
        return AnswerType(adapter, json.dumps(adapter.json_schema()))
    except PydanticUserError as error:
        raise UsageError(
            f"answer_type={kind!r} is no pydantic model, and no type that pydantic can validate: {str(error).splitlines()[0]}"
        ) from error


def _fault(place: tuple[int | str, ...], words: str) -> str:
    at = ".".join(map(str, place))
    return f"{at}: {words}" if at else words
