"""Just enough of GraphQL's language: which fields a document asks for, with which arguments."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\.\.\.|[A-Za-z_]\w*|\$\w+|-?\d+(?:\.\d+)?|[{}()\[\]:!=@|]')
COMMENT = re.compile(r'#(?=(?:[^"\n]*"[^"\n]*")*[^"\n]*$)[^\n]*', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Field:
    """One field that is asked for. `on` is the type of the fragment that it is in, "" outside of any."""

    name: str
    alias: str
    arguments: Mapping[str, Any]
    fields: tuple["Field", ...]
    on: str = ""


def read(document: str, variables: Mapping[str, Any]) -> tuple[str, tuple[Field, ...]]:
    """The kind of the operation (query or mutation) and its fields. Raises ValueError on what does not exist."""
    tokens = TOKEN.findall(COMMENT.sub("", document))
    kind = tokens[0] if tokens and tokens[0] in {"query", "mutation"} else "query"
    if "{" not in tokens:
        raise ValueError("the document selects nothing")
    start = tokens.index("{") if tokens[0] == "{" or "(" not in tokens[: tokens.index("{")] else _after(tokens)
    return kind, _Reader(tokens[start:], variables).fields()


def _after(tokens: list[str]) -> int:
    """Where the selection begins, behind the declared variables."""
    depth = 0
    for at, sign in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == "{" and depth == 0:
            return at
    raise ValueError("the document selects nothing")


class _Reader:
    def __init__(self, tokens: list[str], variables: Mapping[str, Any]) -> None:
        self._tokens: Iterator[str] = iter([*tokens, ""])
        self._variables = variables
        self._next = next(self._tokens)

    def _take(self, kind: str = "") -> str:
        token, self._next = self._next, next(self._tokens, "")
        if (kind and token != kind) or not token:
            raise ValueError(f"expected {kind or 'more'}, found {token or 'the end'}")
        return token

    def fields(self, on: str = "") -> tuple[Field, ...]:
        """One selection, fragments unfolded."""
        self._take("{")
        found: list[Field] = []
        while self._next != "}":
            if self._next == "...":
                self._take()
                self._take("on")
                found += self.fields(self._take())
                continue
            found.append(self._field(on))
        self._take("}")
        return tuple(found)

    def _field(self, on: str) -> Field:
        name = alias = self._take()
        if self._next == ":":
            self._take()
            name = self._take()
        arguments = self._arguments("(", ")") if self._next == "(" else {}
        return Field(name, alias, arguments, self.fields() if self._next == "{" else (), on)

    def _arguments(self, first: str, last: str) -> dict[str, Any]:
        self._take(first)
        found = {}
        while self._next != last:
            name = self._take()
            self._take(":")
            found[name] = self._value()
        self._take(last)
        return found

    def _value(self) -> Any:  # noqa: ANN401 - any JSON value
        if self._next == "{":
            return self._arguments("{", "}")
        if self._next == "[":
            self._take()
            items = []
            while self._next != "]":
                items.append(self._value())
            self._take("]")
            return items
        token = self._take()
        if token.startswith("$"):
            return self._variables.get(token[1:])
        try:
            return json.loads(token)
        except ValueError:
            return token  # a word of an enumeration
