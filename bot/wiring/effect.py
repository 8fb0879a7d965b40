"""Compute what a change affects, with static analysis only: a review's survey and its broken contracts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from bot import pipeline
from bot.analyzers import ANALYZERS
from bot.findings.quotes import check_quotes
from bot.machine import extras
from bot.values import ChangedFile, Dependents, Finding, Judgement, PullRequest, ReviewRequest
from bot.values.consumer import ConsumerReport
from bot.wiring import review
from deeprepo.impact.families import LANGUAGES
from deeprepo.impact.uses.budget import SearchLimits

# Selecting tests needs every reference, including those to definitions whose body changed.
EVERY_USE = SearchLimits(sites=SearchLimits().obliging, install=extras.install)
NO_MODEL = MappingProxyType({"effort": "none"})


@dataclass(frozen=True, slots=True)
class Effect:
    """The change, its changed definitions, their references, and broken contracts."""

    pull: PullRequest
    files: tuple[ChangedFile, ...]
    dependents: Dependents
    breakages: tuple[Finding, ...]
    left_out: Mapping[str, str]  # unreadable files with the reason
    consumers: tuple[ConsumerReport, ...] = ()


async def compute(
    request: ReviewRequest,
    scratch: str,
    say: Callable[[str], None],
    *,
    consumers: Sequence[str] = (),
) -> Effect:
    """Compute the impact. Raises NothingToReview for an empty change."""
    brief = await review.brief(request, {**NO_MODEL, "of_features": {"consumers": consumers}}, scratch)
    tools = replace(review.tools(brief, scratch, review.lines(say)), search=EVERY_USE)
    async with pipeline.survey(brief, tools) as subject:
        say("comparing references with the change")
        analyzer = ANALYZERS["contracts"](LANGUAGES)
        wanted_files = [file for file in subject.files if analyzer.wants(file)]
        judgement = Judgement((), frozenset())
        if wanted_files:
            judgement = await analyzer.check(subject.tree, wanted_files, subject.dependents)
        unread = judgement.unjudged_files(wanted_files)
        checked_findings = [
            await check_quotes(finding, subject.tree) for finding in (*judgement.findings, *subject.consumers.findings)
        ]
    breakages = tuple(finding for finding in checked_findings if isinstance(finding, Finding))
    effect = Effect(
        subject.pull,
        subject.files,
        subject.dependents,
        breakages,
        dict(unread),
        subject.consumers.reports,
    )
    return subject.shown(effect, breakages)
