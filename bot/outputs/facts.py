"""Compute what all outputs show: lists of findings, counts, the result and the cost.

The phrases are in `templates/words.toml`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from bot import globs
from bot.config import FILE
from bot.diff.skip import is_counted
from bot.render import Phrases, code, load
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
    Side,
    Silencing,
    in_order,
    severity_rank,
)
from bot.values.finding import MASK, Source
from bot.values.review import NOTHING_ADDED, Conclusion
from deeprepo.impact.text.paths import is_prose, is_settings, is_style, is_test
from deeprepo.rlm.values import Cost

STATES = ("reviewed", "reused", "skipped", "unread", "relies")  # states of a coverage row
LOOKED_AT = ("reviewed", "reused")
COLUMNS = ("all", "checked", "read", "open")  # columns of the coverage table
OPEN = (
    ("unit", "changed_units"),
    ("file", "open_files"),
    ("use", "open_uses"),
    ("search", "open_searches"),
    ("commits", "open_commits"),
    ("check", "open_checks"),
)
LISTED_NAMES = 3  # names in the sentence about lines that still contain removed names
# Rows about unchecked items, line numbers in each, and rows about dependent locations. The JSON output has
# all.
LISTED_OPEN, LISTED_NUMBERS, LISTED_RELYING = 10, 6, 10
COMMIT = re.compile(r"\b([0-9a-f]{10})[0-9a-f]{30}\b")
MINUTE = 60
RISKY, NOTABLE = 40, 20  # the lowest risk scores for high and medium
ENGLISH = load()
# The symbols differ in shape, and are visible in light and dark mode. The word is always next to the symbol.
MARKS: Mapping[Severity, str] = {"critical": "⛔", "high": "🔴", "medium": "🔶", "low": "🔹"}
FAILED, INCOMPLETE, CLEAN = "⚠️", "⚠️", "✅"
Grade = Literal["high", "medium", "low"]


Theme = Literal["tests", "docs", "styles", "settings", "security", "performance", "code"]
MOST_COLLAPSED = 12  # collapsed findings with a row each


@dataclass(frozen=True, slots=True)
class Listing:
    """The open findings in groups, each with the worst first.

    The groups are findings in full, collapsed findings, and findings from earlier reviews.
    """

    full: tuple[PlacedFinding, ...]
    collapsed_findings: tuple[PlacedFinding, ...]
    still: tuple[PlacedFinding, ...] = ()

    @property
    def rows(self) -> tuple[PlacedFinding, ...]:
        """The collapsed findings that get a row each. The others are grouped by theme."""
        return self.collapsed_findings[:MOST_COLLAPSED]

    @property
    def rest(self) -> tuple[PlacedFinding, ...]:
        """The collapsed findings that are grouped by theme."""
        return self.collapsed_findings[MOST_COLLAPSED:]

    @property
    def all(self) -> tuple[PlacedFinding, ...]:
        """All open findings."""
        return (*self.full, *self.collapsed_findings, *self.still)


def theme(finding: Finding) -> Theme:
    """Return the theme of a collapsed finding, by the kind of its file or by its category."""
    kinds: tuple[tuple[Theme, bool], ...] = (
        ("tests", is_test(finding.path)),
        ("docs", is_prose(finding.path)),
        ("styles", is_style(finding.path)),
        ("settings", is_settings(finding.path)),
        ("security", finding.category == "security"),
        ("performance", finding.category == "performance"),
    )
    return next((name for name, fits in kinds if fits), "code")


def by_theme(items: Sequence[PlacedFinding]) -> dict[Theme, list[PlacedFinding]]:
    """Return findings by theme, the theme with the most findings first."""
    groups: dict[Theme, list[PlacedFinding]] = {}
    for item in items:
        groups.setdefault(theme(item.finding), []).append(item)
    return dict(sorted(groups.items(), key=lambda group: -len(group[1])))


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
    """The result of a review, as sentences for the outputs. Each sentence may be empty."""

    conclusion: Conclusion
    failure: str  # why some or all model calls failed, and what to do
    found: str  # how many findings are open, or that there are none
    mark: str  # the symbol of the worst finding
    since: str  # how many findings are new, and how many earlier ones are fixed
    required_checks: str  # how many required checks failed
    left: str  # what was not checked, or that the review was cut short; empty after a failure
    looked: str  # if there are no findings: what was checked, with what, and which checks are not installed
    failed_head: str  # the headline if model calls failed

    @property
    def result(self) -> str:
        """All sentences. A failure, or what was not checked, comes first."""
        rest = (self.since, self.required_checks, self.left)
        is_open = self.conclusion == "incomplete" and not self.failure
        return (
            _sentences(*rest, self.found, self.looked)
            if is_open
            else _sentences(self.failure, self.found, *rest, self.looked)
        )

    @property
    def headline(self) -> str:
        """The result in one line, with a symbol."""
        if self.failure:
            return f"{FAILED} {self.failed_head}"
        if self.conclusion == "incomplete":
            return f"{INCOMPLETE} {self.left.rstrip('.')}"
        if self.conclusion == "findings":
            return (
                f"{self.mark} {self.found.rstrip('.')}" if self.mark else f"{FAILED} {self.required_checks.rstrip('.')}"
            )
        return f"{CLEAN} {self.found.rstrip('.')}"

    @property
    def below(self) -> str:
        """The sentences of the result that the headline doesn't contain."""
        if self.failure or (self.conclusion != "incomplete" and (self.mark or self.conclusion == "clean")):
            return _sentences(self.since, self.required_checks, self.left, self.looked)
        if self.conclusion == "findings":
            return _sentences(self.found, self.since, self.left, self.looked)
        return _sentences(self.since, self.required_checks, self.found, self.looked)


