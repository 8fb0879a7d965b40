"""Decide how much of a consumer a review may show to people and to model providers.

The levels are: nothing, the existence of an affected repository, its name, and its lines. Only `disclosure`
decides the level. Hidden parts are removed from the values before any output, prompt, record or log is made,
so none of those needs its own rules.
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
    RepositoryAccess,
    Visibility,
)
from deeprepo.impact.consumers.overlay import LINKS, mount_of

HIDDEN_NAME = "a repository that you may not be able to see"
PARTLY = "it was only partly checked"
# The order of visibilities by how many people have access.
OPENNESS: Mapping[Visibility, int] = {"private": 0, "internal": 1, "public": 2}


def disclosure(audience: Audience, consumer: RepositoryAccess) -> Disclosure:
    """Return how much a review may show of a consumer.

    Everything may be shown if the consumer is public, or a clone on the user's own disk. The name and lines
    of another consumer may be shown if it has the same owner and is open to at least as many people, but no
    more than the operator and the consumer's own settings allow. Otherwise, only its existence may be shown.
    If the change's author is a stranger, not even that, because strangers could find out what a private
    repository uses by submitting suitable changes. The exception is a private reviewed repository.
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


def _is_within(subject: RepositoryAccess, consumer: RepositoryAccess) -> bool:
    """Return whether everybody who can read the reviewed repository can also read the consumer.

    This is assumed if both have the same owner and the consumer is open to at least as many people.
    """
    if subject.visibility is None or consumer.visibility is None or subject.visibility == "public":
        return False
    is_same = bool(consumer.owner) and consumer.owner.lower() == subject.owner.lower()
    return is_same and OPENNESS[consumer.visibility] >= OPENNESS[subject.visibility]


def disclose(consumers: ConsumerImpact, audience: Audience) -> ConsumerImpact:
    """Return the impact without everything that the audience may not see.

    This runs before any prompt or output is made.
    """
    standings = dict(consumers.standings)
    levels: dict[str, Disclosure] = {}
    for report in consumers.reports:
        owner = report.name.rpartition("/")[0]
        levels[report.name] = disclosure(
            audience, standings.get(report.name) or RepositoryAccess(owner, report.visibility)
        )
    return limited_to(consumers, levels)


def limited_to(consumers: ConsumerImpact, levels: Mapping[str, Disclosure]) -> ConsumerImpact:
    """Return the impact with each consumer limited to its level. Consumers without a level are removed."""
    visible = {name: level for name, level in levels.items() if level != "nothing"}
    hidden_names = [report.name for report in consumers.reports if visible.get(report.name) == "existence"]
    labels = {name: f"hidden {number}" for number, name in enumerate(hidden_names, 1)}
    reports = tuple(
        report if visible[report.name] == "lines" else redacted_report(report, labels.get(report.name, ""))
        for report in consumers.reports
        if report.name in visible and not (report.name in labels and report.state == "unrelated")
    )
    findings = tuple(
        finding if visible[finding.consumer] == "lines" else redacted_finding(finding, labels.get(finding.consumer, ""))
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


def redacted_finding(finding: Finding, label: str) -> Finding:
    """Return the finding without the consumer's code. `label` replaces its name; "" if the name may be shown.

    The result is made only from the change, so that fields added to `Finding` later are not shown by
    accident.
    """
    whom = HIDDEN_NAME if label else finding.consumer
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


def redacted_report(report: ConsumerReport, label: str) -> ConsumerReport:
    """Return a report that only says that a consumer exists, and whether it breaks.

    `label` replaces its name; "" if the name may be shown.
    """
    reason = "" if not report.reason else "its name is not shown here" if label else PARTLY
    shown = ConsumerReport(label or report.name, report.state, reason=reason, breaks=report.breaks, hints=report.hints)
    return shown if label else replace(shown, visibility=report.visibility)


def _changed(finding: Finding, quote: str, own: tuple[Evidence, ...]) -> str:
    """Return a clause about what the change does, which only contains words from the change."""
    gone = "removed" in finding.rule or finding.side == "base"
    line = " ".join((own[0].quote if own and not quote.strip() else quote).split()) or finding.path
    return f"`{line[:120]}` was {'removed or renamed' if gone else 'changed'}"
