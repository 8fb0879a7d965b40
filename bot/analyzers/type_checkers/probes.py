"""Learn whether a type checker knew the types of a line on the base.

A module that did not resolve, or a function without annotations, makes a type unknown, and a checker accepts
everything of an unknown type. If a change makes the type known, older mistakes become visible. So the base is
checked once more with a mistake in each suspected line:

- name: another name instead of the one that is missing now.
- call, argument: a member that no function has, between the function and its arguments.
- value: such a member after the value.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from bot.analyzers.type_checkers.diagnostics import Diagnostic, Rule
from bot.analyzers.type_checkers.layout import Contents

MOST_BETWEEN = 400  # characters between a function's name and its arguments, such as type arguments
MARK = "deeprepo{}x"
TYPE_ARGUMENTS = re.compile(r"<[^<>()]*(?:<[^<>()]*>[^<>()]*)*>$")
COUNTS = re.compile(r"Expected (?:\d+-)?(\d+) arguments?, but got (\d+)")


class Probes:
    """The changed lines of one more check of the base."""

    def __init__(self, found: Sequence[Diagnostic], contents: Contents, rules: Mapping[str, Rule]) -> None:
        self._found = found
        self._marks: dict[Diagnostic, str] = {}  # the errors to ask about -> what an answer contains
        edits: dict[str, dict[int, tuple[int, str]]] = defaultdict(dict)  # path -> offset -> length, new text
        texts: dict[str, str] = {}
        for number, one in enumerate(found):
            rule = rules[one.code]
            if rule.probe is not None and one.path in contents:
                mark = self._marks[one] = MARK.format(number)
                text = texts.setdefault(one.path, contents[one.path].decode("utf-8", "surrogateescape"))
                place = _place(text, one, rule)
                if place is not None:
                    offset, name = place
                    edits[one.path][offset] = (len(name), name + mark if name else f".{mark}")
        self.texts: Contents = {path: _edited(texts[path], rows) for path, rows in edits.items()}

    def answered(self, noticed: Iterable[Diagnostic]) -> list[Diagnostic]:
        """Return the errors whose mistake was noticed on the base, and those that need no probe."""
        messages = "\n".join(one.message for one in noticed)
        return [one for one in self._found if one not in self._marks or self._marks[one] in messages]


def _place(text: str, one: Diagnostic, rule: Rule) -> tuple[int, str] | None:
    """Return the offset of the probe and the name that it changes, if any; None if its place was not found."""
    begin = _offset(text, one.line, one.span[0])
    end = _offset(text, *one.span[1:]) if one.span[1] else 0
    if rule.probe == "name":
        name = rule.lost_name(one)
        match = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])").search(text, begin)
        return (match.start(), name) if match is not None and name else None
    if rule.probe == "value":
        return end, ""
    if rule.probe == "argument" or _is_of_argument(one.message):
        opening = _opening(text, begin)
    elif end:
        opening = _opening(text, end - 1)
    else:
        opening = text.find("(", begin)
    if opening < 0:
        return None
    before = text[max(0, opening - MOST_BETWEEN) : opening]
    callee = TYPE_ARGUMENTS.sub("", before.rstrip().removesuffix("?.").rstrip())
    return opening - len(before) + len(callee), ""


def _is_of_argument(message: str) -> bool:
    """Return whether tsc reports an argument too many, and so its place instead of the call's."""
    counts = COUNTS.search(message)
    return counts is not None and int(counts[2]) > int(counts[1])


def _opening(text: str, offset: int) -> int:
    """Return the offset of the parenthesis that is open before an offset; -1 if none is."""
    depth = 0
    for index in range(offset - 1, -1, -1):
        if text[index] in ")]}":
            depth += 1
        elif text[index] in "([{":
            if depth == 0:
                return index if text[index] == "(" else -1
            depth -= 1
    return -1


def _offset(text: str, line: int, column: int) -> int:
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    return start + column - 1


def _edited(text: str, edits: Mapping[int, tuple[int, str]]) -> bytes:
    for offset in sorted(edits, reverse=True):
        length, new = edits[offset]
        text = text[:offset] + new + text[offset + length :]
    return text.encode("utf-8", "surrogateescape")
