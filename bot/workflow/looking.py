"""What a job sees first: the pull request, its place in the history, the owner's settings. Recorded, so that a second attempt judges the same."""

from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from bot import config
from bot.config import Config
from bot.errors import HostRefused, OverLimit, UsageError
from bot.github import Host
from bot.ports import Job
from bot.render import cut
from bot.values import Bases, PullFacts, PullRef
from bot.workflow.parts import Services, kept

GONE = 404
MOST_CONFIG = 64_000  # bytes of the owner's file
MOST_BODY = 8_000  # characters of the author's text: a step holds no more, and no model reads more


@dataclass(frozen=True, slots=True)
class PullState:
    """A pull request at the beginning of a job."""

    facts: PullFacts
    bases: Bases
    paused: bool
    file: str | None  # .deeprepo.yml of the base branch's tip


_SEEN = TypeAdapter(PullState)


async def look(pull: PullRef, host: Host, job: Job, parts: Services) -> PullState:
    """Look once; a later attempt gets what the first one saw."""

    async def now() -> PullState:
        return await seen(host, config.FILE, paused=await parts.store.people.paused(pull))

    return await kept(job, "look", _SEEN, now)


async def settings(state: PullState, parts: Services) -> Config:
    """The settings; those of the server alone if the owner's file is wrong, which the review reports."""
    try:
        return await parts.resolve(state.file)
    except (UsageError, OverLimit):
        return config.resolve({}, None, parts.settings)


async def seen(host: Host, path: str, *, paused: bool = False) -> PullState:
    """The pull request as it is now. `path`: of the owner's settings, which are read at the base branch's tip."""
    facts = await host.facts()
    bases = await compared(host, facts)
    file = await host.file_at(path, bases.tip)
    text = file[:MOST_CONFIG].decode("utf-8", "replace") if file is not None else None
    return PullState(replace(facts, body=cut(facts.body, MOST_BODY)), bases, paused, text)


async def compared(host: Host, facts: PullFacts) -> Bases:
    """Against the base branch as it is now; where it was deleted, against the commit that it had.

    Two that share no commit have no merge base: GitHub knows no answer then.
    """
    for base in (facts.base_ref, facts.base_sha):
        try:
            return await host.bases(base, facts.head_sha)
        except HostRefused as refused:
            if refused.status != GONE:
                raise
    return Bases(facts.base_sha, merge_base="", ahead=0, behind=0)
