"""Places at which the syntax names a member, or takes an object apart, without a dot: `case SLOW:`, `{ email }: User`, `.top = 2`, `Point(l, t)`.

The grammar says what such a place is: a case label, a key of a pattern or of an initialiser, an attribute. The words around it say whose
member is meant: a type, a tag, the declaration of the value that is taken apart. Nothing here is proven.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import islice

from tree_sitter import Node, Query, QueryCursor

from bot.languages import REGISTERED, nesting
from bot.languages.dotless_rows import NAMELESS, DotlessRow, Kind
from bot.languages.syntax import MOST_USES, ancestors, first_line, grammar_of, parse, places, text
from bot.languages.unreadable import Unreadable
from bot.text.filetypes import FileType, filetype

UP = 12  # levels from a key to what says whose it is
LONGEST = 200  # characters of a type, or between a name and what declares it
MANY = 100  # places of one variable
WORDS = re.compile(r"[A-Za-z_$][\w$]*+(?:(?:\.|::)[A-Za-z_$][\w$]*+)*+")
NAME = re.compile(r"(?:[\w$]++\.|\*|&|!)*+([A-Za-z_$][\w$]*+)[!?]*+$")
NEW_OBJECT = re.compile(r"(?:(?:new|await)\s++|&)*+([A-Z][\w$.:]*+)(?:<[^<>()]{0,80}>)?\s*+[({\[]")
SET_TO_NEW = re.compile(r"\s*+:?=\s*+(?:(?:new|await)\s++|&)*+([A-Z][\w$.:]*+)(?:<[^<>()]{0,80}>)?\s*+[({]")
TYPE_BEHIND = re.compile(r"\s*+[?!]?\s*+:\s*+([^=;,)\n{]{1,120})")
TYPE_BEFORE = re.compile(r"(?<![\w.:])([A-Za-z_][\w.:]*+(?:<[^<>;(){}]{0,80}>)?)[\s*&?\[\]]++$")
DECLARATION_END = re.compile(r"\s*+(?:[=;,):{\[]|in\b|$)")
# Words before a name that are not its type.
WORDLIKE = frozenset({
    "and", "as", "async", "auto", "await", "case", "const", "def", "delete", "do", "else", "export", "final", "fn", "for", "from", "fun",
    "func", "goto", "guard", "if", "import", "in", "is", "let", "match", "mut", "new", "not", "of", "or", "out", "package", "readonly", "ref",
    "return", "static", "switch", "throw", "typeof", "unless", "until", "val", "var", "when", "while", "yield",
})  # fmt: skip
FUNCTION = re.compile(r"function|method|lambda|arrow|closure|constructor|_item$|^def|init_declaration")
CASTS = frozenset({"as_expression", "satisfies_expression"})
STRINGS = frozenset({"string_fragment"})


@dataclass(frozen=True, slots=True)
class DotlessPlace:
    """A place where the syntax names a member, or takes an object apart, without a dot."""

    name: str
    line: int
    owner: frozenset[str]  # the words of what says whose member it is; empty: nothing does
    kind: Kind = "member"
    is_plain: bool = False  # any object may have a key of that name: it says nothing without an owner


def dotless_places(
    path: str, source: bytes, names: Collection[str], *, nameless: bool = False
) -> tuple[DotlessPlace, ...]:
    """Return the places of a file where the syntax names one of these members without a dot; of unreadable code nothing.

    `nameless`: with those that take an object apart by places and name no member, as "".
    """
    places_found: list[DotlessPlace] = []
    try:
        kind, code = _readable(path, source)
        nesting.check(code)
        root, rows = parse(kind, code), rows_of(kind)
        for match, node in islice(places(root, code, names), MOST_USES):
            name = match[0].decode("utf-8", "replace")
            if text(node).strip(":").rstrip(": ") == name and (place := _place(node, name, rows)) is not None:
                places_found.append(place)
        places_found += _nameless(kind, root, rows.get(NAMELESS, ())) if nameless else ()
    except (Unreadable, RecursionError):
        return ()
    return tuple(places_found)


def _readable(path: str, source: bytes) -> tuple[FileType, bytes]:
    """The type of a file and its code: of a page with scripts, these."""
    if filetype(path).parser != "javascript":
        return filetype(path), source
    from bot.languages import javascript  # which few changes need

    code = javascript.script(path, source)
    return javascript.file_type(path, code), code


def rows_of(kind: FileType) -> Mapping[str, Sequence[DotlessRow]]:
    """What the language of a file says of such places, by the node around the name."""
    name = f"bot.languages.{REGISTERED[kind.parser]}.dotless"
    rows: Mapping[str, Sequence[DotlessRow]] = import_module(name).DOTLESS if find_spec(name) is not None else {}
    return rows


def _place(node: Node, name: str, rows: Mapping[str, Sequence[DotlessRow]]) -> DotlessPlace | None:
    above = node.parent
    if above is None:
        return None
    for row in rows.get(above.type, ()):
        if _is_named(node, above, row):
            return _of_row(node, name, row)
    if above.type == "call" and above.child_by_field_name("target") == node:
        return None
    return _of_literal(node, above, name) or _of_chain(node, above, name) or _of_key_path(node, above, name)


def _is_named(node: Node, above: Node, row: DotlessRow) -> bool:
    if row.is_member is not None:
        return row.is_member(node, above)
    if not row.child:
        return True
    if row.child == "first":
        return bool(above.named_children) and above.named_children[0] == node
    return above.child_by_field_name(row.child) == node


def _of_row(node: Node, name: str, row: DotlessRow) -> DotlessPlace:
    holder = next((one for one in islice(ancestors(node), UP) if one.type in row.holders), None)
    owner = None
    if holder is not None:
        owner = (
            holder.named_children[0]
            if row.owner == "first" and holder.named_children
            else holder.child_by_field_name(row.owner)
        )
    words = _words_of(owner, node, is_value=row.is_value)
    return DotlessPlace(name, first_line(node), words, row.kind, is_plain=row.is_plain)


def _of_literal(node: Node, above: Node, name: str) -> DotlessPlace | None:
    """A key of an object, of a pattern, or of the properties that are set with a new object."""
    if node.type in STRINGS and above.parent is not None:
        return _of_text(node, above.parent, name)
    if node.type == "keyword":
        return _of_struct(node, name)
    if above.type == "assignment_expression" and above.child_by_field_name("left") == node and above.parent is not None:
        return _of_assignment(node, above.parent, name)
    owner = _owner_of_key(node, above)
    return DotlessPlace(name, first_line(node), owner, is_plain=True) if owner is not None else None


def _owner_of_key(node: Node, above: Node) -> frozenset[str] | None:
    """The words that say whose a key is which any object may have; None for what is no key."""
    is_first = bool(above.named_children) and above.named_children[0] == node
    if node.type == "shorthand_property_identifier_pattern" or (
        above.type in ("pair_pattern", "object_assignment_pattern") and is_first
    ):
        return _taken_from(node)
    if node.type == "shorthand_property_identifier" or (above.type == "pair" and node.type == "property_identifier"):
        return _typed_as(node)
    if above.type == "dot" and above.child_by_field_name("right") == node and text(above)[:1].islower():
        return frozenset()  # a field of a map of Elixir
    is_named = above.type == "value_argument" and is_first and any(one.type == "=" for one in above.children)
    return _callee(node) if is_named else None


def _of_assignment(node: Node, holder: Node, name: str) -> DotlessPlace | None:
    """`new Person { Nick = "x" }` of C#; `Point(left = 1)` of Scala."""
    if holder.type == "arguments":
        return DotlessPlace(name, first_line(node), _callee(node), is_plain=True)
    if holder.type != "initializer_expression":
        return None
    creation = holder.parent
    owner = creation.child_by_field_name("type") if creation is not None else None
    if owner is None:  # `Person b = new() { ... }`
        declaration = next((one for one in islice(ancestors(node), UP) if one.type == "variable_declaration"), None)
        owner = declaration.child_by_field_name("type") if declaration is not None else None
    return DotlessPlace(name, first_line(node), _words_of(owner, node, is_value=False))


