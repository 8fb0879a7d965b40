"""Find the lines of the head that still contain what the change took away, best first."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from posixpath import basename, dirname
from typing import Literal

from deeprepo.impact.changes import ChangedFile, Query
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.forgotten.gone import GoneName, GonePaths, gone_names, gone_paths, stem_of
from deeprepo.impact.forgotten.names import (
    LONGEST_LINE,
    SHORTEST,
    given_names,
    is_history,
    is_plain,
    is_word,
    runs,
    words,
)
from deeprepo.impact.paths import joined
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.paths import is_prose, is_vendored

# "certain": a link or path that led to something before the change, and leads nowhere after it. "alone": a name that
# no changed file gives any more. "word": a word that no added line has.
Certainty = Literal["certain", "alone", "word"]
MOST_PLACES = 4
MOST_LINES = 50_000  # lines of the search's result
_ANCHOR = re.compile(r"(?<![\w./-])([\w./-]*+)#([\w-]+)")

Row = tuple[str, int, str]  # path, line and text


class ForgottenPlace(Struct, frozen=True):
    """A line that still contains what the change took away."""

    path: str
    line: int
    text: str
    name: str
    certainty: Certainty
    source: str  # the file in which the change removed it, or the file or folder itself
    source_line: int  # 0 for a file or folder
    was_given: bool = True  # whether its file gave the name to others; else a removed line only used it
    lines: int = 1  # lines of the head with the name
    new_path: str = ""  # of a renamed file


async def find(
    tree: Tree, files: Sequence[ChangedFile], is_made: Callable[[str], bool] = lambda _: False
) -> tuple[ForgottenPlace, ...]:
    """Return the lines that the change may have forgotten. `is_made`: whether a file is generated or vendored."""
    paths = await gone_paths(tree, files)
    names = {one.name: one for one in await gone_names(tree, files, paths.paths)}
    wanted = {*names, *map(_searched, paths.paths), *(name for rows in paths.anchors.values() for name in rows)}
    if not wanted:
        return ()
    query = Query(sorted(name for name in wanted if len(name) >= SHORTEST), syntax="fixed", word=True, limit=MOST_LINES)
    added = {file.path: file.added_lines for file in files}
    rows = [
        (path, line, text)
        for path, line, text in await tree.grep_lines(query)
        if len(text) <= LONGEST_LINE and line not in added.get(path, ()) and not (is_vendored(path) or is_made(path))
    ]
    found = [*_broken_paths(rows, paths), *await _left_names(tree, rows, names)]
    found.sort(key=lambda place: (*_rank(place), place.path not in added, place.path, place.line))
    best: dict[tuple[str, int], ForgottenPlace] = {}
    for place in found:
        best.setdefault((place.path, place.line), place)
    return tuple(best.values())[:MOST_PLACES]


def _searched(path: str) -> str:
    """Return the text by which a path is searched for: without suffixes, unless that is too short."""
    return stem if is_word(stem := stem_of(path)) else basename(path)


def _rank(place: ForgottenPlace) -> tuple[bool, int, bool, int, str]:
    return place.certainty != "certain", place.lines, place.certainty != "alone", -len(place.name), place.name


def _broken_paths(rows: Iterable[Row], gone: GonePaths) -> Iterator[ForgottenPlace]:
    """Yield the lines with a path or anchor that led to something before the change, and leads nowhere after it."""
    for path, line, text in rows:
        for run in runs(text):
            before, after = gone.base.leads(run, path), gone.head.leads(run, path)
            lost = [one for one in before if one in gone.paths]
            # a text that was a path from its folder or the root is none if a file elsewhere ends with it
            is_broken = lost and not (any(after.values()) if any(map(before.get, lost)) else after)
            if is_broken and ("/" in run or not is_plain(run)):
                certainty: Certainty = "certain" if "/" in run else "alone"
                yield ForgottenPlace(path, line, text, run, certainty, lost[0], 0, new_path=gone.paths[lost[0]])
        for place, name in _ANCHOR.findall(text) if gone.anchors else ():
            document = joined(dirname(path), place) if place else path
            if (at := gone.anchors.get(document, {}).get(name)) is not None:
                yield ForgottenPlace(path, line, text, f"{place}#{name}", "certain", document, at)


async def _left_names(tree: Tree, rows: Iterable[Row], names: Mapping[str, GoneName]) -> list[ForgottenPlace]:
    """Return the lines with a gone name that is rare in the head."""
    by_name: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        for name in words(row[2]) & names.keys():
            by_name[name].append(row)
    rare = {name: lines for name, lines in by_name.items() if len(lines) <= names[name].most}
    askers = await tree.read_many(sorted({path for lines in rare.values() for path, _, _ in lines}))
    histories = {path for path, source in askers.items() if is_prose(path) and is_history(source)}
    given = {name for path, source in askers.items() for name in given_names(path, source)}
    found = []
    for name, lines in rare.items():
        gone = names[name]
        if gone.is_given and name in given:
            continue
        certainty: Certainty = "alone" if gone.is_given else "word"
        found += [
            ForgottenPlace(path, line, text, name, certainty, gone.path, gone.line, gone.is_given, len(lines))
            for path, line, text in lines
            if path not in histories and (gone.is_given or len(lines) == 1 or not filetype(path).is_parsed)
        ]
    return found
