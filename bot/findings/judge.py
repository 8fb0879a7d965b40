"""What may be reported: findings that code has proven or a second call has confirmed. The rest is counted and listed on demand.

A finding on which the second call gave no verdict is said too, marked as unconfirmed: it must not vanish without a word.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from bot.findings.memory import Recollection, outlasting, recall, revive
from bot.findings.merge import merge
from bot.findings.suppress import IgnoreList
from bot.findings.verify import Ask, verify
from bot.ports import Tree
from bot.render import count
from bot.values import (
    ArchivedFinding,
    ChangedFile,
    Dependents,
    Earlier,
    Finding,
    PullRequest,
    Severity,
    Silence,
    Source,
    SuppressedFinding,
    Verdict,
    at_least,
)


@dataclass(frozen=True, slots=True)
class JudgedFindings:
    """The findings that may be reported, and what became of the others."""

    reportable_findings: tuple[Finding, ...]
    dropped_count: int  # reported in this round and neither proven nor confirmed
    unproven: tuple[Finding, ...] = ()  # of these, the ones that nobody refuted
    still: tuple[Finding, ...] = ()  # said in an earlier round and still there
    fixed_findings: tuple[Finding, ...] = ()
    suppressed_findings: tuple[SuppressedFinding, ...] = ()
    unheard: tuple[Finding, ...] = ()  # of those that are said, the ones on which no second opinion came
    why: tuple[str, ...] = ()  # it did not come, as sentences
    refuted_findings: tuple[Finding, ...] = ()  # in this round, by a second opinion or by code
    refuted_marks: frozenset[str] = (
        frozenset()
    )  # identities of what a second opinion has refuted, new or reported before


async def judge(
    findings: Sequence[Finding],
    tree: Tree,
    dependents: Dependents,
    ask: Ask | None,
    *,
    files: Sequence[ChangedFile] = (),
    ignore_list: IgnoreList = IgnoreList(),  # noqa: B008 - frozen
    earlier: Earlier | None = None,
    reread: Collection[tuple[str, int, int]] = (),
    pull: PullRequest | None = None,
    before: Mapping[str, str] = MappingProxyType({}),
    least: Severity = "low",
    leaks: Sequence[Finding] = (),
    archive: Sequence[ArchivedFinding] = (),
    full: bool = False,
    silence: Callable[[Source, Finding], Silence | None] = lambda _source, _finding: "unseen",
) -> JudgedFindings:
    """Merge, remember, silence, verify. Without `ask` nobody gives a second opinion, and unproven findings are reported as such.

    `least`: less severe findings are kept back afterwards, so nobody pays for an opinion on them: they are unconfirmed, until a
    round in which they would be shown. `archive`: what models reported in earlier rounds; `full`: a person asked to read everything again.
    """
    merged_findings = merge(findings)
    recollection = (
        await recall(earlier, merged_findings, tree, files, reread, before, silence)
        if earlier
        else Recollection(merged_findings, (), (), ())
    )
    recollection = outlasting(recollection, leaks)
    if pull is not None and archive:
        here = (pull.head, pull.base)
        recollection = await revive(recollection, archive, here, tree, files, reread, silence, full=full)
    if earlier is not None:  # what nobody was told of is not told to be fixed
        recollection = replace(
            recollection,
            fixed_findings=tuple(f for f in recollection.fixed_findings if f.identity not in earlier.silenced_marks),
        )
    new, silenced_findings = ignore_list.split(recollection.new)
    still, silenced_too = ignore_list.split(recollection.still)
    doubtful, silenced_as_well = ignore_list.split(recollection.doubtful)
    suppressed_findings = (*silenced_findings, *silenced_too, *silenced_as_well)
    if ask is None:
        reportable_findings = tuple(f for f in new if f.verdict.stands)
        refuted_findings = tuple(f for f in new if not f.verdict.stands)
        return JudgedFindings(
            reportable_findings,
            len(refuted_findings),
            (),
            (*still, *doubtful),
            recollection.fixed_findings,
            suppressed_findings,
            refuted_findings=refuted_findings,
        )
    quiet = tuple(replace(f, unconfirmed=True) for f in new if not at_least(f.severity, least) and f.verdict.open)
    new = tuple(f for f in new if at_least(f.severity, least) or not f.verdict.open)
    unseen = tuple(f for f in new if _is_masked(f))
    new = tuple(f for f in new if not _is_masked(f))
    without_opinion = tuple(f for f in doubtful if not at_least(f.severity, least) or _is_masked(f))
    raised_findings = tuple(
        f for f in still if at_least(f.severity, least) and f.verdict.open and not f.number
    )  # kept back until now
    doubtful = (*(f for f in doubtful if f not in without_opinion), *raised_findings)
    still = (*(f for f in still if f not in raised_findings), *without_opinion)
    open_findings = [*new, *(replace(finding, verdict=Verdict.UNPROVEN) for finding in doubtful)]
    verification = await verify(open_findings, tree, dependents, ask, files, pull)
    verdicts = verification.findings
    reportable_findings = tuple(f for f in verdicts[: len(new)] if f.is_shown)
    unproven = tuple(f for f in verdicts[: len(new)] if f.verdict.open and not f.is_shown)
    again = list(zip(doubtful, verdicts[len(new) :], strict=True))
    fixed_findings = tuple(replace(finding, status="fixed") for finding, now in again if not now.verdict.stands)
    judged_again = (_update(finding, now) for finding, now in again if now.verdict.stands)
    open_ones = tuple(f for f in judged_again if f.number or f.is_shown)
    unheard = tuple(finding for finding in reportable_findings if finding.unconfirmed)
    refuted_findings = tuple(f for f in verdicts[: len(new)] if not f.verdict.stands)
    why = Counter(verification.unheard[finding.fingerprint] for finding in unheard)
    return JudgedFindings(
        (*reportable_findings, *unseen, *quiet),
        dropped_count=len(new) - len(reportable_findings),
        unproven=unproven,
        still=(*still, *open_ones),
        fixed_findings=(*recollection.fixed_findings, *fixed_findings),
        suppressed_findings=suppressed_findings,
        unheard=unheard,
        refuted_findings=refuted_findings,
        refuted_marks=frozenset(one.identity for one in (*refuted_findings, *fixed_findings)),
        why=tuple(
            f"{count(number, 'finding')} without a second opinion, shown as unconfirmed: {reason}"
            for reason, number in why.items()
        ),
    )


def _is_masked(finding: Finding) -> bool:
    """Whether a model would judge a secret that it is not shown, by the words that its author wrote beside it."""
    return finding.category == "secret" and finding.verdict.open and any(s.kind != "model" for s in finding.sources)


def _update(before: Finding, now: Finding) -> Finding:
    """A finding of an earlier round with what the second call says of it now."""
    verdict = now.verdict if now.verdict.is_shown else before.verdict
    return replace(before, verdict=verdict, unconfirmed=before.unconfirmed and now.unconfirmed)
