"""`python -P -m deeprepo.impact BASE..HEAD`: what a change of the repository around breaks, and what its new lines name that is not there.

`-P` keeps the modules of that repository out of the search path.
"""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Sequence

from deeprepo.impact import dropped, explain
from deeprepo.impact.changes import ChangedFile, Dependents
from deeprepo.impact.declarations import check as declarations
from deeprepo.impact.git import GitTree
from deeprepo.impact.new_lines.report import report
from deeprepo.impact.schemas import check as schemas
from deeprepo.impact.uses.breaks import broken, left_behind
from deeprepo.impact.uses.find import find
from deeprepo.impact.uses.steps import TRACE, Trace
from deeprepo.impact.values import Report
from deeprepo.impact.views import OneSide

Row = tuple[str, int, str]  # path, line, message


def main() -> int:
    """Print one line for each finding; return 1 if there are findings, exit with 2 on an error.

    `explain` prints how one line was judged, and returns 0.
    """
    parser = argparse.ArgumentParser(
        prog="python -m deeprepo.impact", usage="%(prog)s [explain] BASE..HEAD [PATH:LINE]", description=__doc__
    )
    parser.add_argument("change", metavar="BASE..HEAD", help="two commits of the repository in this folder")
    is_explaining = sys.argv[1:2] == ["explain"]
    if is_explaining:
        parser.add_argument("place", metavar="PATH:LINE", help="a line of the head")
    arguments = parser.parse_args(sys.argv[2:] if is_explaining else None)
    base, dots, head = arguments.change.partition("..")
    if not dots or not base or "-" in (base[:1], head[:1]):
        parser.error("give two commits: BASE..HEAD")
    path, _, number = arguments.place.rpartition(":") if is_explaining else ("", "", "")
    if is_explaining and not (path and number.isdecimal()):
        parser.error("give the line to explain as PATH:LINE")
    trace = Trace()
    TRACE.set(trace if is_explaining else None)
    conclusions: dict[tuple[str, int, str], str] = {}
    try:
        tree = GitTree(".", base, head or "HEAD")
        rows, users, added = asyncio.run(look(tree, conclusions))
        texts = asyncio.run(explain.old_line(tree, trace, users, path, int(number))) if is_explaining else []
    except (OSError, explain.NoSuchLineError) as error:
        parser.error(str(error))
    for note in users.cut:
        sys.stderr.write(f"{note}\n")
    if is_explaining:
        place = (path, int(number))
        said = {name: says for (*at, name), says in conclusions.items() if (*at,) == place}
        findings = [says for path, line, says in sorted(rows) if (path, line) == place]
        texts += explain.new_line(said, added, *place)
        sys.stdout.writelines(f"{text}\n" for text in (*texts, *explain.reported(findings)))
        return 0
    for path, line, says in sorted(rows):
        sys.stdout.write(f"{path}:{line}: {says}\n")
    return int(bool(rows))


async def look(
    tree: GitTree, conclusions: dict[tuple[str, int, str], str] | None = None
) -> tuple[list[Row], Dependents, Report]:
    """Return all findings for a change, its dependents, and what its new lines refer to."""
    files = [file for file in await tree.changed() if not file.is_vendored]
    users = await find(tree, files)
    rows: list[Row] = []
    for one in broken(users):
        row, certain = one.reference, "may break" if one.reference.likely else "breaks"
        what = one.name if one.name == one.home else f"{one.name} of {one.home}"
        says = f": this line {one.misfit.says}" if one.misfit is not None else " was removed"
        rows.append((row.path, row.line, f"{certain}: {what}{says} [{one.rule}]"))
    for key, own in left_behind(users):
        rows.append((own.path, own.start, f"breaks: {own.name} overrides {key} as it was [override]"))
    lines = {file.path: file.added_lines for file in files if file.is_analyzed}
    added = await report(OneSide(tree, "head"), lines, OneSide(tree, "base"), conclusions)
    rows += [
        (place.path, place.line, f"breaks: `{place.name}` {place.says or 'is not there'} [{place.rule}]")
        for place in added.places
    ]
    rows += [row async for row in _of_data(tree, files)]
    return rows, users, added


async def _of_data(tree: GitTree, files: Sequence[ChangedFile]) -> AsyncIterator[Row]:
    """Yield the lines that use something removed from a schema or data file."""
    change = await schemas.compare(tree, files)
    for one, uses in (await schemas.find_uses(tree, change, change.complete)).uses.items():
        for use in uses:
            certain = "breaks" if use.sure else "may break"
            yield use.path, use.line, f"{certain}: {one.element} {one.change} in {one.path} [{one.rule}]"
    for gone in (await declarations.compare(tree, files)).breaks:
        for name in gone.uses:
            what = "is now required" if gone.is_required else "is declared nowhere"
            yield name.path, name.line, f"breaks: {gone.scope.kind} `{gone.name}` {what} [declarations]"
    for lost in (await dropped.compare(tree, files)).dropped:
        certain = "breaks" if lost.certainty == "proven" else "may break"
        for path, line, _ in lost.uses:
            yield path, line, f"{certain}: {lost.manifest} no longer provides `{lost.name}` [dependency]"


if __name__ == "__main__":
    sys.exit(main())
