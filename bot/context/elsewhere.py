"""Where the names of a change occur outside of it, so that a reader need not search for them again. Pure.

Every line that holds a name as a whole word is listed or counted.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from bot.context import identifiers, meaning, usages
from bot.context.identifiers import Row
from bot.text.paths import decides_nothing, is_product
from bot.values import Unit

MAX_NAMES = 6  # of one prompt
MAX_PLACES = 8  # lines of one name that are listed, beside those that the prompt shows
_HYPHENS = re.compile(r"-{0,2}[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
MAX_OF_WORD = 3  # lines that hold one plain word as a string; with more it is no lead, and where it is decides nothing without the line
MAX_CODE = 120  # characters of such a line
TOO_MANY = 60  # lines of product code that hold one name; a name that is everywhere is no lead


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """One name, and the unchanged lines of the head tree that hold it as a whole word."""

    name: str
    shown_count: int  # how many of them the prompt shows
    places: tuple[tuple[str, tuple[int, ...]], ...]  # path and lines of the others in product code
    more: int = 0  # how many of these are not listed
    idle: int = 0  # lines of tests, documents and generated files that the prompt does not show
    as_string: bool = False  # a plain word, of which only the lines count that hold it as a string
    code: tuple[str, ...] = ()  # of a plain word: the lines at these places
    spelling: str = ""  # as what it occurs too: programs make the option `--no-cache` of a field `no_cache`


def spellings(name: str) -> tuple[str, ...]:
    """How a program may write a name with hyphens: with underscores, or with capitals."""
    if not _HYPHENS.fullmatch(name):
        return ()
    first, *others = name.strip("-").split("-")
    return "_".join((first, *others)), first + "".join(map(str.capitalize, others))


def occurrences(
    rows: Mapping[str, Sequence[Row]],
    units: Sequence[Unit],
    shown_lines: Collection[tuple[str, int]],
    changed_lines: Mapping[str, Collection[int]],
) -> tuple[Elsewhere, ...]:
    """The most telling names of these units' product code with their places.

    `rows`: name -> every line of the tree that holds it; `shown_lines`: lines that the prompt shows; `changed_lines`: path -> added lines.
    """
    code = [unit for unit in units if is_product(unit.path)]
    weights = {name: weight for name, weight in identifiers.names(code).items() if name in rows}
    decided_names = meaning.decided_names(code)
    literals = {text for unit in code for row in unit.changed_rows for text in identifiers.literals(row.text)}
    others = {name: " or ".join(other for other in spellings(name) if rows.get(other)) for name in weights}
    lines = {
        name: {
            (path, line): text
            for one in (name, *spellings(name))
            for path, line, text in rows.get(one, ())
            if line not in changed_lines.get(path, ())
            and (not identifiers.plain(name) or name in identifiers.string_names(text))
        }
        for name in weights
        if (
            name in literals if identifiers.plain(name) else name in decided_names or _has_own_meaning(name, rows[name])
        )
    }
    names = sorted(lines, key=lambda name: (-weights[name] - usages.distinct(name), name))
    occurrences_found = [
        _one(name, lines[name], shown_lines, others[name])
        for name in names
        if not any(lines[name] and lines[name] == lines[other] and name in _parts(other) for other in names)
        and (lines[name] or not any(part in names for part in _parts(name)))
    ]
    return tuple(one for one in occurrences_found if one is not None)[:MAX_NAMES]


def _has_own_meaning(name: str, rows: Sequence[Row]) -> bool:
    """Whether the repository itself gives a name its meaning in product code: no function of a library, no local variable."""
    return any(
        is_product(path) and meaning.settles(name, path, text) and meaning.means(name, text) for path, _, text in rows
    )


def _parts(name: str) -> list[str]:
    """What a dotted name consists of; nothing, where it has no dots."""
    return name.split(".") if re.fullmatch(r"[\w$]+(?:\.[\w$]+)+", name) else []


def _one(
    name: str, lines: Mapping[tuple[str, int], str], shown_lines: Collection[tuple[str, int]], spelling: str
) -> Elsewhere | None:
    others = sorted(one for one in lines if one not in shown_lines)
    product = [one for one in others if is_product(one[0]) and not decides_nothing(one[0])]
    word = identifiers.plain(name)
    if len(product) > (MAX_OF_WORD if word else TOO_MANY):
        return None
    by_path: dict[str, list[int]] = defaultdict(list)
    for path, line in product[:MAX_PLACES]:
        by_path[path].append(line)
    places = tuple((path, tuple(numbers)) for path, numbers in by_path.items())
    more, idle = max(0, len(product) - MAX_PLACES), len(others) - len(product)
    code = tuple(lines[one].strip()[:MAX_CODE] for one in product) if word else ()
    return Elsewhere(name, len(lines) - len(others), places, more, idle, word, code, spelling)
