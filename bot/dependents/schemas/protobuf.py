"""Protocol Buffers: what goes over the wire is a number and a type; what code and JSON write is a name. A change of either breaks somebody."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bot.dependents.byname import COMMON
from bot.dependents.schemas.breaks import (
    Document,
    Kind,
    Likeness,
    SchemaBreak,
    SchemaPlace,
    UnreadableSchemaError,
    spellings,
)
from bot.dependents.sites import telling
from bot.text.paths import is_sample, is_test, vendored_folder
from bot.values import Severity, Side

NAME = "protobuf"
_TOKEN = re.compile(
    r"\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
    r"|(?P<lexeme>\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?|\.?[A-Za-z_][\w.]*+|[-+]?\d[\w.]*+|.)",
    re.DOTALL,
)
_DEEPEST, _MOST_TOKENS = 60, 2_000_000
_SCALARS = {
    "int32": "varint", "uint32": "varint", "int64": "varint", "uint64": "varint", "bool": "varint", "enum": "varint", "sint32": "zigzag", "sint64": "zigzag",
    "fixed32": "32", "sfixed32": "32", "fixed64": "64", "sfixed64": "64", "float": "float", "double": "double", "string": "text", "bytes": "text",
}  # fmt: skip
_UNSTABLE = re.compile(r"(?:^|\.)v\d+(?:p\d+)?(?:alpha|beta|test)\d*(?:\.|$)")
_GONE = "Code that was generated from the new schema has no such {}, and JSON with its name is not read any more."


@dataclass(slots=True)
class _Element:
    kind: Kind
    path: str
    line: int
    number: int = 0
    type: str = ""
    label: str = ""
    is_deprecated: bool = False
    reserved_numbers: list[tuple[int, int]] = field(default_factory=list)  # of a message or an enumeration
    reserved_names: set[str] = field(default_factory=set)


class _Row(Protocol):
    def __call__(
        self,
        rule: str,
        change: str,
        law: str,
        at: _Element,
        side: Side,
        *,
        is_planned: bool = False,
        alone: Severity | None = "low",
    ) -> SchemaBreak: ...


_Schema = dict[str, _Element]  # by full name; of a field with ":" before its own


def wants(path: str) -> bool:
    """Whether it is a schema of the product: nobody's contract is a test's."""
    return path.endswith(".proto") and not (is_test(path) or is_sample(path) or vendored_folder(path))


def is_schema(document: Document) -> bool:
    """Any file of that ending."""
    return wants(document.path)


def compare(before: Sequence[Document], after: Sequence[Document]) -> list[SchemaBreak]:
    """The breaks between all changed files of both sides: a message may go from one file to another."""
    old: _Schema = {}
    new: _Schema = {}
    for schema, documents in ((old, before), (new, after)):
        for document in documents:
            schema.update(_parse(document))
    return [one for name, element in old.items() for one in _of_element(name, element, old, new)]


class _Reader:
    """The tokens of one file, with their lines."""

    def __init__(self, document: Document) -> None:
        self.path = document.path
        self.tokens: list[tuple[str, int]] = []
        line = 1
        for match in _TOKEN.finditer(document.text):
            if match["lexeme"] is not None:
                self.tokens.append((match["lexeme"], line))
            line += match[0].count("\n")
            if len(self.tokens) > _MOST_TOKENS:
                raise UnreadableSchemaError(self.path, f"it has more than {_MOST_TOKENS:,} words")
        self.at = 0

    @property
    def lexeme(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    @property
    def line(self) -> int:
        return self.tokens[min(self.at, len(self.tokens) - 1)][1] if self.tokens else 1

    def take(self) -> str:
        lexeme = self.lexeme
        self.at += 1
        return lexeme

    def statement(self) -> list[str]:
        """The tokens up to a semicolon, or to a bracket that opens a block, at no depth of others."""
        words: list[str] = []
        depth = 0
        while self.at < len(self.tokens):
            lexeme = self.lexeme
            if not depth and lexeme in (";", "{", "}"):
                return words
            depth += (lexeme in "[(" and lexeme != "") - (lexeme in "])")
            if lexeme == "{":
                depth += 1
            elif lexeme == "}":
                depth -= 1
            words.append(self.take())
        return words

    def skip_block(self) -> None:
        depth = 0
        while self.at < len(self.tokens):
            lexeme = self.take()
            depth += (lexeme == "{") - (lexeme == "}")
            if not depth:
                return
        raise UnreadableSchemaError(self.path, "a bracket is never closed")


def _parse(document: Document) -> _Schema:  # noqa: C901, PLR0912, PLR0915 - a branch for each statement of the grammar
    """Every element of a file by its full name."""
    reader = _Reader(document)
    schema: _Schema = {}
    package = ""
    scopes: list[tuple[str, str]] = []  # (kind, full name) of the blocks around
    while reader.at < len(reader.tokens):
        if reader.lexeme == "}":
            if not scopes:
                raise UnreadableSchemaError(reader.path, f"line {reader.line} closes a bracket that nothing opens")
            scopes.pop()
            reader.take()
            continue
        if reader.lexeme in (";", "{"):
            reader.take()
            continue
        line = reader.line
        words = reader.statement()
        opens = reader.lexeme == "{"
        kind = scopes[-1][0] if scopes else "file"
        around = scopes[-1][1] if scopes else package
        if not words:
            continue
        first = words[0]
        if first == "package" and len(words) > 1 and not scopes:
            package = words[1]
        elif first in ("message", "enum", "service", "extend") and opens and len(words) == 2:  # noqa: PLR2004 - the word and its name
            name = f"{around}.{words[1]}".lstrip(".")
            if first != "extend":
                schema[name] = _Element("type", reader.path, line, type=first)
            scopes.append((first, name))
            reader.take()
        elif first == "oneof" and opens:
            scopes.append(("message" if kind == "message" else kind, around))
            reader.take()
        elif first == "rpc" and kind == "service":
            schema[f"{around}:{words[1]}"] = _rpc(words, reader.path, line)
            if opens:
                reader.skip_block()
        elif (
            first in ("option", "import", "syntax", "edition", "extensions", "export", "local") and "=" in words
        ) or first in ("import", "extensions"):
            if opens:
                reader.skip_block()
        elif first == "reserved" and around in schema:
            _reserve(schema[around], words)
        elif kind == "message":
            _field(schema, around, words, reader.path, line)
            if opens:
                scopes.append(("message", f"{around}.{words[2] if len(words) > 2 else words[-1]}"))  # noqa: PLR2004 - a group
                reader.take()
        elif kind == "enum" and "=" in words[:2]:
            schema[f"{around}:{words[0]}"] = _Element(
                "value", reader.path, line, _number(words[2:3]), is_deprecated=_is_deprecated(words)
            )
        elif opens:
            reader.skip_block()
        if len(scopes) > _DEEPEST:
            raise UnreadableSchemaError(reader.path, f"its messages are nested deeper than {_DEEPEST}")
        if reader.lexeme == ";":
            reader.take()
    if scopes:
        raise UnreadableSchemaError(reader.path, f"the block of {scopes[-1][1]} is never closed")
    for name, element in schema.items():
        if element.kind == "field" and element.type in _SCALARS:
            continue
        if element.kind == "field" and f"{name.partition(':')[0]}.{element.type}" in schema:
            element.type = f"{name.partition(':')[0]}.{element.type}"
    return schema


def _is_deprecated(words: Sequence[str]) -> bool:
    return any(words[at : at + 3] == ["deprecated", "=", "true"] for at in range(len(words)))


def _number(words: Sequence[str]) -> int:
    try:
        return int(words[0], 0) if words else 0
    except ValueError:
        return 0


def _rpc(words: Sequence[str], path: str, line: int) -> _Element:
    text = " ".join(words[2:])
    return _Element("operation", path, line, type=text, is_deprecated=_is_deprecated(words))


def _field(schema: _Schema, around: str, words: list[str], path: str, line: int) -> None:
    if "=" not in words:
        return
    at = words.index("=")
    rest = words[:at]
    label = rest.pop(0) if rest and rest[0] in ("repeated", "optional", "required") else ""
    if len(rest) >= 2 and rest[0] not in ("option", "reserved"):  # noqa: PLR2004 - a type and a name
        type_name = "".join(rest[:-1])
        schema[f"{around}:{rest[-1]}"] = _Element(
            "field", path, line, _number(words[at + 1 :]), type_name, label, _is_deprecated(words[at:])
        )


def _reserve(element: _Element, words: Sequence[str]) -> None:
    at = 1
    while at < len(words):
        if words[at][:1] in "\"'":
            element.reserved_names.add(words[at].strip("\"'"))
        elif words[at].lstrip("-").isdigit():
            first = int(words[at])
            last = first
            if words[at + 1 : at + 2] == ["to"]:
                last = 1 << 30 if words[at + 2 : at + 3] == ["max"] else _number(words[at + 2 : at + 3])
                at += 2
            element.reserved_numbers.append((first, last))
        at += 1


def _of_element(name: str, was: _Element, old: _Schema, new: _Schema) -> Iterator[SchemaBreak]:  # noqa: C901 - a branch for each rule
    owner, _, own = name.rpartition(":") if ":" in name else (name.rpartition(".")[0], "", name.rpartition(".")[2])
    unstable = bool(_UNSTABLE.search(name))
    now = new.get(name)
    short_owner = owner.rpartition(".")[2]

    def row(
        rule: str,
        change: str,
        law: str,
        at: _Element,
        side: Side,
        *,
        is_planned: bool = False,
        alone: Severity | None = "low",
    ) -> SchemaBreak:
        label = f"{short_owner}.{own}" if was.kind != "type" else name
        return SchemaBreak(
            rule, was.kind, label, change, law, at.path, at.line, side, name=own, owner=short_owner,
            alone=None if unstable else alone, is_planned=is_planned,
        )  # fmt: skip

    if was.kind != "type" and owner not in new:
        return  # its owner is gone, and reported
    if was.kind == "type":
        parent = name.rpartition(".")[0]
        if now is None and not (parent in old and parent not in new):
            yield row(
                f"{was.type}-removed",
                "was removed",
                f"Nothing can be sent or received as a {was.type} that is gone.",
                was,
                "base",
            )
        return
    if now is None:
        yield from _gone(own, was, owner, new, row)
        return
    if was.kind in ("field", "value") and was.number != now.number:
        yield row(
            "number-changed",
            f"has the number {now.number} instead of {was.number}",
            "Messages carry the number and not the name: whoever has the old schema reads another field.",
            now,
            "head",
        )
    elif was.kind == "field" and not _reads(was.type, now.type):
        yield row(
            "field-type-changed",
            f"is {now.type} instead of {was.type}",
            "The two types are written differently, or mean different types in code.",
            now,
            "head",
        )
    elif was.kind == "field" and (was.label == "repeated") != (now.label == "repeated"):
        yield row(
            "field-label-changed",
            "is repeated now" if now.label == "repeated" else "is no longer repeated",
            "One side writes a list and the other reads one value.",
            now,
            "head",
        )
    elif was.kind == "field" and now.label == "required" != was.label:
        yield row(
            "field-required", "is required now", "Messages of those who have the old schema are refused.", now, "head"
        )
    elif was.kind == "operation" and _plain(was.type, owner) != _plain(now.type, owner):
        yield row(
            "rpc-changed",
            f"is {now.type.strip()[:80]} instead of {was.type.strip()[:80]}",
            "Whoever calls it sends, or expects, another message.",
            now,
            "head",
        )


def _plain(text: str, owner: str) -> str:
    """The request and the answer of a call without the package that may be written or not."""
    package = owner.rpartition(".")[0]
    return (
        re.sub(rf"\.?{re.escape(package)}\.", "", text.partition("{")[0]).replace(" ", "")
        if package
        else text.replace(" ", "")
    )


def _gone(own: str, was: _Element, owner: str, new: _Schema, row: _Row) -> Iterator[SchemaBreak]:
    home = new[owner]
    number = was.number
    heir = next(
        (
            name
            for name, one in new.items()
            if name.rpartition(":")[0] == owner and one.number == number and one.kind == was.kind
        ),
        "",
    )
    is_planned = (
        was.is_deprecated
        or own in home.reserved_names
        or any(low <= number <= high for low, high in home.reserved_numbers)
    )
    if was.kind == "operation":
        yield row(
            "rpc-removed",
            "was removed",
            "Whoever calls it gets the answer UNIMPLEMENTED.",
            was,
            "base",
            is_planned=was.is_deprecated,
        )
    elif heir:
        one = new[heir]
        label = heir.rpartition(":")[2]
        if was.kind == "value" or _reads(was.type, one.type):
            what = "value" if was.kind == "value" else "field"
            yield row(f"{what}-renamed", f"was renamed to {label}", _GONE.format(what), one, "head")
        else:
            law = "Messages that were written before carry the old type under this number: they are misread."
            yield row("number-reused", f"was replaced by {label}, which reuses its number {number}", law, one, "head")
    else:
        what = "value" if was.kind == "value" else "field"
        law = _GONE.format(what)
        if not is_planned and was.kind == "field":
            law += f" Its number {number} is not reserved, so somebody may use it again."
        yield row(f"{what}-removed", "was removed", law, was, "base", is_planned=is_planned)


def _reads(was: str, now: str) -> bool:
    """Whether what was written as one type can be read as the other, and code that names the type stays."""
    if was == now or was.lstrip(".").rpartition(".")[2] == now.lstrip(".").rpartition(".")[2]:
        return True
    return was in _SCALARS and now in _SCALARS and _SCALARS[was] == _SCALARS[now]


def searched_words(one: SchemaBreak) -> frozenset[str]:
    """The name as the generators of the languages write it."""
    forms = spellings(one.name)
    pascal = [form for form in forms if form[:1].isupper() and "_" not in form and not form.isupper()]
    accessors = {f"{verb}{form}" for form in pascal for verb in ("get", "Get", "set", "has", "add", "clear")}
    if one.kind == "value":
        return frozenset({one.name, f"{one.owner}_{one.name}"})
    return forms | (accessors if one.kind == "field" else frozenset())


def likeness(one: SchemaBreak, place: SchemaPlace) -> Likeness:
    """Whether a schema names the type, or code the member of a message that it names too."""
    text = place.text
    if place.path.endswith(".proto"):
        if one.kind == "type":
            declaration = re.search(rf"(?:^|[\s.(<,]){re.escape(one.name)}(?:\s++\w++\s*+=|\s*+[,>)])", text)
            return "hint" if declaration else ""
        return ""
    whole = "\n".join(place.lines[:20_000])
    if one.kind == "type":
        return (
            "hint" if telling(one.name) and re.search(r"(?:pb|proto|grpc|_pb2|connect)\b", whole, re.IGNORECASE) else ""
        )
    if one.kind == "value":
        return "hint" if len(one.name) > 5 and one.owner in whole else ""  # noqa: PLR2004 - shorter ones are words
    if not telling(one.name) or one.name in COMMON:
        return ""
    return "hint" if one.owner and re.search(rf"(?<![A-Za-z]){re.escape(one.owner)}", whole) else ""