def summary(review: Review, words: Phrases = ENGLISH) -> Summary:
    """Return the result of the review, in the given language."""
    cut, listed = review.cut.failure, listing(review).all
    is_unanswered = review.cost.failed_calls >= review.cost.calls
    new = len(review.new_findings)
    before, fixed = len(review.open_findings) - new, len(review.findings_with_status("fixed"))
    since = ""
    if review.coverage.is_follow_up:
        since = words.say("follow_up_short")
    elif before and review.round.number > 1:
        both = words.say("new_and_open", new=words.number(new), open=words.number(before))
        since = both if new else "" if review.new_places else words.say("none_new")
    failed = sum(check.result == "failed" and check.warns for check in review.required_checks)
    is_whole = (
        review.coverage.complete and not review.cut.partial and not any(each.warns for each in review.required_checks)
    )
    if review.open_findings and review.round.number > 1 and is_whole:
        since = _sentences(since, words.say("nothing_else"))
    places = [
        reading
        for reading in review.coverage.readings
        if reading.kind in ("unit", "use") and reading.by != NOTHING_ADDED
    ]
    checked = _counted([reading for reading in places if reading.state in LOOKED_AT], words)
    return Summary(
        review.conclusion,
        _failed(review, is_unanswered, words, cut.rstrip(".")) if cut else "",
        _found(review, words),
        MARKS[min((placed_finding.finding.severity for placed_finding in listed), key=severity_rank)] if listed else "",
        _sentences(since, words.say("fixed", fixed) if fixed else ""),
        words.say("rulings_failed", failed) if failed else "",
        _left(review, words),
        "" if listed else _checked(review, checked, words),
        _failed(review, is_unanswered, words),
    )


def _sentences(*texts: str) -> str:
    return " ".join(filter(None, texts))


def _failed(review: Review, is_unanswered: bool, words: Phrases, why: str = "") -> str:
    """Return a phrase about a failure of some or all model calls, with the reason `why` if it is given."""
    name = (
        ("failed_all" if is_unanswered else "failed_part")
        if why
        else "failed_head"
        if is_unanswered
        else "failed_part_head"
    )
    if not review.cut.cause:
        return words.say(name, why=why)
    return words.say(f"{name}_by", cause=words.say(f"cause_{review.cut.cause}"), why=why)


