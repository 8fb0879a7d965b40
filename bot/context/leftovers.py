"""Who still uses what a change takes away: keys, fields, constants that no added line of the whole change names any more. Pure.

These lines come before all others beside a change, in room of their own: in a large change, the names that it newly defines or passes
on would leave none for the few that it removes.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from bot.context import identifiers, meaning, usages
from bot.context.identifiers import Row
from bot.context.usages import Pick
from bot.text.filetypes import family
from bot.text.lines import is_comment
from bot.text.paths import decides_nothing, is_product, is_test
from bot.values import ChangedFile, Unit

SHORTEST = 4  # letters of a plain word
MAX_NAMES = 12  # of one prompt
MAX_FILES = 20  # that hold such a name; a name in more files means more than one thing
PER_NAME = 2  # lines of one name
BESIDE = 2  # lines before and after one: the next one may use what replaces it
_PART = re.compile(r"[A-Za-z_][\w-]{2,60}")
_ACCESSOR = re.compile(r"(?:get|is|set)([A-Z])(\w*)")
_ADDRESS = re.compile(r"@|://")


def remaining_words(files: Iterable[ChangedFile]) -> frozenset[str]:
    """What the added lines of the whole change still say."""
    added_texts = [line.text for file in files for hunk in file.hunks for line in hunk.lines if line.kind == "+"]
    return frozenset(word for text in added_texts for word in (*identifiers.words(text), *_PART.findall(text)))


def names(units: Sequence[Unit], remaining: frozenset[str]) -> list[str]:
    """What the removed lines of these units' product code define or set, and nothing added says; the most telling first."""
    code = [unit for unit in units if is_product(unit.path)]
    decided_names = meaning.decided_names(code)
    removed: set[str] = {unit.name.rpartition(".")[2] for unit in code if unit.side == "base"}
    for unit in code:
        for row, is_text in identifiers.told_apart(unit):
            if row.sign == "-" and not is_text:
                removed |= {*identifiers.literals(row.text), *identifiers.words(row.text)} & decided_names
    removed |= {f"{one[1].lower()}{one[2]}" for name in removed if (one := _ACCESSOR.fullmatch(name))}
    return sorted(filter(_telling, removed - remaining), key=lambda name: (-usages.distinct(name), name))[:MAX_NAMES]


def pick(
    rows: Mapping[str, Sequence[Row]],
    names_wanted: Sequence[str],
    units: Sequence[Unit],
    shown_lines: Collection[tuple[str, int]],
    changed_lines: Mapping[str, Collection[int]],
) -> list[Pick]:
    """The lines that still use such names: a name in fewer files before one in more, files of other languages first.

    `rows`: name -> the lines of the tree that hold it; `changed_lines`: path -> added lines.
    """
    own = {family(unit.path) for unit in units}
    ranked_picks: list[tuple[tuple[int, bool], Pick]] = []
    for name in names_wanted:
        lines = [
            (family(path) in own, path, line)
            for path, line, text in rows.get(name, ())
            if line not in changed_lines.get(path, ()) and _uses(name, path, text)
        ]
        files = len({path for _, path, _ in lines})
        for same, path, line in sorted(lines)[:PER_NAME] if files <= MAX_FILES else ():
            if (path, line) not in shown_lines:
                title = f"names {name}, which no added line has"
                ranked_picks.append(
                    ((files, same), Pick(path, line, (name,), defines=False, title=title, beside=BESIDE))
                )
    return [one for _, one in sorted(ranked_picks, key=lambda item: item[0])]


def _telling(name: str) -> bool:
    return len(name) >= SHORTEST and name.lower() not in identifiers.COMMON and not _ADDRESS.search(name)


def _uses(name: str, path: str, text: str) -> bool:
    """Whether a line is about the same thing: a plain word has to be a text, a field, or in a file that is no code of a program."""
    if is_comment(text, path) or is_test(path) or decides_nothing(path):
        return False
    if not identifiers.plain(name):
        return True
    if usages.OTHER.search(path):  # a key, a field or a value there, and no word of a sentence or of a path
        return bool(
            re.search(rf"[.{{$\"'=\[(]\s*{re.escape(name)}(?![\w.-])|(?<![\w/.-]){re.escape(name)}\s*[:=}}]", text)
        )
    return name in identifiers.string_names(text) or bool(
        re.search(rf"(?:\.|->|\?\.|\[[\"']){re.escape(name)}\b(?!\s*\()", text)
    )
