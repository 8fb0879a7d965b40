"""C and C++: one family, because they include each other's headers."""

import re
from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache, partial

from tree_sitter import Node

from bot.languages import misread, nesting, syntax
from bot.languages.cfamily import directives
from bot.languages.cfamily.includes import Includes
from bot.languages.cfamily.outline import BLOCKS, outline_of
from bot.languages.cfamily.uses import SHAPE, plain, with_members
from bot.languages.conditions import Conditions, Span, with_conditions
from bot.languages.unreadable import finds, outlines
from bot.ports import Decisions, LanguageTraits
from bot.text.filetypes import CPP, C
from bot.values import OFFERS, REQUIRES, Outline, Parameter, Side, Symbol, Use

TRAITS = LanguageTraits(
    declared_members=True,
    conditional_build=True,
    whole_files=True,
    unique_names=True,
    decisions=Decisions(opens=re.compile(r"\bswitch\b[^{};]{0,200}\Z"), rest=re.compile(r"\bdefault\b")),
    makers={  # macros that paste a name together
        r"^[ \t]*+STATEMENT?[A-Z_][A-Z0-9_]*+[ \t]*+\([^\n]{0,400}(?<!\w)PART\b": "outside",
        r"^STATEMENT?\w++[ \t]*+\((?:[ \t]*+[\w*]++[ \t]*+,){0,20}[ \t]*+PART[ \t]*+[,)]": "outside",
        r"^[ \t]*+#[ \t]*+define\b[^\n]{0,400}\(PART\b": "outside",
    },
)
project = Includes
# What every file may use without including a header of the tree.
GIVEN = "NULL true false bool main errno assert offsetof va_start va_end va_arg va_copy defined std this"
AMBIENT = frozenset(GIVEN.split())
MODERN = re.compile(
    rb"^[ \t]*(?:class|namespace|template|using|public:|private:|protected:)\b|\b(?:virtual|constexpr|nullptr|enum[ \t]+(?:class|struct))\b"
    rb"|\boperator[ \t]*+(?:[-+*/%^&|~!=<>,\[]|\([ \t]*+\)|[\w:]++[ \t*&]*+\()",
    re.MULTILINE,
)
# `extern "C" {` and its end inside their conditions are no block that a grammar can read.
LINKAGE = re.compile(
    rb"#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t(]*)_*cplusplus\)?[ \t]*\r?\n\s*(extern[ \t]*\"C\"\s*\{|\})[^\n]*\n\s*#[ \t]*endif"
)


DELETED = re.compile(r"\)[^{;()=]{0,80}=\s{0,10}delete\b")  # a copy, an assignment, an overload that nobody may call
EXPLICIT = re.compile(r"\bexplicit\b")
PARAMETER = re.compile(r"\(\s*+((?:const\s++)?[\w:<>]++(?:\s*+[*&]++)?)")  # the type of the first one
LONGEST_LINE = 2_000
CONDITIONS = Conditions(
    around={"namespace_definition": ("name",), "template_declaration": ("parameters",)},
    sections={"access_specifier": re.compile(r"\w+:?")},
    abstract=re.compile(rb"\)[^{;()=]{0,80}=\s{0,10}0\s{0,10};"),
    spares=lambda node: node.type.startswith("preproc"),  # read by `directives`
)


@outlines
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file and what an includer can ask of it."""
    nesting.check(source)
    code = _readable(source)
    misread.check(code)
    root, modern = _root(path, code)
    file_outline = outline_of(path, root, code, side, modern=modern)
    source_text = code.decode("utf-8", "replace")
    spans, whole = directives.conditions_of(path, source_text)
    spans += directives.renames(source_text, file_outline.symbols, _namespaces(root))
    spans += _ways_of_making(file_outline, source_text) if modern else []
    return with_conditions(file_outline, root, code, CONDITIONS, file=whole, more=spans)


def _ways_of_making(file_outline: Outline, source_text: str) -> list[Span]:
    """What a class of C++ forbids, as a copy, and what it is made of without a word of it: the types of its constructors that are not explicit."""
    classes = {symbol.name: symbol for symbol in file_outline.symbols if symbol.kind == "class"}
    lines = source_text.split("\n")
    deleted_lines = {
        at: " ".join(line.split()) for at, line in enumerate(lines, 1) if DELETED.search(line[:LONGEST_LINE])
    }
    spans = [
        (one.start, one.start, f"{REQUIRES}no {line}")
        for one in classes.values()
        for at, line in deleted_lines.items()
        if one.start <= at <= one.end
    ]
    for symbol in file_outline.symbols:
        owner, _, short = symbol.name.rpartition(".")
        if owner not in classes or symbol.signature is None or short != owner.rpartition(".")[2]:
            continue
        types = PARAMETER.search(symbol.signature.text)
        code = " ".join(lines[symbol.start - 1 : symbol.end])[:LONGEST_LINE]
        if types and len(_required(symbol)) <= 1 and not EXPLICIT.search(code):
            start = classes[owner].start
            spans.append((start, start, f"{OFFERS}a {short} made of {types[1].strip()}"))
    return spans


def _required(symbol: Symbol) -> list[Parameter]:
    return [item for item in symbol.signature.parameters if item.is_required] if symbol.signature is not None else []


def _namespaces(root: Node) -> list[Span]:
    """The lines of each namespace, with its name."""
    spans: list[Span] = []
    left = [root]
    while left:
        node = left.pop()
        if node.type in BLOCKS:
            if node.type == "namespace_definition":
                name = syntax.text(node.child_by_field_name("name"))
                spans.append((syntax.first_line(node), syntax.last_line(node), name))
            left += node.named_children
        elif node is root:
            left += node.named_children
    return spans


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The identifiers of a file that are spelt like one of the names."""
    if not syntax.any_of(frozenset(names)).search(source):
        return ()
    nesting.check(source)
    code = _readable(source)
    root, modern = _root(path, code)
    code_uses = syntax.uses(root, code, names, SHAPE)
    lines = code.split(b"\n") if code_uses else []
    plain_uses = [plain(use, lines[use.line - 1].decode("utf-8", "replace")) for use in code_uses]
    return type(code_uses)(with_members(plain_uses) if modern else plain_uses)


def _readable(source: bytes) -> bytes:
    """The source with the linkage brackets blanked out; lines and columns stay what they are."""
    return LINKAGE.sub(lambda match: re.sub(rb"[^\r\n]", b" ", match[0]), source)


def _root(path: str, code: bytes) -> tuple[Node, bool]:
    """The tree, and whether it was read as C++. A header that looks like C++ is C if it reads as C alone."""
    if not path.endswith((".c", ".h")):
        return syntax.parse(CPP, code), True
    root = syntax.parse(C, code)
    if path.endswith(".h") and MODERN.search(code):
        modern = syntax.parse(CPP, code)
        if root.has_error or not modern.has_error:
            return modern, True
    return root, False