def _left(review: Review, words: Phrases) -> str:
    if review.cut.cause == "quota" and not review.cut.failure:
        return _sentences(words.say("capped"), unread(review.coverage, words))
    cause = words.say(f"cause_{review.cut.cause}") if review.cut.cause and not review.cut.failure else ""
    if missing := unread(review.coverage, words):
        return f"{cause}. {missing}" if cause else missing
    if cause:
        return words.say("partial_by", cause=cause)
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
    is_clean = review.conclusion == "clean"
    if review.findings_with_status("fixed") and is_clean:
        return words.say("nothing_left")
    if review.findings_with_status("below"):
        return words.say("nothing_above", severity=words.say(review.settings.minimum))
    if pass_and_check_names(review.coverage):
        return words.say("nothing_found" if is_clean else "nothing_yet")
    if any(reading.by == NOTHING_ADDED for reading in review.coverage.readings):
        return _only_removed(review.coverage, words)
    return words.say("nothing_to_read" if is_clean else "nothing_looked_at")


def _checked(review: Review, what: str, words: Phrases) -> str:
    """Return what was checked and with what, and which checks could not run."""
    who, missing = ", ".join(pass_and_check_names(review.coverage)), ", ".join(review.coverage.not_installed)
    failed = ", ".join(name for name, _ in review.coverage.not_run)
    ran = words.say("looked_at", what=what, who=who) if what and who else words.say("run_by", who=who) if who else ""
    return _sentences(
        ran,
        words.say("not_installed", what=missing) if missing else "",
        words.say("not_run", what=failed) if failed else "",
    )


def _only_removed(coverage: Coverage, words: Phrases) -> str:
    """Return the result for a change that only removes lines: whether removed names are still used."""
    if number := relying_count(coverage):
        return words.say("only_removed_named", number)
    is_searched = not coverage.cut and coverage.complete
    return words.say("only_removed" if is_searched else "only_removed_unsearched")


def unread(coverage: Coverage, words: Phrases = ENGLISH) -> str:
    """Return how much was not checked, such as "Not checked: 1 reference to changed code."; "" if nothing."""
    unread_units = [reading for reading in coverage.open if reading.kind == "unit" and coverage.by_model]
    by_no_model = words.say("open_models", len(unread_units)) if unread_units else ""
    counted = _counted((reading for reading in coverage.open if reading not in unread_units), words)
    places = {
        (reading.path, reading.line): reading.name.rpartition(":")[2]
        for reading in coverage.open
        if reading.kind == "word"
    }
    codes = [str(code(word)) for word in dict.fromkeys(places.values())]
    more = words.say("and_more", len(codes) - LISTED_NAMES) if len(codes) > LISTED_NAMES else ""
    still = words.say("still_say", len(places), what=_sentences(", ".join(codes[:LISTED_NAMES]), more)) if codes else ""
    return _sentences(by_no_model, words.say("not_read", what=counted) if counted else "", still)


def _counted(rows: Iterable[CoverageRow], words: Phrases) -> str:
    counts = Counter[str](reading.kind for reading in rows)
    texts = [words.say(name, counts[kind]) for kind, name in OPEN if counts[kind]]
    return words.say("both", one=", ".join(texts[:-1]), other=texts[-1]) if len(texts) > 1 else "".join(texts)


def pass_and_check_names(coverage: Coverage) -> list[str]:
    """Return the names of what checked the change: models first, then static checks."""
    rows = [reading for reading in coverage.readings if reading.kind == "unit" and reading.by != NOTHING_ADDED]
    readers = dict.fromkeys(
        who.rpartition(" ")[2] for reading in rows if reading.read for who in reading.read.split(", ")
    )
    checks = {name for reading in rows if reading.checked for name in reading.checked.split(", ")}
    checks |= (
        {"contracts"} if any(reading.kind == "use" and reading.checked for reading in coverage.readings) else set()
    )
    return [*readers, *sorted(checks - readers.keys())]


