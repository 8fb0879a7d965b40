"""The code of a definition as it is compared: without comments and docstrings, each literal as one word, and without what a formatter decides.

White space, quotes and commas mean nothing in code and everything in a text, so the syntax tree is asked what a text is. A literal becomes
a word that holds no white space, bracket or comma and no word of the language. The comma of a tuple with one part stays, marked with `ONE`.
Queries find the places, because a step from a node to its parent costs as much as the parent has children.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from tree_sitter import Language as Grammar
from tree_sitter import Node, Query, QueryCursor, QueryError

from bot.languages import LANGUAGES, nesting
from bot.languages.syntax import grammar_of, parse, text
from bot.languages.unreadable import Unreadable
from bot.text.filetypes import UNKNOWN, FileType, filetype
from bot.values import ONE, DefinitionCode

LITERAL = re.compile(
    r"(?<!bare)(?<!xml)(?<!concatenated)(?<!chained)(?:^|_)string(?:_literal|_array|_expression)?$"
    r"|^(?:char|character|regex|rune)(?:_literal)?$|^(?:heredoc|nowdoc|heredoc_body|sigil|charlist|subshell|symbol_array|quoted_atom)$"
)
COMMENT = re.compile(r"(?:^|_)comment$")
# Capture -> patterns; those with a kind of node or a field that a grammar lacks are left out.
EVERYWHERE = {
    "macro": ("(preproc_arg)",),
    "pieces": ("(concatenated_string)", "(chained_string)"),
    "tuple": tuple(f"({kind})" for kind in ("tuple", "tuple_expression", "tuple_type", "tuple_pattern", "expression_list", "pattern_list")),
    "body": (
        *(f"({kind} body: (_) @body)" for kind in (
            "lambda", "arrow_function", "function_expression", "generator_function", "method_definition", "func_literal", "lambda_expression",
            "anonymous_function", "anonymous_method_expression", "closure_expression", "function_definition", "method_declaration",
        )),
        "(lambda_literal)", "(function_body)", "(anonymous_function (stab_clause right: (_) @body))",
        '(call method: (identifier) @_maker block: (_) @body (#any-of? @_maker "lambda" "proc"))',
        '(call receiver: (constant) @_class method: (identifier) @_maker block: (_) @body (#eq? @_class "Proc") (#eq? @_maker "new"))',
    ),
}  # fmt: skip
KIND = re.compile(r"\((\w{2,60})")
FIELD = re.compile(r"(\w{2,60}):")  # of a node, as a pattern names it
LAST = "pieces literal"
SMALL = 8  # children of a node that may be a tuple of one part
KEY = re.compile(r"[\"']([A-Za-z_$][\w$]*)[\"']$")
OPENING = re.compile(r"([A-Za-z0-9@$]{0,8}#{0,8})(\"\"\"|'''|\"|'|`)")
ESCAPED_QUOTE = re.compile(r"\\([\"'`])|(\\.)", re.DOTALL)
IN_MACRO = re.compile(
    r"(L?\"(?:\\.|[^\"\\\n])*+\"|L?'(?:\\.|[^'\\\n])++')|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)|//[^\n]*+|\\\n"
)
UNSAFE = re.compile(r"[^\w.]|_")
Edit = tuple[int, int, str]  # from byte, to byte, the new text


def definition_code(path: str, source: bytes, first: int, last: int) -> DefinitionCode:
    """The code on these lines of a file; its text as it is, where no parser reads the file."""
    lines = source.split(b"\n")
    begin = sum(map(len, lines[: first - 1])) + first - 1
    end = begin + len(b"\n".join(lines[first - 1 : last]))
    try:
        code, edits, frame = _edits(path, source)
    except Unreadable:
        plain = source[begin:end].decode("utf-8", "replace")
        return DefinitionCode(plain, plain)
    return DefinitionCode(_applied(code, begin, end, edits), _applied(code, begin, end, frame))


@lru_cache(maxsize=4)
def _edits(path: str, source: bytes) -> tuple[bytes, list[Edit], list[Edit]]:
    """The code of a file, what makes it comparable, and the same with the bodies of functions left out. Raises Unreadable."""
    kind, code = _readable(path, source)
    grammar = grammar_of(kind)
    if grammar is None:
        raise Unreadable("no grammar is there for it")
    captures = QueryCursor(_query(grammar, kind.parser)).captures(_root(path, source))
    names = sorted(captures, key=LAST.find)  # of two for one node the first counts
    edits = [edit for name in names for node in captures[name] for edit in _of_node(name, node, kind)]
    bodies = [(node.start_byte, node.end_byte, "_") for node in captures.get("body", ())]
    return code, _outermost(edits), _outermost([*bodies, *edits])


def _readable(path: str, source: bytes) -> tuple[FileType, bytes]:
    """The type of a file and its code: of a page with scripts, these."""
    kind = filetype(path)
    if kind.parser != "javascript":
        return kind, source
    from bot.languages import javascript  # which few changes need

    code = javascript.script(path, source)
    return javascript.file_type(path, code), code


@lru_cache(maxsize=4)
def _root(path: str, source: bytes) -> Node:
    """The tree of a file. Raises Unreadable where it is too deep."""
    kind, code = _readable(path, source)
    nesting.check(code)
    return parse(kind, code)


@lru_cache(maxsize=32)
def _query(grammar: Grammar, parser: str) -> Query:
    """What is looked for in a tree of this grammar."""
    patterns = _texts(_kinds(grammar))
    for name, rows in [*EVERYWHERE.items(), *LANGUAGES[parser].TRAITS.formatting.items()]:
        patterns += [row if f"@{name}" in row else f"{row} @{name}" for row in rows]
    return _compiled(grammar, patterns)


def _compiled(grammar: Grammar, patterns: Sequence[str]) -> Query:
    """One query of those patterns that this grammar can have."""
    kinds = _kinds(grammar)
    patterns = [
        row
        for row in patterns
        if set(KIND.findall(row)) <= kinds.keys() and all(map(grammar.field_id_for_name, FIELD.findall(row)))
    ]
    try:
        return Query(grammar, "\n".join(patterns))
    except QueryError:
        return Query(grammar, "\n".join(row for row in patterns if _is_of(grammar, row)))


def _kinds(grammar: Grammar) -> dict[str, None]:
    """The named kinds of nodes, in the order of their names."""
    kinds = range(grammar.node_kind_count)
    return dict.fromkeys(sorted(grammar.node_kind_for_id(at) or "" for at in kinds if grammar.node_kind_is_named(at)))


def _texts(kinds: Iterable[str]) -> list[str]:
    """The patterns of literals and of comments."""
    literals = [f"({kind}) @literal" for kind in kinds if LITERAL.search(kind)]
    return literals + [f"({kind}) @comment" for kind in kinds if COMMENT.search(kind)]


def _is_of(grammar: Grammar, pattern: str) -> bool:
    """Whether the nodes of a grammar can stand to each other as a pattern has it."""
    try:
        Query(grammar, pattern)
    except QueryError:
        return False
    return True


def _of_node(name: str, node: Node, file_type: FileType) -> Iterator[Edit]:
    """What a captured node becomes."""
    here = node.start_byte, node.end_byte
    match name:
        case "literal":
            yield *here, _word(text(node), file_type)
        case "pieces":
            parts = [_parts(text(part), file_type) for part in node.named_children if LITERAL.search(part.type)]
            is_one_kind = len({kind for kind, _ in parts}) == 1
            texts = [(parts[0][0], "".join(content for _, content in parts))] if is_one_kind else parts
            yield *here, "".join(f'"{_safe(kind)}:{_safe(content)}"' for kind, content in texts)
        case "comment" | "gone":
            yield *here, " "
        case "semicolon":
            yield *here, "\n"
        case "macro":
            yield *here, IN_MACRO.sub(lambda match: _word(match[1], UNKNOWN) if match[1] else " ", text(node))
        case "key":
            key = KEY.match(text(node))
            yield *here, key[1] if key else _word(text(node), file_type)
        case "parameter":
            yield *here, f"({text(node)})"
        case "brackets" if node.named_child_count and not _is_tuple_of_one(node):
            yield node.start_byte, node.start_byte + 1, " "
            yield node.end_byte - 1, node.end_byte, " "
        case "tuple" if _is_tuple_of_one(node):
            comma = next(part for part in node.children if part.type == ",")
            yield comma.start_byte, comma.end_byte, f",{ONE}"
        case _:
            pass


def _is_tuple_of_one(node: Node) -> bool:
    if node.child_count > SMALL:
        return False
    parts = [part for part in node.named_children if not COMMENT.search(part.type)]
    return len(parts) == 1 and any(part.type == "," for part in node.children)


def _word(literal: str, file_type: FileType) -> str:
    """A literal as one word: its kind, a colon, what it holds."""
    kind, content = _parts(literal, file_type)
    return f'"{_safe(kind)}:{_safe(content)}"'


def _parts(literal: str, file_type: FileType) -> tuple[str, str]:
    """The kind of a literal, the same for quotes that mean the same, and what it holds."""
    opening = OPENING.match(literal)
    if opening is None:
        return "", literal if literal[:1] != "%" else " ".join(literal.split())
    prefix, quote = opening.groups()
    content = literal[opening.end() : -len(quote) - prefix.count("#")]
    prefix = "".join(sorted(prefix.lower().replace("u", ""))) if file_type.text_prefixes else prefix
    if file_type.alike_quotes and not (quote == "`" and "${" in content):
        return prefix, content if "r" in prefix else ESCAPED_QUOTE.sub(r"\1\2", content)
    if file_type.double_quoted and not any(sign in content for sign in file_type.double_quoted):
        return "", content
    return f"{prefix}{quote}", content


def _safe(content: str) -> str:
    """A text without white space, brackets and signs: each as its number, so that no word in it is a word of a language."""
    return "_" + UNSAFE.sub(lambda match: f"_{ord(match[0]):x}_", content) if content else ""


def _outermost(edits: list[Edit]) -> list[Edit]:
    """The edits in the order of the file, without those inside others."""
    edits_left: list[Edit] = []
    for edit in sorted(edits, key=lambda one: (one[0], -one[1])):
        if not edits_left or edit[0] >= edits_left[-1][1]:
            edits_left.append(edit)
    return edits_left


def _applied(code: bytes, begin: int, end: int, edits: list[Edit]) -> str:
    """The code between two bytes with the edits that begin there."""
    pieces, at = list[bytes](), begin
    for first, last, instead in edits[bisect_left(edits, (begin, 0, "")) : bisect_left(edits, (end, 0, ""))]:
        pieces += [code[at:first], instead.encode()]
        at = last
    return b"".join([*pieces, code[at : max(at, end)]]).decode("utf-8", "replace")
