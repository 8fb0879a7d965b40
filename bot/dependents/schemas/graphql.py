"""GraphQL: what a schema no longer offers to its clients, or newly requires of them, by the specification's rules of validation.

A schema may consist of many files, and a type may be extended in each. A query or a fragment in the tree, or in a literal of code,
is read with the types of the schema: a selection of a field that is gone is proven.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.dependents.byname import COMMON
from bot.dependents.schemas import breaks
from bot.dependents.schemas.tokens import TokenReader
from bot.dependents.sites import telling
from bot.values import Side

NAME = "graphql"
_FILE = re.compile(r"\.(?:graphqls?|gql|graphqls)$", re.IGNORECASE)
_IS_SCHEMA = re.compile(
    r"^[ \t]*+(?:extend[ \t]++)?(?:type|input|enum|interface|schema|union|scalar|directive)\b", re.MULTILINE
)
_TOKEN = re.compile(
    r"[\s,\ufeff]++|\#[^\n\r]*+|(?P<lexeme>\"\"\"(?:\\\"\"\"|[^\"]|\"(?!\"\"))*+(?:\"\"\")?|\"(?:[^\"\\\n\r]|\\[^\n\r])*+\"?|\.\.\.|[A-Za-z_]\w*+|-?\d[\w.]*+|.)",
    re.DOTALL,
)
_DEEPEST = 60
_KINDS = ("type", "input", "enum", "interface", "union", "scalar")
_OPERATIONS = ("query", "mutation", "subscription", "fragment")
_MOVABLE = ("type-removed", "field-removed", "value-removed", "member-removed", "interface-removed")
_DEFINITIONS = (*_KINDS, "directive", "extend", "schema")


@dataclass(slots=True)
class _Field:
    path: str
    line: int
    type: str = ""
    has_default: bool = False
    is_deprecated: bool = False
    arguments: dict[str, "_Field"] = field(default_factory=dict)


@dataclass(slots=True)
class _Type:
    kind: str
    path: str
    line: int
    fields: dict[str, _Field] = field(default_factory=dict)  # or the values of an enumeration, the members of a union
    interfaces: set[str] = field(default_factory=set)


_Schema = dict[str, _Type]


def wants(path: str) -> bool:
    """Whether it may be a schema of the product, or a query."""
    return bool(_FILE.search(path)) and breaks.is_product(path)


def is_schema(document: breaks.Document) -> bool:
    """Whether it defines a type: a file of queries does not."""
    return bool(_IS_SCHEMA.search(document.text))


def compare(sides: breaks.SchemaSides) -> list[breaks.SchemaBreak]:
    """The breaks between all changed files of both sides, taken as parts of one schema.

    What a file no longer defines is not gone if another changed file defines it; whether that is a part of the same schema may be open.
    """
    old_files = {document.path: _of_document(document) for document in sides.before}
    new_files = {document.path: _of_document(document) for document in sides.after}
    for was in sides.before:
        now_file = new_files.get(was.successor)
        twice = now_file.twice - old_files[was.path].twice if now_file else frozenset()
        if twice:
            raise breaks.UnreadableSchemaError(was.successor, f"it defines {min(twice)} twice")
    old, new = _merged(old_files.values()), _merged(new_files.values())
    rows = [one for name, type_before in old.items() for one in _of_type(name, type_before, new.get(name), old)]
    keys = {(one.rule, one.element) for one in rows}
    for was in sides.before:
        own = new_files[was.successor].types if was.successor in new_files else {}
        for name, type_before in old_files[was.path].types.items():
            homes = [path for path, one in new_files.items() if path != was.successor and name in one.types]
            for one in _of_type(name, type_before, own.get(name), old):
                if (one.rule, one.element) not in keys:
                    rows += _elsewhere(one, homes, was.path, sides.base_texts)
    return rows


def _elsewhere(
    one: breaks.SchemaBreak, homes: Sequence[str], was: str, base_texts: Mapping[str, str]
) -> list[breaks.SchemaBreak]:
    """What a file has lost and another one defines: nothing if that is a part of the same schema."""
    if one.rule not in _MOVABLE:
        return [one]
    if not homes or any(breaks.is_joined(path, was, base_texts) for path in homes):
        return []
    return [
        replace(
            one,
            doubt=f"{one.element} is no longer defined there, but in {homes[0]}, and nothing shows that it is a part of this schema",
        )
    ]


def _merged(files: Iterable["_File"]) -> _Schema:
    """The types of several files as one schema."""
    merged: _Schema = {}
    for file in files:
        for name, own in file.types.items():
            one = merged.setdefault(name, _Type(own.kind, own.path, own.line))
            one.kind = own.kind
            one.fields |= own.fields
            one.interfaces |= own.interfaces
    return merged


@dataclass(frozen=True, slots=True)
class _File:
    """What one file defines or extends."""

    types: _Schema
    twice: frozenset[str]  # types that are defined, not extended, more than once


def _of_document(document: breaks.Document) -> _File:
    schema: _Schema = {}
    names: Counter[str] = Counter()
    if is_schema(document):
        _parse(document, schema, names)
    return _File(schema, frozenset(name for name, count in names.items() if count > 1))


class _Reader(TokenReader):
    """The tokens of one file, with their lines. Descriptions and comments are left out."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__(path, text, _TOKEN)

    def take(self) -> str:
        lexeme = self.lexeme
        if not lexeme:
            raise breaks.UnreadableSchemaError(self.path, "it ends within a definition")
        self.at += 1
        return lexeme

    def skip_texts(self) -> None:
        while self.lexeme[:1] == '"':
            self.at += 1

    def skip_balanced(self) -> list[str]:
        """Skip from an opening bracket to the one that closes it."""
        depth, words = 0, list[str]()
        while True:
            lexeme = self.take()
            words.append(lexeme)
            depth += (lexeme in ("(", "[", "{")) - (lexeme in (")", "]", "}"))
            if not depth:
                return words

    def directives(self) -> bool:
        """Skip directives; whether one of them says that the thing is deprecated."""
        is_deprecated = False
        while self.lexeme == "@":
            self.take()
            is_deprecated |= self.take() == "deprecated"
            if self.lexeme == "(":
                self.skip_balanced()
        return is_deprecated

    def type(self) -> str:
        """A type as it is written: `[Order!]!`."""
        words = ""
        while self.lexeme in ("[", "]", "!") or (not words.strip("[") and self.lexeme[:1].isidentifier()):
            if self.lexeme == "[" and words.strip("["):
                break
            words += self.take()
        return words


