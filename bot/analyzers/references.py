"""Find missing modules, names and members in new lines, and calls that do not match.

`impact` finds them and reports nothing if it is not certain. `contracts` checks the other direction, what a
changed definition breaks.
"""

import re
from collections.abc import Mapping, Sequence

from bot.render import count
from bot.values import Absence, Basis, ChangedFile, Dependents, Evidence, Finding, Judgement, Source, Verdict
from bot.values.finding import ALSO_BROKEN, FindingTexts, proof_id
from deeprepo import impact
from deeprepo.impact.ports import Tree
from deeprepo.impact.reading.faults import faults
from deeprepo.impact.structs import replace
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.breaks import REPORTED, compare
from deeprepo.impact.views import OneSide

UNREAD = "it could not be parsed"
LEFT_OUT = "checking the change needs more files than one check reads"
ROOT = "the root package"
FURTHER_LINES = 6  # further lines with the same cause


class References:
    """The check for the languages of `impact`. Implements `ports.Analyzer`."""

    NAME, READS = "references", "code whose imports and calls can be resolved in the repository"

    def wants(self, file: ChangedFile) -> bool:
        """Return whether the change adds code that can contain references."""
        return file.is_analyzed and bool(file.added_lines) and impact.knows(file.path)

    async def check(self, tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> Judgement:
        """Return one finding per cause and file, with the other lines as evidence."""
        change = {file.path: file.added_lines for file in files}
        report = await impact.report(OneSide(tree, "head"), change, OneSide(tree, "base"))
        told = _told(dependents)
        places = [place for place in report.places if not told & _reported_names(place)]
        texts = await tree.read_many(sorted({path for place in places for path in (place.path, place.source) if path}))
        lines = {path: file_lines(source) for path, source in texts.items()}
        damaged = {
            path for path in {place.path for place in places} if await _is_damaged(tree, path, files, texts[path])
        }
        return Judgement(
            tuple(
                _finding(place, lines, proves=place.certainty == "proven" and place.path not in damaged)
                for place in places
            ),
            frozenset(report.looked.files),
            tuple((path, UNREAD) for path in report.looked.unread)
            + tuple((path, LEFT_OUT) for path in report.looked.left_out),
            tuple(dict.fromkeys(_limit(place) for place in report.built if not told & _reported_names(place))),
        )

    def absence(self, finding: Finding, dependents: Dependents) -> Absence:  # noqa: ARG002
        """Return fixed, because every added line is resolved each time."""
        return "fixed"


def build() -> References:
    """Return a separate check for each review."""
    return References()


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


def _reported_names(place: impact.Place) -> set[tuple[str, str]]:
    return {(place.path, _last(name)) for name in (place.name, place.here) if name}


def _limit(place: impact.Place) -> str:
    if place.rule == "arguments":
        return f"unchanged calls of `{place.asked}` ({place.source}) do not match its signature either, so new calls were not checked"
    return f"`{place.home or place.name}` has files outside the repository, so new references to it were not checked"


def _last(name: str) -> str:
    return re.split(r"[./:\\]", name)[-1]


def _finding(place: impact.Place, lines: Mapping[str, Sequence[str]], *, proves: bool) -> Finding:
    mine = lines[place.path]
    many = f" This also applies to {count(len(place.also), 'more line')} in this file." if place.also else ""
    title, effect = _title(place), f"This line {place.happens}.{many}"
    evidence = [
        Evidence(
            place.path,
            mine[line - 1],
            line,
            note=ALSO_BROKEN,
            telling=FindingTexts(title, _why(replace(place, line=line)), effect),
        )
        for line in place.also[:FURTHER_LINES]
    ]
    if place.definition is not None and place.source in lines:
        there = place.definition.line
        evidence.insert(0, Evidence(place.source, lines[place.source][there - 1], there, note="definition"))
    proof = proof_id(place.rule, f"{place.home} {place.name}") if proves else ""
    return Finding(
        path=place.path,
        quote=mine[place.line - 1],
        title=title,
        why=_why(place),
        consequence=effect,
        severity="medium" if is_test(place.path) or place.certainty != "proven" else "high",
        category="broken-caller",
        basis=Basis(
            (Source("analyser", References.NAME, proof=proof),), verdict=Verdict.PROVEN if proves else Verdict.UNPROVEN
        ),
        rule=place.rule,
        start=place.line,
        end=place.line,
        evidence=tuple(evidence),
    )


def _title(place: impact.Place) -> str:
    """Return what is wrong. A similar name is asked as a question for a person, and no fix uses it."""
    near = f"; did you mean {' or '.join(f'`{name}`' for name in place.near)}?" if place.near else ""
    if place.rule == "missing-module":
        return f"`{place.name}` is not in this repository{near}"
    if place.rule == "arguments":
        return f"`{place.name}()` {place.says}{near}"
    if place.name == "default":
        return f"{place.home} has no default export"
    if place.owner:
        return f"`{place.owner}` has no `{_last(place.name)}`{near}"
    return f"`{_last(place.name)}` is not in {place.home or ROOT}{near}"


def _why(place: impact.Place) -> str:
    place_text = f"{place.path}:{place.line}"
    if place.rule == "missing-module":
        return f"{place_text} imports `{place.name}`, which matches no file in the repository."
    if place.rule == "arguments" and place.definition is not None:
        head = place.definition.head.rstrip(" {:")
        return f"The call at {place_text} does not match `{head}` ({place.source}:{place.definition.line}): it {place.says}."
    if place.owner:
        return f"{place_text} uses `{place.name}`; `{place.owner}` ({place.home}) neither defines nor inherits it."
    verb = "imports" if place.here else "uses"
    return f"{place_text} {verb} `{place.name}`; {place.home or ROOT} neither defines nor re-exports it."
