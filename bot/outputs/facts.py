"""Compute what all outputs show: lists of findings, counts, the result and the cost.

The phrases are in `templates/words.toml`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot import verdict
from bot.config import FILE
from bot.diff.read import is_counted
from bot.render import Phrases, load
from bot.sections.overlooked import OVERLOOKED
from bot.values import (
    SEVERITIES,
    Coverage,
    CoverageRow,
    Finding,
    OwnerRule,
    PlacedFinding,
    PullRequest,
    Review,
    Severity,
    in_order,
    severity_rank,
)
from bot.values.finding import Source
from bot.values.review import NOTHING_ADDED
from deeprepo.rlm.values import Cost

# What was not checked: kind and phrase, the most important first
OPEN = {
    "unit": "changed_units",
    "file": "open_files",
    "use": "open_uses",
    "search": "open_searches",
    "check": "open_checks",
}
COLUMNS = ("all", "checked", "read", "open")  # columns of the coverage table
# Rows about unchecked items, line numbers in each, and rows about dependent locations. The JSON output has
# all.
LISTED_OPEN, LISTED_NUMBERS, LISTED_RELYING = 10, 6, 10
COMMIT = re.compile(r"\b([0-9a-f]{10})[0-9a-f]{30}\b")
MINUTE = 60
ENGLISH = load()
# The symbols differ in shape, and are visible in light and dark mode. The word is always next to the symbol.
MARKS: Mapping[Severity, str] = {"critical": "⛔", "high": "🔴", "medium": "🔶", "low": "🔹"}
WARNING, CLEAN = "⚠️", "✅"


@dataclass(frozen=True, slots=True)
class Listing:
    """The open findings in groups, each with the worst first.

    The groups are findings in full, collapsed findings, and findings from earlier reviews.
    """

    full: tuple[PlacedFinding, ...]
    collapsed_findings: tuple[PlacedFinding, ...]
    still: tuple[PlacedFinding, ...] = ()

    @property
    def all(self) -> tuple[PlacedFinding, ...]:
        """All open findings."""
        return (*self.full, *self.collapsed_findings, *self.still)


def listing(review: Review) -> Listing:
    """Return the listing. Findings of the same severity keep the review's order."""
    new_findings = in_order(review.reported)
    return Listing(
        tuple(item for item in new_findings if item.place != "folded"),
        tuple(item for item in new_findings if item.place == "folded"),
        in_order(PlacedFinding(finding, "folded") for finding in review.still),
    )


@dataclass(frozen=True, slots=True)
class Summary:
    """The result of a review: sentences, the most important one first, and a symbol for the headline."""

    mark: str
    sentences: tuple[str, ...]
    failure: str  # why some or all model calls failed; empty if none did

    @property
    def lead(self) -> str:
        """The first sentence, with the reason for a failure."""
        first = self.sentences[0]
        return f"{first.rstrip('.')}: {self.failure}." if self.failure else first

    @property
    def result(self) -> str:
        """All sentences."""
        return _sentences(self.lead, *self.sentences[1:])

    @property
    def headline(self) -> str:
        """The first sentence, with a symbol."""
        return f"{self.mark} {self.sentences[0].rstrip('.')}"

    @property
    def below(self) -> str:
        """The sentences that the headline doesn't contain."""
        return _sentences(*self.sentences[1:])


def summary(review: Review, words: Phrases = ENGLISH) -> Summary:
    """Return the result of the review, in the given language."""
    findings, failure = listing(review).all, review.cut.failure.rstrip(".")
    found, left = _found(review, words), _left(review, words)
    failed_checks = sum(check.result == "failed" and check.warns for check in review.required_checks)
    failed = words.say("rulings_failed", failed_checks) if failed_checks else ""
    rest = (_news(review, words), failed, left, "" if findings else _checked(review, words))
    mark = WARNING
    if failure:
        first: tuple[str, ...] = (_obstacle(review, words), found)
    elif verdict.of(review).conclusion == "incomplete":
        first = (left, found)
    elif failed and not findings:
        first = (failed, found)
    else:
        mark = MARKS[min((item.finding.severity for item in findings), key=severity_rank)] if findings else CLEAN
        first = (found,)
    sentences = dict.fromkeys(filter(None, (*first, *rest)))
    return Summary(mark, tuple(sentences), failure)


def _sentences(*texts: str) -> str:
    return " ".join(filter(None, texts))


def _obstacle(review: Review, words: Phrases) -> str:
    name = "failed_all" if review.cost.failed_calls >= review.cost.calls else "failed_part"
    if not review.cut.cause:
        return words.say(name)
    return words.say(f"{name}_by", cause=words.say(f"cause_{review.cut.cause}"))