def _parse(document: breaks.Document, schema: _Schema, names: Counter[str]) -> None:
    reader = _Reader(document.path, document.text)
    while reader.lexeme:
        reader.skip_texts()
        is_extension = reader.lexeme == "extend"
        if is_extension:
            reader.take()
        line, word = reader.line, reader.lexeme
        if not word:
            return
        if word in _KINDS:
            name = _define(reader, schema)
            names[name] += not is_extension
        elif word in ("schema", "{"):
            _skip_roots(reader)
        elif word == "directive":
            _directive(reader, schema)
        elif word in _OPERATIONS:
            _skip_operation(reader)
        else:
            raise breaks.UnreadableSchemaError(
                reader.path, f"line {line} begins with `{word[:40]}`, which defines nothing"
            )


def _define(reader: _Reader, schema: _Schema) -> str:
    """Read a type, or an extension of it, and return its name."""
    line, kind, name = reader.line, reader.take(), reader.take()
    one = schema.setdefault(name, _Type(kind, reader.path, line))
    one.kind = kind
    _body(reader, one)
    return name


def _skip_roots(reader: _Reader) -> None:
    """Skip the types of the operations, or a query without a name."""
    if reader.lexeme == "schema":
        reader.take()
    reader.directives()
    if reader.lexeme == "{":
        reader.skip_balanced()


