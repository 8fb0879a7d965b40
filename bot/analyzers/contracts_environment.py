"""Variables of the environment that have a new name in the code alone. Hints: another program may read the old one."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from bot.ports import Tree
from bot.text.lines import is_comment
from bot.text.paths import is_code, uses_nothing, vendored_folder
from bot.values import ChangedFile, Evidence, Finding, Query, Source, Verdict
from bot.values.finding import ALSO_BROKEN, MOST_BROKEN, break_of

RULE = "environment-variable"
ROWS = 2_000  # lines that hold one of the names
_READS = re.compile(
    r"(?:\benviron(?:\.get\(|\.pop\(|\[)|[gG]etenv\(|\bLookupEnv\(|\bENV(?:\.fetch\(|\[)|\bprocess\.env(?:\.|\[)|\bimport\.meta\.env\."
    r"|\benv::var(?:_os)?\(|\b(?:\w+_)?env(?:\.\w+)?\()\s*[\"']?([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b"
)
_TABLE = re.compile(r"^\s*(?:\||[*-] .{0,3}`|#+ .{0,3}`)")  # a row, an item or a heading of a document
_PAST = re.compile(
    r"(?:^|/)(?:change|history|news|releas|migrat|upgrad)[^/]*(?:/|\.\w+$)", re.IGNORECASE
)  # it tells of old names
_Row = tuple[str, int, str]  # path, line, text


def _sets(path: str) -> bool:
    """Whether a file gives variables their values: of Compose, Docker, a workflow, a list of them."""
    name = posixpath.basename(path)
    if path.startswith(".github/workflows/") or "Dockerfile" in name:
        return True
    return ("compose" in name and name.endswith((".yml", ".yaml"))) or name.startswith(".env") or name.endswith(".env")


async def renamed_variables(tree: Tree, files: Sequence[ChangedFile]) -> list[Finding]:
    """One hint for each variable that code reads under a new name while files that set or document it have the old one."""
    mine = [file for file in files if not uses_nothing(file.path)]
    new_names = {name for file in mine for name in _read(file, "+")}
    old_names = {name for file in mine for name in _read(file, "-")}
    renames = dict[str, str]()
    for file in mine:
        gone, came = _read(file, "-").keys() - new_names, _read(file, "+").keys() - old_names
        if len(gone) == len(came) == 1:
            renames[gone.pop()] = came.pop()
    rows = await _rows(tree, renames)
    found = []
    for old, new in sorted(renames.items()):
        said = [row for row in rows.get(old, ()) if not vendored_folder(row[0]) and not _PAST.search(row[0])]
        places = [row for row in said if not is_code(row[0]) and (_sets(row[0]) or _TABLE.match(row[2]))]
        if places and not any(is_code(path) and not is_comment(text, path) for path, _, text in said):
            title = f"The code reads `{new}` in the place of `{old}` now, but {places[0][0]} still has the old name"
            why = f"No code of the repository reads the variable `{old}` any more: this change has it read `{new}`."
            effect = f"What is set as `{old}` has no effect, and `{new}` has its default or is missing."
            found.append(_finding((title, why, effect), places, old))
    return found


def _read(file: ChangedFile, kind: str) -> Mapping[str, None]:
    """The variables that the added or removed lines of a file read."""
    lines = (line.text for hunk in file.hunks for line in hunk.lines if line.kind == kind)
    return dict.fromkeys(name for text in lines for name in _READS.findall(text))


async def _rows(tree: Tree, names: Collection[str]) -> Mapping[str, Sequence[_Row]]:
    """The lines that hold each name; nothing where there are too many to be sure of any."""
    if not names:
        return {}
    pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(names)))})(?!\w)"
    rows = await tree.grep_lines(Query([pattern], syntax="perl", limit=ROWS))
    by_name: dict[str, list[_Row]] = defaultdict(list)
    for path, line, text in rows if len(rows) < ROWS else ():
        for name in dict.fromkeys(re.findall(pattern, text)):
            by_name[name].append((path, line, text.rstrip("\r")))
    return {
        name: sorted(mine, key=lambda row: (uses_nothing(row[0]), row[0], row[1])) for name, mine in by_name.items()
    }


def _finding(words: tuple[str, str, str], places: Sequence[_Row], name: str) -> Finding:
    (path, line, text), *others = places
    title, why, effect = words
    more = len({row[0] for row in places}) - 1
    counted = f" {len(places)} lines are affected." if others else ""
    return Finding(
        path=path,
        quote=text,
        title=title + (f" (and {more} more {'file' if more == 1 else 'files'})" if more else ""),
        why=why,
        consequence=effect + counted,
        severity="medium",
        category="broken-caller",
        sources=(
            Source(
                "analyser", "contracts", breaks=tuple(sorted(break_of(name, row[0], row[2].strip()) for row in places))
            ),
        ),
        cause=break_of(RULE, name),
        rule=RULE,
        start=line,
        end=line,
        evidence=tuple(Evidence(path, text, line, note=ALSO_BROKEN) for path, line, text in others[:MOST_BROKEN]),
        verdict=Verdict.UNPROVEN,
    )