def _of_struct(node: Node, name: str) -> DotlessPlace | None:
    """`%Cart{owner: 1}` of Elixir, where the struct may be unknown."""
    around = list(islice(ancestors(node), UP))
    holder = next((one for one in around if one.type in ("map", "call", "do_block")), None)
    if holder is None or holder.type == "do_block":
        return None
    if holder.type == "call":
        is_made = text(holder.child_by_field_name("target")) in ("struct", "struct!")
        return (
            DotlessPlace(name, first_line(node), _words(text(holder.named_children[1])[:LONGEST])) if is_made else None
        )
    struct = next((part for part in holder.named_children if part.type == "struct"), None)
    return DotlessPlace(name, first_line(node), _words(text(struct)), is_plain=struct is None)


def _of_text(node: Node, holder: Node, name: str) -> DotlessPlace | None:
    """`Pick<User, "email">`, `User["email"]`, `user["email"]` of TypeScript."""
    if holder.type == "literal_type" and holder.parent is not None:
        return DotlessPlace(name, first_line(node), _words(text(holder.parent)[:LONGEST].partition('"')[0]))
    value = holder.child_by_field_name("object") if holder.type == "subscript_expression" else None
    if value is None:
        return None
    owner = _words_of(value, node, is_value=True)
    return DotlessPlace(name, first_line(node), owner) if owner else None


