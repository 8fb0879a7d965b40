"""`python -P -m deeprepo.impact BASE..HEAD`: what a change of the repository around breaks, and what its new lines name that is not there.

`-P` keeps the modules of that repository out of the search path.
"""

import argparse
import asyncio
import sys

from deeprepo.impact import explain
from deeprepo.impact.changes import Dependents
from deeprepo.impact.git import GitTree
from deeprepo.impact.new_lines import report
from deeprepo.impact.uses.breaks import broken, left_behind
from deeprepo.impact.uses.find import find
from deeprepo.impact.uses.steps import TRACE, Trace

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
    try:
        tree = GitTree(".", base, head or "HEAD")
        rows, dependents = asyncio.run(look(tree))
    except OSError as error:
        parser.error(str(error))
    for note in dependents.cut:
        sys.stderr.write(f"{note}\n")
    if is_explaining:
        findings = [says for *place, says in sorted(rows) if place == [path, int(number)]]
        texts = explain.Explanation(trace, dependents, path, int(number)).rows(findings)
        sys.stdout.writelines(f"{text}\n" for text in texts)
        return 0
    for path, line, says in sorted(rows):
        sys.stdout.write(f"{path}:{line}: {says}\n")
    return int(bool(rows))


async def look(tree: GitTree) -> tuple[list[Row], Dependents]:
    """Return all findings for a change, and its dependents."""
    files = [file for file in await tree.changed() if not file.is_vendored]
    dependents = await find(tree, files)
    rows: list[Row] = []
    for one in broken(dependents):
        row, certain = one.reference, "may break" if one.reference.likely else "breaks"
        what = one.name if one.name == one.home else f"{one.name} of {one.home}"
        says = f": this line {one.misfit.says}" if one.misfit is not None else " was removed"
        rows.append((row.path, row.line, f"{certain}: {what}{says} [{one.rule}]"))
    for key, own in left_behind(dependents):
        rows.append((own.path, own.start, f"breaks: {own.name} overrides {key} as it was [override]"))
    lines = {file.path: file.added_lines for file in files if file.is_analyzed}
    for place in (await report(tree, lines)).places:
        certain = "breaks" if place.certainty == "proven" else "may break"
        rows.append((place.path, place.line, f"{certain}: `{place.name}` is not there [{place.rule}]"))
    return rows, dependents


if __name__ == "__main__":
    sys.exit(main())
