"""What a job sees first: the pull request, its place in the history, the owner's settings. Recorded, so that a second attempt judges the same."""

from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from bot import config
from bot.commands.carrying import WRITERS
from bot.config import Config
from bot.errors import HostRefused, OverLimit, UsageError
from bot.github import Host
from bot.ports import Job
from bot.render import cut
from bot.values import Bases, PullFacts, PullRef
from bot.workflow.parts import Services, keep

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
    stranger: bool = False  # whether its author may not write to the repository, or it comes from a fork
    bound: str | None = (
        None  # .deeprepo.yml of the default branch, "" if the file is missing; None if it sets no bounds
    )


_SEEN = TypeAdapter(PullState)


async def look(pull: PullRef, host: Host, job: Job, parts: Services) -> PullState:
    """Look once; a later attempt gets what the first one saw."""

    async def now() -> PullState:
        return await current_state(host, config.FILE, is_paused=await parts.store.people.is_paused(pull))

    return await keep(job, "look", _SEEN, now)


async def settings(state: PullState, parts: Services) -> Config:
    """The settings; those of the server alone if the owner's file is wrong, which the review reports."""
    try:
        return await parts.resolve(state.file, state.bound)
    except (UsageError, OverLimit):
        return config.resolve({}, None, parts.settings)


async def current_state(host: Host, path: str, *, is_paused: bool = False) -> PullState:
    """The pull request as it is now. `path`: of the owner's settings, which are read at the base branch's tip."""
    facts = await host.facts()
    bases = await compare(host, facts)
    file, stranger, bound = await _file(host, path, bases.tip), await _stranger(host, facts), None
    if stranger and facts.base_ref != facts.default_branch:  # who opened it has chosen the base, and its settings
        bound = await _file(host, path, facts.default_branch) or ""
    return PullState(replace(facts, body=cut(facts.body, MOST_BODY)), bases, is_paused, file, stranger, bound)


async def _file(host: Host, path: str, ref: str) -> str | None:
    file = await host.file_at(path, ref)
    return file[:MOST_CONFIG].decode("utf-8", "replace") if file is not None else None


async def _stranger(host: Host, facts: PullFacts) -> bool:
    """Whether the author may not write here. Who may only read can open a pull request from a branch of the repository too."""
    if facts.fork or not facts.author:
        return True
    return facts.author_type == "User" and await host.permission(facts.author) not in WRITERS


async def compare(host: Host, facts: PullFacts) -> Bases:
    """Against the base branch as it is now; where it was deleted, against the commit that it had.

    Two that share no commit have no merge base: GitHub knows no answer then.
    """
    for base in (facts.base_ref, facts.base_sha):
        try:
            return await host.bases(base, facts.head_sha)
        except HostRefused as refusal:
            if refusal.status != GONE:
                raise
    return Bases(facts.base_sha, merge_base="", ahead=0, behind=0)
