"""Learn whether a type checker knew the type whose member is missing on the base.

A module that did not resolve, or a function without annotations, makes a type unknown, and a checker accepts
everything of an unknown type. If a change makes the type known, older mistakes become visible. So the base is
checked once more with another name in place of the missing one. If that is no error, the type was unknown.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from bot.analyzers.type_checkers.diagnostics import Diagnostic, Rule
from bot.analyzers.type_checkers.layout import Contents

MARK = "deeprepo{}x"


class Probes:
    """The changed lines of one more check of the base."""

    def __init__(self, found: Sequence[Diagnostic], contents: Contents, rules: Mapping[str, Rule]) -> None:
        self._found = found
        self._marks: dict[Diagnostic, str] = {}  # the errors to ask about -> what an answer contains
        edits: dict[str, dict[int, str]] = defaultdict(dict)  # path -> end of a name -> what is added to it
        texts: dict[str, str] = {}
        for number, one in enumerate(found):
            if rules[one.code].is_probed and one.path in contents:
                mark = self._marks[one] = MARK.format(number)
                text = texts.setdefault(one.path, contents[one.path].decode("utf-8", "surrogateescape"))
                name = rules[one.code].lost_name(one)
                start = sum(len(line) + 1 for line in text.split("\n")[: one.line - 1]) + one.span[0] - 1
                match = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])").search(text, start)
                if match is not None and name:
                    edits[one.path][match.end()] = mark
        self.texts: Contents = {path: _edited(texts[path], rows) for path, rows in edits.items()}

    def answered(self, noticed: Iterable[Diagnostic]) -> list[Diagnostic]:
        """Return the errors whose mistake was noticed on the base, and those that need no probe."""
        messages = "\n".join(one.message for one in noticed)
        return [one for one in self._found if one not in self._marks or self._marks[one] in messages]


def _edited(text: str, edits: Mapping[int, str]) -> bytes:
    for offset in sorted(edits, reverse=True):
        text = text[:offset] + edits[offset] + text[offset:]
    return text.encode("utf-8", "surrogateescape")
