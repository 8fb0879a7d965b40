"""Protocol Buffers: what goes over the wire is a number and a type; what code and JSON write is a name. A change of either breaks a program."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from bot.dependents.byname import COMMON
from bot.dependents.schemas import breaks
from bot.dependents.sites import telling

NAME = "protobuf"
_TOKEN = re.compile(
    r"\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
    r"|(?P<lexeme>\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?|\.?[A-Za-z_][\w.]*+|[-+]?\d[\w.]*+|.)",
    re.DOTALL,
)
_DEEPEST = 60
_SCALARS = {
    "int32": "varint", "uint32": "varint", "int64": "varint", "uint64": "varint", "bool": "varint", "enum": "varint", "sint32": "zigzag", "sint64": "zigzag",
    "fixed32": "32", "sfixed32": "32", "fixed64": "64", "sfixed64": "64", "float": "float", "double": "double", "string": "text", "bytes": "text",
}  # fmt: skip
_SETTINGS = ("option", "syntax", "edition", "export", "local")
_UNSTABLE = re.compile(r"(?:^|\.)v\d+(?:p\d+)?(?:alpha|beta|test)\d*(?:\.|$)")
_GONE = "Code that was generated from the new schema has no such {}, and no longer reads JSON with its name."


@dataclass(slots=True)
class _Element:
    kind: breaks.Kind
    path: str
    line: int
    number: int = 0
    type: str = ""
    label: str = ""
    oneof: str = ""  # of a field: the group of which one field is set at a time
    json_name: str = ""  # of a field: what JSON calls it
    has_presence: bool = False  # of a field: absence is another thing than zero
    is_deprecated: bool = False
    reserved_numbers: list[tuple[int, int]] = field(default_factory=list)  # of a message or an enumeration
    reserved_names: set[str] = field(default_factory=set)


_Schema = dict[str, _Element]  # by full name; of a field with ":" before its own
_Numbers = dict[tuple[str, int, breaks.Kind], str]  # the first name with a number, by owner, number and kind


def wants(path: str) -> bool:
    """Whether it is a schema of the product: nobody's contract is a test's."""
    return path.endswith(".proto") and breaks.is_product(path)


def is_schema(document: breaks.Document) -> bool:
    """Any file of that ending."""
    return wants(document.path)


def compare(sides: breaks.SchemaSides) -> list[breaks.SchemaBreak]:
    """The breaks of each file. What it no longer defines is not gone if another changed file does."""
    old_files = {document.path: _Parser(document).schema() for document in sides.before}
    new_files = {document.path: _Parser(document).schema() for document in sides.after}
    old = {name: element for one in old_files.values() for name, element in one.items()}
    new = {name: element for one in reversed(new_files.values()) for name, element in one.items()}
    rows: list[breaks.SchemaBreak] = []
    for was in sides.before:
        own = new | new_files.get(was.successor, {})
        numbers = _numbers(own)
        for name, element in old_files[was.path].items():
            rows += _of_element(_Change(name, element), old, own, numbers)
    return list(dict.fromkeys(rows))


def _numbers(schema: _Schema) -> _Numbers:
    names: _Numbers = {}
    for name, element in schema.items():
        names.setdefault((name.rpartition(":")[0], element.number, element.kind), name)
    return names


class _Reader:
    """The tokens of one file, with their lines."""

    def __init__(self, document: breaks.Document) -> None:
        self.path = document.path
        self.tokens: list[tuple[str, int]] = []
        self.at, line = 0, 1
        for match in _TOKEN.finditer(document.text):
            if match["lexeme"] is not None:
                self.tokens.append((match["lexeme"], line))
            line += match[0].count("\n")

    @property
    def lexeme(self) -> str:
        """The next token, "" at the end of the file."""
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    @property
    def line(self) -> int:
        """The line of the next token, or of the last one."""
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
        raise breaks.UnreadableSchemaError(self.path, "a bracket is never closed")


class _Parser:
    """Collects every element of a file by its full name."""

    def __init__(self, document: breaks.Document) -> None:
        self._reader = _Reader(document)
        self._schema: _Schema = {}
        self._package = ""
        self._scopes: list[tuple[str, str]] = []  # (kind, full name) of the blocks around
        self._oneofs: list[str] = []  # of the same blocks: the name of a oneof, "" for every other one
        self._is_edition = False  # which tells absence from zero without a word

    def schema(self) -> _Schema:
        reader = self._reader
        while reader.at < len(reader.tokens):
            if reader.lexeme == "}":
                self._close()
            elif reader.lexeme in (";", "{"):
                reader.take()
            else:
                self._statement()
        if self._scopes:
            raise breaks.UnreadableSchemaError(reader.path, f"the block of {self._scopes[-1][1]} is never closed")
        self._resolve()
        return self._schema

    def _open(self, kind: str, name: str, oneof: str = "") -> None:
        self._scopes.append((kind, name))
        self._oneofs.append(oneof)
        self._reader.take()

    def _close(self) -> None:
        reader = self._reader
        if not self._scopes:
            raise breaks.UnreadableSchemaError(reader.path, f"line {reader.line} closes a bracket that nothing opens")
        self._scopes.pop()
        self._oneofs.pop()
        reader.take()

    def _statement(self) -> None:
        """Read what any block may contain, and leave the rest to the block's own kind."""
        reader = self._reader
        line, words = reader.line, reader.statement()
        opens, first = reader.lexeme == "{", words[0]
        kind, around = self._scopes[-1] if self._scopes else ("file", self._package)
        if first == "package" and len(words) > 1 and not self._scopes:
            self._package = words[1]
        elif first in ("message", "enum", "service", "extend") and opens and len(words) == 2:  # noqa: PLR2004 - the word and its name
            self._define(first, f"{around}.{words[1]}".lstrip("."), line)
        elif first == "oneof" and opens:
            self._open(kind, around, words[1] if len(words) > 1 else "")
        elif first in ("import", "extensions") or (first in _SETTINGS and "=" in words):
            self._is_edition = self._is_edition or first == "edition"
            if opens:
                reader.skip_block()
        elif first == "reserved" and around in self._schema:
            _reserve(self._schema[around], words)
        else:
            self._member(kind, around, words, line)
        if len(self._scopes) > _DEEPEST:
            raise breaks.UnreadableSchemaError(reader.path, f"its messages are nested deeper than {_DEEPEST}")
        if reader.lexeme == ";":
            reader.take()

    def _define(self, word: str, name: str, line: int) -> None:
        if word != "extend":
            self._schema[name] = _Element("type", self._reader.path, line, type=word)
        self._open(word, name)

    def _member(self, kind: str, around: str, words: list[str], line: int) -> None:
        """Read a field of a message, a call of a service, or a value of an enumeration."""
        reader = self._reader
        opens = reader.lexeme == "{"
        if kind == "message":
            if (row := _field(words, reader.path, line)) is not None:
                name, element = row
                element.oneof = self._oneofs[-1] if self._oneofs else ""
                element.has_presence = element.has_presence or self._is_edition or bool(element.oneof)
                self._schema[f"{around}:{name}"] = element
            if opens:
                self._open("message", f"{around}.{words[2] if len(words) > 2 else words[-1]}")  # noqa: PLR2004 - a group
            return
        if kind == "service" and words[0] == "rpc" and len(words) > 1:
            self._schema[f"{around}:{words[1]}"] = _rpc(words, reader.path, line)
        elif kind == "enum" and "=" in words[:2]:
            self._schema[f"{around}:{words[0]}"] = _value(words, reader.path, line)
            return
        if opens:
            reader.skip_block()

    def _resolve(self) -> None:
        """Give the types that a message defines within itself their full names."""
        for name, element in self._schema.items():
            inner = f"{name.partition(':')[0]}.{element.type}"
            if element.kind == "field" and element.type not in _SCALARS and inner in self._schema:
                element.type = inner


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


