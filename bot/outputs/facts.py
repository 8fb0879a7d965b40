"""What every output says the same way: who is listed where, the counts, the conclusion, the cost.

Sentences take the words of a language; the machines' forms and the console speak English.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from bot.render import Phrases, load
from bot.values import SEVERITIES, Cost, Coverage, Finding, Placed, PullRequest, Review, Side

STATES = ("reviewed", "reused", "skipped", "unread")  # of a unit or a dependent, as the tables show them
MINUTE = 60
RISKY, NOTABLE = 40, 20  # the scores of `units` from which a folder's risk is called high, and medium
ENGLISH = load()
Conclusion = Literal["clean", "findings", "incomplete"]
Grade = Literal["high", "medium", "low"]


@dataclass(frozen=True, slots=True)
class Listing:
    """The findings as a reader meets them, worst first: in full, and as one line each."""

    full: tuple[Placed, ...]
    folded: tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class Risk:
    """One row of the risk map."""

    folder: str
    units: int
    grade: Grade
    findings: int


def listing(review: Review) -> Listing:
    """Who is listed how. Within one severity the order of the review, which ranks by evidence, stands."""
    ordered = sorted(review.findings, key=lambda placed: SEVERITIES.index(placed.finding.severity))
    return Listing(
        tuple(placed for placed in ordered if placed.place != "folded"),
        tuple(placed for placed in ordered if placed.place == "folded"),
    )


def conclusion(review: Review) -> Conclusion:
    """What the review comes to. Something unread is never clean, and neither is what an earlier round has found."""
    if review.findings or review.still:
        return "findings"
    return "clean" if review.coverage.complete and not review.partial else "incomplete"


def verdict(review: Review, words: Phrases = ENGLISH) -> str:
    """The last line of a review, as a sentence."""
    sentences = [_found(review, words)]
    sentences += [words.say("still", len(review.still))] if review.still else []
    sentences += [words.say("fixed", len(review.fixed))] if review.fixed else []
    sentences += [words.say("partial")] if review.partial else []
    missing = unread(review.coverage, words)
    sentences += [words.say("not_read", what=missing)] if missing else []
    return " ".join(sentences)


def unread(coverage: Coverage, words: Phrases = ENGLISH) -> str:
    """What should have been read and was not: "2 units and 1 dependent"; empty where nothing is missing."""
    units, files = coverage.count("unit", "unread"), coverage.count("dependent", "unread")
    said = [words.say("changed_units", units)] if units else []
    said += [words.say("dependent_files", files)] if files else []
    return words.say("both", one=said[0], other=said[1]) if len(said) > 1 else "".join(said)


def by_severity(findings: tuple[Placed, ...], words: Phrases = ENGLISH) -> str:
    """How many of each severity, worst first: "1 critical, 2 high"."""
    counted = Counter(placed.finding.severity for placed in findings)
    return ", ".join(f"{words.number(counted[name])} {words.say(name)}" for name in SEVERITIES if counted[name])


def size(review: Review, words: Phrases = ENGLISH) -> str:
    """How large the change is: "7 files, +314 -88"."""
    added, removed = (sum(len(getattr(file, side)) for file in review.files) for side in ("added", "removed"))
    return f"{words.say('files', len(review.files))}, +{words.number(added)} -{words.number(removed)}"


def where(finding: Finding, words: Phrases = ENGLISH) -> str:
    """Path and lines: "src/app.py:12-14"; on the old side "src/app.py:12 (before the change)"."""
    lines = f":{finding.start}" if finding.start else ""
    lines += f"-{finding.end}" if finding.end > finding.start else ""
    before = f" ({words.say('before')})" if finding.side == "base" else ""
    return f"{finding.path}{lines}{before}"


def permalink(pull: PullRequest, path: str, side: Side, start: int = 0, end: int = 0) -> str:
    """The address of these lines as they are under review; empty where the repository has no pages."""
    if not pull.url or pull.object_dir:
        return ""
    lines = (f"#L{start}" if start else "") + (f"-L{end}" if end > start else "")
    return (
        f"{pull.url}/blob/{pull.head if side == 'head' else pull.base}/{quote(path.encode('utf-8', 'replace'))}{lines}"
    )


def origin(finding: Finding, words: Phrases = ENGLISH) -> str:
    """Who says so, how sure it is, and since when: "ruff F821, proven"."""
    status = "" if finding.status == "new" else f", {words.say(f'status_{finding.status}')}"
    return f"{finding.source}{f' {finding.rule}' if finding.rule else ''}, {words.say('unconfirmed' if finding.unconfirmed else finding.verdict)}{status}"


def risks(review: Review) -> tuple[Risk, ...]:
    """The risk map by folder, riskiest first; the findings in a folder count where its files are, changed or not."""
    if not review.areas:
        return ()
    found = Counter(placed.finding.path.rpartition("/")[0] for placed in review.findings)
    known = [Risk(area.folder, area.units, _grade(area.risk), found.pop(area.folder, 0)) for area in review.areas]
    return (*known, *(Risk(folder, 0, "low", number) for folder, number in sorted(found.items())))


def cost(spent: Cost, seconds: float, words: Phrases = ENGLISH) -> str:
    """One line: calls, tokens, dollars, seconds, models."""
    if not spent.calls and not spent.failed_calls:
        return f"$0.00, {words.say('no_model')} · {_seconds(seconds, words)}"
    failed = f" ({words.say('failed', spent.failed_calls)})" if spent.failed_calls else ""
    cached = words.say("cached", spent.usage.cache_read) if spent.usage.cache_read else ""
    given, taken = words.number(spent.usage.input), words.number(spent.usage.output)
    tokens = words.say("tokens", input=given, output=taken, cached=cached)
    calls = words.say("calls", spent.calls) + failed
    price = f"{dollars(spent, words)}{_shares(spent, words)}"
    parts: Sequence[str] = (price, calls, tokens, _seconds(seconds, words), ", ".join(spent.models))
    return " · ".join(filter(None, parts))


def dollars(spent: Cost, words: Phrases = ENGLISH) -> str:
    """The price, or that nobody knows it; never a guess."""
    if spent.usd is None:
        return words.say("price_unknown")
    return f"${spent.usd:.2f}" if spent.usd >= 1 or not spent.usd else f"${spent.usd:.4f}"


def _shares(spent: Cost, words: Phrases) -> str:
    """Who the dollars went to, where there is more than one: " (root 33 %, workers 67 %)"."""
    if not spent.usd or spent.root_usd is None or spent.verify_usd is None:
        return ""
    workers = spent.usd - spent.root_usd - spent.verify_usd
    paid = (("share_root", spent.root_usd), ("share_workers", workers), ("share_verify", spent.verify_usd))
    said = [words.say(name, p=round(100 * usd / spent.usd)) for name, usd in paid if usd > 0]
    return f" ({', '.join(said)})" if len(said) > 1 else ""


def _found(review: Review, words: Phrases) -> str:
    if not review.findings:
        if review.round.number > 1:
            return words.say("nothing_new")
        if review.files and all(file.skip for file in review.files):
            return words.say("nothing_to_read")
        return words.say("nothing" if conclusion(review) == "clean" else "nothing_in_read")
    folded = len(listing(review).folded)
    short = words.say("in_short", folded) if folded else ""
    return words.say("found", len(review.findings), severities=by_severity(review.findings, words), short=short)


def _grade(score: int) -> Grade:
    return "high" if score >= RISKY else "medium" if score >= NOTABLE else "low"


def _seconds(seconds: float, words: Phrases) -> str:
    if seconds < MINUTE:
        return words.say("seconds", s=f"{seconds:.1f}")
    return words.say("minutes", m=int(seconds // MINUTE), s=int(seconds % MINUTE))