def _news(review: Review, words: Phrases) -> str:
    new, fixed = len(review.new_findings), len(review.findings_with_status("fixed"))
    before, since = len(review.open_findings) - new, ""
    if review.coverage.is_follow_up:
        since = words.say("follow_up_short")
    elif before and review.round.number > 1 and new:
        since = words.say("new_and_open", new=words.number(new), open=words.number(before))
    elif before and review.round.number > 1 and not review.new_places:
        since = words.say("none_new")
    return _sentences(since, words.say("fixed", fixed) if fixed else "")


def _left(review: Review, words: Phrases) -> str:
    """Return what was not checked, or that the review was cut short. After a failure, the failure says why."""
    cause = "" if review.cut.failure else review.cut.cause
    why = words.say(f"cause_{cause}") if cause else ""
    cut = words.say("capped") if cause == "quota" else words.say("partial_by", cause=why) if cause else ""
    if missing := _sentences(cut, unread(review.coverage, words)):
        return missing
    if review.cut.partial and not review.cut.failure:
        return words.say("partial")
    unknown = sum(check.severity == "fail" and check.lacks_result for check in review.required_checks)
    return words.say("rulings_open", unknown) if unknown else ""


def _found(review: Review, words: Phrases) -> str:
    groups = listing(review)
    if groups.all:
        collapsed = len(groups.collapsed_findings)
        name = "all_short" if collapsed == len(groups.all) else "in_short"
        short = words.say(name, collapsed) if collapsed else ""
        found = words.say("found", len(groups.all), severities=by_severity(groups.all, words), short=short)
        return f"{found.rstrip('.')}; {words.say('new_places', review.new_places)}" if review.new_places else found
    is_clean = verdict.of(review).conclusion == "clean"
    if review.findings_with_status("fixed") and is_clean:
        return words.say("nothing_left")
    if review.findings_with_status("below"):
        return words.say("nothing_above", severity=words.say(review.settings.minimum))
    if pass_and_check_names(review.coverage):
        return words.say("nothing_found" if is_clean else "nothing_yet")
    if any(reading.by == NOTHING_ADDED for reading in review.coverage.readings):
        return _only_removed(review, words)
    return words.say("nothing_to_read" if is_clean else "nothing_looked_at")


def _checked(review: Review, words: Phrases) -> str:
    coverage = review.coverage
    looked_at = (row for row in coverage.readings if row.state in ("reviewed", "reused") and row.by != NOTHING_ADDED)
    what, who = _counted(looked_at, words), ", ".join(pass_and_check_names(coverage))
    missing, failed = ", ".join(coverage.not_installed), ", ".join(name for name, _ in coverage.not_run)
    ran = words.say("looked_at", what=what, who=who) if what and who else words.say("run_by", who=who) if who else ""
    return _sentences(
        ran,
        words.say("not_installed", what=missing) if missing else "",
        words.say("not_run", what=failed) if failed else "",
    )


def _only_removed(review: Review, words: Phrases) -> str:
    """Return the result for a change that only removes lines: whether removed names are still used."""
    coverage, listed = review.coverage, OVERLOOKED.of(review)
    if number := relying_count(coverage) + sum(row.certainty == "definition" for row in listed):
        return words.say("only_removed_named", number)
    is_searched = not coverage.cut and coverage.complete
    return words.say("only_removed" if is_searched else "only_removed_unsearched")


def unread(coverage: Coverage, words: Phrases = ENGLISH) -> str:
    """Return how much was not checked, such as "Not checked: 1 reference to changed code."; "" if nothing."""
    unread_units = [row for row in coverage.open if row.kind == "unit" and coverage.by_model]
    by_no_model = words.say("open_models", len(unread_units)) if unread_units else ""
    counted = _counted((row for row in coverage.open if row not in unread_units), words)
    return _sentences(by_no_model, words.say("not_read", what=counted) if counted else "")


def _counted(rows: Iterable[CoverageRow], words: Phrases) -> str:
    counts = Counter[str](reading.kind for reading in rows)
    texts = [words.say(name, counts[kind]) for kind, name in OPEN.items() if counts[kind]]
    return words.say("both", one=", ".join(texts[:-1]), other=texts[-1]) if len(texts) > 1 else "".join(texts)


def pass_and_check_names(coverage: Coverage) -> list[str]:
    """Return the names of what checked the change: models first, then static checks."""
    rows = [reading for reading in coverage.readings if reading.kind == "unit" and reading.by != NOTHING_ADDED]
    readers = dict.fromkeys(
        who.rpartition(" ")[2] for reading in rows if reading.read for who in reading.read.split(", ")
    )
    checks = {name for reading in rows if reading.checked for name in reading.checked.split(", ")}
    checks |= {"contracts" for reading in coverage.readings if reading.kind == "use" and reading.checked}
    return [*readers, *sorted(checks - readers.keys())]


