"""Find other files that contain a marker from the code around a changed line.

A marker is a string such as `__new hunk__` in a text that one function writes and another one parses. The parser may
share no name with the writer. Pure functions.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from bot.file_kinds import irrelevant_kind
from bot.review.context import identifiers
from bot.review.context.identifiers import Row
from bot.review.context.usages import Pick
from bot.values import Unit
from deeprepo.impact.text.lines import is_comment
from deeprepo.impact.text.paths import is_product

NEAR_ROWS = 4  # rows between a changed line and the marker
MAX_MARKERS, MAX_FILES = 6, 3  # markers per prompt; other files that contain one, else it is no marker
MIN_CHARS = 6  # of a marker
LINES_BESIDE = 8  # lines shown before and after it
_STRING = re.compile(r"\"([^\"\n]{4,80})\"|'([^'\n]{4,80})'|`([^`\n]{4,80})`")
# Escapes, placeholders and spaces around the text
_EDGE = re.compile(r"^(?:\\[nrt]|\s)+|(?:\\[nrt]|\s)+$")
_MARKER = re.compile(r"(?=.*[A-Za-z]{2})(?=.*(?:__|[#<>@|~=]))[^\s\\${}]+(?: [^\s\\${}]+)?")


def near_changes(units: Iterable[Unit]) -> list[str]:
    """Return the markers in product code near the changed lines, as many as one prompt searches for."""
    found = dict[str, None]()
    for unit in units:
        changed = [at for at, diff_row in enumerate(unit.rows) if diff_row.sign in ("+", "-")]
        near = {at + away for at in changed for away in range(-NEAR_ROWS, NEAR_ROWS + 1)}
        for at in sorted(near & {*range(len(unit.rows))}) if is_product(unit.path) else ():
            text = unit.rows[at].text
            if not identifiers.IMPORT.match(text):
                strings = (_EDGE.sub("", next(filter(None, groups))) for groups in _STRING.findall(text))
                found |= dict.fromkeys(one for one in strings if len(one) >= MIN_CHARS and _MARKER.fullmatch(one))
    return [*found][:MAX_MARKERS]


def pick(
    rows: Mapping[str, Sequence[Row]],
    wanted: Iterable[str],
    units: Sequence[Unit],
    shown_lines: Collection[tuple[str, int]],
) -> list[Pick]:
    """Return the first line with each marker in other files. `rows`: marker -> lines in the tree that contain it."""
    own = {unit.path for unit in units}
    picks = dict[tuple[str, int], Pick]()
    for marker in wanted:
        hits = [
            (path, line)
            for path, line, text in rows.get(marker, ())
            if path not in own and is_product(path) and not irrelevant_kind(path) and not is_comment(text, path)
        ]
        files = dict(reversed(hits))
        for place in files.items() if len(files) <= MAX_FILES else ():
            if place not in shown_lines:
                title = f'holds "{marker}", a text near the changed lines'
                picks.setdefault(place, Pick(*place, (marker,), defines=False, title=title, beside=LINES_BESIDE))
    return list(picks.values())
