"""Cut lines of the head tree for prompts, and track which lines are already shown. Pure functions."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bot import blocks
from bot.diff.units import ShownLines
from bot.review.context import definitions, identifiers
from bot.values import ChangedFile, DiffRow, Excerpt
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.text.lines import defines, special

BODY = 14  # maximum lines of a definition
_TRIPLE = re.compile(r"(\"\"\"|''')")
ABOVE = 12  # lines above in which a variable may be assigned
_CONSTANT = re.compile(r"(?:(?:export|static|final|const|val)\s++)*+([A-Z][A-Z0-9_]{3,}+)\s*+(?::[^=]{0,80})?=(?!=)")
CONSTANT_LINES = 6  # lines of a constant's value
_CONSTANT_NAME = re.compile(r"(?<![\w$])[A-Z][A-Z0-9]*+_[A-Z0-9_]{1,60}+(?![\w$(])")
_VALUE_OF = re.compile(
    r"\s*+#\s*+define\s++([A-Z][A-Z0-9_]++)\s++\S"
    r"|\s*+(?:[\w<>\[\],&']++\s++){0,5}?([A-Z][A-Z0-9]*+_[A-Z0-9_]{1,60}+)(?![\w(.])\s*+(?::[^=]{1,80})?=(?!=)"
)
_TYPE = re.compile(r"(?:export\s++)?(?:class|struct)\s++(\w++)")
_NO_CALL = frozenset({"func", "function", "return", "switch", "while", "catch", "match"})
_CALLED = re.compile(r"(?<![\w$.])(?:(?:self|this|cls)\.)?([A-Za-z_$][\w$]{3,})\(")


def cut(path: str, rows: Sequence[str], numbers: Sequence[int], title: str) -> Excerpt:
    """Return these lines of a file, in order. Overlong lines are omitted, and line numbers show the gaps."""
    short = [number for number in numbers if len(rows[number - 1]) <= definitions.LONG_LINE] or numbers[:1]
    shown_rows = tuple(DiffRow(" ", rows[number - 1], number) for number in short)
    return Excerpt(path, short[0], short[-1], shown_rows, title=title)


def is_mention_only(path: str, rows: Sequence[str], line: int) -> bool:
    """Return whether a line mentions something without using it, as in a multi-line import or a docstring."""
    if line > len(rows):
        return False
    if any(identifiers.IMPORT.match(rows[number - 1]) for number in blocks.openings(rows, line, 1) if number != line):
        return True
    # The end marker of the multi-line string around the line, and whether it is a docstring
    end, is_prose = "", False
    for text in rows[:line] if filetype(path).docstrings else ():
        opening = _TRIPLE.search(text) if not end else None
        if opening:
            end, is_prose = opening[1], not text[: opening.start()].strip(" \trbuRBU")
        if end and end in text[opening.end() if opening else 0 :]:
            end = ""
    return bool(end) and is_prose


def helper(excerpt: Excerpt, line: int, rows: Sequence[str], shown_lines: ShownLines) -> Excerpt | None:
    """Return a function in the same file that is called near this line, because it is often decisive."""
    around = [*blocks.openings(rows, line, excerpt.start)]
    around += _assigning_lines(excerpt.path, rows, around)
    called_names = (name for number in around for name in _CALLED.findall(rows[number - 1]))
    for name in dict.fromkeys(name for name in called_names if name not in _NO_CALL and not special(name)):
        at = next((n for n, text in enumerate(rows, 1) if defines(text, name, excerpt.path)), 0)
        if at in around:
            continue
        numbers = shown_lines.left(excerpt.path, blocks.opening_lines(excerpt.path, rows, at, BODY)) if at else []
        if len(numbers) > 1:
            return cut(excerpt.path, rows, numbers, f"defines {name}, called nearby")
    return None


def _assigning_lines(path: str, rows: Sequence[str], around: Sequence[int]) -> Iterator[int]:
    """Yield the lines shortly above, in the same function, that assign a variable used in some lines."""
    words_used = {word for number in around for word in identifiers.words(rows[number - 1])}
    for number in range(around[0] - 1, max(0, around[0] - ABOVE), -1):
        if definitions.names(path, rows[number - 1]):
            return
        if number not in around and identifiers.assigned_names(rows[number - 1]) & words_used:
            yield number


def stored_shape(excerpts: Sequence[Excerpt], rows: Sequence[str], shown_lines: ShownLines) -> Excerpt | None:
    """Return the types and constants in the same file that lines which load stored data use."""
    path = excerpts[0].path
    words = {word for excerpt in excerpts for diff_row in excerpt.rows for word in identifiers.words(diff_row.text)}
    numbers: list[int] = []
    for number, text in enumerate(rows, 1):
        name = _CONSTANT.match(text) or _TYPE.match(text)
        if name and name[1] in words:
            numbers += blocks.opening_lines(path, rows, number, BODY)
    left = shown_lines.left(path, dict.fromkeys(numbers))
    return cut(path, rows, left, "what is stored, and its version") if left else None


def constants(path: str, rows: Sequence[str], added_texts: Iterable[str], shown_lines: ShownLines) -> Excerpt | None:
    """Return the lines of this file that give the constants in its added lines their values."""
    names = {name for text in added_texts for name in _CONSTANT_NAME.findall(text)}
    defined: dict[str, list[int]] = {}
    for number, text in enumerate(rows, 1) if names else ():
        name = _VALUE_OF.match(text) if len(text) <= definitions.LONG_LINE else None
        if name is not None and name[name.lastindex or 0] in names:
            numbers = blocks.opening_lines(path, rows, number, CONSTANT_LINES)
            defined.setdefault(name[name.lastindex or 0], []).extend(shown_lines.left(path, numbers))
    numbers = sorted({number for lines in defined.values() for number in lines})
    title = ", ".join(name for name, lines in defined.items() if lines)
    return cut(path, rows, numbers, f"defines {title}") if numbers else None


def join(excerpts: Sequence[Excerpt]) -> list[Excerpt]:
    """Join windows of each file in line order, at the position of the file's best one.

    Adjacent windows become one.
    """
    by_path: Mapping[tuple[str, str], list[Excerpt]] = defaultdict(list)
    for excerpt in excerpts:
        by_path[excerpt.path, excerpt.side].append(excerpt)
    return [
        whole for file_excerpts in by_path.values() for whole in _adjacent(sorted(file_excerpts, key=lambda e: e.start))
    ]


def _adjacent(excerpts: Sequence[Excerpt]) -> Iterator[Excerpt]:
    held_back: Excerpt | None = None
    for excerpt in excerpts:
        if held_back is not None and excerpt.start <= held_back.end + 1:
            title = held_back.title if held_back.title == excerpt.title else f"{held_back.title}; {excerpt.title}"
            rows = {diff_row.number: diff_row for diff_row in (*held_back.rows, *excerpt.rows)}
            end = max(held_back.end, excerpt.end)
            held_back = replace(held_back, end=end, rows=tuple(rows[n] for n in sorted(rows)), title=title)
            continue
        if held_back is not None:
            yield held_back
        held_back = excerpt
    if held_back is not None:
        yield held_back


def by_file(excerpts: Iterable[Excerpt], shown_lines: ShownLines) -> list[Excerpt]:
    """Return definitions of one file under one header, without lines that the prompt already shows."""
    by_path: dict[str, list[Excerpt]] = defaultdict(list)
    for excerpt in excerpts:
        if (excerpt.path, excerpt.start) not in shown_lines.lines:
            shown_lines.add(excerpt)
            by_path[excerpt.path].append(excerpt)
    return [_together(sorted(mine, key=lambda excerpt: excerpt.start)) for mine in by_path.values()]


def _together(mine: Sequence[Excerpt]) -> Excerpt:
    names = dict.fromkeys(excerpt.title.removeprefix("defines ") for excerpt in mine)
    rows = {diff_row.number: diff_row for excerpt in mine for diff_row in excerpt.rows}
    merged_rows = tuple(rows[number] for number in sorted(rows))
    return Excerpt(
        mine[0].path, merged_rows[0].number, merged_rows[-1].number, merged_rows, title="defines " + ", ".join(names)
    )


@dataclass(frozen=True, slots=True)
class ShownFile:
    """The excerpts of one file, which a prompt shows in one section."""

    path: str
    overlaps_change: bool  # whether some lines belong to the change and are judged in another prompt
    excerpts: tuple[Excerpt, ...]


def sections(excerpts: Iterable[Excerpt]) -> list[ShownFile]:
    """Return the excerpts by file, in line order, each file at the position of its first excerpt."""
    by_file: dict[tuple[str, str, bool], list[Excerpt]] = defaultdict(list)
    for excerpt in excerpts:
        by_file[excerpt.path, excerpt.side, excerpt.overlaps_change].append(excerpt)
    return [
        ShownFile(path, overlaps_change, tuple(sorted(mine, key=lambda excerpt: excerpt.start)))
        for (path, _, overlaps_change), mine in by_file.items()
    ]


def mark_changes(excerpts: Iterable[Excerpt], files: Iterable[ChangedFile]) -> tuple[Excerpt, ...]:
    """Return the excerpts, with those marked that contain lines of the change itself."""
    added_lines: dict[str, Collection[int]] = {file.path: file.added_lines for file in files}
    return tuple(
        replace(
            excerpt,
            overlaps_change=any(diff_row.number in added_lines.get(excerpt.path, ()) for diff_row in excerpt.rows),
        )
        for excerpt in excerpts
    )