def _directive(reader: _Reader, schema: _Schema) -> None:
    """Read the arguments of a directive. Its definition ends at the next one or its description."""
    line = reader.line
    reader.take()
    name = reader.take()
    name = reader.take() if name == "@" else name.lstrip("@")
    one = schema.setdefault(f"@{name}", _Type("directive", reader.path, line))
    row = one.fields.setdefault("", _Field(reader.path, line))
    while reader.lexeme not in ("", *_DEFINITIONS) and reader.lexeme[:1] != '"':
        if reader.lexeme == "(":
            _arguments(reader, row)
        else:
            reader.take()


def _skip_operation(reader: _Reader) -> None:
    while reader.lexeme not in ("{", ""):
        reader.take()
    if reader.lexeme:
        reader.skip_balanced()


def _body(reader: _Reader, one: _Type) -> None:
    if reader.lexeme == "implements":
        reader.take()
        while reader.lexeme == "&" or (reader.lexeme[:1].isidentifier() and reader.lexeme not in _DEFINITIONS):
            if reader.lexeme != "&":
                one.interfaces.add(reader.lexeme)
            reader.take()
    reader.directives()
    if one.kind == "union" and reader.lexeme == "=":
        reader.take()
        while reader.lexeme == "|" or reader.lexeme[:1].isidentifier():
            line, word = reader.line, reader.take()
            if word == "|":
                line, word = reader.line, reader.take()
            one.fields[word] = _Field(reader.path, line)
            if reader.lexeme != "|":
                break
    elif reader.lexeme == "{":
        reader.take()
        while reader.lexeme != "}":
            _member(reader, one)
        reader.take()


def _member(reader: _Reader, one: _Type) -> None:
    reader.skip_texts()
    if reader.lexeme == "}":
        return
    line, name = reader.line, reader.take()
    row = _Field(reader.path, line)
    if reader.lexeme == "(":
        _arguments(reader, row)
    one.fields[name] = _typed(reader, row)


def _arguments(reader: _Reader, row: _Field) -> None:
    reader.take()
    while reader.lexeme != ")":
        reader.skip_texts()
        at, argument = reader.line, reader.take()
        row.arguments[argument] = _typed(reader, _Field(reader.path, at))
    reader.take()


def _typed(reader: _Reader, row: _Field) -> _Field:
    if reader.lexeme == ":":
        reader.take()
        row.type = reader.type()
    if reader.lexeme == "=":
        reader.take()
        row.has_default = True
        if reader.lexeme in ("[", "{"):
            reader.skip_balanced()
        else:
            reader.take()
    row.is_deprecated = reader.directives()
    return row


@dataclass(frozen=True, slots=True)
class _Removal:
    """What it breaks that a type loses one of its members."""

    rule: str
    kind: breaks.Kind
    law: str
    change: str = "was removed"


_FIELD_REMOVAL = _Removal("field-removed", "field", "A query that selects it is refused as a whole.")
_REMOVALS = {  # by the kind of the type, if its members are not selected
    "enum": _Removal("value-removed", "value", "A variable or a literal of this value is refused."),
    "union": _Removal("member-removed", "type", "A fragment on it is refused.", "was removed from the union"),
    "input": _Removal("field-removed", "field", "Variables that set it are refused."),
}


def _break(
    rule: str,
    kind: breaks.Kind,
    element: str,
    change: str,
    law: str,
    at: _Field | _Type,
    side: Side,
    *,
    name: str = "",
    owner: str = "",
    is_planned: bool = False,
) -> breaks.SchemaBreak:
    """Build the break of an element; without a name of its own it has the last of the element, arguments left out."""
    name = name or element.rpartition(".")[2].partition("(")[0]
    return breaks.SchemaBreak(
        rule, kind, element, change, law, at.path, at.line, side, name, owner, is_planned=is_planned
    )


def _of_type(name: str, was: _Type, now: _Type | None, old: _Schema) -> Iterator[breaks.SchemaBreak]:
    if was.kind == "directive":
        if (
            now is not None and now.kind == was.kind
        ):  # one that goes is a directive of a server's library now, or nobody's
            yield from _of_arguments(name, was.fields[""], now.fields[""])
            yield from _new_arguments(name, name, was.fields[""], now.fields[""])
    elif now is None:
        law = "Queries and variables that name the type are refused."
        yield _break("type-removed", "type", name, "was removed", law, was, "base")
    elif now.kind != was.kind:
        law = "Clients wrote their queries for the other kind."
        yield _break("type-changed", "type", name, f"is {now.kind} instead of {was.kind}", law, now, "head")
    else:
        yield from _of_members(name, was, now)
        yield from _of_interfaces(name, was, now, old)


