"""C and C++: one family, because they include each other's headers."""

import re
from collections.abc import Collection

from tree_sitter import Node

from bot.languages import syntax
from bot.languages.cfamily.includes import Includes
from bot.languages.cfamily.outline import outline_of
from bot.languages.cfamily.uses import SHAPE, plain, with_members
from bot.languages.unreadable import check_nesting, finds, outlines
from bot.ports import LanguageTraits
from bot.text.filetypes import CPP, C
from bot.values import Outline, Side, Use

TRAITS = LanguageTraits(
    declared_members=True,
    conditional_build=True,
    whole_files=True,
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


@outlines
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file and what an includer can ask of it."""
    check_nesting(source)
    code = _readable(source)
    root, modern = _root(path, code)
    return outline_of(path, root, code, side, modern=modern)


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The identifiers of a file that are spelt like one of the names."""
    if not syntax.any_of(frozenset(names)).search(source):
        return ()
    check_nesting(source)
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
