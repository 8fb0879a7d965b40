"""What both dialects of the doubles share: a request as it came in, a refusal, and data made up from a schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from deeprepo_sandbox.providers.reply import Reply


class Invalid(Exception):  # noqa: N818 - becomes the provider's own 400
    """The request breaks a rule of the dialect. `status` is 400 unless it is about the key or the path."""

    def __init__(self, message: str, param: str = "", status: int = 400, code: str = "") -> None:
        super().__init__(message)
        self.message, self.param, self.status, self.code = message, param, status, code


@dataclass(frozen=True, slots=True)
class ArrivedRequest:
    """One request."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


class Dialect(Protocol):
    """One provider's form of requests and replies. A module satisfies it."""

    FAMILY: str  # "openai" or "anthropic"
    KIND: str  # the content type of a stream

    def body(self, request: ArrivedRequest) -> Mapping[str, Any]:
        """The request, with what the path adds to it."""

    def check(self, request: ArrivedRequest, key: str, rejects: tuple[str, ...]) -> None:
        """Raise Invalid where the provider would refuse the request."""

    def render(self, body: Mapping[str, Any], reply: Reply, number: int) -> dict[str, Any]:
        """The reply as the provider would write it."""

    def stream(self, body: Mapping[str, Any], whole: Mapping[str, Any], *, index: bool) -> list[bytes]:
        """The reply as the events of a stream."""

    def event(self, item: Mapping[str, Any]) -> bytes:
        """One event. An error is one too."""

    def refuse(self, message: str, status: int, code: str, param: str) -> dict[str, Any]:
        """An error as the provider would write it."""


def demand(holds: object, message: str, param: str = "", status: int = 400) -> None:
    """Refuse the request unless the rule holds."""
    if not holds:
        raise Invalid(message, param, status)


def holds(body: Mapping[str, Any], name: str) -> bool:
    """Whether a request has this field; a dot leads inside, as in "output_config.effort"."""
    first, _, rest = name.partition(".")
    inside = body.get(first)
    return first in body and (not rest or (isinstance(inside, Mapping) and holds(inside, rest)))


def sample(schema: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any JSON value
    """The smallest value that fits a JSON schema."""
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    for word in ("anyOf", "oneOf", "allOf"):
        if schema.get(word):
            return sample(schema[word][0])
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: sample(properties.get(name, {"type": "string"})) for name in schema.get("required", ())}
    if kind == "array":
        return [sample(schema.get("items", {"type": "string"}))] * int(schema.get("minItems", 0))
    least = schema.get("minimum", 0)
    return {"string": "", "integer": least, "number": least, "boolean": False, "null": None}.get(str(kind))
