"""The code that the macros of an Elixir module put into the modules that `use` it: what a `quote` imports, aliases and defines.

`use Shop.Web, :html` runs `__using__`, which by habit calls the function that the atom names; that one may call others for parts of the code.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from tree_sitter import Node

from bot.languages import syntax
from bot.languages.elixir.behaviours import Member, function_member, nodes_below
from bot.languages.elixir.modules import ALIAS, alias_names, is_alias, own_module
from bot.languages.elixir.outline import PRIVATE, PUBLIC, callee, defined_name
from bot.languages.syntax import DEPTH, ancestors, first_line, text
from bot.languages.unreadable import Unreadable
from bot.text.filetypes import ELIXIR

__all__ = ("MacroCode", "Taking", "code_for_user", "macro_code", "own_aliases", "own_module", "use_statements")
DEFINING = PUBLIC | PRIVATE
TAKING = frozenset({"import", "alias", "use"})
STARTS = frozenset({"__using__", "__before_compile__"})
LISTED = re.compile(r"\b(only|except):\s*+\[([^\]]{0,2000}+)\]")
NAME = re.compile(r"\b([a-z_]\w*[?!]?):\s*\d")
ATOM = re.compile(r":([a-z_]\w*)")
LONGEST = 400  # characters of a line
WORD = re.compile(r"[a-z_]\w*[?!]?")


@dataclass(frozen=True, slots=True)
class Taking:
    """One statement that brings something into who uses the macro."""

    word: str  # "import", "alias" or "use"
    module: str
    here: str  # what an alias calls it
    line: int
    only: frozenset[str] | None = None  # the names of an import that lists them
    but: frozenset[str] = frozenset()

    def brings(self, names: Collection[str]) -> set[str]:
        """What of a module's names an import brings."""
        return {name for name in names if (self.only is None or name in self.only) and name not in self.but}


@dataclass(slots=True)
class MacroCode:
    """What some functions of a module put into others."""

    takings: list[Taking] = field(default_factory=list)
    functions: list[Member] = field(default_factory=list)
    words: frozenset[str] = frozenset()  # of the code, which may call other functions of the module

    def aliases(self) -> set[str]:
        """The names that it gives to modules."""
        return {one.here for one in self.takings if one.word == "alias"}

    def modules(self, word: str) -> set[str]:
        """The modules that it takes by such a statement."""
        return {one.module for one in self.takings if one.word == word}


def macro_code(source: bytes) -> dict[str, MacroCode]:
    """The functions and macros of a file, each with what it quotes; none of unreadable code."""
    if b"quote" not in source:
        return {}
    try:
        root = syntax.shallow_root(ELIXIR, source)
    except (Unreadable, RecursionError):
        return {}
    code_by_name: dict[str, MacroCode] = {}
    for node in nodes_below(root):
        holder = next((one for one in islice(ancestors(node), DEPTH) if callee(one) in DEFINING), None)
        word = callee(node)
        if word in DEFINING and holder is None:
            one = code_by_name.setdefault(defined_name(node), MacroCode())
            one.words |= frozenset(WORD.findall(text(node)))
        elif holder is not None and word in DEFINING | TAKING:
            outer = next((one for one in islice(ancestors(node), DEPTH) if callee(one) in DEFINING | {"quote"}), None)
            if outer is not None and callee(outer) == "quote":
                name = defined_name(_outermost(node))
                _take(node, word, code_by_name.setdefault(name, MacroCode()))
    return code_by_name


def _outermost(node: Node) -> Node:
    """The definition around a node that no other stands around."""
    return [one for one in islice(ancestors(node), DEPTH) if callee(one) in DEFINING][-1]


def _take(node: Node, word: str, code: MacroCode) -> None:
    if word in DEFINING:
        function = function_member(node)
        code.functions += [function] if function is not None else []
        return
    statement = text(node)
    match = ALIAS.match(statement.encode())
    if match is None:
        return
    lists = {kind: frozenset(NAME.findall(inside)) for kind, inside in LISTED.findall(statement)}
    code.takings += [
        Taking(word, module, here, first_line(node), lists.get("only"), lists.get("except", frozenset()))
        for module, here in alias_names(match)
    ]


def code_for_user(code: Mapping[str, MacroCode], atoms: Iterable[str]) -> MacroCode:
    """What `use` of the module puts into another one, given the atoms of the statement."""
    names, pending_names = set[str](), [*sorted(STARTS), *atoms]
    while pending_names:
        name = pending_names.pop()
        if name in code and name not in names:
            names.add(name)
            pending_names += sorted(code[name].words & code.keys())
    parts = [code[name] for name in sorted(names)]
    return MacroCode([one for part in parts for one in part.takings], [one for part in parts for one in part.functions])


def use_statements(text: bytes, module: str) -> Iterator[tuple[int, Sequence[str]]]:
    """The statements by which a file uses a module: (line, the atoms that it gives)."""
    aliases = {here: name for match in ALIAS.finditer(text) if is_alias(match) for name, here in alias_names(match)}
    for match in ALIAS.finditer(text):
        if match["word"] != b"use":
            continue
        for name, _ in alias_names(match):
            first, dot, rest = name.partition(".")
            if f"{aliases.get(first, first)}{dot}{rest}" == module:
                row = text[match.end() : match.end() + LONGEST].partition(b"\n")[0].decode("utf-8", "replace")
                yield text.count(b"\n", 0, match.start("name")) + 1, ATOM.findall(row)


def own_aliases(text: bytes) -> set[str]:
    """The names that a file itself gives to modules."""
    return {here for match in ALIAS.finditer(text) if is_alias(match) for _, here in alias_names(match)}