def coverage_table(coverage: Coverage, words: Phrases = ENGLISH) -> list[tuple[str, dict[str, int]]]:
    """Return the rows of the coverage table: a name, and the number of items for each of `COLUMNS`.

    Regions that only remove lines are not counted, nor are references that were skipped or that may depend on
    the change.
    """
    rows = [row for row in coverage.readings if row.by != NOTHING_ADDED]
    uses = [row for row in rows if row.kind == "use" and row.state not in ("skipped", "relies")]
    others = [row for row in coverage.open if row.kind not in ("unit", "use")]
    groups = {"row_units": [row for row in rows if row.kind == "unit"], "row_uses": uses}
    return [
        (
            words.say(name),
            {
                "all": len(group),
                "checked": sum(bool(row.checked) for row in group),
                "read": sum(bool(row.read) for row in group),
                "open": sum(row.state == "unread" for row in group),
            },
        )
        for name, group in (groups | ({"row_others": others} if others else {})).items()
    ]


@dataclass(frozen=True, slots=True)
class OpenItem:
    """A row about unchecked items. Items in the same file with the same reason share a row."""

    path: str
    lines: tuple[int, ...]
    name: str
    reason: str

    def place(self, most: int | None = LISTED_NUMBERS) -> str:
        """Return the location with at most `most` line numbers, such as "src/till.py:3, 9, 12"; None for all."""
        numbers = ", ".join(map(str, self.lines[:most]))
        more = f" and {len(self.lines) - most} more" if most is not None and len(self.lines) > most else ""
        return " ".join(filter(None, (f"{self.path}:{numbers}{more}" if numbers else self.path, self.name)))


def next_step(coverage: Coverage, words: Phrases = ENGLISH) -> str:
    """Return a sentence about what to do about unchecked items; empty if there are none."""
    if coverage.complete:
        return ""
    if coverage.is_follow_up:
        return words.say("open_lead_follow_up")
    readable = any(reading.kind in ("unit", "use") for reading in coverage.open)
    return words.say("open_lead_code" if readable and not coverage.by_model else "open_lead")


def change(pull: PullRequest) -> str:
    """Return the names of both sides, such as "main..feature", with short commit IDs."""
    return COMMIT.sub(r"\1", f"{pull.base_name}..{pull.head_name}")


def open_places(coverage: Coverage) -> list[OpenItem]:
    """Return the rows about unchecked items, the most important first."""
    rows: dict[tuple[str, str, str, str], list[int]] = {}
    for reading in coverage.open:
        name = reading.name if reading.kind == "unit" and reading.name != reading.path else ""
        rows.setdefault((reading.kind, reading.path, name, reading.reason), []).append(reading.line)
    return [
        OpenItem(path, tuple(sorted(line for line in lines if line)), name, reason)
        for (_, path, name, reason), lines in rows.items()
    ]


def relying(coverage: Coverage, most: int | None = LISTED_RELYING) -> tuple[list[tuple[str, list[OpenItem]]], int]:
    """Return the locations that may depend on the change by what changed, and the number of rows left out."""
    rows: dict[tuple[str, str], list[int]] = {}
    for reading in coverage.relying:
        rows.setdefault((reading.reason, reading.path), []).append(reading.line)
    groups: dict[str, list[OpenItem]] = {}
    for (reason, path), lines in list(rows.items())[:most]:
        groups.setdefault(reason, []).append(OpenItem(path, tuple(sorted(lines)), "", reason))
    return list(groups.items()), 0 if most is None else max(0, len(rows) - most)


def relying_count(coverage: Coverage) -> int:
    """Return how many lines may depend on the change, each counted once."""
    return len({(reading.path, reading.line) for reading in coverage.relying})


def skipped_files(coverage: Coverage) -> list[tuple[str, str]]:
    """Return the skipped files that aren't listed as not checked."""
    unread = {row.path for row in coverage.open if row.kind == "file"}
    return [row for row in coverage.skipped_files if row[0] not in unread]


def by_severity(findings: Sequence[PlacedFinding], words: Phrases = ENGLISH) -> str:
    """Return the number of findings per severity, worst first, such as "1 critical, 2 high"."""
    counts = Counter(item.finding.severity for item in findings)
    return ", ".join(f"{words.number(counts[name])} {words.say(name)}" for name in SEVERITIES if counts[name])


def size(review: Review, words: Phrases = ENGLISH) -> str:
    """Return the size of the change, such as "7 files, +314 -88".

    The lines are omitted if none were counted.
    """
    count = words.say("files", len(review.files))
    if review.files and not any(map(is_counted, review.files)):
        return count
    added_count, removed_count = (
        sum(len(getattr(file, side)) for file in review.files) for side in ("added_lines", "removed_lines")
    )
    return f"{count}, +{words.number(added_count)} -{words.number(removed_count)}"


