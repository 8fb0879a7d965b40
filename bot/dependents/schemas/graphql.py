"""GraphQL: what a schema no longer offers to those who ask, or newly asks of them, by the rules of the specification's validation.

A schema may consist of many files, and a type may be extended in each. A query or a fragment in the tree, or in a literal of code,
is read with the types of the schema: a selection of a field that is gone is proven.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bot.dependents.byname import COMMON
from bot.dependents.schemas.breaks import Document, Likeness, SchemaBreak, SchemaPlace, UnreadableSchemaError, spellings
from bot.dependents.sites import telling
from bot.text.paths import is_sample, is_test, vendored_folder
from bot.values import Severity, Side

NAME = "graphql"
_FILE = re.compile(r"\.(?:graphqls?|gql|graphqls)$", re.IGNORECASE)
_IS_SCHEMA = re.compile(
    r"^[ \t]*+(?:extend[ \t]++)?(?:type|input|enum|interface|schema|union|scalar|directive)\b", re.MULTILINE
)
_TOKEN = re.compile(
    r"[\s,\ufeff]++|\#[^\n]*+|(?P<lexeme>\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*+(?:\"\"\")?|\"(?:[^\"\\\n]|\\.)*+\"?|\.\.\.|[A-Za-z_]\w*+|-?\d[\w.]*+|.)",
    re.DOTALL,
)
_MOST_TOKENS, _DEEPEST = 2_000_000, 60
_KINDS = ("type", "input", "enum", "interface", "union", "scalar")
_GONE = "A query that selects it is refused as a whole."


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
    return bool(_FILE.search(path)) and not (is_test(path) or is_sample(path) or vendored_folder(path))


def is_schema(document: Document) -> bool:
    """Whether it defines a type: a file of queries does not."""
    return bool(_IS_SCHEMA.search(document.text))


def compare(before: Sequence[Document], after: Sequence[Document]) -> list[SchemaBreak]:
    """The breaks between all changed files of both sides, each taken as parts of one schema."""
    old: _Schema = {}
    new: _Schema = {}
    for schema, documents in ((old, before), (new, after)):
        for document in documents:
            if is_schema(document):
                _parse(document, schema)
    return [one for name, was in old.items() for one in _of_type(name, was, new.get(name), old)]


class _Reader:
    """The tokens of one file, with their lines. Descriptions and comments are left out."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.tokens: list[tuple[str, int]] = []
        line = 1
        for match in _TOKEN.finditer(text):
            lexeme = match["lexeme"]
            if lexeme is not None:
                self.tokens.append((lexeme, line))
            line += match[0].count("\n")
            if len(self.tokens) > _MOST_TOKENS:
                raise UnreadableSchemaError(path, f"it has more than {_MOST_TOKENS:,} words")
        self.at = 0

    @property
    def lexeme(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    @property
    def line(self) -> int:
        return self.tokens[min(self.at, len(self.tokens) - 1)][1] if self.tokens else 1

    def take(self) -> str:
        lexeme = self.lexeme
        if not lexeme:
            raise UnreadableSchemaError(self.path, "it ends within a definition")
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


def _parse(document: Document, schema: _Schema) -> None:  # noqa: C901, PLR0912 - a branch for each definition of the grammar
    reader = _Reader(document.path, document.text)
    while reader.lexeme:
        reader.skip_texts()
        if reader.lexeme == "extend":
            reader.take()
        line, word = reader.line, reader.lexeme
        if not word:
            return
        reader.at += 1
        if word in _KINDS:
            name = reader.take()
            one = schema.setdefault(name, _Type(word, reader.path, line))
            if word != one.kind:
                one.kind = word
            _body(reader, one)
        elif word == "schema" or word == "{":  # noqa: PLR1714 - two different things
            if word == "{":
                reader.at -= 1
            reader.directives()
            if reader.lexeme == "{":
                reader.skip_balanced()
        elif word == "directive":
            while (
                reader.lexeme
                not in ("", "type", "input", "enum", "interface", "union", "scalar", "directive", "extend", "schema")
                and reader.lexeme[:1] != '"'
            ):
                if reader.lexeme == "(":
                    reader.skip_balanced()
                else:
                    reader.at += 1
        elif word in ("query", "mutation", "subscription", "fragment"):
            while reader.lexeme not in ("{", ""):
                reader.at += 1
            if reader.lexeme:
                reader.skip_balanced()
        else:
            raise UnreadableSchemaError(reader.path, f"line {line} begins with `{word[:40]}`, which defines nothing")


def _body(reader: _Reader, one: _Type) -> None:
    if reader.lexeme == "implements":
        reader.take()
        while reader.lexeme == "&" or (
            reader.lexeme[:1].isidentifier() and reader.lexeme not in (*_KINDS, "extend", "directive", "schema")
        ):
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
        reader.take()
        while reader.lexeme != ")":
            reader.skip_texts()
            at, argument = reader.line, reader.take()
            row.arguments[argument] = _typed(reader, _Field(reader.path, at))
        reader.take()
    one.fields[name] = _typed(reader, row)


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


def _row(
    rule: str,
    kind: str,
    element: str,
    change: str,
    law: str,
    at: "_Field | _Type",
    side: Side,
    owner: str,
    *,
    is_planned: bool = False,
) -> SchemaBreak:
    alone: Severity = "low"
    name = element.rpartition(".")[2].partition("(")[0]
    return SchemaBreak(rule, kind, element, change, law, at.path, at.line, side, name, owner, alone, is_planned)  # type: ignore[arg-type]


def _of_type(name: str, was: _Type, now: _Type | None, old: _Schema) -> Iterator[SchemaBreak]:  # noqa: C901, PLR0912 - a branch for each rule
    if now is None:
        yield _row(
            "type-removed",
            "type",
            name,
            "was removed",
            "Queries and variables that name the type are refused.",
            was,
            "base",
            "",
        )
        return
    if now.kind != was.kind:
        yield _row(
            "type-changed",
            "type",
            name,
            f"is {now.kind} instead of {was.kind}",
            "Queries were written for the other kind.",
            now,
            "head",
            "",
        )
        return
    for own, before in was.fields.items():
        element, after = f"{name}.{own}", now.fields.get(own)
        if after is None:
            if was.kind == "enum":
                law = "A variable or a literal of this value is refused."
                yield _row(
                    "value-removed",
                    "value",
                    element,
                    "was removed",
                    law,
                    before,
                    "base",
                    name,
                    is_planned=before.is_deprecated,
                )
            elif was.kind == "union":
                yield _row(
                    "member-removed",
                    "type",
                    element,
                    "was removed from the union",
                    "A fragment on it is refused.",
                    before,
                    "base",
                    name,
                )
            else:
                law = _GONE if was.kind != "input" else "Variables that set it are refused."
                yield _row(
                    "field-removed",
                    "field",
                    element,
                    "was removed",
                    law,
                    before,
                    "base",
                    name,
                    is_planned=before.is_deprecated,
                )
        elif was.kind in ("type", "interface", "input"):
            yield from _of_field(element, name, before, after, is_input=was.kind == "input")
    if was.kind == "input":
        for own, after in now.fields.items():
            if own not in was.fields and after.type.endswith("!") and not after.has_default:
                law = "Whoever does not send it is refused."
                yield _row("field-required", "field", f"{name}.{own}", "is new and required", law, after, "head", name)
    for interface in sorted(was.interfaces - now.interfaces):
        if interface in old:
            law = "A fragment on the interface selects nothing of this type any more."
            yield _row("interface-removed", "type", name, f"no longer implements {interface}", law, now, "head", "")


def _of_field(element: str, name: str, before: _Field, after: _Field, *, is_input: bool) -> Iterator[SchemaBreak]:
    safe = _accepts(before.type, after.type) if is_input else _accepts(after.type, before.type)
    if not safe:
        law = (
            "Values that were sent before are refused."
            if is_input
            else "Code that reads the answer expects the other type."
        )
        yield _row(
            "field-type-changed",
            "field",
            element,
            f"is {after.type} instead of {before.type}",
            law,
            after,
            "head",
            name,
        )
    for own, was in before.arguments.items():
        now = after.arguments.get(own)
        argument = f"{element}({own})"
        if now is None:
            law = "A query that passes the argument is refused."
            yield SchemaBreak(
                "argument-removed",
                "parameter",
                argument,
                "was removed",
                law,
                was.path,
                was.line,
                "base",
                own,
                element.rpartition(".")[2],
                is_planned=was.is_deprecated,
            )
        elif not _accepts(was.type, now.type):
            law = "Values that were passed before are refused."
            yield SchemaBreak(
                "argument-type-changed",
                "parameter",
                argument,
                f"is {now.type} instead of {was.type}",
                law,
                now.path,
                now.line,
                "head",
                own,
                element.rpartition(".")[2],
            )
    for own, now in after.arguments.items():
        if own not in before.arguments and now.type.endswith("!") and not now.has_default:
            law = "A query without the argument is refused."
            yield SchemaBreak(
                "argument-required",
                "parameter",
                f"{element}({own})",
                "is new and required",
                law,
                now.path,
                now.line,
                "head",
                element.rpartition(".")[2],
                name,
            )


def _accepts(was: str, now: str) -> bool:
    """Whether what was given as one type fits the other: the other may allow null where the one does not."""
    if was.endswith("!") and not now.endswith("!"):
        return _accepts(was[:-1], now)
    if was.endswith("!") and now.endswith("!"):
        return _accepts(was[:-1], now[:-1])
    if was.startswith("[") and now.startswith("["):
        return _accepts(was[1:-1], now[1:-1])
    return was == now


def searched_words(one: SchemaBreak) -> frozenset[str]:
    """The name as queries write it, and as code does."""
    if one.kind == "value" or one.kind == "parameter":  # noqa: PLR1714 - read as two cases
        return frozenset({one.name})
    return spellings(one.name) | {one.name}


def likeness(one: SchemaBreak, place: SchemaPlace) -> Likeness:
    """Whether a query selects it, or code names it beside its type."""
    text = place.text
    if _FILE.search(place.path) and _IS_SCHEMA.search("\n".join(place.lines[:20_000])):
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
    whole = "\n".join(place.lines[:20_000])
    owner = one.owner if one.owner not in ("Query", "Mutation", "Subscription", "") else ""
    if one.kind == "type":
        return "hint" if is_exact else ""
    return "hint" if owner and re.search(rf"(?<![A-Za-z]){re.escape(owner)}", whole) else ""


def _in_query(one: SchemaBreak, place: SchemaPlace) -> Likeness:  # noqa: PLR0911 - one for each kind of element
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


def _enclosing(place: SchemaPlace) -> str:
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
