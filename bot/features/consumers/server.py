"""Fetch the consumers that a repository's settings list, on a server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from bot import github
from bot.errors import HostError, UsageError
from bot.features.consumers import fetching
from bot.features.consumers.fetching import HostedRepository
from bot.github import apps
from bot.values.consumer import Audience, Consumers, NamedConsumer
from bot.workflow.fetching import scratch_folder

if TYPE_CHECKING:
    from bot.workflow.reviewing import ReviewRun
    from bot.workflow.server import Server


@asynccontextmanager
async def fetch_listed(run: "ReviewRun", server: "Server") -> AsyncIterator[Consumers]:
    """Fetch the repositories that the settings on the base branch list.

    Those of the same installation are read with a token that covers only them. All others have to be public.
    """
    names = fetching.listed_names(run.settings.consumers, run.state.facts.repository.name)
    if not names:
        yield Consumers(Audience())
        return
    subject = await fetching.subject(run.host.client, run.state.facts.repository.name)
    audience = Audience(subject, run.state.facts.repository.name, can_write=not run.state.stranger)
    ours = await _in_installation(names, run, server) if audience.can_write else {}
    with scratch_folder(server.folder) as scratch:

        async def public(name: str) -> NamedConsumer:
            return await fetching.fetch_public(run.host.client, name, server.identity.api, scratch)

        others = await fetching.fetch_all([name for name in names if name.lower() not in ours], public)
        yield Consumers(audience, (*await _fetch_ours(ours, run, server, scratch), *others))


async def _in_installation(names: tuple[str, ...], run: "ReviewRun", server: "Server") -> dict[str, HostedRepository]:
    """Return the listed repositories that the App can read, by name in lower case."""
    wanted, installation = {name.lower() for name in names}, run.ask.pull.installation
    try:
        async with apps.open_installation(server.identity, installation, apps.LISTING, server.pace) as client:
            homes = [fetching.hosted_repository(data) async for data in apps.repositories(client)]
    except (HostError, UsageError):
        return {}
    return {home.name.lower(): home for home in homes if home.name.lower() in wanted}


async def _fetch_ours(
    homes: dict[str, HostedRepository], run: "ReviewRun", server: "Server", scratch: str
) -> tuple[NamedConsumer, ...]:
    if not homes:
        return ()
    ids = tuple(home.access.id for home in homes.values())
    try:
        async with github.open_readonly(server.identity, run.ask.pull.installation, ids, server.pace) as (_, token):

            async def one(name: str) -> NamedConsumer:
                return await fetching.fetch_tip(homes[name], server.identity.api, token, scratch)

            return await fetching.fetch_all([*homes], one)
    except HostError as error:
        why = fetching.fetch_problem(error)
        return tuple(fetching.not_fetched(home.name, why, home.access) for home in homes.values())
