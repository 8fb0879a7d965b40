"""Fix findings in a copy of the head, and check the result with type checkers and a static review."""

import asyncio
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from bot import checkout, pipeline
from bot.brief import Brief
from bot.checkout.amending import amend
from bot.checkout.own_git_dir import locate
from bot.errors import DeepRepoError, NothingToReview, UsageError
from bot.findings import fixes
from bot.machine import files
from bot.ports import Confirms
from bot.review.analyzer_worker import load_analyzer
from bot.values import Finding, PlacedFinding, PullRequest, Review, TypedChange
from bot.values.fixing import Fix, FixCheck
from bot.wiring import review

MAX_ATTEMPTS = 3  # to keep part of the fixes if other fixes cause new findings
MAX_FIXED_BYTES = 8 << 20  # of a changed file in the work tree
SCOPES = {"staged changes": "staged", "uncommitted changes": "uncommitted"}
CODE_SOURCES = frozenset({"analyser"})


def fixable(review_done: Review, names: Collection[str] = ()) -> tuple[PlacedFinding, ...]:
    """Return the findings to fix: those with these numbers or identities, or all that have an automatic fix.

    Raises UsageError if there is no finding with one of these names.
    """
    if not names:
        return review_done.fixable
    rows = [
        placed_finding for placed_finding in review_done.findings if placed_finding.finding.status in ("new", "still")
    ]
    selection = []
    for name in names:
        row = next(
            (placed_finding for placed_finding in rows if _is_named(placed_finding.finding, name.removeprefix("#"))),
            None,
        )
        if row is None:
            if any(
                _is_named(finding, name.removeprefix("#")) for finding in review_done.findings_with_status("silenced")
            ):
                raise UsageError(f"finding {name} is silenced, so it was not fixed")
            numbers = ", ".join(
                str(placed_finding.finding.number) for placed_finding in rows if placed_finding.finding.number
            )
            raise UsageError(
                f"the review has no finding {name}, only {numbers}" if numbers else "the review has no findings"
            )
        selection.append(row)
    return tuple(
        dict.fromkeys(
            [*selection, *(placed_finding for placed_finding in rows if _has_same_contract(placed_finding, selection))]
        )
    )


def _is_named(finding: Finding, name: str) -> bool:
    return name in (str(finding.number or ""), finding.fingerprint, finding.identity)


def _has_same_contract(placed_finding: PlacedFinding, others: Sequence[PlacedFinding]) -> bool:
    """Return whether a finding is about another caller of the same definition, to be fixed together."""
    mine = _definitions(placed_finding.finding)
    return bool(mine and placed_finding.finding.rewrites) and any(
        not mine.isdisjoint(_definitions(other.finding)) for other in others
    )


def _definitions(finding: Finding) -> frozenset[tuple[str, int]]:
    """Return the locations before the change of the definitions whose callers a finding reports as broken."""
    if not finding.rewrites:
        return frozenset()
    return frozenset(
        (item.path, item.line) for item in finding.evidence if item.side == "base" and item.note == "before"
    )


def unmentioned(review_done: Review, fix: Fix) -> tuple[int, ...]:
    """Return the numbers of open findings that the fix neither fixes nor refuses."""
    mentioned = {finding.identity for finding in (*fix.findings, *(finding for finding, _ in fix.refusals))}
    return tuple(
        finding.number for finding in review_done.open_findings if finding.number and finding.identity not in mentioned
    )


async def fix_and_check(rows: Sequence[PlacedFinding], brief: Brief, scratch: str) -> tuple[Fix, FixCheck]:
    """Fix the findings, and return the new contents with the results of a static review of them.

    If a file has a new finding after the fixes, all fixes in this file are reverted, and the new finding is
    listed in `Fix.problems`. Nothing is written outside `scratch`, and no code from the repository is run.
    """
    async with checkout.Checkout(brief.pull) as tree:
        fix = await fixes.fix(rows, tree)
        by_code = replace(brief, settings=brief.settings.with_flags(strategy="offline"), allowed=())
        before = await _static_findings(by_code, scratch) if fix else ()
        refused: tuple[tuple[Finding, str], ...] = ()
        problems: dict[str, None] = {}
        left = list(rows)
        for attempt in range(MAX_ATTEMPTS):
            if not fix:
                break
            amended = await amend(brief.pull, fix.contents, scratch)
            check = compare(fix.findings, before, await _static_findings(replace(by_code, pull=amended), scratch))
            new = [(one.path, f"{one.path}:{one.start} {one.title}") for one in check.new]
            new += await _new_errors(brief, amended, fix)
            if not new:
                return replace(fix, refusals=(*fix.refusals, *refused), problems=tuple(problems)), check
            problems |= dict.fromkeys(sentence for _, sentence in new)
            suspects = _in_files(left, {path for path, _ in new}) if attempt + 1 < MAX_ATTEMPTS else []
            fixed = {finding.identity for finding in fix.findings}
            reverted = [row for row in suspects or left if row.finding.identity in fixed] or left
            refused += tuple((row.finding, "worse") for row in reverted)
            left = [row for row in left if row not in reverted]
            fix = await fixes.fix(left, tree)
        return replace(fix, refusals=(*fix.refusals, *refused), problems=tuple(problems)), FixCheck()


