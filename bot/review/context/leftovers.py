"""Find lines that still use what a change removes.

That is a key, field, constant or text that no added line contains. These lines are shown first and have their
own token limit. Otherwise, the many names that a large change adds would leave no room for the few that it
removes. Pure functions.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from bot.file_kinds import irrelevant_kind
from bot.review.context import akin, identifiers, meaning, usages
from bot.review.context.identifiers import Row
from bot.review.context.usages import Pick
from bot.values import ChangedFile, Unit
from deeprepo.impact.filetypes import family
from deeprepo.impact.text.lines import is_comment
from deeprepo.impact.text.paths import is_product, is_settings, is_test

MIN_PLAIN_LETTERS = 4  # minimum letters of a plain word
MAX_NAMES = 12  # per prompt
MAX_FILES = 20  # files; a name in more files has several meanings
PER_NAME = 2  # lines per name
LINES_BESIDE = 2  # lines before and after, since the next line may use the replacement
_STRING = re.compile(r"\"([^\"\n]{3,200})\"|'([^'\n]{3,200})'|`([^`\n]{3,200})`")
_PLACEHOLDER = re.compile(r"\$?\{[^{}\n]{0,80}\}|%[-\d.]*[a-z]")
_PART = re.compile(r"[A-Za-z_][\w-]{2,60}")
_ACCESSOR = re.compile(r"(?:get|is|set)([A-Z])(\w*)")


def remaining_words(files: Iterable[ChangedFile]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words in the added lines of the whole change, and the parts of their strings.

    A removed value may still exist as a key.
    """
    added_texts = [line.text for file in files for hunk in file.hunks for line in hunk.lines if line.kind == "+"]
    words = chain.from_iterable((*identifiers.words(text), *_PART.findall(text)) for text in added_texts)
    return frozenset(words), frozenset(chain.from_iterable(map(_parts, added_texts)))


def names(unit: Unit, remaining: tuple[frozenset[str], frozenset[str]]) -> frozenset[str]:
    """Return the names in a product region's removed lines that no added line contains.

    The removed lines define or set them, or contain them in strings.
    """
    if not is_product(unit.path):
        return frozenset()
    decided_names = meaning.decided_names([unit])
    definitions = {unit.name.rpartition(".")[2]} if unit.side == "base" else set[str]()
    text_parts: set[str] = set()
    for diff_row, is_text in identifiers.classify_rows(unit):
        if diff_row.sign == "-" and not is_text:
            definitions |= {*identifiers.literals(diff_row.text), *identifiers.words(diff_row.text)} & decided_names
            text_parts |= _parts(diff_row.text) if not identifiers.IMPORT.match(diff_row.text) else set()
    definitions |= {f"{one[1].lower()}{one[2]}" for name in definitions if (one := _ACCESSOR.fullmatch(name))}
    return frozenset(filter(_telling, (definitions - remaining[0]) | (text_parts - remaining[1])))


def first(names: Iterable[str]) -> list[str]:
    """Return the names to search for one prompt: the longest."""
    return sorted(names, key=lambda name: (-usages.distinct(name), name))[:MAX_NAMES]


def pick(
    rows: Mapping[str, Sequence[Row]],
    names_wanted: Sequence[str],
    units: Sequence[Unit],
    shown_lines: Collection[tuple[str, int]],
    changed_lines: Mapping[str, Collection[int]],
) -> list[Pick]:
    """Return the lines that still use such names.

    Names in few files come first, and so do files with related names. `rows`: name -> lines in the tree that
    contain it; `changed_lines`: path -> added lines.
    """
    families = {family(unit.path) for unit in units}
    texts = {part for unit in units for diff_row in unit.removed_rows for part in _parts(diff_row.text)}
    ranked_picks: list[tuple[tuple[int, int, bool], Pick]] = []
    for name in names_wanted:
        lower_name = name.lower()
        losing = [unit for unit in units if any(lower_name in diff_row.text.lower() for diff_row in unit.removed_rows)]
        homes = {unit.path for unit in losing if is_settings(unit.path)}
        if any(hit[0] in homes and hit[1] not in changed_lines.get(hit[0], ()) for hit in rows.get(name, ())):
            continue  # only one entry of a list was removed, and the others have the same keys
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
    """Return the parts of a line's strings that are keys, paths or patterns.

    Prose is left out, because its words are ambiguous.
    """
    texts = (next(group for group in groups if group) for groups in _STRING.findall(identifiers.without_labels(line)))
    bare = (_PLACEHOLDER.sub(" ", text) for text in texts if not re.search(r"\s", _PLACEHOLDER.sub("", text)))
    return {part for text in bare for part in _PART.findall(text)}


def _telling(name: str) -> bool:
    return len(name) >= MIN_PLAIN_LETTERS and name.lower() not in identifiers.COMMON


def _uses(name: str, path: str, text: str) -> bool:
    """Return whether a line likely uses the removed name.

    A plain word must be a string or field, or in a file that isn't program code.
    """
    if is_comment(text, path) or is_test(path) or irrelevant_kind(path):
        return False
    if not identifiers.plain(name):
        return True
    # A key, field or value in such a file, but not a word in a sentence or path
    if usages.OTHER.search(path):
        return bool(
            re.search(rf"[.{{$\"'=\[(]\s*{re.escape(name)}(?![\w.-])|(?<![\w/.-]){re.escape(name)}\s*[:=}}]", text)
        )
    return name in identifiers.string_names(text) or bool(
        re.search(rf"(?:\.|->|\?\.|\[[\"']){re.escape(name)}\b(?!\s*\()", text)
    )
