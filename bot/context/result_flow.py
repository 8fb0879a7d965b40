"""What a caller does with the result of what changed: whether it returns it, where it keeps it, which file or option it gives it to. Pure.

The defect then shows one step further: at a caller of the caller, in the template that the caller fills, in the script that calls it by
an option of the command line.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from bot.context import definitions, identifiers, usages
from bot.text import blocks
from bot.text.filetypes import filetype
from bot.text.lines import is_comment
from bot.text.paths import is_product
from bot.values import Reference, Unit

LONGEST = 200  # lines of a function that is read
MAX_FILES, MAX_OPTIONS = 3, 4  # of one caller; who names more names them all
RETURNS = re.compile(r"\s*(?:return|yield)\b")
_RESULT = re.compile(r"\s*(?:return|yield|throw|raise)\b|.*=>|.*->")
VARIABLE = r"\$?([A-Za-z_]\w*)(?:\s*:[^=]{0,80})?\s*:?=(?![=>])"  # that gets a value, with its type
_GIVEN = re.compile(r"\s*(?:(?:const|let|var|val|auto|final)\s+)?(?:mut\s+)?" + VARIABLE)
_FILE = re.compile(r"[\"'`]([\w./@-]{1,120}\.[A-Za-z][\w.]{0,12})[\"'`]")
_OPTION = re.compile(r"[\"'`](--[a-z][\w-]{2,60})")


def returns(path: str, rows: Sequence[str], row: Reference) -> bool:
    """Whether the function around a use returns what it gets there: in the statement itself, or by a variable."""
    if row.span is None or row.span[1] - row.span[0] > LONGEST or row.line > len(rows):
        return False
    start, end = row.span[0], min(row.span[1], len(rows))
    if any(RETURNS.match(rows[number - 1]) for number in blocks.openings(rows, row.line, start + 1)):
        return True
    if row.line == start:
        return "{" not in rows[start - 1].partition(row.name)[2]
    if filetype(row.path).implicit_result and row.line == _last(path, rows, start, end):
        return True
    return any(RETURNS.match(rows[number - 1]) for number in readings(rows, row))


def readings(rows: Sequence[str], row: Reference) -> list[int]:
    """The lines below a use, in its function, that read the variable which gets its result."""
    start, end = row.span or (row.line, row.line)
    openings = blocks.openings(rows, row.line, start + 1)
    given = next((given for number in openings if (given := _GIVEN.match(rows[number - 1]))), None)
    if given is None:
        return []
    below = range(row.line + 1, min(end, len(rows), start + LONGEST) + 1)
    return [n for n in below if given[1] in identifiers.words(rows[n - 1]) and not is_comment(rows[n - 1], row.path)]


def changes_result(unit: Unit) -> bool:
    """Whether a change of a definition concerns what its callers get: a result, an error, its signature, its last line."""
    changed_rows = [row for row in unit.changed_rows if not is_comment(row.text, unit.path)]
    code = [row for row in unit.rows if re.search(r"\w", row.text)]
    last = {id(row) for row in code[-2:]} if filetype(unit.path).implicit_result else set[int]()
    return any(
        _RESULT.match(row.text) or definitions.names(unit.path, row.text) or id(row) in last for row in changed_rows
    )


def files(rows: Sequence[str], tree: Mapping[str, Sequence[str]]) -> list[str]:
    """The templates, statements, scripts and settings that the code of a file names. `tree`: what `by_file_name` made of the paths."""
    file_names = dict.fromkeys(posixpath.basename(text) for line in rows for text in _FILE.findall(line))
    paths = [path for name in file_names for path in tree.get(name, ())]
    return paths if len(paths) <= MAX_FILES else []


def by_file_name(paths: Iterable[str]) -> dict[str, list[str]]:
    """The paths of templates, statements, scripts and settings by the name of the file."""
    paths_by_name: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        if usages.OTHER.search(path) and is_product(path):
            paths_by_name[posixpath.basename(path)].append(path)
    return paths_by_name


def options(rows: Sequence[str], row: Reference) -> list[str]:
    """The options of the command line that the function around a use names."""
    start, end = row.span or (row.line, row.line)
    texts = rows[start - 1 : min(end, start + LONGEST)]
    return list(dict.fromkeys(text for line in texts for text in _OPTION.findall(line)))[:MAX_OPTIONS]


def _last(path: str, rows: Sequence[str], start: int, end: int) -> int:
    """The last line of a function that is more than a bracket or a comment."""
    numbers = range(end, start, -1)
    return next(
        (
            n
            for n in numbers
            if re.search(r"\w", rows[n - 1]) and not is_comment(rows[n - 1], path) and rows[n - 1].strip() != "end"
        ),
        0,
    )
