"""Recognize lines that pass on a name to other files, in any language, from the line and those above it.

No parser is used. `known_files.py` finds the lines that declare a name, by the parsed file if there is a grammar.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from deeprepo.impact.filetypes import filetype
from deeprepo.impact.language import rules_of
from deeprepo.impact.resolution import Way
from deeprepo.impact.text.lines import is_comment, says
from deeprepo.impact.text.paths import is_settings

LONGEST_LINE = 400  # characters of a line
ABOVE = 400  # lines above a line in which the enclosing declaration is searched
_NO_TYPE = r"(?!(?:return|await|throw|else|yield|in|not|raise|if|while|for|switch|assert|echo|print|del|delete|typeof|import|from|package|use|using|include|require|goto|case|when|elif|unless|until|do|and|or|is|as|super|this|self)\b)"
# A function or macro in a header, also with unknown words before it: `API_INLINE bool total() const`.
_IN_HEADER = (
    rf"^\s*+{_NO_TYPE}(?:[A-Za-z_][\w<>:,*&]*+\s++){{1,6}}?[*&]*(?:\w++::)*+NAME\s*+\(|^\s*+#\s*+define\s++NAME\b"
)
_DATA = r"[\"'`]NAME[\"'`]\s*+[:=]|^\s*+(?:-\s++)?[\"']?NAME[\"']?\s*+[:=]|\bname\s*+[:=]\s*+[\"']NAME[\"']|=\s*+\"NAME\"|^\s*+[\"`\[]?NAME[\"`\]]?\s++[\w\[]|\bNAME\s*+=\s*+\d++"
_REEXPORT = (
    r"\bpub(?:\([^)]*\))?\s++use\b.*(?:::|[{,]\s*|as\s++)NAME\s*+[;,}]"
    r"|^\s*+export\s*+(?:type\s*+)?(?:\{[^}]*\bNAME\b|default\s++NAME\b|=\s*+NAME\b)"
    r"|^\s*+NAME\s*+(?:as\s++\w++\s*+)?,?\s*+$"
    r"|\bexports\.NAME\s*+=|\bmodule\.exports\s*+=\s*+\{[^}]*\bNAME\b"
)
_ALIAS = (
    r"\bas\s++NAME\b|\busing\s++NAME\s*+=|^\s*+#\s*+define\s++NAME\b|\b(?:typealias|type|typedef)\s++(?:.*\s)?NAME\s*+[=;]|\balias\w*+\s*+\(?[: ]*NAME\b"
    r"|\bAlias=\"NAME\"|\bclass_alias\(.*NAME\b"
)
_MODULE = r"\b(?:pub(?:\([^)]*\))?\s++)?(?:mod|namespace|module|package|defmodule)\s++(?:\w++[.:\\]++)*+NAME\b"
# A macro in a place for declarations: `accessors!(total)`, `DEFINE_TOTAL(total)`.
_MACRO_CALL = r"^\s*+(?:(?:pub(?:\([^)]*\))?\s++)?(?:\w++::)*+\w++!\s*+[({\[]|[A-Z][A-Z0-9_]{2,}+\s*+\()"
_ALIAS_CALL = r"\bclass_alias\(.*,.*\bNAME\b"
MACRO = re.compile(_MACRO_CALL)
_INVOKED = rf"{_MACRO_CALL}(?:.*[,(\s])?(?<![\w.:&])NAME\s*+(?:[,:;=)\]}}].*)?$"
_OVERRIDE = re.compile(r"\boverride\b|@Override\b|#\[Override\]")
# Lines that begin a type, a module or an extension.
TYPE = re.compile(
    r"(?:^|[\s;])(?:class|struct|record|interface|enum|trait|protocol|object|impl|extension|union|actor|message|service|type|namespace|mod|module|defmodule|package)\b"
)
_TRANSPARENT = re.compile(
    r"^\s*+(?:class\s*+<<\s*+self|included\s+do|class_methods\s+do|companion\s+object|private|public|protected|module\s+ClassMethods|(?:#|//|/\*|\*).*|[})\]].*|if\s+TYPE_CHECKING.*|try\s*+:?\{?)\s*+[{:]?\s*+$"
)
# What follows the first line of a head at the same indentation: its brace, the end of its parameters, a label of a part of the class.
_BELOW_HEAD = re.compile(r"^\s*+(?:\{|\).*|(?:public|private|protected|signals|Q_SIGNALS)(?:\s++\w++)?\s*+:)\s*+$")


def is_silent(path: str, line: str) -> bool:
    """Return whether a line provides nothing: it is a comment, too long, or overrides what a base declares."""
    return len(line) > LONGEST_LINE or is_comment(line, path) or _OVERRIDE.search(line) is not None


def is_declared_still(name: str, path: str, line: str) -> bool:
    """Return whether a line that seems to use a name declares it, because the grammar doesn't know a macro on it."""
    return rules_of(path).has_headers and says(_IN_HEADER, name, line)


def is_data(name: str, line: str) -> bool:
    """Return whether a line of data, or of a string in code, declares a name: as an entry or a table column."""
    return says(_DATA, name, line)


def is_invoked(name: str, line: str) -> bool:
    """Return whether a line calls a macro with the name as an argument."""
    return says(_INVOKED, name, line)


def names_alias(name: str, line: str) -> bool:
    """Return whether a call makes the name an alias of a class, although the name looks like a use there."""
    return says(_ALIAS_CALL, name, line)


def is_reexport(name: str, path: str, line: str) -> bool:
    """Return whether a line of a file that no grammar reads offers a name that is defined elsewhere."""
    return says(_REEXPORT, name, line) and not _is_only_a_word(name, path, line)


def passed_on(name: str, path: str, line: str) -> Way | None:
    """Return how a line gives another definition, or a module, a name."""
    rows: tuple[tuple[str, Way], ...] = (
        (_MODULE, "inline module"),
        (_ALIAS, "alias"),
        (rules_of(path).path_form, "path attribute"),
    )
    return next((way for pattern, way in rows if says(pattern, name, line)), None)


def made(name: str, path: str, line: str) -> Way | None:
    """Return how a macro, or a line of data, provides a name."""
    if rules_of(path).generates(name, line):
        return "accessor"
    if is_settings(path) or not filetype(path).folder:
        return "declaration" if is_data(name, line) else None
    return "accessor" if is_invoked(name, line) else None


def _is_only_a_word(name: str, path: str, line: str) -> bool:
    """Return whether a line contains only the name, as in a list of exports, in a language with such lists."""
    is_word = re.fullmatch(rf"\s*+{re.escape(name)}\s*+(?:as\s++\w++\s*+)?,?\s*+", line) is not None
    return is_word and filetype(path).lists_exports


@lru_cache(maxsize=4_096)
def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def around(lines: Sequence[str], number: int) -> list[str]:
    """Return the heads of the blocks around a line, innermost first, by indentation."""
    heads: list[str] = []
    left = _indent(lines[number - 1])
    for at in range(number - 1, max(0, number - 1 - ABOVE), -1):
        text = lines[at - 1]
        if not text.strip() or _indent(text) >= left:
            continue
        if _BELOW_HEAD.match(text):
            left = _indent(text) + 1
            continue
        if not _TRANSPARENT.match(text):
            heads.append(text)
        left = _indent(text)
        if not left:
            break
    return heads
