"""What a change affects, by code alone: the survey of a review and the contracts that are broken, without judging anything."""

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

# A person who selects tests needs each use, of a definition whose body alone changed too.
EVERY_USE = SearchLimits(sites=SearchLimits().obliging, install=extras.install)
NO_MODEL = MappingProxyType({"effort": "none"})


@dataclass(frozen=True, slots=True)
class Effect:
    """The change, what it defines otherwise, who uses that, and where its contract is broken."""

    pull: PullRequest
    files: tuple[ChangedFile, ...]
    dependents: Dependents
    breakages: tuple[Finding, ...]
    left_out: Mapping[str, str]  # files that could not be read, and why
    consumers: tuple[ConsumerReport, ...] = ()


async def compute(
    request: ReviewRequest,
    scratch: str,
    say: Callable[[str], None],
    *,
    consumers: Sequence[str] = (),
) -> Effect:
    """Compute the impact. Raises NothingToReview where the change is empty."""
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
