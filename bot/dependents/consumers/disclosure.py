"""What of a consumer may be shown: its lines are read by everybody who reads the review.

A consumer's name, code and versions are shown if everybody who can read the reviewed pull request can read the consumer. Of any other
nothing is shown but that it would break. What is withheld is taken out of the values themselves, before an output, a prompt, a record or
a log exists, so none of them has a rule of its own.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Literal

from bot.values import Evidence, Finding, Source
from bot.values.consumer import ConsumerImpact, ConsumerReport, Standing, Visibility

HIDDEN = "a repository that you may not be able to see"
REACH: Mapping[Visibility, int] = {"private": 0, "internal": 1, "public": 2}  # how many can read it, by order
Disclosure = Literal["everything", "existence"]


def disclosure(
    subject: Standing, consumer: Standing, *, switched_on: bool, readers_included: bool = False
) -> Disclosure:
    """How much the readers of a review may learn of a consumer.

    `switched_on`: the operator allows repositories of one owner to be named in each other's reviews. `readers_included`: the host has
    confirmed that everybody who reads this output can read the consumer, as an administrator of both can.
    """
    if subject.visibility is None and consumer.visibility is None:
        return "everything"  # somebody's own clones, on their own disk
    if consumer.visibility == "public" or readers_included:
        return "everything"
    if subject.visibility is None or consumer.visibility is None:
        return "existence"
    inside = subject.visibility != "public" and REACH[consumer.visibility] >= REACH[subject.visibility]
    same = bool(consumer.owner) and consumer.owner.lower() == subject.owner.lower()
    return "everything" if inside and same and switched_on else "existence"


def withheld_finding(finding: Finding, number: int) -> Finding:
    """The finding without a word of the consumer: that the definition is used elsewhere, and what became of it."""
    own = tuple(item for item in finding.evidence if not item.repository)
    what = _changed(finding, own)
    return replace(
        finding,
        title=f"{what}, and {HIDDEN} still uses it as it was",
        why=f"{what}. A use in {HIDDEN} no longer fits it; the administrators of that repository can see the line.",
        consequence="",
        evidence=own,
        trigger="",
        consumer=f"hidden {number}",
        sources=tuple(
            Source(one.kind, one.name, one.role, f"{finding.rule} hidden {number} {what}" if one.proof else "")
            for one in finding.sources
        ),
    )


def withheld_report(report: ConsumerReport, number: int) -> ConsumerReport:
    """That there is a consumer, and whether it breaks."""
    return ConsumerReport(
        f"hidden {number}", report.state, reason="it may not be named here" if report.reason else "",
        breaks=report.breaks, hints=report.hints,
    )  # fmt: skip


def _changed(finding: Finding, own: tuple[Evidence, ...]) -> str:
    """What the change does, in words that come from the change alone."""
    gone = "removed" in finding.rule or finding.side == "base"
    line = " ".join((own[0].quote if own and not finding.quote.strip() else finding.quote).split())
    return f"`{line[:120]}` was {'removed or renamed' if gone else 'changed'}"


def disclose(consumers: ConsumerImpact, subject: Standing, *, switched_on: bool) -> ConsumerImpact:
    """The same as the readers of the review may see it: the one place through which it goes to prompts, records and outputs."""
    standings = {one.name: Standing(one.name.rpartition("/")[0], one.visibility) for one in consumers.reports}
    hidden = {
        name
        for name, standing in standings.items()
        if disclosure(subject, standing, switched_on=switched_on) == "existence"
    }
    return withheld(consumers, hidden) if hidden else consumers


def withheld(consumers: ConsumerImpact, names: Collection[str]) -> ConsumerImpact:
    """The same without a word of these consumers, whose readers are fewer than those of the review."""
    hidden = {one.name: number for number, one in enumerate((r for r in consumers.reports if r.name in names), 1)}
    return replace(
        consumers,
        reports=tuple(
            withheld_report(one, hidden[one.name]) if one.name in hidden else one for one in consumers.reports
        ),
        findings=tuple(
            withheld_finding(one, hidden[one.consumer]) if one.consumer in hidden else one for one in consumers.findings
        ),
        excerpts=tuple(one for one in consumers.excerpts if one[1].path.partition(":")[0] not in hidden),
    )