def coverage_counts(coverage: Coverage, kind: str) -> dict[str, int]:
    """Return a row of the coverage table: the number of all, statically checked, read, and unchecked items.

    `kind` is `unit` for code regions, and `use` for references to changed code. Regions that only remove lines
    are not counted, nor are references that were skipped or that are in the state "relies".
    """
    left = ("skipped", "relies") if kind == "use" else ()
    rows = [
        reading
        for reading in coverage.readings
        if reading.kind == kind and reading.state not in left and reading.by != NOTHING_ADDED
    ]
    return {
        "all": len(rows),
        "checked": sum(bool(reading.checked) for reading in rows),
        "read": sum(bool(reading.read) for reading in rows),
        "open": sum(reading.state == "unread" for reading in rows),
    }


def other_open_count(coverage: Coverage) -> int:
    """Return how many other items were not checked, such as files and searches."""
    return sum(reading.kind not in ("unit", "use", "word") for reading in coverage.open)


@dataclass(frozen=True, slots=True)
class OpenItem:
    """A row about unchecked items. Items in the same file with the same reason share a row."""

    path: str
    lines: tuple[int, ...]
    name: str
    reason: str

    @property
    def label(self) -> str:
        """The location, such as "src/till.py:3, 9, 12"."""
        return self.place(LISTED_NUMBERS)

    def place(self, most: int | None) -> str:
        """Return the location with at most `most` line numbers; None for all."""
        numbers = ", ".join(map(str, self.lines[:most]))
        more = f" and {len(self.lines) - most} more" if most is not None and len(self.lines) > most else ""
        return " ".join(filter(None, (f"{self.path}:{numbers}{more}" if numbers else self.path, self.name)))


def next_step(coverage: Coverage, words: Phrases = ENGLISH) -> str:
    """Return a sentence about what to do about unchecked items; empty if there are none."""
    if coverage.complete:
        return ""
    if coverage.is_follow_up:
        return words.say("open_lead_follow_up")
    readable = any(reading.kind in ("unit", "use", "word") for reading in coverage.open)
    return words.say("open_lead_code" if readable and not coverage.by_model else "open_lead")


def change(pull: PullRequest) -> str:
    """Return the names of both sides, such as "main..feature", with short commit IDs."""
    return COMMIT.sub(r"\1", f"{pull.base_name}..{pull.head_name}")


def open_places(coverage: Coverage) -> list[OpenItem]:
    """Return the rows about unchecked items, the most important first.

    Those about references take turns by reason.
    """
    rows: dict[tuple[str, str, str, str], list[int]] = {}
    for reading in coverage.open:
        name = reading.name if reading.kind == "unit" and reading.name != reading.path else ""
        rows.setdefault((reading.kind, reading.path, name, reading.reason), []).append(reading.line)
    turns = Counter[str]()
    keyed_places = []
    for (kind, path, name, reason), lines in rows.items():
        is_use = kind in ("use", "word")
        turn = turns[reason] if is_use else 0
        turns[reason] += 1
        keyed_places.append((is_use, turn, OpenItem(path, tuple(sorted(line for line in lines if line)), name, reason)))
    return [place for _, _, place in sorted(keyed_places, key=lambda item: item[:2])]


def relying(coverage: Coverage) -> list[tuple[str, list[OpenItem]]]:
    """Return the locations that may depend on the change by what changed, the most important first."""
    rows: dict[tuple[str, str], list[int]] = {}
    for reading in coverage.relying:
        rows.setdefault((reading.reason, reading.path), []).append(reading.line)
    groups: dict[str, list[OpenItem]] = {}
    for (reason, path), lines in rows.items():
        groups.setdefault(reason, []).append(OpenItem(path, tuple(sorted(lines)), "", reason))
    return list(groups.items())


