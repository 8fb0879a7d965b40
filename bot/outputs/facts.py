"""What every output says the same way: who is listed where, the counts, the conclusion, the cost."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from bot.render import count
from bot.values import SEVERITIES, Cost, Coverage, Finding, Placed, Review

STATES = ("reviewed", "reused", "skipped", "unread")  # of a unit or a dependent, as the tables show them
MINUTE = 60
Conclusion = Literal["clean", "findings", "incomplete"]


@dataclass(frozen=True, slots=True)
class Listing:
    """The findings as a reader meets them, worst first: in full, and as one line each."""

    full: tuple[Placed, ...]
    folded: tuple[Placed, ...]


def listing(review: Review) -> Listing:
    """Who is listed how. Within one severity the order of the review, which ranks by evidence, stands."""
    ordered = sorted(review.findings, key=lambda placed: SEVERITIES.index(placed.finding.severity))
    return Listing(
        tuple(placed for placed in ordered if placed.place != "folded"),
        tuple(placed for placed in ordered if placed.place == "folded"),
    )


def conclusion(review: Review) -> Conclusion:
    """What the review comes to. Something unread is never clean."""
    if review.findings:
        return "findings"
    return "clean" if review.coverage.complete and not review.partial else "incomplete"


def verdict(review: Review) -> str:
    """The last line of a review, as a sentence."""
    sentences = [_found(review)]
    missing = unread(review.coverage)
    if review.partial:
        sentences.append("The review is partial: it ended before its time.")
    if missing:
        sentences.append(f"Not read: {missing}.")
    return " ".join(sentences)


def unread(coverage: Coverage) -> str:
    """What should have been read and was not: "2 units and 1 dependent"; empty where nothing is missing."""
    units, files = coverage.count("unit", "unread"), coverage.count("dependent", "unread")
    said = [count(units, "changed unit")] if units else []
    said += [count(files, "dependent file")] if files else []
    return " and ".join(said)


def by_severity(findings: tuple[Placed, ...]) -> str:
    """How many of each severity, worst first: "1 critical, 2 high"."""
    counted = Counter(placed.finding.severity for placed in findings)
    return ", ".join(f"{counted[name]} {name}" for name in SEVERITIES if counted[name])


def size(review: Review) -> str:
    """How large the change is: "7 files, +314 -88"."""
    added = sum(len(file.added) for file in review.files)
    removed = sum(len(file.removed) for file in review.files)
    return f"{count(len(review.files), 'file')}, +{added:,} -{removed:,}"


def where(finding: Finding) -> str:
    """Path and lines: "src/app.py:12-14"; on the old side "src/app.py:12 (before the change)"."""
    lines = f":{finding.start}" if finding.start else ""
    lines += f"-{finding.end}" if finding.end > finding.start else ""
    return f"{finding.path}{lines}{' (before the change)' if finding.side == 'base' else ''}"


def origin(finding: Finding) -> str:
    """Who says so, and how sure it is: "ruff F821, proven"."""
    return f"{finding.source}{f' {finding.rule}' if finding.rule else ''}, {finding.verdict}"


def cost(spent: Cost, seconds: float) -> str:
    """One line: calls, tokens, dollars, seconds, models."""
    if not spent.calls and not spent.failed_calls:
        return f"$0.00, no model · {_seconds(seconds)}"
    calls = count(spent.calls, "call") + (f" ({spent.failed_calls} failed)" if spent.failed_calls else "")
    cached = f" ({spent.usage.cache_read:,} cached)" if spent.usage.cache_read else ""
    tokens = f"{spent.usage.input:,} tokens in{cached}, {spent.usage.output:,} out"
    return " · ".join(
        part for part in (dollars(spent), calls, tokens, _seconds(seconds), ", ".join(spent.models)) if part
    )


def dollars(spent: Cost) -> str:
    """The price, or that nobody knows it; never a guess."""
    if spent.usd is None:
        return "price unknown"
    return f"${spent.usd:.2f}" if spent.usd >= 1 or not spent.usd else f"${spent.usd:.4f}"


def _found(review: Review) -> str:
    if not review.findings:
        return "Nothing found." if conclusion(review) == "clean" else "Nothing found in what was read."
    listed = listing(review)
    folded = f", {len(listed.folded)} of them in short" if listed.folded else ""
    return f"{count(len(review.findings), 'finding')}: {by_severity(review.findings)}{folded}."


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < MINUTE else f"{int(seconds // MINUTE)} min {int(seconds % MINUTE)} s"