def _value(words: Sequence[str], path: str, line: int) -> _Element:
    return _Element("value", path, line, _number(words[2:3]), is_deprecated=_is_deprecated(words))


def _field(words: list[str], path: str, line: int) -> tuple[str, _Element] | None:
    """The name of a field with what is written of it; None where the statement is none."""
    if "=" not in words:
        return None
    at = words.index("=")
    rest = words[:at]
    label = rest.pop(0) if rest and rest[0] in ("repeated", "optional", "required") else ""
    if len(rest) < 2 or rest[0] in ("option", "reserved"):  # noqa: PLR2004 - a type and a name
        return None
    type_name, options = "".join(rest[:-1]), words[at:]
    element = _Element("field", path, line, _number(words[at + 1 :]), type_name, label)
    element.is_deprecated, element.has_presence = _is_deprecated(options), label in ("optional", "required")
    texts = [options[place + 2] for place in range(len(options) - 2) if options[place] == "json_name"]
    element.json_name = texts[0].strip("\"'") if texts else _camel(rest[-1])
    return rest[-1], element


def _camel(name: str) -> str:
    """What JSON calls a field that does not say it."""
    first, *others = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in others)


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


@dataclass(frozen=True, slots=True)
class _Change:
    """An element of the old schema, whatever became of it."""

    name: str  # in full
    was: _Element

    @property
    def owner(self) -> str:
        """The message, enumeration, service or package that it belongs to."""
        return self.name.rpartition(":" if ":" in self.name else ".")[0]

    @property
    def own_name(self) -> str:
        return self.name.rpartition(":" if ":" in self.name else ".")[2]

    def schema_break(
        self, rule: str, change: str, law: str, at: _Element, *, is_planned: bool = False
    ) -> breaks.SchemaBreak:
        """Build the break, at the old element or at one of the new schema. An unstable package promises nothing."""
        owner = self.owner.rpartition(".")[2]
        return breaks.SchemaBreak(
            rule, self.was.kind, self.name if self.was.kind == "type" else f"{owner}.{self.own_name}", change, law,
            at.path, at.line, "base" if at is self.was else "head", self.own_name, owner,
            None if _UNSTABLE.search(self.name) else "low", is_planned,
        )  # fmt: skip