def _of_chain(node: Node, above: Node, name: str) -> DotlessPlace | None:
    """A step of a builder, whose class stands at the beginning of the chain: `User.builder().age(1).nick("x")`."""
    if above.type != "method_invocation" or above.child_by_field_name("name") != node:
        return None
    first = above.child_by_field_name("object")
    is_chain = first is not None and first.type == "method_invocation"
    while first is not None and first.type == "method_invocation":
        first = first.child_by_field_name("object")
    word = text(first)[:LONGEST]
    return DotlessPlace(name, first_line(node), _words(word)) if is_chain and word[:1].isupper() else None


def _of_key_path(node: Node, above: Node, name: str) -> DotlessPlace | None:
    r"""`\.top` and `\Point.top` of Swift; a symbol of Ruby that stands for a block, `map(&:top)`."""
    path = (
        above.parent.child_by_field_name("target")
        if above.type == "navigation_suffix" and above.parent is not None
        else None
    )
    is_path = path is not None and path.type == "key_path_expression"
    if is_path or (node.type == "simple_symbol" and above.type == "block_argument"):
        return DotlessPlace(name, first_line(node), _words(text(path)), is_plain=not is_path)
    return None


def _callee(node: Node) -> frozenset[str]:
    """The words of what an argument is given to; nothing for a copy of an object, whose class is the receiver's."""
    call = next(
        (one for one in islice(ancestors(node), UP) if one.type in ("call_expression", "constructor_invocation")), None
    )
    callee = call.named_children[0] if call is not None and call.named_children else None
    words = text(callee)[:LONGEST]
    if callee is not None and words.endswith(".copy") and callee.named_children:
        return _words_of(callee.named_children[0], node, is_value=True)
    return _words(words)


def _taken_from(node: Node) -> frozenset[str]:
    """Whose members a pattern of JavaScript takes: its annotation, else the value that is taken apart; of an inner pattern nobody knows."""
    patterns = 0
    for above in islice(ancestors(node), UP):
        patterns += above.type == "object_pattern"
        if patterns > 1:
            return frozenset()
        annotation = (
            above.child_by_field_name("type")
            if above.type in ("required_parameter", "optional_parameter", "variable_declarator")
            else None
        )
        if annotation is not None:
            return _words(text(annotation))
        if above.type == "variable_declarator":
            value = above.child_by_field_name("value")
            is_function = value is not None and "function" in value.type
            return frozenset() if is_function else _words_of(value, node, is_value=True)
        if above.type == "statement_block":
            return frozenset()
    return frozenset()


