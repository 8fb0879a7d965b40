"""What of a consumer may be shown: its lines are read by everybody who reads the review, and by the provider of a model.

There are four answers: nothing, that a repository exists which breaks, its name, or its lines. `disclosure` alone gives them. What may not
be shown is taken out of the values themselves, before an output, a prompt, a record or a log exists, so none of them has a rule of its own.
"""

from collections.abc import Mapping
from dataclasses import replace

from bot.features.consumers import words
from bot.values import Basis, Evidence, Finding, Source, Tracking
from bot.values.consumer import (
    DISCLOSURES,
    Audience,
    ConsumerImpact,
    ConsumerReport,
    Disclosure,
    Standing,
    Visibility,
)
from deeprepo.impact.consumers.overlay import LINKS, mount_of

HIDDEN = "a repository that you may not be able to see"
PARTLY = "it was only partly checked"
REACH: Mapping[Visibility, int] = {"private": 0, "internal": 1, "public": 2}  # how many can read it, by order


def disclosure(audience: Audience, consumer: Standing) -> Disclosure:
    """Return how much the readers of a review may learn of a consumer.

    Everything of one that everybody can read, and of clones on the reader's own disk. Of another one its name and lines only if it has the
    same owner and no fewer people can read it, as far as the operator and its own settings allow; else no more than that it exists, and
    not even that for strangers, who could choose changes to find out what it uses.
    """
    subject = audience.subject
    if subject.visibility is None and consumer.visibility is None and not subject.owner:
        return "lines"
    if consumer.visibility == "public":
        return "lines"
    if audience.is_stranger and subject.visibility != "private":
        return "nothing"
    most = min(audience.most, consumer.shows, key=DISCLOSURES.index)
    return most if _is_within(subject, consumer) else min(most, "existence", key=DISCLOSURES.index)


def _is_within(subject: Standing, consumer: Standing) -> bool:
    """Whether who can read the reviewed repository can be taken to read the consumer: the same owner's, and open to no fewer people."""
    if subject.visibility is None or consumer.visibility is None or subject.visibility == "public":
        return False
    is_same = bool(consumer.owner) and consumer.owner.lower() == subject.owner.lower()
    return is_same and REACH[consumer.visibility] >= REACH[subject.visibility]


def disclose(consumers: ConsumerImpact, audience: Audience) -> ConsumerImpact:
    """Return the same as the readers of the review may see it: the one place through which it goes to prompts, records and outputs."""
    standings = dict(consumers.standings)
    levels: dict[str, Disclosure] = {}
    for report in consumers.reports:
        owner = report.name.rpartition("/")[0]
        levels[report.name] = disclosure(audience, standings.get(report.name) or Standing(owner, report.visibility))
    return withheld(consumers, levels)


def withheld(consumers: ConsumerImpact, levels: Mapping[str, Disclosure]) -> ConsumerImpact:
    """Return the same with so much of each consumer as its level allows, and with nothing of one that has no level."""
    visible = {name: level for name, level in levels.items() if level != "nothing"}
    hidden_names = [report.name for report in consumers.reports if visible.get(report.name) == "existence"]
    labels = {name: f"hidden {number}" for number, name in enumerate(hidden_names, 1)}
    reports = tuple(
        report if visible[report.name] == "lines" else withheld_report(report, labels.get(report.name, ""))
        for report in consumers.reports
        if report.name in visible and not (report.name in labels and report.state == "unrelated")
    )
    findings = tuple(
        finding if visible[finding.consumer] == "lines" else withheld_finding(finding, labels.get(finding.consumer, ""))
        for finding in consumers.findings
        if finding.consumer in visible
    )
    lines = {name for name, level in visible.items() if level == "lines"}
    excerpts = tuple(excerpt for excerpt in consumers.excerpts if excerpt[1].path.partition(":")[0] in lines)
    is_whole = len(lines) == len(consumers.reports)
    summary = consumers.summary if is_whole else words.summary(reports)
    readable = tuple(name for name in consumers.readable if name in lines)
    clones = tuple(clone for clone in consumers.clones if clone.name in readable)
    return ConsumerImpact(reports, findings, summary, excerpts, readable=readable, clones=clones)


def withheld_finding(finding: Finding, label: str) -> Finding:
    """Return the finding without a word of the consumer's code; `label`: what stands for its name, "" if that may be shown.

    It is made of what the change itself has alone, so that a field that is added later is not shown.
    """
    whom = HIDDEN if label else finding.consumer
    others = (mount_of(finding.consumer), LINKS, f"{finding.consumer}:")
    evidence = tuple(
        Evidence(item.path, item.quote, item.line, item.side, item.note)
        for item in finding.evidence
        if not item.repository and not item.path.startswith(others)
    )
    quote = finding.quote if finding.start else ""
    what = _changed(finding, quote, evidence)
    return Finding(
        path=finding.path,
        quote=quote,
        title=f"{what}, and {whom} still uses the old version",
        why=f"{what}. A reference in {whom} no longer matches. People with access to that repository can see the line.",
        consequence="",
        severity=finding.severity,
        category=finding.category,
        basis=Basis(tuple(
            Source(source.kind, source.name, source.role, f"{finding.rule} {label or finding.consumer} {what}" if source.proof else "")
            for source in finding.basis.sources
        ), verdict=finding.verdict),
        rule=finding.rule,
        start=finding.start,
        end=finding.end,
        side=finding.side,
        evidence=evidence,
        tracking=Tracking(status=finding.status),
        consumer=label or finding.consumer,
    )  # fmt: skip


def withheld_report(report: ConsumerReport, label: str) -> ConsumerReport:
    """Say that there is a consumer, and whether it breaks; `label`: what stands for its name, "" if that may be shown."""
    reason = "" if not report.reason else "its name is not shown here" if label else PARTLY
    shown = ConsumerReport(label or report.name, report.state, reason=reason, breaks=report.breaks, hints=report.hints)
    return shown if label else replace(shown, visibility=report.visibility)


def _changed(finding: Finding, quote: str, own: tuple[Evidence, ...]) -> str:
    """What the change does, in words that come from the change alone."""
    gone = "removed" in finding.rule or finding.side == "base"
    line = " ".join((own[0].quote if own and not quote.strip() else quote).split()) or finding.path
    return f"`{line[:120]}` was {'removed or renamed' if gone else 'changed'}"
