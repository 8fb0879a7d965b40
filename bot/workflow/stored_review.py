"""What a stored review may show now: asked in this one place wherever something is made of it for a reader or a model."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from bot import config, github
from bot.dependents.consumers.disclosure import is_label, level_now
from bot.errors import HostRefused, OverLimit, UsageError
from bot.github import Host
from bot.github.client import GitHubClient
from bot.outputs import withheld
from bot.values import OrganizationFile, PullFacts
from bot.values.consumer import Audience, Disclosure, Standing
from bot.workflow import consumers, looking, packages
from bot.workflow.consumers import Home
from bot.workflow.parts import Services


@dataclass(frozen=True, slots=True)
class ShownReview:
    """A stored review without what its readers may no longer see; None if there is no review. `is_whole`: nothing had to be left out."""

    data: bytes | None = field(default=None, repr=False)
    is_whole: bool = True


def reader(
    read: Callable[[], Awaitable[bytes | None]], host: Host, parts: Services
) -> Callable[[], Awaitable[ShownReview]]:
    """What reads a stored review once, as it may be shown now."""
    answers: list[ShownReview] = []

    async def once() -> ShownReview:
        if not answers:
            answers.append(await show(await read(), host, parts))
        return answers[0]

    return once


async def show(data: bytes | None, host: Host, parts: Services) -> ShownReview:
    """The review as it may be shown now. One of another form is not shown at all."""
    try:
        named_consumers = await asyncio.to_thread(withheld.consumers, data)
        now = await _levels(named_consumers, host, parts)
        is_whole = all(now.get(name) == "lines" for name in named_consumers)
        text = data if data is None or is_whole else await asyncio.to_thread(withheld.withhold, data, now)
    except withheld.OTHER_FORM:
        return ShownReview(b"" if data is not None else None, is_whole=False)
    return ShownReview(text, is_whole)


def public(data: bytes) -> bytes:
    """The review without what not everybody could read then, for a page that asks GitHub nothing. Raises ValueError and its like if it has another form."""
    return withheld.withhold(data, withheld.levels_then(data))


async def levels(data: bytes, host: Host, parts: Services) -> Mapping[str, Disclosure]:
    """How much of each consumer that a stored review names its page may show now. That one breaks stays there: a page loses no finding by it."""
    now = await _levels(await asyncio.to_thread(withheld.consumers, data), host, parts)
    return {name: "existence" if level == "nothing" else level for name, level in now.items()}


async def _levels(named_consumers: Mapping[str, int], host: Host, parts: Services) -> Mapping[str, Disclosure]:
    """As the review decided it, with what GitHub and the consumers' own settings say now. Nothing is asked where no consumer is named."""
    numbers = {name: number for name, number in named_consumers.items() if not is_label(name)}
    if not numbers:
        return {}
    facts = await host.facts()
    most = (parts.settings.consumers_shown or "existence") if packages.is_on(parts.settings) else "existence"
    is_stranger = await looking.is_stranger(host, facts)
    audience = Audience(await consumers.subject(host.client, facts.repository), most, is_stranger=is_stranger)
    standings = await _standings(numbers.keys(), host, facts, parts)
    return {name: level_now(audience, name, number, standings.get(name)) for name, number in numbers.items()}


async def _standings(names: Collection[str], host: Host, facts: PullFacts, parts: Services) -> dict[str, Standing]:
    """Who can read each now; of the installation's, with what their own settings allow. One that cannot be asked about is left out."""
    pull = host.pull
    homes = (await parts.store.packages.homes(pull.installation)).values()
    ids = tuple(home.repository for home in homes if home.name in names)
    standings: dict[str, Standing] = {}
    with suppress(HostRefused):
        defaults = await parts.defaults(host, facts.repository, is_private=facts.private)
        if ids:
            async with github.reading(parts.identity, pull.installation, ids, parts.pace) as (client, _):
                async for home in packages.listing(client):
                    shows = await _shows(client, home, defaults, parts)
                    standings[home.name] = replace(home.standing, shows=shows)
    for name in names:
        if name in standings:
            continue
        with suppress(HostRefused, UsageError):
            standings[name] = replace((await consumers.look_up(host.client, name)).standing, shows="existence")
    return standings


async def _shows(client: GitHubClient, home: Home, defaults: OrganizationFile | None, parts: Services) -> Disclosure:
    """What a consumer's own settings let others learn of it now."""
    owner, _, name = home.name.partition("/")
    try:
        file = await looking.file_at(client, (owner, name), config.FILE, home.default_branch)
        text = file.decode("utf-8", "replace")[: looking.MOST_CONFIG] if file is not None else None
        return (await parts.resolve(text, defaults)).as_consumer
    except (UsageError, OverLimit, HostRefused):
        return "nothing"
