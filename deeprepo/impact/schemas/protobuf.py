"""Check Protocol Buffers: messages carry numbers and types, while code and JSON use names.

A change of either breaks programs.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from deeprepo.impact.schemas import breaks
from deeprepo.impact.structs import Struct, field

NAME = "protobuf"
# The tokens of the language, without comments and white space.
_TOKENS = re.compile(
    r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|(?P<token>\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?|\.?[A-Za-z_][\w.]*+|\d[\w.]*+|\S)"
)
_OPENING, _CLOSING = frozenset("{[(<"), frozenset("}])>")
_OPEN = "..."  # end of a text with an unclosed bracket
_LABELS = frozenset({"repeated", "optional", "required"})
_DEEPEST = 60
# How a type is encoded: types of one kind are compatible.
_WIRE = {
    **dict.fromkeys(("int32", "uint32", "int64", "uint64", "bool"), "varint"),
    **dict.fromkeys(("sint32", "sint64"), "zigzag"),
    **dict.fromkeys(("fixed32", "sfixed32"), "32"),
    **dict.fromkeys(("fixed64", "sfixed64"), "64"),
    **dict.fromkeys(("string", "bytes"), "text"),
}
_UNSTABLE = re.compile(r"(?:^|\.)v\d+(?:p\d+)?(?:alpha|beta|test)\d*(?:\.|$)")
_GONE = "Code that was generated from the new schema has no such {}, and no longer reads JSON with its name."


class _Element(Struct):
    kind: breaks.Kind
    path: str
    line: int
    owner: str  # the qualified message, enum, service or package that contains it
    name: str
    type: str = ""  # type of a field, messages of a call, or keyword of a type
    number: str = ""
    is_repeated: bool = False
    is_deprecated: bool = False
    reserved: set[str] = field(default_factory=set)  # names and numbers reserved in a type

    @property
    def full_name(self) -> str:
        """The name qualified by its package and enclosing types."""
        return f"{self.owner}.{self.name}".lstrip(".")


_Schema = Mapping[tuple[str, str], _Element]  # by owner and name


def wants(path: str) -> bool:
    """Return whether it is a schema of the product."""
    return path.endswith(".proto") and breaks.is_product(path)


def is_schema(document: breaks.Document) -> bool:
    """Return whether a file may be such a schema, by its suffix."""
    return wants(document.path)


def compare(sides: breaks.SchemaSides) -> list[breaks.SchemaBreak]:
    """Return the breaks of each file. A definition that moved to another changed file is not removed."""
    old, new = ({(one.owner, one.name): one for each in side for one in _elements(each)} for side in sides)
    numbers = {(one.owner, one.number): one for one in reversed(new.values()) if one.number}
    types = {one.full_name for one in (*old.values(), *new.values()) if one.kind == "type"}
    gone = types - {one.full_name for one in new.values() if one.kind == "type"}
    rows = [row for one in old.values() if one.owner not in gone for row in _of_element(one, new, numbers)]
    return list(dict.fromkeys(rows))


class _Token(NamedTuple):
    text: str
    line: int


def _tokens(text: str) -> list[_Token]:
    """Return the tokens of a schema with their lines."""
    rows, line, at = [], 1, 0
    for match in _TOKENS.finditer(text):
        if match["token"]:
            line, at = line + text.count("\n", at, match.start()), match.start()
            rows.append(_Token(match["token"], line))
    return rows


def _elements(document: breaks.Document) -> list[_Element]:
    """Return every definition of a file, in order. Raises `UnreadableSchemaError`."""
    path, package = document.path, ""
    rows: list[_Element] = []
    scopes = list[_Element | None]()  # the open blocks; None for one that is not read
    for words, end in _statements(_tokens(document.text)):
        scope = scopes[-1] if scopes else None
        first = words[0].text if words else ""
        if first == "package" and not scopes and len(words) > 1:
            package = words[1].text
        if first == "reserved" and scope:
            scope.reserved |= _reserved(" ".join(word.text for word in words[1:]))
        one = _definition(words, end, path, scope, package) if scope or not scopes else None
        rows += [one] if one is not None else []
        if end == "{":
            scopes.append(scope if first == "oneof" else one)  # a oneof adds names to its message
        elif end == "}":
            del scopes[-1:]
        if len(scopes) > _DEEPEST:
            raise breaks.UnreadableSchemaError(path, f"its messages are nested deeper than {_DEEPEST}")
        if end == _OPEN:
            scopes.append(None)
    if scopes:
        raise breaks.UnreadableSchemaError(path, "a bracket is never closed")
    return rows


def _definition(words: Sequence[_Token], end: str, path: str, scope: _Element | None, package: str) -> _Element | None:
    """Return what a statement defines: a type, a call, a field or a value."""
    around, kind = (scope.full_name, scope.type) if scope else (package, "")
    first, name = [*(word.text for word in words[:2]), "", ""][:2]
    if end == "{" and first in ("message", "enum", "service") and name:
        return _Element("type", path, words[0].line, around, name, first)
    if first == "rpc" and kind == "service" and name:
        return _Element("operation", path, words[0].line, around, name, " ".join(word.text for word in words[2:]))
    return _member(words, kind, path, around) if kind in ("message", "enum") else None


def _statements(tokens: Sequence[_Token]) -> Iterator[tuple[list[_Token], str]]:
    """Yield the statements, each with the token that ends it: a semicolon or a brace."""
    words: list[_Token] = []
    depth = 0  # of options and type arguments, in which a brace opens no block
    for token in tokens:
        is_value = depth or (words and words[-1].text in ("=", ":"))
        if token.text in ("{", "}", ";") and not is_value:
            yield words, token.text
            words = []
            continue
        depth = max(0, depth + (token.text in _OPENING) - (token.text in _CLOSING))
        words.append(token)
    if words:
        yield words, _OPEN if depth else ""


def _member(words: Sequence[_Token], kind: str, path: str, owner: str) -> _Element | None:
    """Return a field or enum value: `repeated string names = 4 [deprecated = true]`; None for other statements."""
    texts = [word.text for word in words]
    at = texts.index("=") if "=" in texts else 0
    if at < 1 or at + 1 >= len(texts) or texts[0] == "option":
        return None
    label = texts[0] if texts[0] in _LABELS and at > 2 else ""  # noqa: PLR2004 - a type may be called like a label
    typed, name = "".join(texts[bool(label) : at - 1]), words[at - 1]
    sign = "-" if texts[at + 1] == "-" and at + 2 < len(texts) else ""
    number = _number(texts[at + 1 + len(sign)])
    if not number or (kind == "message") != bool(typed):
        return None
    options = " ".join(texts[at + 2 :])
    is_deprecated = re.search(r"\bdeprecated = true", options) is not None
    member: breaks.Kind = "field" if kind == "message" else "value"
    return _Element(
        member, path, words[0].line, owner, name.text, typed, sign + number, label == "repeated", is_deprecated
    )


def _number(text: str) -> str:
    """Return an integer literal in decimal; "" for anything else."""
    base = 16 if text[:2].lower() == "0x" else 8 if text[:1] == "0" else 10
    try:
        return str(int(text, base))
    except ValueError:
        return ""


def _reserved(text: str) -> set[str]:
    """Return the names and numbers that a message reserves."""
    names = set(re.findall(r"\w+", text))
    for first, last in re.findall(r"(\d{1,9})\s+to\s+(\d{1,9})", text):
        names |= {str(number) for number in range(int(first), min(int(last), int(first) + 1_000) + 1)}
    return names


def _break(
    one: _Element, rule: str, change: str, law: str, at: _Element, *, is_planned: bool = False
) -> breaks.SchemaBreak:
    """Return a break at the old element or its successor.

    Elements of unstable packages are not reported without a use.
    """
    owner, searched = one.owner.rpartition(".")[2], set[str]()
    element = one.full_name if one.kind == "type" else f"{owner}.{one.name}"
    if one.kind == "value":
        searched = {one.name, f"{owner}_{one.name}"}
    elif one.kind == "field":  # as code generators spell it
        forms = breaks.spellings(one.name)
        pascal = [form for form in forms if form[:1].isupper() and "_" not in form and not form.isupper()]
        searched = {
            *forms,
            *(f"{verb}{form}" for form in pascal for verb in ("get", "Get", "set", "has", "add", "clear")),
        }
    return breaks.SchemaBreak(
        rule, one.kind, element, change, law, at.path, at.line, "base" if at is one else "head", one.name, owner,
        None if _UNSTABLE.search(one.owner) else "low", is_planned, searched=frozenset(searched),
    )  # fmt: skip


def _of_element(
    one: _Element, new: _Schema, numbers: Mapping[tuple[str, str], _Element]
) -> Iterator[breaks.SchemaBreak]:
    now = new.get((one.owner, one.name))
    if now is None:
        yield _gone(one, new, numbers.get((one.owner, one.number)))
    elif one.kind == "operation":
        if _messages(one.type) != _messages(now.type):
            change = f"is {now.type.strip()[:80]} instead of {one.type.strip()[:80]}"
            yield _break(one, "rpc-changed", change, "A client that calls it sends, or expects, another message.", now)
    elif one.number != now.number:
        change = f"has the number {now.number} instead of {one.number}"
        law = "Messages carry the number and not the name: a program that has the old schema reads another field."
        yield _break(one, "number-changed", change, law, now)
    elif one.kind == "field" and not _reads(one.type, now.type):
        law = "The two types are written differently, or mean different types in code."
        yield _break(one, "field-type-changed", f"is {now.type} instead of {one.type}", law, now)
    elif one.is_repeated != now.is_repeated:
        change = "is repeated now" if now.is_repeated else "is no longer repeated"
        yield _break(one, "field-label-changed", change, "One side writes a list and the other reads one value.", now)


def _messages(text: str) -> list[str]:
    """Return the request and response of a call, without packages, which are optional."""
    return [word.rpartition(".")[2] for word in re.findall(r"[\w.]+", text)]


def _gone(one: _Element, new: _Schema, heir: _Element | None) -> breaks.SchemaBreak:
    """Return the break for a removed element, whose number another element may now have."""
    if one.kind == "type":
        law = f"Code that was generated from the new schema has no such {one.type}."
        return _break(one, f"{one.type}-removed", "was removed", law, one)
    if one.kind == "operation":
        law = "A client that calls it gets the answer UNIMPLEMENTED."
        return _break(one, "rpc-removed", "was removed", law, one)
    if heir is None:
        owner = new.get((one.owner.rpartition(".")[0], one.owner.rpartition(".")[2]))
        is_planned = one.is_deprecated or (owner is not None and not owner.reserved.isdisjoint({one.name, one.number}))
        law = _GONE.format(one.kind)
        if not is_planned and one.kind == "field":
            law += f" Its number {one.number} is not reserved, so it may be reused."
        return _break(one, f"{one.kind}-removed", "was removed", law, one, is_planned=is_planned)
    if one.kind == "value" or _reads(one.type, heir.type):
        return _break(one, f"{one.kind}-renamed", f"was renamed to {heir.name}", _GONE.format(one.kind), heir)
    change = f"was replaced by {heir.name}, which reuses its number {one.number}"
    law = "Messages that were written before carry the old type under this number: the new schema misreads them."
    return _break(one, "number-reused", change, law, heir)


def _reads(was: str, now: str) -> bool:
    """Return whether one type can be decoded as the other, under the same name in code."""
    return was.rpartition(".")[2] == now.rpartition(".")[2] or (was in _WIRE and _WIRE[was] == _WIRE.get(now))


def likeness(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:
    """Return whether a schema names the type, or code mentions the member together with its message."""
    if place.path.endswith(".proto"):
        return "hint" if one.kind == "type" and _may_name(one.element, place) else ""
    if one.kind == "value":
        return "hint" if len(one.name) > 5 and one.owner in place.whole else ""  # noqa: PLR2004 - shorter ones are words
    if one.kind == "type":
        is_near = one.owner and re.search(r"(?:pb|proto|grpc|_pb2|connect)\b", place.whole)
        return breaks.by_name(one, place, [one.name]) if is_near else ""
    return breaks.by_name(one, place)


def _may_name(full_name: str, place: breaks.SchemaPlace) -> bool:
    """Return whether a line in another schema may refer to a type, by its package or a qualified name."""
    around, _, name = full_name.rpartition(".")
    package = next(
        (words[1].text for words, _ in _statements(_tokens(place.whole)) if words[1:] and words[0].text == "package"),
        "",
    )
    for match in re.finditer(
        rf"(?:^|(?<=[\s(<,]))\.?((?:\w+\.)*){re.escape(name)}(?=\s++\w++\s*+=|\s*+[,>)])", place.text
    ):
        written = match[1].rstrip(".")
        if written and (around == written or around.endswith(f".{written}")):
            return True
        if not written and f"{package}.".startswith(f"{around}."):
            return re.search(rf"\b(?:message|enum)\s++{re.escape(name)}\b", place.whole) is None
    return False
