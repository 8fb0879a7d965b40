"""Check the clones of consumers on this machine."""

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bot import checkout, config
from bot.checkout import Checkout
from bot.checkout.own_git_dir import locate
from bot.config import Config
from bot.review.analyzer_worker import load_analyzer
from bot.values import Absence, ChangedFile, Dependents, Finding, Judgement, PullRequest, TypedChange
from bot.values.consumer import Audience, ConsumerImpact, ConsumerReport, Consumers, NamedConsumer, RepositoryAccess
from deeprepo.impact.ports import Tree

if TYPE_CHECKING:
    from bot.values.shared_file import SettingsText

ON_HOST = re.compile(r"[A-Za-z0-9-]+/[\w.-]+")  # "owner/name" for a server, if no such folder exists


async def check_consumers(
    tree: Checkout,
    files: Sequence[ChangedFile],
    consumers: Consumers,
    *,
    scratch: str,
    seconds: float | None = None,
) -> ConsumerImpact:
    """Return what the change breaks in the consumers that the review's audience may see.

    `seconds` is the time limit for all consumers together.
    """
    from bot.consumers.check import check

    return await check(
        tree, files, consumers.named, load_analyzer("contracts"),
        own=tree.pull.git_dir, scratch=scratch, left_out=tree.left_out, seconds=seconds,
        may_show=partial(may_show, consumers.audience or Audience()),
    )  # fmt: skip


def named_consumers(pull: PullRequest, locations: Sequence[str], settings: Config) -> tuple[NamedConsumer, ...]:
    """Return the clones at these locations, and those in the settings, relative to the top folder."""
    top = Path(locate(pull.git_dir).top or pull.git_dir)
    top = top.parent if top.name == ".git" else top
    return (
        *map(NamedConsumer, locations),
        *(
            NamedConsumer(str(top / location), settings=True)
            for location in settings.consumers
            if (top / location).exists() or not ON_HOST.fullmatch(location)
        ),
    )


async def list_consumers(repo: str, places: Sequence[str], scratch: str) -> tuple[ConsumerReport, ...]:
    """Return what each clone uses of the repository at HEAD, according to the clone's manifests.

    `places` are locations in addition to those in the settings at HEAD.
    """
    from bot.consumers.check import list_known

    pull = await checkout.pull(TypedChange(repo, "range", "HEAD", "HEAD"), scratch)
    async with Checkout(pull) as tree:
        written = await tree.settings_at_tip(config.FILE)
        named = named_consumers(pull, places, config.resolve({}, written, config.environment()))
        return await list_known(tree, named, own=pull.git_dir, scratch=scratch)


# The order of visibilities by how many people have access.
OPENNESS = {"private": 0, "internal": 1, "public": 2}


def may_show(audience: Audience, consumer: RepositoryAccess, file: "SettingsText") -> bool:
    """Return whether a review may show a fetched consumer.

    A public consumer may be shown. For any other, these must all be true: the change's author has write
    access, because strangers could find out what a repository uses by submitting suitable changes. The
    consumer's own settings name the reviewed repository. Everybody who can read the reviewed repository can
    read the consumer, which is assumed if both have the same owner and the consumer is at least as open.
    """
    if consumer.visibility == "public":
        return True
    subject = audience.subject
    if not audience.can_write or consumer.visibility is None or subject.visibility is None:
        return False
    is_same = bool(consumer.owner) and consumer.owner.lower() == subject.owner.lower()
    if not is_same or OPENNESS[consumer.visibility] < OPENNESS[subject.visibility]:
        return False
    settings = config.resolve({}, file, config.Settings())
    return audience.name.lower() in {name.lower() for name in settings.shown_to}


class ConsumerFindings:
    """The findings about the checked consumers. Implements `ports.Analyzer`."""

    NAME = "consumers"

    def __init__(self, impact: ConsumerImpact) -> None:
        self._findings = impact.findings
        self._checked_names = {report.name for report in impact.reports if report.state == "checked"}
        self._paths = {finding.path for finding in impact.findings}

    def wants(self, file: ChangedFile) -> bool:
        """Return whether a definition in this file breaks a consumer."""
        return not self._paths.isdisjoint({file.path, file.old_path})

    async def check(
        self,
        tree: Tree,  # noqa: ARG002 - protocol
        files: Sequence[ChangedFile],
        dependents: Dependents,  # noqa: ARG002 - protocol
    ) -> Judgement:
        """Return the findings about these files."""
        paths = {path for file in files for path in (file.path, file.old_path) if path}
        return Judgement(
            tuple(finding for finding in self._findings if finding.path in paths),
            frozenset(file.path for file in files),
        )

    def absence(self, finding: Finding, dependents: Dependents) -> Absence:  # noqa: ARG002 - protocol
        """Return "fixed" if the consumer was fully checked again, else "unseen"."""
        return "fixed" if finding.consumer in self._checked_names else "unseen"