def _typed_as(node: Node) -> frozenset[str]:
    """The type that an object of TypeScript is written to have."""
    objects = 0
    around = list(islice(ancestors(node), UP))
    for above in around:
        objects += above.type == "object"
        if objects > 1:
            return frozenset()
        if above.type in CASTS:
            return _words(text(above.named_children[-1]))
        kind = "return_type" if "function" in above.type or above.type == "method_definition" else "type"
        annotation = above.child_by_field_name(kind)
        if annotation is not None:
            return _words(text(annotation))
        if above.type in ("arguments", "variable_declarator", "statement_block") and not any(
            one.type == "return_statement" for one in around[:3]
        ):
            return frozenset()
    return frozenset()


def _nameless(kind: FileType, root: Node, rows: Sequence[DotlessRow]) -> Iterator[DotlessPlace]:
    """The places at which a value is taken apart by its parts' places alone."""
    grammar, is_named = grammar_of(kind), True
    holders = [one for row in rows for one in sorted(row.holders)]
    kinds = [one for one in holders if grammar is not None and grammar.id_for_node_kind(one, is_named)]
    if grammar is None or not kinds:
        return
    query = Query(grammar, " ".join(f"({one}) @pattern" for one in kinds))
    for node in QueryCursor(query).captures(root).get("pattern", [])[:MOST_USES]:
        above = node.parent
        if above is None or (node.type == "tuple_expression" and above.child_by_field_name("left") != node):
            continue
        value = above.child_by_field_name("right") or above.child_by_field_name("value")
        if value is None and "parameters" not in above.type:
            value = above.named_children[-1]
        if above.type == "for_statement" and kind.parser == "jvm":
            value = next((part for part in above.named_children if part.start_byte >= node.end_byte), None)
        words = _words_of(value, node, is_value=True)
        if words or kind.parser == "jvm":
            yield DotlessPlace("", first_line(node), words, "pattern", is_plain=not words)


def _words_of(owner: Node | None, node: Node, *, is_value: bool) -> frozenset[str]:
    """The words of a type, or of what a value is declared to be; nothing where no declaration is in sight."""
    if owner is None:
        return frozenset()
    if not is_value:
        return _words(text(owner))
    value = text(owner).strip()[:LONGEST]
    while value[:1] == "(" and value[-1:] == ")":
        value = value[1:-1].strip()
    if built := NEW_OBJECT.match(value):
        return _words(built[1])
    name = NAME.match(value)
    if name is None:
        return frozenset()
    around = list(ancestors(node))
    function = next((one for one in around if FUNCTION.search(one.type)), around[-1])
    return _declared(function, name[1]) or _declared(around[-1], name[1])


@lru_cache(maxsize=256)
def _declared(scope: Node, name: str) -> frozenset[str]:
    """The words of the types with which a name is declared in a stretch of code."""
    code, words = text(scope), set[str]()
    for match in islice(re.finditer(rf"(?<![\w$.]){re.escape(name)}(?![\w$])", code), MANY):
        behind = code[match.end() : match.end() + LONGEST]
        type_match, value_match = TYPE_BEHIND.match(behind), SET_TO_NEW.match(behind)
        words |= {word for word in _words(type_match[1]) if word[:1].isupper()} if type_match else set()
        words |= {value_match[1]} if value_match else set()
        before = TYPE_BEFORE.search(code[max(match.start() - LONGEST, 0) : match.start()])
        if before and DECLARATION_END.match(behind) and before[1] not in WORDLIKE:
            words |= _words(before[1])
    return frozenset(words)


def _words(code: str) -> frozenset[str]:
    return frozenset(word.replace("::", ".") for word in WORDS.findall(code[:LONGEST]))