def _of_element(one: _Change, old: _Schema, new: _Schema, numbers: _Numbers) -> Iterator[breaks.SchemaBreak]:
    now = new.get(one.name)
    is_type = one.was.kind == "type"
    if one.owner not in new and (not is_type or one.owner in old):
        return  # its owner is gone, and reported
    if is_type:
        if now is None:
            law = f"Code that was generated from the new schema has no such {one.was.type}."
            yield one.schema_break(f"{one.was.type}-removed", "was removed", law, one.was)
    elif now is None:
        yield from _gone(one, new, numbers)
    elif one.was.kind == "operation":
        yield from _of_call(one, now)
    else:
        yield from _of_member(one, now)


def _of_call(one: _Change, now: _Element) -> Iterator[breaks.SchemaBreak]:
    was = one.was
    if _plain(was.type, one.owner) != _plain(now.type, one.owner):
        change = f"is {now.type.strip()[:80]} instead of {was.type.strip()[:80]}"
        yield one.schema_break("rpc-changed", change, "A client that calls it sends, or expects, another message.", now)


def _plain(text: str, owner: str) -> str:
    """The request and the answer of a call without the package that may be written or not."""
    package = owner.rpartition(".")[0]
    return (
        re.sub(rf"\.?{re.escape(package)}\.", "", text.partition("{")[0]).replace(" ", "")
        if package
        else text.replace(" ", "")
    )


def _of_member(one: _Change, now: _Element) -> Iterator[breaks.SchemaBreak]:
    """What became of a field or a value that has kept its name."""
    was = one.was
    if was.number != now.number:
        change = f"has the number {now.number} instead of {was.number}"
        law = "Messages carry the number and not the name: a program that has the old schema reads another field."
        yield one.schema_break("number-changed", change, law, now)
    elif was.kind == "field":
        yield from _of_field(one, now)


