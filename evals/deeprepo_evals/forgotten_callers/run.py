"""Ask the offline review about each commit that forgot a caller."""

import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from bot.errors import DeepRepoError
from bot.sections.overlooked import OVERLOOKED, ListedPlace
from bot.values import Finding, TypedChange
from bot.wiring.review import local_review
from deeprepo_evals.clones import clones
from deeprepo_evals.forgotten_callers.callers import Caller
from deeprepo_evals.tables import align

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Result:
    """What the review of the commit reported of a caller."""

    caller: Caller
    is_named: bool
    is_proven: bool
    others: int  # findings about other files or names


async def review(repos: Path, rows: Sequence[Caller], say: Say) -> tuple[list[Result], list[str]]:
    """What is reported of each caller, and the repositories without a clone that holds the commit."""
    known = clones(repos)
    results, absent = [], []
    by_commit: dict[tuple[str, str, str], list[Caller]] = {}
    for caller in rows:
        if not caller.reason:
            by_commit.setdefault((caller.repo, caller.parent, caller.broke), []).append(caller)
    for count, ((repo, parent, broke), mine) in enumerate(by_commit.items(), 1):
        say(f"{count} of {len(by_commit)}: {repo} {broke[:8]}")
        told = await _told(known[repo], parent, broke) if repo in known else None
        if told is None:
            absent.append(f"{repo} {broke[:8]}")
            continue
        for caller in mine:
            hits = [finding for finding in told.findings if _names(finding, caller)]
            is_proven = any(finding.verdict == "proven" for finding in hits)
            is_listed = any(_lists(row, caller) for row in told.listed)
            results.append(Result(caller, bool(hits) or is_listed, is_proven, len(told.findings) - len(hits)))
    return results, absent


class _Told(NamedTuple):
    findings: list[Finding]
    listed: Sequence[ListedPlace]


async def _told(clone: Path, parent: str, broke: str) -> _Told | None:
    with tempfile.TemporaryDirectory(prefix="deeprepo-forgotten-") as scratch:
        try:
            request = TypedChange(str(clone), base=parent, head=broke)
            done = await local_review(request, {"strategy": "offline"}, scratch)
        except DeepRepoError:
            return None
    return _Told([one.finding for one in done.reported], OVERLOOKED.of(done))


def _lists(row: ListedPlace, caller: Caller) -> bool:
    words = set(re.findall(r"[\w$]+", f"{row.name} {row.says}"))
    return row.path == caller.user and any(name.name in words for name in caller.names)


def _names(finding: Finding, caller: Caller) -> bool:
    """Whether a finding is in the forgotten file and names what is gone."""
    paths = {finding.path, *(item.path for item in finding.evidence if item.is_broken)}
    quotes = " ".join(item.quote for item in finding.evidence if item.path in paths)
    words = set(re.findall(r"[\w$]+", f"{finding.title} {finding.why} {finding.quote} {quotes}"))
    return caller.user in paths and any(name.name in words for name in caller.names)


def table(results: Sequence[Result], absent: Sequence[str]) -> str:
    """A line for each caller, then the counts of each half and of all."""
    lines = [
        f"{'proven' if one.is_proven else 'named ' if one.is_named else '-     '}  {one.caller.repo} {one.caller.broke[:8]}"
        f" {one.caller.user}:{one.caller.names[0].lines[0]} {one.caller.names[0].name}"
        f" (repaired {one.caller.later} {'commit' if one.caller.later == 1 else 'commits'} later)"
        for one in results
    ]
    rows = [
        (label, mine)
        for label in ("build", "test", "both")
        if (mine := [one for one in results if label in (one.caller.half, "both")])
    ]
    counts = align(
        ("half", "callers", "repositories", "commits", "named", "proven"),
        [
            (
                label,
                str(len(mine)),
                str(len({one.caller.repo for one in mine})),
                str(len({one.caller.broke for one in mine})),
                str(sum(one.is_named for one in mine)),
                str(sum(one.is_proven for one in mine)),
            )
            for label, mine in rows
        ],
    )
    missing = [f"without a clone that holds the commit: {', '.join(absent)}"] if absent else []
    return "\n".join([*lines, "", counts, *missing])
