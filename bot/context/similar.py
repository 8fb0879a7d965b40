"""Code that has to do with a change and does not share its names: a name that is nearly the same, a pattern that begins alike. Pure.

A name that only the change uses and nothing gives a meaning is often another one misspelt, or its old form. Two regular
expressions that begin alike often read the same text, and one of them does not know of the other's change.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from bot.context import identifiers, usages
from bot.context.definitions import LONG_LINE
from bot.context.usages import Pick, Row
from bot.text.lines import defines
from bot.text.paths import is_product, is_test
from bot.values import ChangedFile, Unit

MAX_NAMES, MAX_PATTERNS = 12, 6  # looked up for one review
MAX_PICKS, PER_NAME = 4, 2  # lines shown in one prompt; for one name
SHORTEST = 6  # letters of such a name
ENDS = 2  # letters at its end that may differ
LONGER = 3  # letters by which it may be longer or shorter
HEAD, LIKE = 6, 0.7  # characters that two patterns share at the least; likeness of the whole
_PATTERN = re.compile(
    r"(?<![\w)\]/])/((?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)+\])+)/[a-z]*|[\"'`]((?:[^\"'`\\\n]|\\.){6,})[\"'`]"
)
_CLASS = re.compile(r"\\[dDwWsSb]|\[[^\]]+\]|\(\?")
_GAP = re.compile(r"\s|\\s|\\t|\(\?")


def unknown(rows: Mapping[str, Sequence[Row]], names: Iterable[str], files: Iterable[ChangedFile]) -> list[str]:
    """The names that are in added lines alone and that nothing gives a meaning."""
    added_lines: dict[str, Collection[int]] = {file.path: file.added_lines for file in files}
    return [
        name
        for name in names
        if len(name) >= SHORTEST
        and re.fullmatch(r"[A-Za-z_][\w]*", name)
        and not identifiers.single(name)
        and rows.get(name)
        and all(line in added_lines.get(path, ()) for path, line, _ in rows[name])
        and not any(usages.gives_meaning(name, text, path) for path, _, text in rows[name])
    ][:MAX_NAMES]


def nearly(names: Iterable[str]) -> str:
    """A Perl pattern for words that begin as these names do."""
    return rf"(?<![\w$])(?:{'|'.join(re.escape(name[:-ENDS]) for name in names)})\w{{0,{ENDS + LONGER}}}(?![\w$])"


def near_names(rows: Iterable[Row], names: Iterable[str]) -> dict[str, list[tuple[str, Row]]]:
    """The rows that hold a word which is nearly one of the names, those that give it a meaning first."""
    near_rows: dict[str, list[tuple[str, Row]]] = defaultdict(list)
    wanted_names = list(names)
    for row in rows:
        words = identifiers.words(row[2])
        for name in wanted_names if is_product(row[0]) else ():
            word = next((word for word in sorted(words) if _near(word, name)), "")
            if word:
                near_rows[name].append((word, row))
    for mine in near_rows.values():
        mine.sort(key=lambda item: not usages.gives_meaning(item[0], item[1][2], item[1][0]))
    return near_rows


def patterns(units: Iterable[Unit]) -> dict[str, list[str]]:
    """The regular expressions in changed lines, under what they begin with."""
    patterns_by_name: dict[str, list[str]] = defaultdict(list)
    for unit in units:
        for row in unit.changed_rows if is_product(unit.path) else ():
            for literal in _literals(row.text) if len(row.text) <= LONG_LINE else ():
                head = _GAP.split(literal)[0]
                if len(head) >= HEAD and _CLASS.search(head) and literal not in patterns_by_name[head]:
                    patterns_by_name[head].append(literal)
    return dict([item for item in patterns_by_name.items() if item[1]][:MAX_PATTERNS])


def pick(
    units: Sequence[Unit],
    near: Mapping[str, Sequence[tuple[str, Row]]],
    alike: Mapping[str, Sequence[Row]],
    shown_lines: Collection[tuple[str, int]],
) -> list[Pick]:
    """The lines to show beside these units."""
    added_words = {word for unit in units for row in unit.added_rows for word in identifiers.words(row.text)}
    picks = [
        Pick(path, line, (f"{word}, while the change says {name}",), defines(text, word, path))
        for name in near
        if name in added_words
        for word, (path, line, text) in [one for one in near[name] if one[1][:2] not in shown_lines][:PER_NAME]
    ]
    for head, literals in patterns(units).items():
        rows = [
            row
            for row in alike.get(head, ())
            if row[:2] not in shown_lines and not is_test(row[0]) and _likeness(row[2], literals) >= LIKE
        ]
        best = sorted(rows, key=lambda row: -_likeness(row[2], literals))
        picks += [
            Pick(path, line, ("a pattern that begins alike",), defines=False) for path, line, _ in best[:PER_NAME]
        ]
    return picks[:MAX_PICKS]


def _near(word: str, name: str) -> bool:
    return word != name and word.startswith(name[:-ENDS]) and abs(len(word) - len(name)) <= LONGER


def _literals(text: str) -> Iterator[str]:
    for groups in _PATTERN.findall(text):
        literal = next(filter(None, groups))
        if _CLASS.search(literal):
            yield literal


def _likeness(text: str, literals: Sequence[str]) -> float:
    """How much a line's most similar pattern is like one of these; 0 for a line that has none."""
    pairs = ((_plain(one), _plain(other)) for one in _literals(text) for other in literals)
    return max((SequenceMatcher(None, one, other).ratio() for one, other in pairs if one != other), default=0.0)


def _plain(literal: str) -> str:
    """A pattern without what is a matter of taste."""
    return re.sub(r"\\(?=\W)", "", re.sub(r"\\s[+*]?", " ", literal))
