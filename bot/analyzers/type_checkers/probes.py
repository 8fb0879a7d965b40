"""Learn whether a type checker knew the type whose member is missing on the base.

A module that did not resolve, or a function without annotations, makes a type unknown, and a checker accepts
everything of an unknown type. If a change makes the type known, older mistakes become visible. So the base is
checked once more with another name in place of the missing one. If that is no error, the type was unknown.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from bot.analyzers.type_checkers.diagnostics import Diagnostic, Rule
from bot.analyzers.type_checkers.layout import Contents

MARK = "deeprepo{}x"


def probes(
    found: Iterable[Diagnostic], contents: Contents, rules: Mapping[str, Rule]
) -> tuple[Contents, Mapping[Diagnostic, str]]:
    """Return the base's files with a mistake for each error to ask about, and what the answer about it contains."""
    marks: dict[Diagnostic, str] = {}
    edits: dict[str, dict[int, str]] = defaultdict(dict)  # path -> end of a name -> what is added to it
    texts: dict[str, str] = {}
    for number, one in enumerate(found):
        if rules[one.code].is_probed and one.path in contents:
            mark = marks[one] = MARK.format(number)
            text = texts.setdefault(one.path, contents[one.path].decode("utf-8", "surrogateescape"))
            name = rules[one.code].lost_name(one)
            start = sum(len(line) + 1 for line in text.split("\n")[: one.line - 1]) + one.span[0] - 1
            match = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])").search(text, start)
            if match is not None and name:
                edits[one.path][match.end()] = mark
    return {path: _edited(texts[path], rows) for path, rows in edits.items()}, marks


def _edited(text: str, edits: Mapping[int, str]) -> bytes:
    for offset in sorted(edits, reverse=True):
        text = text[:offset] + edits[offset] + text[offset:]
    return text.encode("utf-8", "surrogateescape")
