"""Clones of the repositories that use the reviewed one: which they are, and what a change breaks there."""

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
from deeprepo.impact.families import LANGUAGES

if TYPE_CHECKING:
    from bot.values.shared_file import SharedFile

ON_HOST = re.compile(r"[A-Za-z0-9-]+/[\w.-]+")  # "owner/name": a server's to look at, if there is no such folder


async def look(
    tree: Checkout,
    files: Sequence[ChangedFile],
    users: Dependents,
    consumers: Consumers,
    *,
    scratch: str,
    seconds: float | None = None,
) -> ConsumerImpact:
    """Return what the change breaks in these repositories, as the readers of the review may see it. `seconds`: for all of them."""
    from bot.features.consumers.check import check

    impact = await check(
        tree, files, users, consumers.named, LANGUAGES, ANALYZERS["contracts"](LANGUAGES),
        own=tree.pull.git_dir, scratch=scratch, left_out=tree.left_out, seconds=seconds,
        shows=partial(_shows, consumers.shared),
    )  # fmt: skip
    if consumers.audience is None:  # the reader has the clones, and sees everything
        return impact
    from bot.features.consumers.disclosure import disclose  # here: only hosts have an audience

    return disclose(impact, consumers.audience)


def named_consumers(pull: PullRequest, locations: Sequence[str], settings: Config) -> tuple[NamedConsumer, ...]:
    """Return the clones that a person has named, and those of the settings, whose paths begin at the repository's top folder."""
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
    """List what each clone takes of what the repository offers at its HEAD, told from manifests. Settings are read at HEAD too."""
    from bot.features.consumers.check import list_known

    pull = await checkout.pull(ReviewRequest(repo, "range", "HEAD", "HEAD"), scratch)
    async with Checkout(pull) as tree:
        written = await tree.settings_at_tip(config.FILE)
        named = named_consumers(pull, places, config.resolve({}, written, config.environment()))
        return await list_known(tree, named, LANGUAGES, own=pull.git_dir, scratch=scratch)


def _shows(shared: "Sequence[SharedFile]", file: bytes | None) -> Disclosure:
    """What a consumer's own settings let others learn of it. Raises ConfigError where they cannot be read."""
    settings = config.resolve({}, file, config.Settings(), shared=shared)
    return settings.of(ConsumerSettings).as_consumer