def relying_rows(coverage: Coverage) -> tuple[list[tuple[str, list[OpenItem]]], int]:
    """Return the first of these locations, within the limit, and the number left out."""
    groups, room = [], LISTED_RELYING
    for what, rows in relying(coverage):
        if room > 0:
            groups.append((what, rows[:room]))
        room -= len(rows)
    return groups, max(0, -room)


def relying_count(coverage: Coverage) -> int:
    """Return how many lines may depend on the change.

    A line counts once, even if it uses several definitions.
    """
    return len({(reading.path, reading.line) for reading in coverage.relying})


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


def silencings(review: Review) -> tuple[Silencing, ...]:
    """Return why each silenced finding is not reported."""
    return tuple(
        finding.tracking.silencing
        for finding in review.findings_with_status("silenced")
        if finding.tracking.silencing is not None
    )


def silenced_counts(review: Review) -> dict[str, int]:
    """Return how many findings are silenced without a rule, by the keys of the phrases about them.

    They are ignored by an entry or command, withdrawn by the bot, or repeats of dismissed findings.
    """
    counts = Counter(silencing.scope for silencing in silencings(review) if silencing.rule is None)
    named = counts["withdrawn"], counts["repeat"]
    return {"suppressed": counts.total() - sum(named), "withdrawn": named[0], "silenced_repeat": named[1]}


def ignored(review: Review) -> list[tuple[Finding, str]]:
    """Return the findings that an entry or a command ignores, each with the reason."""
    return [
        (finding, why.reason)
        for finding in review.findings_with_status("silenced")
        if (why := finding.tracking.silencing) and why.rule is None and why.scope not in ("withdrawn", "repeat")
    ]


def permalink(pull: PullRequest, path: str, side: Side, start: int = 0, end: int = 0) -> str:
    """Return the URL of these lines at the reviewed commit.

    Returns "" for a local repository or uncommitted work, or if the path is masked.
    """
    if not pull.url or pull.object_dir or MASK in path:
        return ""
    lines = (f"#L{start}" if start else "") + (f"-L{end}" if end > start else "")
    return (
        f"{pull.url}/blob/{pull.head if side == 'head' else pull.base}/{quote(path.encode('utf-8', 'replace'))}{lines}"
    )


def origin(finding: Finding, words: Phrases = ENGLISH) -> str:
    """Return who reported a finding, how certain it is, and its history: "static check ruff (rule F821), proven"."""
    is_counted = finding.basis.readings > 1 and finding.basis.votes
    votes = f", {words.say('votes', votes=finding.basis.votes, readings=finding.basis.readings)}" if is_counted else ""
    rule = f" ({words.say('by_rule', rule=finding.rule)})" if finding.rule else ""
    history = _history(finding, words)
    report = f"{_reporters(finding.basis.sources, words)}{rule}{votes}, {words.say(finding.basis.certainty)}"
    return f"{report}. {history}" if history else report


def _reporters(sources: Sequence[Source], words: Phrases) -> str:
    """Return the names of the static checks, models and tools that reported a finding."""
    checks = list(dict.fromkeys(source.name for source in sources if source.kind == "analyser"))
    others = dict.fromkeys(
        words.say(f"by_{source.role}", name=source.name) if source.kind == "model" and source.role else source.name
        for source in sources
        if source.kind != "analyser"
    )
    together = words.say("by_checks", len(checks), names=" and ".join(checks)) if checks else ""
    return " and ".join(filter(None, (together, *others)))


def _history(finding: Finding, words: Phrases) -> str:
    """Return a sentence about a finding's history in earlier reviews, or ""."""
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