def where(finding: Finding, words: Phrases = ENGLISH) -> str:
    """Return path and lines, such as "src/app.py:12-14" or "src/app.py:12 (before the change)"."""
    lines = f":{finding.start}" if finding.start else ""
    lines += f"-{finding.end}" if finding.end > finding.start else ""
    before = f" ({words.say('before')})" if finding.side == "base" else ""
    return f"{finding.path}{lines}{before}"


def silenced(review: Review, words: Phrases = ENGLISH) -> list[tuple[Finding, str]]:
    """Return the silenced findings, each with the reason and the rule that silenced it, if there is one."""
    rows = []
    for finding in review.findings_with_status("silenced"):
        why = finding.tracking.silencing
        if why is not None:
            by = _rule_name(why.rule, words) if why.rule else ""
            by = words.say(f"silenced_{why.scope}") if why.scope in ("withdrawn", "repeat") else by
            rows.append((finding, ": ".join(filter(None, (by, why.reason)))))
    return rows


def _rule_name(rule: OwnerRule, words: Phrases) -> str:
    kind = "learning" if rule.is_learning else "rule"
    return words.say(f"{kind}_learned" if rule.learned else f"{kind}_written", rule=rule.number, file=rule.file or FILE)


def origin(finding: Finding, words: Phrases = ENGLISH) -> str:
    """Return who reported a finding, how certain it is, and its history: "static check ruff (rule F821), proven"."""
    is_counted = finding.basis.readings > 1 and finding.basis.votes
    votes = f", {words.say('votes', votes=finding.basis.votes, readings=finding.basis.readings)}" if is_counted else ""
    rule = f" ({words.say('by_rule', rule=finding.rule)})" if finding.rule else ""
    history = _history(finding, words)
    report = f"{_reporters(finding.basis.sources, words)}{rule}{votes}, {words.say(finding.basis.certainty)}"
    return f"{report}. {history}" if history else report


def _reporters(sources: Sequence[Source], words: Phrases) -> str:
    checks = list(dict.fromkeys(source.name for source in sources if source.kind == "analyser"))
    others = dict.fromkeys(
        words.say(f"by_{source.label}", name=source.name) if source.kind == "model" and source.label else source.name
        for source in sources
        if source.kind != "analyser"
    )
    together = words.say("by_checks", len(checks), names=" and ".join(checks)) if checks else ""
    return " and ".join(filter(None, (together, *others)))


def _history(finding: Finding, words: Phrases) -> str:
    tracking = finding.tracking
    cause = ""
    if finding.is_new and tracking.origin:
        cause = "fix" if tracking.fix_of else tracking.origin
    if tracking.how == "back" and cause in ("fix", "push"):
        return words.say(f"back_{cause}", finding=tracking.fix_of)
    if cause and not tracking.how:
        return words.say(f"origin_{cause}", finding=tracking.fix_of)
    since = tracking.how or (
        "added" if tracking.added else finding.status if finding.status in {"still", "fixed"} else ""
    )
    return words.say(f"status_{since}") if since else ""


def cost(cost_now: Cost, seconds: float, words: Phrases = ENGLISH) -> str:
    """Return one line with price, calls, tokens, seconds and models."""
    if not cost_now.calls and not cost_now.failed_calls:
        return f"$0.00, {words.say('no_model')} · {_seconds(seconds, words)}"
    failures_text = f" ({words.say('failed', cost_now.failed_calls)})" if cost_now.failed_calls else ""
    cache_text = words.say("cached", cost_now.usage.cache_read) if cost_now.usage.cache_read else ""
    input_text, output_text = words.number(cost_now.usage.input), words.number(cost_now.usage.output)
    tokens = words.say("tokens", input=input_text, output=output_text, cached=cache_text)
    calls = words.say("calls", cost_now.calls) + failures_text
    parts: Sequence[str] = (
        dollars(cost_now, words),
        calls,
        tokens,
        _seconds(seconds, words),
        ", ".join(cost_now.models),
    )
    return " · ".join(filter(None, parts))


def dollars(cost_now: Cost, words: Phrases = ENGLISH) -> str:
    """Return the price, or that it is unknown."""
    if cost_now.usd is None:
        return words.say("price_unknown")
    return f"${cost_now.usd:.2f}" if cost_now.usd >= 1 or not cost_now.usd else f"${cost_now.usd:.4f}"


def _seconds(seconds: float, words: Phrases) -> str:
    if seconds < MINUTE:
        return words.say("seconds", s=f"{seconds:.1f}")
    return words.say("minutes", m=int(seconds // MINUTE), s=int(seconds % MINUTE))