def _in_files(rows: Sequence[PlacedFinding], paths: set[str]) -> list[PlacedFinding]:
    return [row for row in rows if not paths.isdisjoint({rewrite.path for rewrite in row.rewrites})]


async def _new_errors(brief: Brief, amended: PullRequest, fix: Fix) -> list[tuple[str, str]]:
    step = replace(amended, base=brief.pull.head)  # a change that only consists of the fix
    found: list[tuple[str, str]] = []
    async with checkout.Checkout(step) as tree:
        for name in brief.settings.analyzers:
            checker = load_analyzer(name)
            if isinstance(checker, Confirms):
                with suppress(DeepRepoError):  # if the checker can't run, the review of the result reports it
                    errors = await checker.regressions(tree, tuple(fix.contents))
                    found += [(one.path, f"{one.path}:{one.line} {name}: {one.summary}") for one in errors]
    return found


def compare(findings: Sequence[Finding], before: Sequence[Finding], after: Sequence[Finding]) -> FixCheck:
    """Return which findings after a fix are new, and which fixed findings are still reported."""
    old = Counter(finding.identity for finding in before)
    by_code = [finding for finding in findings if any(source.kind in CODE_SOURCES for source in finding.basis.sources)]
    # A finding with unfixed lines is still reported for these.
    marks = {finding.identity for finding in by_code if not finding.unfixed_lines}
    still = tuple(finding for finding in after if finding.identity in marks)
    new = []
    for finding in after:
        old[finding.identity] -= 1
        if old[finding.identity] < 0:
            new.append(finding)
    return FixCheck(tuple(new), still, len(by_code))


async def _static_findings(brief: Brief, scratch: str) -> tuple[Finding, ...]:
    """Return all findings of a static review, including silenced ones."""
    try:
        review_by_code = await pipeline.review(brief, review.tools(brief, scratch, lambda _: None))
    except NothingToReview:  # the fix reverts the whole change
        return ()
    return (
        *review_by_code.open_findings,
        *review_by_code.findings_with_status("below"),
        *review_by_code.findings_with_status("silenced"),
    )


def fix_work_tree(
    review_done: Review,
    rows: Sequence[PlacedFinding],
    repo: str,
    scratch: str,
    origin: tuple[tuple[str, str], ...] = (),
    *,
    keep: bool = False,
) -> tuple[Fix, FixCheck]:
    """Fix the findings in the work tree.

    Raises UsageError, and changes nothing, if it differs from what was reviewed.
    `origin`: the option that names the review's file, and the file. `keep`: don't change the work tree.
    """
    top = locate(repo).top
    if top is None:
        raise UsageError("a bare repository has no files to fix. Run this command in a checkout")
    if not keep and review_done.pull.head_name not in SCOPES:
        refuse_unless_checked_out(repo, review_done.pull.head, scratch)
    fix, check = asyncio.run(_fix_reviewed(review_done.pull, rows, repo, scratch, origin))
    if not keep:
        write(fix, Path(top))
    return fix, check


def refuse_unless_checked_out(repo: str, head: str, scratch: str) -> None:
    """Raise UsageError unless the change's head is checked out, because fixes could break other code."""
    if not asyncio.run(checkout.is_checked_out(repo, head, scratch)):
        raise UsageError(
            f"the review is about {head}, which is not checked out here, so nothing was changed. Check out {head},"
            " or print the fixes with `deeprepo fix REVIEW.JSON --patch`"
        )


async def _fix_reviewed(
    pull: PullRequest, rows: Sequence[PlacedFinding], repo: str, scratch: str, origin: tuple[tuple[str, str], ...]
) -> tuple[Fix, FixCheck]:
    here = await _here(pull, repo, scratch)
    async with checkout.Checkout(here) as tree:
        await checkout.refuse_reviewed(tree, origin)
    return await fix_and_check(rows, await review.brief_of(here, {"strategy": "offline"}, scratch), scratch)


async def _here(pull: PullRequest, repo: str, scratch: str) -> PullRequest:
    """Raises UsageError if staged or uncommitted work has changed."""
    scope = SCOPES.get(pull.head_name)
    if scope is None:
        return replace(pull, git_dir=locate(repo).git_dir)
    now = await checkout.pull(TypedChange(repo, scope), scratch)  # type: ignore[arg-type]
    if (now.base, now.head) != (pull.base, pull.head):
        raise UsageError(f"the {pull.head_name} changed since the review. Review them again")
    return now


def write(fix: Fix, top: Path) -> None:
    """Write all files of a fix or none. Raises UsageError if a file differs from what was reviewed.

    Files may have other line endings, which are kept.
    """
    ready: dict[Path, bytes] = {}
    for path, content in fix.contents.items():
        here = files.content(top / path, MAX_FIXED_BYTES, below=top)
        if here is None or _unix(here) != _unix(fix.before[path]):
            raise UsageError(
                f"{path} changed since the review, so no file was changed. Commit or stash your edits, or review again"
            )
        ready[top / path] = content if here == fix.before[path] else _unix(content).replace(b"\n", b"\r\n")
        files.ready(top / path, below=top)
    for target, content in ready.items():
        files.write(target, content, below=top, nested=False)


def _unix(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")
