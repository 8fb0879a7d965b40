"""What may be reported: findings that code has proven or a second call has confirmed. The rest is counted and listed on demand.

A finding on which the second call gave no verdict is said too, marked as unconfirmed: it must not vanish without a word.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from bot.findings.memory import Recalled, outlasting, recall, revived
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
    Suppressed,
    Verdict,
    at_least,
)


@dataclass(frozen=True, slots=True)
class Judged:
    """The findings that may be reported, and what became of the others."""

    said: tuple[Finding, ...]
    dropped: int  # reported in this round and neither proven nor confirmed
    unproven: tuple[Finding, ...] = ()  # of these, the ones that nobody refuted
    still: tuple[Finding, ...] = ()  # said in an earlier round and still there
    fixed: tuple[Finding, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    unheard: tuple[Finding, ...] = ()  # of those that are said, the ones on which no second opinion came
    why: tuple[str, ...] = ()  # it did not come, as sentences
    refuted: tuple[Finding, ...] = ()  # in this round, by a second opinion or by code
    disproven: frozenset[str] = frozenset()  # identities of what a second opinion has refuted, new or said before


async def judge(
    findings: Sequence[Finding],
    tree: Tree,
    dependents: Dependents,
    ask: Ask | None,
    *,
    files: Sequence[ChangedFile] = (),
    ignored: IgnoreList = IgnoreList(),  # noqa: B008 - frozen
    earlier: Earlier | None = None,
    reread: Collection[tuple[str, int, int]] = (),
    pull: PullRequest | None = None,
    before: Mapping[str, str] = MappingProxyType({}),
    least: Severity = "low",
    leaked: Sequence[Finding] = (),
    archive: Sequence[ArchivedFinding] = (),
    full: bool = False,
    silence: Callable[[Source, Finding], Silence | None] = lambda _source, _finding: "unseen",
) -> Judged:
    """Merge, remember, silence, verify. Without `ask` nobody gives a second opinion, and unproven findings are reported as such.

    `least`: less severe findings are kept back afterwards, so nobody pays for an opinion on them: they are unconfirmed, until a
    round in which they would be shown. `archive`: what models reported in earlier rounds; `full`: a person asked to read everything again.
    """
    merged = merge(findings)
    known = (
        await recall(earlier, merged, tree, files, reread, before, silence) if earlier else Recalled(merged, (), (), ())
    )
    known = outlasting(known, leaked)
    if pull is not None and archive:
        here = (pull.head, pull.base)
        known = await revived(known, archive, here, tree, files, reread, silence, full=full)
    if earlier is not None:  # what nobody was told of is not told to be fixed
        known = replace(known, fixed=tuple(f for f in known.fixed if f.identity not in earlier.silenced))
    new, silenced = ignored.split(known.new)
    still, silenced_too = ignored.split(known.still)
    doubtful, silenced_as_well = ignored.split(known.doubtful)
    hushed = (*silenced, *silenced_too, *silenced_as_well)
    if ask is None:
        said = tuple(f for f in new if f.verdict.stands)
        refuted = tuple(f for f in new if not f.verdict.stands)
        return Judged(said, len(refuted), (), (*still, *doubtful), known.fixed, hushed, refuted=refuted)
    quiet = tuple(replace(f, unconfirmed=True) for f in new if not at_least(f.severity, least) and f.verdict.open)
    new = tuple(f for f in new if at_least(f.severity, least) or not f.verdict.open)
    unseen = tuple(f for f in new if _is_masked(f))
    new = tuple(f for f in new if not _is_masked(f))
    unasked = tuple(f for f in doubtful if not at_least(f.severity, least) or _is_masked(f))
    raised = tuple(
        f for f in still if at_least(f.severity, least) and f.verdict.open and not f.number
    )  # kept back until now
    doubtful = (*(f for f in doubtful if f not in unasked), *raised)
    still = (*(f for f in still if f not in raised), *unasked)
    asked = [*new, *(replace(finding, verdict=Verdict.UNPROVEN) for finding in doubtful)]
    verified = await verify(asked, tree, dependents, ask, files, pull)
    judged = verified.findings
    said = tuple(f for f in judged[: len(new)] if f.shown)
    unproven = tuple(f for f in judged[: len(new)] if f.verdict.open and not f.shown)
    again = list(zip(doubtful, judged[len(new) :], strict=True))
    fixed = tuple(replace(finding, status="fixed") for finding, now in again if not now.verdict.stands)
    heard = (_heard(finding, now) for finding, now in again if now.verdict.stands)
    open_ones = tuple(f for f in heard if f.number or f.shown)
    unheard = tuple(finding for finding in said if finding.unconfirmed)
    refuted = tuple(f for f in judged[: len(new)] if not f.verdict.stands)
    why = Counter(verified.unheard[finding.fingerprint] for finding in unheard)
    return Judged(
        (*said, *unseen, *quiet),
        dropped=len(new) - len(said),
        unproven=unproven,
        still=(*still, *open_ones),
        fixed=(*known.fixed, *fixed),
        suppressed=hushed,
        unheard=unheard,
        refuted=refuted,
        disproven=frozenset(one.identity for one in (*refuted, *fixed)),
        why=tuple(
            f"{count(number, 'finding')} without a second opinion, shown as unconfirmed: {reason}"
            for reason, number in why.items()
        ),
    )


def _is_masked(finding: Finding) -> bool:
    """Whether a model would judge a secret that it is not shown, by the words that its author wrote beside it."""
    return finding.category == "secret" and finding.verdict.open and any(s.kind != "model" for s in finding.sources)


def _heard(before: Finding, now: Finding) -> Finding:
    """A finding of an earlier round with what the second call says of it now."""
    verdict = now.verdict if now.verdict.shown else before.verdict
    return replace(before, verdict=verdict, unconfirmed=before.unconfirmed and now.unconfirmed)
