"""Protocol Buffers: what goes over the wire is a number and a type; what code and JSON write is a name. A change of either breaks a program."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bot.dependents.byname import COMMON
from bot.dependents.schemas import breaks
from bot.dependents.sites import telling

NAME = "protobuf"
_TOKEN = re.compile(
    r"(?://[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|\s++)|(?P<word>\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?|[\w.]++|.)",
    re.DOTALL,
)
_DEEPEST = 60
_BLOCKS = ("message", "enum", "service")
_LABELS = ("repeated", "optional", "required")
# How a type is written: two of one kind are read alike.
_WIRE = {
    **dict.fromkeys(("int32", "uint32", "int64", "uint64", "bool"), "varint"),
    **dict.fromkeys(("sint32", "sint64"), "zigzag"),
    **dict.fromkeys(("fixed32", "sfixed32"), "32"),
    **dict.fromkeys(("fixed64", "sfixed64"), "64"),
    **dict.fromkeys(("string", "bytes"), "text"),
}
_UNSTABLE = re.compile(r"(?:^|\.)v\d+(?:p\d+)?(?:alpha|beta|test)\d*(?:\.|$)")
_GONE = "Code that was generated from the new schema has no such {}, and no longer reads JSON with its name."


@dataclass(slots=True)
class _Element:
    kind: breaks.Kind
    path: str
    line: int
    owner: str  # the message, enumeration, service or package that it belongs to, in full
    name: str
    type: str = ""  # of a field; of a call the messages, of a type its keyword
    number: str = ""
    label: str = ""
    is_deprecated: bool = False
    reserved: set[str] = field(default_factory=set)  # of a type: names and numbers


class _Scope(NamedTuple):
    """A block: its keyword, its full name, and what it defines."""

    kind: str
    name: str
    holder: _Element | None = None


_Schema = Mapping[tuple[str, str], _Element]  # by owner and name


def wants(path: str) -> bool:
    """Whether it is a schema of the product: nobody's contract is a test's."""
    return path.endswith(".proto") and breaks.is_product(path)


def is_schema(document: breaks.Document) -> bool:
    """Any file of that ending."""
    return wants(document.path)


def compare(sides: breaks.SchemaSides) -> list[breaks.SchemaBreak]:
    """The breaks of each file. What it no longer defines is not gone if another changed file does."""
    old, new = ({(one.owner, one.name): one for each in side for one in _elements(each)} for side in sides)
    numbers = {(one.owner, one.number): one for one in reversed(new.values()) if one.number}
    types = {f"{one.owner}.{one.name}".lstrip(".") for one in (*old.values(), *new.values()) if one.kind == "type"}
    gone = types - {f"{one.owner}.{one.name}".lstrip(".") for one in new.values() if one.kind == "type"}
    rows = [row for one in old.values() if one.owner not in gone for row in _of_element(one, new, numbers)]
    return list(dict.fromkeys(rows))


def _elements(document: breaks.Document) -> list[_Element]:
    """Every definition of a file, in order. Raises `UnreadableSchemaError`."""
    rows: list[_Element] = []
    scopes = [_Scope("file", "")]
    words: list[str] = []
    line, start, depth = 1, 1, 0  # of the brackets within a statement
    for match in _TOKEN.finditer(document.text):
        word = match["word"]
        if word in ("{", "}", ";") and not depth:
            _end(word, words, scopes, (document.path, start), rows)
            words = []
        elif word is not None:
            start = line if not words else start
            words.append(word)
            depth += (word in ("[", "(", "{")) - (word in ("]", ")", "}"))
        line += match[0].count("\n")
        if len(scopes) > _DEEPEST:
            raise breaks.UnreadableSchemaError(document.path, f"its messages are nested deeper than {_DEEPEST}")
    if len(scopes) > 1:
        raise breaks.UnreadableSchemaError(document.path, "a bracket is never closed")
    return rows


def _end(mark: str, words: Sequence[str], scopes: list[_Scope], at: tuple[str, int], rows: list[_Element]) -> None:
    """Take up a statement that ends with a mark, in the innermost of the scopes. `at`: its path and line."""
    scope = scopes[-1]
    one = _element(words, scope.kind, scope.name, *at) if mark != "}" else None
    rows += [one] if one is not None else []
    if mark == "{" and one is not None and one.kind == "type":
        scopes.append(_Scope(one.type, f"{scope.name}.{one.name}".lstrip("."), one))
    elif mark == "{":  # a oneof has the names of its message; the parts of an option are nobody's
        scopes.append(scope if words[:1] == ["oneof"] else _Scope("", scope.name))
    elif mark == "}" and len(scopes) > 1:
        scopes.pop()
    elif words[:1] == ["package"]:
        scopes[0] = _Scope("file", words[-1])
    elif words[:1] == ["reserved"] and scope.holder is not None:
        scope.holder.reserved |= _reserved(words[1:])


def _element(words: Sequence[str], kind: str, around: str, path: str, line: int) -> _Element | None:
    """What a statement defines in a block of a kind."""
    is_deprecated = "deprecated=true" in "".join(words)
    if len(words) == 2 and words[0] in _BLOCKS:  # noqa: PLR2004 - the keyword and the name
        return _Element("type", path, line, around, words[1], words[0])
    if kind == "service" and words[:1] == ["rpc"] and len(words) > 1:
        return _Element("operation", path, line, around, words[1], " ".join(words[2:]), is_deprecated=is_deprecated)
    at = words.index("=") if "=" in words[:-1] else 0
    if kind == "enum" and at == 1:
        number = "".join(words[2:4]) if words[2:3] == ["-"] else words[2]
        return _Element("value", path, line, around, words[0], "", number, is_deprecated=is_deprecated)
    if kind != "message" or at < 2 or words[0] in ("option", "reserved"):  # noqa: PLR2004 - a type and a name
        return None
    label = words[0] if words[0] in _LABELS else ""
    type_name = "".join(words[bool(label) : at - 1])
    return _Element("field", path, line, around, words[at - 1], type_name, words[at + 1], label, is_deprecated)


def _reserved(words: Sequence[str]) -> set[str]:
    """The names and the numbers that a message must not use again."""
    names = {word.strip("\"'") for word in words}
    for first, to, last in zip(words, words[1:], words[2:], strict=False):
        if to == "to" and first.isdigit() and last.isdigit():
            names |= {str(number) for number in range(int(first), min(int(last), int(first) + 1_000) + 1)}
    return names


def _break(
    one: _Element, rule: str, change: str, law: str, at: _Element, *, is_planned: bool = False
) -> breaks.SchemaBreak:
    """Build the break, at the old element or at one of the new schema. An unstable package promises nothing."""
    owner = one.owner.rpartition(".")[2]
    element = f"{one.owner}.{one.name}".lstrip(".") if one.kind == "type" else f"{owner}.{one.name}"
    return breaks.SchemaBreak(
        rule, one.kind, element, change, law, at.path, at.line, "base" if at is one else "head", one.name, owner,
        None if _UNSTABLE.search(one.owner) else "low", is_planned,
    )  # fmt: skip


def _of_element(
    one: _Element, new: _Schema, numbers: Mapping[tuple[str, str], _Element]
) -> Iterator[breaks.SchemaBreak]:
    now = new.get((one.owner, one.name))
    if now is None:
        yield _gone(one, new, numbers.get((one.owner, one.number)))
    elif one.kind == "operation":
        if _messages(one.type) != _messages(now.type):
            change = f"is {now.type[:80]} instead of {one.type[:80]}"
            yield _break(one, "rpc-changed", change, "A client that calls it sends, or expects, another message.", now)
    elif one.number != now.number:
        change = f"has the number {now.number} instead of {one.number}"
        law = "Messages carry the number and not the name: a program that has the old schema reads another field."
        yield _break(one, "number-changed", change, law, now)
    elif one.kind == "field" and not _reads(one.type, now.type):
        law = "The two types are written differently, or mean different types in code."
        yield _break(one, "field-type-changed", f"is {now.type} instead of {one.type}", law, now)
    elif one.label != now.label and "repeated" in (one.label, now.label):
        change = "is repeated now" if now.label == "repeated" else "is no longer repeated"
        yield _break(one, "field-label-changed", change, "One side writes a list and the other reads one value.", now)
    elif now.label == "required" != one.label:
        law = "The new schema refuses a message without it, which a program that has the old schema may send."
        yield _break(one, "field-required", "is required now", law, now)


def _messages(text: str) -> list[str]:
    """The request and the answer of a call without their package, which may be written or not."""
    return [word.rpartition(".")[2] for word in text.split()]


def _gone(one: _Element, new: _Schema, heir: _Element | None) -> breaks.SchemaBreak:
    """What is gone; another name may have its number."""
    if one.kind == "type":
        law = f"Code that was generated from the new schema has no such {one.type}."
        return _break(one, f"{one.type}-removed", "was removed", law, one)
    if one.kind == "operation":
        law = "A client that calls it gets the answer UNIMPLEMENTED."
        return _break(one, "rpc-removed", "was removed", law, one, is_planned=one.is_deprecated)
    if heir is None:
        owner = new.get((one.owner.rpartition(".")[0], one.owner.rpartition(".")[2]))
        is_planned = one.is_deprecated or (owner is not None and not owner.reserved.isdisjoint({one.name, one.number}))
        law = _GONE.format(one.kind)
        if not is_planned and one.kind == "field":
            law += f" Its number {one.number} is not reserved, so somebody may use it again."
        return _break(one, f"{one.kind}-removed", "was removed", law, one, is_planned=is_planned)
    if one.kind == "value" or _reads(one.type, heir.type):
        return _break(one, f"{one.kind}-renamed", f"was renamed to {heir.name}", _GONE.format(one.kind), heir)
    change = f"was replaced by {heir.name}, which reuses its number {one.number}"
    law = "Messages that were written before carry the old type under this number: the new schema misreads them."
    return _break(one, "number-reused", change, law, heir)


def _reads(was: str, now: str) -> bool:
    """Whether what was written as one type can be read as the other, and code that names the type stays."""
    return was.rpartition(".")[2] == now.rpartition(".")[2] or (was in _WIRE and _WIRE[was] == _WIRE.get(now))


def searched_words(one: breaks.SchemaBreak) -> frozenset[str]:
    """The name as the generators of the languages write it."""
    forms = breaks.spellings(one.name)
    if one.kind == "value":
        return frozenset({one.name, f"{one.owner}_{one.name}"})
    pascal = [form for form in forms if form[:1].isupper() and "_" not in form and not form.isupper()]
    accessors = {f"{verb}{form}" for form in pascal for verb in ("get", "Get", "set", "has", "add", "clear")}
    return forms | (accessors if one.kind == "field" else frozenset())


def likeness(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:
    """Whether a schema names the type, or code the member of a message that it names too."""
    if place.path.endswith(".proto"):
        use = rf"(?:^|[\s.(<,]){re.escape(one.name)}(?:\s++\w++\s*+=|\s*+[,>)])"
        return "hint" if one.kind == "type" and re.search(use, place.text) else ""
    if one.kind == "value":
        return "hint" if len(one.name) > 5 and one.owner in place.whole else ""  # noqa: PLR2004 - shorter ones are words
    if not telling(one.name) or one.name in COMMON:
        return ""
    look = r"(?:pb|proto|grpc|_pb2|connect)\b" if one.kind == "type" else rf"(?<![A-Za-z]){re.escape(one.owner)}"
    return "hint" if one.owner and re.search(look, place.whole) else ""