def _of_members(name: str, was: _Type, now: _Type) -> Iterator[breaks.SchemaBreak]:
    """What a type has: its fields, values or members that are gone or differ, and the fields that an input requires now."""
    is_input = was.kind == "input"
    for own, before in was.fields.items():
        element, after = f"{name}.{own}", now.fields.get(own)
        if after is None:
            yield _removal(_REMOVALS.get(was.kind, _FIELD_REMOVAL), element, name, before)
        elif was.kind in ("type", "interface", "input"):
            yield from _of_field_type(element, name, before, after, is_input=is_input)
            yield from _of_arguments(element, before, after)
            yield from _new_arguments(element, name, before, after)
    for own, after in now.fields.items() if is_input else ():
        if own not in was.fields and _is_required(after):
            law = "A client that does not send it is refused."
            yield _break(
                "field-required", "field", f"{name}.{own}", "is new and required", law, after, "head", owner=name
            )


def _removal(one: _Removal, element: str, owner: str, at: _Field) -> breaks.SchemaBreak:
    return _break(
        one.rule, one.kind, element, one.change, one.law, at, "base", owner=owner, is_planned=at.is_deprecated
    )


def _of_interfaces(name: str, was: _Type, now: _Type, old: _Schema) -> Iterator[breaks.SchemaBreak]:
    law = "A fragment on the interface selects nothing of this type any more."
    for interface in sorted(was.interfaces - now.interfaces):
        if interface in old:
            yield _break("interface-removed", "type", name, f"no longer implements {interface}", law, now, "head")


def _of_field_type(
    element: str, owner: str, was: _Field, now: _Field, *, is_input: bool
) -> Iterator[breaks.SchemaBreak]:
    """A field's type: clients write an input, and read everything else."""
    if is_input:
        is_safe, law = _accepts(was.type, now.type), "Values that clients sent before are refused."
    else:
        is_safe, law = _accepts(now.type, was.type), "Code that reads the answer expects the other type."
    if not is_safe:
        change = f"is {now.type} instead of {was.type}"
        yield _break("field-type-changed", "field", element, change, law, now, "head", owner=owner)


def _of_arguments(element: str, before: _Field, after: _Field) -> Iterator[breaks.SchemaBreak]:
    """The arguments of a field that are gone, or refuse what they accepted."""
    field_name = element.rpartition(".")[2]
    for own, was in before.arguments.items():
        now, argument = after.arguments.get(own), f"{element}({own})"
        if now is None:
            law = "A query that passes the argument is refused."
            yield _break(
                "argument-removed", "parameter", argument, "was removed", law, was, "base",
                name=own, owner=field_name, is_planned=was.is_deprecated,
            )  # fmt: skip
        elif not _accepts(was.type, now.type):
            law = "Values that queries passed before are refused."
            change = f"is {now.type} instead of {was.type}"
            yield _break(
                "argument-type-changed", "parameter", argument, change, law, now, "head", name=own, owner=field_name
            )


def _new_arguments(element: str, owner: str, before: _Field, after: _Field) -> Iterator[breaks.SchemaBreak]:
    """The arguments that a field requires now: each query that selects the field lacks them."""
    law = "A query without the argument is refused."
    for own, now in after.arguments.items():
        if own not in before.arguments and _is_required(now):
            argument = f"{element}({own})"
            yield _break(
                "argument-required", "parameter", argument, "is new and required", law, now, "head", owner=owner
            )


def _is_required(one: _Field) -> bool:
    return one.type.endswith("!") and not one.has_default


def _accepts(was: str, now: str) -> bool:
    """Whether what was given as one type fits the other: the other may allow null where the one does not."""
    if was.endswith("!") and not now.endswith("!"):
        return _accepts(was[:-1], now)
    if was.endswith("!") and now.endswith("!"):
        return _accepts(was[:-1], now[:-1])
    if was.startswith("[") and now.startswith("["):
        return _accepts(was[1:-1], now[1:-1])
    return was == now


