"""Who still uses what a change takes away: keys, fields, constants, texts that no added line of the whole change holds any more. Pure.

These lines come before all others beside a change, in room of their own: in a large change, the names that it newly defines or passes
on would leave none for the few that it removes.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from bot.review.context import akin, identifiers, meaning, usages
from bot.review.context.identifiers import Row
from bot.review.context.usages import Pick
from bot.values import ChangedFile, Unit
from deeprepo.impact.filetypes import family
from deeprepo.impact.text.lines import is_comment
from deeprepo.impact.text.paths import decides_nothing, is_product, is_settings, is_test

MIN_PLAIN_LETTERS = 4  # letters of a plain word
MAX_NAMES = 12  # of one prompt
MAX_FILES = 20  # that hold such a name; a name in more files means more than one thing
PER_NAME = 2  # lines of one name
LINES_BESIDE = 2  # lines before and after one: the next one may use what replaces it
_STRING = re.compile(r"\"([^\"\n]{3,200})\"|'([^'\n]{3,200})'|`([^`\n]{3,200})`")
_PLACEHOLDER = re.compile(r"\$?\{[^{}\n]{0,80}\}|%[-\d.]*[a-z]")
_PART = re.compile(r"[A-Za-z_][\w-]{2,60}")
_ACCESSOR = re.compile(r"(?:get|is|set)([A-Z])(\w*)")


def remaining_words(files: Iterable[ChangedFile]) -> tuple[frozenset[str], frozenset[str]]:
    """Return what the added lines of the whole change still say: its words, and the parts of its texts. A value that is gone may be a key that is not."""
    added_texts = [line.text for file in files for hunk in file.hunks for line in hunk.lines if line.kind == "+"]
    words = chain.from_iterable((*identifiers.words(text), *_PART.findall(text)) for text in added_texts)
    return frozenset(words), frozenset(chain.from_iterable(map(_parts, added_texts)))


def names(unit: Unit, remaining: tuple[frozenset[str], frozenset[str]]) -> frozenset[str]:
    """Return what the removed lines of a unit of product code define, set, or say in a text, and no added line of the change says."""
    if not is_product(unit.path):
        return frozenset()
    decided_names = meaning.decided_names([unit])
    definitions = {unit.name.rpartition(".")[2]} if unit.side == "base" else set[str]()
    text_parts: set[str] = set()
    for diff_row, is_text in identifiers.told_apart(unit):
        if diff_row.sign == "-" and not is_text:
            definitions |= {*identifiers.literals(diff_row.text), *identifiers.words(diff_row.text)} & decided_names
            text_parts |= _parts(diff_row.text) if not identifiers.IMPORT.match(diff_row.text) else set()
    definitions |= {f"{one[1].lower()}{one[2]}" for name in definitions if (one := _ACCESSOR.fullmatch(name))}
    return frozenset(filter(_telling, (definitions - remaining[0]) | (text_parts - remaining[1])))


def first(names: Iterable[str]) -> list[str]:
    """Return those that one prompt looks for: the longest ones."""
    return sorted(names, key=lambda name: (-usages.distinct(name), name))[:MAX_NAMES]


def pick(
    rows: Mapping[str, Sequence[Row]],
    names_wanted: Sequence[str],
    units: Sequence[Unit],
    shown_lines: Collection[tuple[str, int]],
    changed_lines: Mapping[str, Collection[int]],
) -> list[Pick]:
    """Return the lines that still use such names: a name in fewer files before one in more, and files called after the same thing first.

    `rows`: name -> the lines of the tree that hold it; `changed_lines`: path -> added lines.
    """
    families = {family(unit.path) for unit in units}
    texts = {part for unit in units for diff_row in unit.removed_rows for part in _parts(diff_row.text)}
    ranked_picks: list[tuple[tuple[int, int, bool], Pick]] = []
    for name in names_wanted:
        lower_name = name.lower()
        losing = [unit for unit in units if any(lower_name in diff_row.text.lower() for diff_row in unit.removed_rows)]
        homes = {unit.path for unit in losing if is_settings(unit.path)}
        if any(hit[0] in homes and hit[1] not in changed_lines.get(hit[0], ()) for hit in rows.get(name, ())):
            continue  # one entry of a list goes, and its keys are those of the others
        after = akin.words(losing)
        lines = [
            (-akin.common_words(hit[0], after), family(hit[0]) in families, hit)
            for hit in rows.get(name, ())
            if hit[1] not in changed_lines.get(hit[0], ()) and _uses(name, hit[0], hit[2])
        ]
        files = len({path for _, _, (path, _, _) in lines})
        for nearness, same, (path, line, _) in sorted(lines)[:PER_NAME] if files <= MAX_FILES else ():
            if (path, line) not in shown_lines:
                what = f'holds "{name}", a text' if name in texts else f"names {name},"
                title = f"{what} which no added line has"
                pick = Pick(path, line, (name,), defines=False, title=title, beside=LINES_BESIDE)
                ranked_picks.append(((nearness, files, same), pick))
    return [pick for _, pick in sorted(ranked_picks, key=lambda item: item[0])]


def _parts(line: str) -> set[str]:
    """What the texts of a line consist of that are a key, a path or a pattern: in prose, a word means many things."""
    texts = (next(group for group in groups if group) for groups in _STRING.findall(identifiers.without_labels(line)))
    bare = (_PLACEHOLDER.sub(" ", text) for text in texts if not re.search(r"\s", _PLACEHOLDER.sub("", text)))
    return {part for text in bare for part in _PART.findall(text)}


def _telling(name: str) -> bool:
    return len(name) >= MIN_PLAIN_LETTERS and name.lower() not in identifiers.COMMON


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
