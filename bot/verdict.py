"""Decide what a review comes to. Check runs, exit codes, approvals, requests for changes and outputs only ask here.

Facts about the head, the settings and the review are collected by name. `ROWS` has a row for each fact, and the
first row whose fact holds decides. So adding a fact can only make a result worse.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bot.levels import Severity
from bot.values import Finding, Review, at_least
from bot.values.review import Cause, Conclusion, Fault, Interruption, NoReviewReason, ReviewStatus

if TYPE_CHECKING:  # a commit hook doesn't need GitHub's values
    from bot.values import CheckConclusion

Fact = Literal[
    NoReviewReason, Interruption, "finding", "requirement", "cut", "unread", "unheard", "undecided", "unanswered",
    "incomplete", "doubted", "findings", "minor", "dropped", "static", "clean",
]  # fmt: skip
# From best to worst. The last two block a required check.
BADNESS: "tuple[CheckConclusion, ...]" = ("success", "skipped", "neutral", "cancelled", "failure")
BLOCKING = BADNESS[-2:]


@dataclass(frozen=True, slots=True)
class Row:
    """A fact, and the result if no fact above it holds.

    `check` is the conclusion of the check without and with a failure threshold. `is_partial`: while the fact holds,
    the review has not succeeded, so a request for changes stays. `lacks`: the message key of the sentence about why the
    check fails.
    """

    name: Fact
    check: "tuple[CheckConclusion, CheckConclusion]"
    conclusion: Conclusion = "incomplete"  # if nothing was found
    exit_code: int = 0  # 0: it follows from the check
    approves: bool = False
    is_partial: bool = False
    lacks: str = ""


Checks = tuple["CheckConclusion", "CheckConclusion"]
PASSES: Checks = ("success", "success")
BLOCKS: Checks = ("neutral", "failure")
OPEN: Checks = ("neutral", "neutral")
ROWS: tuple[Row, ...] = (
    # The head has no review: it adds nothing to its base; the settings exclude it, but a finding of an earlier review
    # that reached the threshold is still open; it should have a review; the settings exclude it.
    Row("nothing", PASSES, "clean"),
    Row("held", BLOCKS),
    Row("unreviewed", BLOCKS),
    Row("left out", OPEN),
    # The review was stopped by a person or by the provider.
    Row("interrupted", BLOCKS, exit_code=130, is_partial=True, lacks="cut"),
    Row("provider", BLOCKS, exit_code=3, is_partial=True, lacks="cut"),
    # A finding, or a failed requirement, reaches the threshold.
    Row("finding", BLOCKS, "findings"),
    Row("requirement", BLOCKS, "findings"),
    # A limit stopped the review, or no model read a region; a file or a search is open; no confirmation decided about
    # a model's finding that would reach the threshold, or any other; with `strict`, a requirement has no result.
    Row("cut", BLOCKS, is_partial=True, lacks="cut"),
    Row("unread", BLOCKS, lacks="cut"),
    Row("unheard", BLOCKS, is_partial=True, lacks="dropped"),
    Row("undecided", BLOCKS, lacks="dropped"),
    Row("unanswered", BLOCKS, lacks="undecided"),
    # Anything else is open; the settings may have a misspelled threshold.
    Row("incomplete", OPEN),
    Row("doubted", OPEN, "clean"),
    # Something was found; only findings below the threshold for approvals. Nothing was found, but claims of models were
    # neither confirmed nor refuted, or no model read the change.
    Row("findings", OPEN, "findings"),
    Row("minor", OPEN, "findings", approves=True),
    Row("dropped", PASSES, "clean"),
    Row("static", PASSES, "clean"),
    Row("clean", PASSES, "clean", approves=True),
)


@dataclass(frozen=True, slots=True)
class HeadVerdict:
    """What a head comes to."""

    row: Row  # the one that decides
    facts: frozenset[Fact]  # all that hold
    check: "CheckConclusion"
    exit_code: int
    conclusion: Conclusion  # as published: findings if there are any, else the row's
    status: ReviewStatus  # the conclusion, or what cut the review short
    is_partial: bool  # whether the review has not succeeded, so it can't show that something was fixed
    lacks: tuple[str, ...]  # the message keys of what is missing, if the check fails because of it


def decide(facts: Iterable[Fact], *, has_threshold: bool, cause: Cause = "") -> HeadVerdict:
    """Return the verdict: the first row whose fact holds. Without any fact, it is the last row.

    `cause` is what kept models from reviewing everything.
    """
    known: frozenset[Fact] = frozenset(facts)
    rows = [row for row in ROWS if row.name in known]
    first = rows[0] if rows else ROWS[-1]
    check, name = first.check[has_threshold], first.name
    conclusion = "findings" if known & {"findings", "minor"} else first.conclusion
    fault: Fault = name if name in ("interrupted", "provider") else ""
    status = fault if fault == "interrupted" else cause or fault or conclusion
    lacks = dict.fromkeys(row.lacks for row in rows if row.lacks and row.check[has_threshold] == "failure")
    exit_code = first.exit_code or int(check in BLOCKING)
    return HeadVerdict(
        first, known, check, exit_code, conclusion, status, any(row.is_partial for row in rows), tuple(lacks)
    )


def of(review: Review) -> HeadVerdict:
    """Return the verdict on a review and its head."""
    settings, coverage, own_checks = review.settings, review.coverage, review.required_checks
    has_threshold = settings.fail_on is not None or any(each.severity == "fail" for each in own_checks)
    bars = (settings.fail_on, settings.request_changes)
    open_kinds = {row.kind for row in coverage.open}
    lacks_result = any(each.severity == "fail" and each.lacks_result for each in own_checks)
    is_unsettled = any(finding.basis.unsettled for finding in review.open_findings)
    dropped = is_unsettled or review.dropped > len(review.findings_with_status("refuted"))
    # A finding below the minimum severity may reach a threshold that was set later.
    known = (*review.open_findings, *review.findings_with_status("below"))
    warns = any(each.result == "failed" and each.warns for each in own_checks)
    is_sure = coverage.by_model and not (warns or dropped)
    is_minor = is_sure and settings.approve is not None and not reached(review.open_findings, settings.approve)
    holds: dict[Fact, bool] = {
        "interrupted": review.cut.fault == "interrupted",
        "provider": review.cut.fault == "provider",
        "finding": any(map(may_block, reached(known, settings.fail_on))),
        "requirement": any(each.blocks for each in own_checks),
        "cut": review.cut.partial or (coverage.by_model and "unit" in open_kinds),
        "unread": not open_kinds.isdisjoint({"search", "file"}),
        "unheard": any(_is_unheard(finding) for bar in bars for finding in reached(review.open_findings, bar)),
        "undecided": has_threshold and dropped,
        "unanswered": settings.strict and lacks_result,
        "incomplete": bool(open_kinds) or lacks_result,
        "doubted": bool(settings.doubts),
        "findings": (bool(review.open_findings) or warns) and not is_minor,
        "minor": bool(review.open_findings) and is_minor,
        "dropped": dropped,
        "static": not coverage.by_model,
    }
    facts = (name for name, is_true in holds.items() if is_true)
    return decide(facts, has_threshold=has_threshold, cause=review.cut.cause)


def without_review(why: NoReviewReason, *, has_threshold: bool, strict: bool = False) -> HeadVerdict:
    """Return the verdict on a head without a review. With `strict`, a head that the settings exclude should have one."""
    return decide(["unreviewed" if strict and why == "left out" else why], has_threshold=has_threshold)


def reaching(review: Review, threshold: Severity | None) -> tuple[Finding, ...]:
    """Return the open findings that may block and reach the threshold; none if it is None."""
    return tuple(filter(may_block, reached(review.open_findings, threshold)))


def reached(findings: Iterable[Finding], threshold: Severity | None) -> tuple[Finding, ...]:
    """Return the findings that are as severe as the threshold, whether they may block or not; none if it is None."""
    return tuple(finding for finding in findings if threshold is not None and at_least(finding.severity, threshold))


def may_block(finding: Finding) -> bool:
    """Return whether a finding may fail the check or block the merge.

    What only models report must be confirmed. What static analysis says of code that the change breaks must be
    proven, unless a model reports it too.
    """
    basis = finding.basis
    if finding.verdict.is_shown or basis.unsettled:
        return finding.verdict.is_shown
    static = [source for source in basis.sources if source.kind != "model"]
    is_hint = not finding.consumer and all(source.kind == "analyser" and source.breaks for source in static)
    return bool(static) and (basis.has_model or not is_hint)


def _is_unheard(finding: Finding) -> bool:
    """Return whether a finding was to be confirmed, but no confirmation gave a verdict."""
    return finding.basis.unconfirmed and not may_block(finding)


def worst(conclusions: "Iterable[CheckConclusion]") -> "CheckConclusion":
    """Return the worst of at least one conclusion."""
    return max(conclusions, key=BADNESS.index)


def passes(conclusion: str | None) -> bool:
    """Return whether GitHub accepts a finished check with this conclusion as a required check."""
    return conclusion is not None and conclusion not in BLOCKING


def in_queue(conclusion: "CheckConclusion") -> "CheckConclusion":
    """Return the answer to a merge queue whose pull request has this conclusion."""
    return PASSES[0] if passes(conclusion) else BLOCKS[1]