def searched_words(one: breaks.SchemaBreak) -> frozenset[str]:
    """The name as queries write it, and as code does."""
    if one.kind == "value" or one.kind == "parameter":  # noqa: PLR1714 - read as two cases
        return frozenset({one.name})
    return breaks.spellings(one.name) | {one.name}


def likeness(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:
    """Whether a query selects it, or code names it beside its type."""
    text = place.text
    if _FILE.search(place.path) and _IS_SCHEMA.search(place.whole):
        return ""  # a copy of the schema, or another one
    is_exact = bool(re.search(rf"(?<!\w){re.escape(one.name)}(?!\w)", text))
    if _FILE.search(place.path) or re.search(
        r"\bgql\b|graphql\b|(?:query|mutation|fragment)\s++\w",
        "\n".join(place.lines[max(0, place.line - 80) : place.line]),
    ):
        return _in_query(one, place) if is_exact else ""
    if (
        not telling(one.name)
        or one.name in COMMON
        or (one.owner in ("Query", "Mutation", "") and one.kind == "field" and not is_exact)
    ):
        return ""
    whole = place.whole
    owner = one.owner if one.owner not in ("Query", "Mutation", "Subscription", "") else ""
    if one.kind == "type":
        return "hint" if is_exact else ""
    return "hint" if owner and re.search(rf"(?<![A-Za-z]){re.escape(owner)}", whole) else ""


def _in_query(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:  # noqa: PLR0911 - one for each kind of element
    """What a line of a query says: it selects a field within a fragment on its type, a root field, a type, a value, an argument."""
    text = place.text
    if _IS_SCHEMA.search(text):
        return ""
    name = re.escape(one.name)
    if one.kind == "type":
        return "sure" if re.search(rf"\bon\s++{name}\b|\$\w++\s*+:\s*+\[?{name}\b", text) else ""
    if one.kind == "value":
        return "hint" if re.search(rf":\s*+\[?\s*+{name}\b", text) else ""
    if one.kind == "parameter":
        around = "\n".join(place.lines[max(0, place.line - 6) : place.line])
        return "sure" if re.search(rf"\b{re.escape(one.owner)}\s*+\([^)]{{0,400}}?{name}\s*+:", around) else ""
    if not re.search(rf"(?:^\s*+|[{{}}\s])(?:\w++\s*+:\s*+)?{name}\s*+(?:$|[({{@\s}}])", text):
        return ""
    around = _enclosing(place)
    if one.owner in ("Query", "Mutation", "Subscription"):
        return "sure" if around.lower() == one.owner.lower() else ""
    return (
        "sure"
        if around == one.owner
        else ("hint" if around == "?" and telling(one.name) and one.name not in COMMON else "")
    )


def _enclosing(place: breaks.SchemaPlace) -> str:
    """The type whose fields are selected around a line, if a fragment or an operation names it; "?" within another field."""
    depth = 0
    for at in range(place.line - 2, max(-1, place.line - 400), -1):
        text = place.lines[at][:400].partition("#")[0]
        for letter in reversed(text):
            depth += (letter == "}") - (letter == "{")
            if depth < 0:
                break
        if depth < 0:
            if match := re.search(r"\bon\s++(\w++)[^{]{0,200}\{[^{}]*$", text):
                return match[1]
            if match := re.search(r"\b(query|mutation|subscription)\b[^{]{0,300}\{[^{}]*$", text):
                return match[1]
            if re.search(r"^\s*+\)[^{]*\{", text):  # the end of an operation's variables
                above = "\n".join(place.lines[max(0, at - 30) : at + 1])
                matches = re.findall(r"\b(query|mutation|subscription)\b", above)
                return matches[-1] if matches and re.match(r"^\)", text) else "?"
            if re.match(r"^\s*+\{\s*+$", text) and not text.startswith((" ", "\t")):
                return "query"
            return "?"
    return "?"
