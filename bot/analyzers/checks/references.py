"""Find imports in new lines that lead nowhere, or take a name that the imported file doesn't offer.

`contracts` checks the other direction, what a changed definition breaks.
"""

import re
from collections.abc import Sequence

from bot.values import Absence, Basis, ChangedFile, Dependents, Finding, Judgement, Source, Verdict
from bot.values.finding import proof_id
from deeprepo.impact import new_lines
from deeprepo.impact.language import language_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.reading.faults import faults
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.breaks import REPORTED, compare
from deeprepo.impact.values import Place

UNREAD = "it could not be parsed"
LEFT_OUT = "checking the change needs more files than one check reads"


class References:
    """The check for the languages of `impact`. Implements `ports.Analyzer`."""

    NAME = "references"

    def wants(self, file: ChangedFile) -> bool:
        """Return whether the change adds code that can contain references."""
        return file.is_analyzed and bool(file.added_lines) and new_lines.knows(file.path)

    async def check(self, tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> Judgement:
        """Return one finding per cause and file, with the other lines as evidence."""
        change = {file.path: file.added_lines for file in files}
        report = await new_lines.report(tree, change)
        told = _told(dependents)
        places = [place for place in report.places if not told & _reported_names(place)]
        texts = await tree.read_many(sorted({place.path for place in places}))
        lines = {path: file_lines(source) for path, source in texts.items()}
        damaged = {
            path for path in {place.path for place in places} if await _is_damaged(tree, path, files, texts[path])
        }
        return Judgement(
            tuple(
                _finding(place, lines[place.path], proves=place.certainty == "proven" and place.path not in damaged)
                for place in places
            ),
            frozenset(report.looked.files),
            tuple((path, UNREAD) for path in report.looked.unread)
            + tuple((path, LEFT_OUT) for path in report.looked.left_out),
        )

    def absence(self, finding: Finding, dependents: Dependents) -> Absence:  # noqa: ARG002
        """Return fixed, because every added line is resolved each time."""
        return "fixed"


async def _is_damaged(tree: Tree, path: str, files: Sequence[ChangedFile], head: bytes) -> bool:
    """Return whether the change added syntax errors to a file. Then nothing in it is proven."""
    if not faults(path, head):
        return False
    before = next((file.old_path for file in files if file.path == path), None)
    base = await tree.read(before, "base") if before else None
    return base is None or not faults(before or path, base)


def _told(dependents: Dependents) -> frozenset[tuple[str, str]]:
    """Return file and name of the references that `contracts` reports, so that none is reported twice."""
    verdicts = compare(dependents)
    return frozenset(
        (reference.path, reference.name)
        for reference in dependents.references
        if reference.missing
        or reference.likely
        or verdicts.get((reference.symbol, reference.path, reference.line)) == REPORTED
    )


def _reported_names(place: Place) -> set[tuple[str, str]]:
    return {(place.path, _last(name)) for name in (place.name, place.here) if name}


def _last(name: str) -> str:
    return re.split(r"[./:\\]", name)[-1]


def _finding(place: Place, lines: Sequence[str], *, proves: bool) -> Finding:
    known = language_of(place.path)
    proof = proof_id(place.rule, f"{place.home} {place.name}") if proves else ""
    return Finding(
        path=place.path,
        quote=lines[place.line - 1],
        title=_title(place),
        why=_why(place),
        consequence=f"This line {known.fails[place.rule]}." if known is not None else "",
        severity="medium" if is_test(place.path) or place.certainty != "proven" else "high",
        category="broken-caller",
        basis=Basis(
            (Source("analyser", References.NAME, proof=proof),), verdict=Verdict.PROVEN if proves else Verdict.UNPROVEN
        ),
        rule=place.rule,
        start=place.line,
        end=place.line,
    )


def _title(place: Place) -> str:
    """Return what is wrong. A similar name is asked as a question for a person, and no fix uses it."""
    near = f"; did you mean {' or '.join(f'`{name}`' for name in place.near)}?" if place.near else ""
    if place.rule == "missing-module":
        return f"`{place.name}` is not in this repository{near}"
    if place.name == "default":
        return f"{place.home} has no default export"
    return f"`{_last(place.name)}` is not in {place.home}{near}"


def _why(place: Place) -> str:
    if place.rule == "missing-module":
        return f"{place.path}:{place.line} imports `{place.name}`, which matches no file in the repository."
    return f"{place.path}:{place.line} imports `{place.name}`; {place.home} neither defines nor re-exports it."


ANALYZER = References