def risks(review: Review) -> list[tuple[str, int, Grade, int]]:
    """Return the risk map: folder, number of code regions, grade and number of findings, riskiest first.

    Folders that only have findings are included. The map is empty for a clean review, because "risk high"
    next to "clean" would be confusing.
    """
    if not review.coverage.areas or review.conclusion == "clean":
        return []
    counts = Counter(item.finding.path.rpartition("/")[0] for item in listing(review).all)
    rows = [(area.folder, area.units, _grade(area.risk), counts.pop(area.folder, 0)) for area in review.coverage.areas]
    return [*rows, *((folder, 0, _grade(0), number) for folder, number in sorted(counts.items()))]


def silencing_rules(review: Review) -> list[tuple[OwnerRule, str, int]]:
    """Return each rule that silenced findings, with its reason and the number of findings.

    Rules from files come first.
    """
    reasons = {silencing.rule: silencing.reason for silencing in silencings(review) if silencing.rule is not None}
    counts = Counter(silencing.rule for silencing in silencings(review) if silencing.rule is not None)
    return [
        (rule, reasons[rule], counts[rule])
        for rule in sorted(counts, key=lambda rule: (rule.learned, rule.file, rule.number))
    ]


def rule_name(rule: OwnerRule, words: Phrases = ENGLISH) -> str:
    """Return the displayed name of a rule or learning."""
    kind = "learning" if rule.is_learning else "rule"
    return words.say(f"{kind}_learned" if rule.learned else f"{kind}_written", rule=rule.number, file=rule.file or FILE)


def rule_place(rule: OwnerRule) -> str:
    """Return what a rule applies to, for display. An exact path is shown without its prefix."""
    return rule.place.removeprefix(globs.EXACT)


def cost(cost_now: Cost, seconds: float, words: Phrases = ENGLISH) -> str:
    """Return one line with price, calls, tokens, seconds and models."""
    if not cost_now.calls and not cost_now.failed_calls:
        return f"$0.00, {words.say('no_model')} · {_seconds(seconds, words)}"
    failures_text = f" ({words.say('failed', cost_now.failed_calls)})" if cost_now.failed_calls else ""
    cache_text = words.say("cached", cost_now.usage.cache_read) if cost_now.usage.cache_read else ""
    input_text, output_text = words.number(cost_now.usage.input), words.number(cost_now.usage.output)
    tokens = words.say("tokens", input=input_text, output=output_text, cached=cache_text)
    calls = words.say("calls", cost_now.calls) + failures_text
    price = f"{dollars(cost_now, words)}{_shares(cost_now, words)}"
    parts: Sequence[str] = (price, calls, tokens, _seconds(seconds, words), ", ".join(cost_now.models))
    return " · ".join(filter(None, parts))


def dollars(cost_now: Cost, words: Phrases = ENGLISH) -> str:
    """Return the price, or that it is unknown."""
    if cost_now.usd is None:
        return words.say("price_unknown")
    return f"${cost_now.usd:.2f}" if cost_now.usd >= 1 or not cost_now.usd else f"${cost_now.usd:.4f}"


def _shares(cost_now: Cost, words: Phrases) -> str:
    """Return the shares of the price, such as " (root 33 %, workers 67 %)"; empty if there is only one."""
    if not cost_now.usd or cost_now.root_usd is None or cost_now.verify_usd is None:
        return ""
    workers = cost_now.usd - cost_now.root_usd - cost_now.verify_usd
    payers = (("share_root", cost_now.root_usd), ("share_workers", workers), ("share_verify", cost_now.verify_usd))
    texts = [words.say(name, p=round(100 * usd / cost_now.usd)) for name, usd in payers if usd > 0]
    return f" ({', '.join(texts)})" if len(texts) > 1 else ""


def _grade(score: int) -> Grade:
    return "high" if score >= RISKY else "medium" if score >= NOTABLE else "low"


def _seconds(seconds: float, words: Phrases) -> str:
    if seconds < MINUTE:
        return words.say("seconds", s=f"{seconds:.1f}")
    return words.say("minutes", m=int(seconds // MINUTE), s=int(seconds % MINUTE))