def _of_field(one: _Change, now: _Element) -> Iterator[breaks.SchemaBreak]:
    was = one.was
    if not _reads(was.type, now.type):
        law = "The two types are written differently, or mean different types in code."
        yield one.schema_break("field-type-changed", f"is {now.type} instead of {was.type}", law, now)
    elif (was.label == "repeated") != (now.label == "repeated"):
        change = "is repeated now" if now.label == "repeated" else "is no longer repeated"
        law = "One side writes a list and the other reads one value."
        yield one.schema_break("field-label-changed", change, law, now)
    elif now.label == "required" != was.label:
        law = "The new schema refuses a message without it, which a program that has the old schema may send."
        yield one.schema_break("field-required", "is required now", law, now)
    elif was.oneof != now.oneof:
        change = f"is in the oneof {now.oneof} now" if now.oneof else f"is no longer in the oneof {was.oneof}"
        law = "Generated code reads and sets it otherwise, and setting one field of a oneof clears the others."
        yield one.schema_break("field-oneof-changed", change, law, now)
    elif was.has_presence and not now.has_presence and now.label != "repeated" and was.type in _SCALARS:
        law = "Generated code can no longer tell whether it was set: absent and zero are the same."
        yield one.schema_break("field-presence-lost", "is no longer optional", law, now)
    if was.json_name != now.json_name:
        law = f"JSON of the old schema writes {was.json_name}, which the new one does not know."
        row = one.schema_break("json-name-changed", f"is called {now.json_name} in JSON", law, now)
        yield replace(row, name=was.json_name)


def _gone(one: _Change, new: _Schema, numbers: _Numbers) -> Iterator[breaks.SchemaBreak]:
    """A call, a field or a value that is gone while its owner is there; another name may have its number."""
    was = one.was
    heir = numbers.get((one.owner, was.number, was.kind), "")
    if was.kind == "operation":
        law = "A client that calls it gets the answer UNIMPLEMENTED."
        yield one.schema_break("rpc-removed", "was removed", law, was, is_planned=was.is_deprecated)
    elif not heir:
        law, is_planned = _GONE.format(was.kind), _is_planned(one, new[one.owner])
        if not is_planned and was.kind == "field":
            law += f" Its number {was.number} is not reserved, so somebody may use it again."
        yield one.schema_break(f"{was.kind}-removed", "was removed", law, was, is_planned=is_planned)
    elif was.kind == "value" or _reads(was.type, new[heir].type):
        change = f"was renamed to {heir.rpartition(':')[2]}"
        yield one.schema_break(f"{was.kind}-renamed", change, _GONE.format(was.kind), new[heir])
    else:
        change = f"was replaced by {heir.rpartition(':')[2]}, which reuses its number {was.number}"
        law = "Messages that were written before carry the old type under this number: the new schema misreads them."
        yield one.schema_break("number-reused", change, law, new[heir])


def _is_planned(one: _Change, owner: _Element) -> bool:
    """Whether the owner has announced it: deprecated before, or reserved now."""
    return (
        one.was.is_deprecated
        or one.own_name in owner.reserved_names
        or any(low <= one.was.number <= high for low, high in owner.reserved_numbers)
    )


def _reads(was: str, now: str) -> bool:
    """Whether what was written as one type can be read as the other, and code that names the type stays."""
    if was == now or was.lstrip(".").rpartition(".")[2] == now.lstrip(".").rpartition(".")[2]:
        return True
    return was in _SCALARS and now in _SCALARS and _SCALARS[was] == _SCALARS[now]


def searched_words(one: breaks.SchemaBreak) -> frozenset[str]:
    """The name as the generators of the languages write it."""
    forms = breaks.spellings(one.name)
    pascal = [form for form in forms if form[:1].isupper() and "_" not in form and not form.isupper()]
    accessors = {f"{verb}{form}" for form in pascal for verb in ("get", "Get", "set", "has", "add", "clear")}
    if one.kind == "value":
        return frozenset({one.name, f"{one.owner}_{one.name}"})
    return forms | (accessors if one.kind == "field" else frozenset())


def likeness(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:
    """Whether a schema names the type, or code the member of a message that it names too."""
    text = place.text
    if place.path.endswith(".proto"):
        if one.kind == "type":
            declaration = re.search(rf"(?:^|[\s.(<,]){re.escape(one.name)}(?:\s++\w++\s*+=|\s*+[,>)])", text)
            return "hint" if declaration else ""
        return ""
    whole = place.whole
    if one.kind == "type":
        return (
            "hint" if telling(one.name) and re.search(r"(?:pb|proto|grpc|_pb2|connect)\b", whole, re.IGNORECASE) else ""
        )
    if one.kind == "value":
        return "hint" if len(one.name) > 5 and one.owner in whole else ""  # noqa: PLR2004 - shorter ones are words
    if not telling(one.name) or one.name in COMMON:
        return ""
    return "hint" if one.owner and re.search(rf"(?<![A-Za-z]){re.escape(one.owner)}", whole) else ""
