"""Check the clones of consumers on this machine."""

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bot import checkout, config
from bot.analyzers import ANALYZERS
from bot.checkout import Checkout
from bot.checkout.locate import locate
from bot.config import Config
from bot.features.consumers.settings import ConsumerSettings
from bot.values import ChangedFile, Dependents, PullRequest, ReviewRequest
from bot.values.consumer import ConsumerImpact, ConsumerReport, Consumers, Disclosure, NamedConsumer

if TYPE_CHECKING:
    from bot.values.shared_file import SettingsText, SharedFile

ON_HOST = re.compile(r"[A-Za-z0-9-]+/[\w.-]+")  # "owner/name" for a server, if no such folder exists


async def check_and_disclose(
    tree: Checkout,
    files: Sequence[ChangedFile],
    users: Dependents,
    consumers: Consumers,
    *,
    scratch: str,
    seconds: float | None = None,
) -> ConsumerImpact:
    """Return what the change breaks in consumers, without what the review's audience may not see.

    `seconds` is the time limit for all consumers together.
    """
    from bot.features.consumers.check import check

    impact = await check(
        tree, files, users, consumers.named, ANALYZERS["contracts"](),
        own=tree.pull.git_dir, scratch=scratch, left_out=tree.left_out, seconds=seconds,
        shows=partial(_shows, consumers.shared),
    )  # fmt: skip
    if consumers.audience is None:  # a person with the clones may see everything
        return impact
    # Imported here because only hosts have an audience.
    from bot.features.consumers.disclosure import disclose

    return disclose(impact, consumers.audience)


def named_consumers(pull: PullRequest, locations: Sequence[str], settings: Config) -> tuple[NamedConsumer, ...]:
    """Return the clones at these locations, and those in the settings, relative to the top folder."""
    top = Path(locate(pull.git_dir).top or pull.git_dir)
    top = top.parent if top.name == ".git" else top
    return (
        *map(NamedConsumer, locations),
        *(
            NamedConsumer(str(top / location), settings=True)
            for location in settings.of(ConsumerSettings).consumers
            if (top / location).exists() or not ON_HOST.fullmatch(location)
        ),
    )


async def list_consumers(repo: str, places: Sequence[str], scratch: str) -> tuple[ConsumerReport, ...]:
    """Return what each clone uses of the repository at HEAD, according to the clone's manifests.

    `places` are locations in addition to those in the settings at HEAD.
    """
    from bot.features.consumers.check import list_known

    pull = await checkout.pull(ReviewRequest(repo, "range", "HEAD", "HEAD"), scratch)
    async with Checkout(pull) as tree:
        written = await tree.settings_at_tip(config.FILE)
        named = named_consumers(pull, places, config.resolve({}, written, config.environment()))
        return await list_known(tree, named, own=pull.git_dir, scratch=scratch)


def _shows(shared: "Sequence[SharedFile]", file: "SettingsText") -> Disclosure:
    """Return how much a consumer's own settings allow to show.

    It is nothing if the settings contain a mistake that may have made `as_consumer` ineffective.
    """
    settings = config.resolve({}, file, config.Settings(), shared=shared)
    if settings.warnings and settings.origins["as_consumer"] == "default":
        return "nothing"
    return settings.of(ConsumerSettings).as_consumer
