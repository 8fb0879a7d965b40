"""Find the lines of the head that still contain what the change took away, best first."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from posixpath import basename, dirname

from deeprepo.impact.changes import ChangedFile, Query
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.forgotten.gone import (
    REFERS,
    GoneName,
    GonePaths,
    GoneUse,
    PathIndex,
    gone_names,
    gone_paths,
    stem_of,
)
from deeprepo.impact.forgotten.names import LONGEST_LINE, SHORTEST, given_names, is_history, is_word, runs, words
from deeprepo.impact.forgotten.places import Place, block_lines, places
from deeprepo.impact.forgotten.values import Certainty, ForgottenPlace
from deeprepo.impact.paths import above_of, joined
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import replace
from deeprepo.impact.text.lines import defines
from deeprepo.impact.text.paths import is_catalog, is_license, is_prose, is_vendored, is_workflow

_RANKS: Sequence[Certainty] = ("certain", "alone", "word")
MOST_PLACES = 4
MOST_OF_A_FILE = 2
MOST_LINES = 50_000  # lines of the search's result
_ANCHOR = re.compile(r"(?<![\w./-])([\w./-]*+)#([\w-]+)")
# The path in an address of a file on a branch; a tag or commit has a digit, and keeps its files.
_ON_BRANCH = re.compile(r"/(?:blob|tree)/[^/\d]+/(.+)")

Row = tuple[str, int, str]  # path, line and text


async def find(
    tree: Tree, files: Sequence[ChangedFile], is_made: Callable[[str], bool] = lambda _: False
) -> tuple[ForgottenPlace, ...]:
    """Return the lines that the change may have forgotten. `is_made`: whether a file is generated or vendored."""
    paths = await gone_paths(tree, files)
    gone, uses = await gone_names(tree, files, paths)
    names = {one.name: one for one in gone}
    lost = {*map(_searched, paths.paths), *(name for rows in paths.anchors.values() for name in rows)}
    wanted = {name for name in {*names, *(one.name for one in uses), *lost} if len(name) >= SHORTEST}
    if not wanted:
        return ()
    added = {file.path: file.added_lines for file in files}
    rows = [
        (path, line, text)
        for path, line, text in await tree.grep_lines(
            Query(sorted(wanted), syntax="fixed", word=True, limit=MOST_LINES)
        )
        if len(text) <= LONGEST_LINE and line not in added.get(path, ()) and not (is_vendored(path) or is_made(path))
        if not (is_catalog(path) or is_license(path))
    ]
    found = [*_broken_paths(rows, paths), *await _left_uses(tree, rows, uses), *await _left_names(tree, rows, names)]
    found.sort(key=lambda place: (*_rank(place), place.path not in added, place.path, place.line))
    return _chosen(found)


def _chosen(found: Iterable[ForgottenPlace]) -> tuple[ForgottenPlace, ...]:
    """Return the places to list: one of each name and file, of each certainty one of each name first."""
    by_line = dict[tuple[str, int], ForgottenPlace]()
    for place in found:
        by_line.setdefault((place.path, place.line), place)
    by_name: dict[str, dict[str, ForgottenPlace]] = defaultdict(dict)
    for place in by_line.values():
        by_name[place.name].setdefault(place.path, place)
    order = (
        (_RANKS.index(one.certainty), nth > 0, one)
        for mine in by_name.values()
        for nth, one in enumerate(mine.values())
    )
    by_file, chosen = Counter[str](), list[ForgottenPlace]()
    for *_, place in sorted(order, key=lambda row: row[:2]):
        by_file[place.path] += 1
        if by_file[place.path] <= MOST_OF_A_FILE:
            chosen.append(place)
    chosen = chosen[:MOST_PLACES]
    for at, name in enumerate(place.name for place in chosen):
        more = len(by_name[name]) - sum(place.name == name for place in chosen)
        chosen[at] = replace(chosen[at], more_files=more if name not in (one.name for one in chosen[:at]) else 0)
    return tuple(chosen)


def _searched(path: str) -> str:
    """Return the text by which a path is searched for: without suffixes, unless that is too short."""
    return stem if is_word(stem := stem_of(path)) else basename(path)


def _rank(place: ForgottenPlace) -> tuple[int, int, int, str]:
    return _RANKS.index(place.certainty), place.lines, -len(place.name), place.name


def _broken_paths(rows: Iterable[Row], gone: GonePaths) -> Iterator[ForgottenPlace]:
    """Yield the lines with a path or anchor that led to something before the change, and leads nowhere after it."""
    for path, line, text in rows:
        for run in runs(text):
            branch = _ON_BRANCH.search(run)
            one = branch[1] if branch else run
            before, after = gone.base.leads(one, path), gone.head.leads(one, path)
            lost = [old for old in before if old in gone.paths]
            # a text that was a path from its folder or the root is none if a file elsewhere ends with it
            is_broken = lost and not (any(after.values()) if any(map(before.get, lost)) else after)
            has_folder = "/" in one.lstrip("/")
            if not is_broken or not (has_folder or ("." in one.lstrip(".") and any(map(before.get, lost)))):
                continue
            certainty: Certainty = "certain" if has_folder else "alone"
            new_path = gone.paths[lost[0]]
            if not any(new_path in gone.head.leads(other, path) for other in runs(text)):
                yield ForgottenPlace(path, line, text, run, certainty, lost[0], 0, new_path=new_path)
        for place, name in _ANCHOR.findall(text) if gone.anchors else ():
            document = joined(dirname(path), place) if place else path
            if (at := gone.anchors.get(document, {}).get(name)) is not None:
                yield ForgottenPlace(path, line, text, f"{place}#{name}", "certain", document, at)


async def _left_uses(tree: Tree, rows: Sequence[Row], uses: Sequence[GoneUse]) -> list[ForgottenPlace]:
    """Return the lines with a form that only users of a gone definition write."""
    return [
        ForgottenPlace(*row, one.name, "certain", one.path, one.line)
        for one in uses
        for row in rows
        if one.name in row[2] and re.search(one.form, row[2])
        if one.folder is None or await _runs_here(tree, row, one.folder)
    ]


async def _runs_here(tree: Tree, row: Row, folder: str) -> bool:
    """Return whether a line runs the scripts of the manifest in a folder: no nearer manifest, and no other folder named."""
    path, _, text = row
    if is_prose(path) or "cd " in text:
        return False
    if is_workflow(path):
        return not folder and b"working-directory" not in (await tree.read(path) or b"")
    entries = await tree.entries()
    return next((above for above in (*above_of(path), "") if joined(above, "package.json") in entries), None) == folder


async def _left_names(tree: Tree, rows: Iterable[Row], names: Mapping[str, GoneName]) -> list[ForgottenPlace]:
    """Return the lines in which a gone name that is rare in the head has a place that can refer to it."""
    by_name: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        for name in words(row[2]) & names.keys():
            by_name[name].append(row)
    rare = {name: lines for name, lines in by_name.items() if len(lines) <= names[name].most}
    askers = await tree.read_many(sorted({path for lines in rare.values() for path, _, _ in lines}))
    histories = {path for path, source in askers.items() if is_prose(path) and is_history(source)}
    blocks = {path: block_lines(source) for path, source in askers.items() if is_prose(path)}
    given = {path: given_names(path, source).keys() for path, source in askers.items()}
    in_code = {name for path, mine in given.items() if filetype(path).is_parsed for name in mine}
    in_data = {name for path, mine in given.items() if not filetype(path).is_parsed for name in mine}
    kept = PathIndex(await tree.entries(), {stem_of(name) for name in rare})
    found = []
    for name, lines in rare.items():
        gone = names[name]
        if name in in_code or (gone.is_given and not filetype(gone.path).is_parsed and name in in_data):
            continue
        defined = {path for path, _, text in lines if defines(text, name, path)}
        left = [
            (path, line, text)
            for path, line, text in lines
            if path not in histories and path not in defined and not kept.leads(name, path)
            if _refers(gone, path, text, is_block=line in blocks.get(path, ()))
        ]
        certainty: Certainty = "alone" if gone.is_given else "word"
        found += [
            ForgottenPlace(path, line, text, name, certainty, gone.path, gone.line, gone.is_given, len(left))
            for path, line, text in left
        ]
    return found


def _refers(gone: GoneName, path: str, text: str, *, is_block: bool) -> bool:
    """Return whether the line's place for a name can refer to it, and the line doesn't have the new name too."""
    kinds: set[Place] = {*places(text, path, is_block=is_block).get(gone.name, ())} & REFERS[gone.kind]
    # code that only has a key, or a name in a sentence, gives the name itself or isn't about it
    is_own = (gone.is_given and filetype(gone.path).is_parsed) or gone.kind == "path"
    if filetype(path).is_parsed and not is_own:
        kinds -= {"key", "name", "flag", "folder"}
    return bool(kinds) and words(text).isdisjoint(gone.fresh)
