"""What a job sees first: the pull request, its place in the history, the settings of its repository and those that it shares."""

import base64
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol
from urllib.parse import quote

from bot import checkout
from bot.brief import Brief
from bot.commands.context import WRITERS
from bot.config import Config
from bot.errors import HostDown, HostRefused
from bot.github import Host, shapes
from bot.github.client import GitHubClient
from bot.github.host import safe
from bot.github.responses import unknown
from bot.render import cut
from bot.values import Bases, LinkedIssue, PullFacts, PullRequest
from bot.values.shared_file import SharedFile

log = logging.getLogger("deeprepo.review")
BASES = {"tip": "base_commit.sha", "merge_base": "merge_base_commit.sha", "ahead": "ahead_by", "behind": "behind_by"}
# Characters of the owner's file: one more than are read, so that what is too long is refused and not cut.
MOST_CONFIG = 64_001
MOST_ISSUES = 3  # of one pull request
ISSUE_TITLE = 200  # characters that a model is shown
ISSUE_BODY = 1_500  # characters that a model is shown
MOST_BODY = 8_000  # characters of the author's text: a step holds no more, and no model reads more


@dataclass(frozen=True, slots=True)
class PullState:
    """A pull request at the beginning of a job."""

    facts: PullFacts
    bases: Bases
    paused: bool
    file: str | None  # .deeprepo.yml of the base branch's tip; for a stranger's change that of the default branch
    stranger: bool = False  # whether its author may not write to the repository, or it comes from a fork
    shared: tuple[SharedFile, ...] = ()  # the settings that the repository shares with others
    below: int = 0  # the open pull request that this one is stacked on: its head is this one's base branch
    untold: str = ""  # a sentence about what GitHub did not tell of the author

    @property
    def note(self) -> str:
        """Sentences for the summary: of a pull request that is stacked on another, and of what is not known of its author."""
        stacked = f"Stacked on #{self.below}, so this was compared with that pull request. The comparison changes when the base branch does."
        return " ".join(filter(None, (stacked if self.below else "", self.untold)))

    @property
    def files(self) -> tuple[str | None, ...]:
        """The texts of all files that count."""
        return self.file, *(file.text for file in self.shared)

    def brief(self, pull: PullRequest, settings: Config, journal: str = "") -> Brief:
        """Return the fetched change under the settings that hold for it: of every job that computes on it, whatever asked for the job."""
        return Brief(pull, settings.for_labels(self.facts.labels), stranger=self.stranger, journal=journal)


class ReadShared(Protocol):
    """What reads the settings that a repository shares with others."""

    async def __call__(self, host: Host, repository: str, *, is_private: bool) -> tuple[SharedFile, ...]:
        """Those of a repository ("owner/name"); `is_private`: whether it is, so that a private file may be shown."""


FindBases = Callable[[PullFacts, str], Awaitable[Bases]]  # where the head left a branch or a commit, found by git


async def read_pull_state(
    host: Host, path: str, read_shared: ReadShared, find_bases: FindBases, *, is_paused: bool = False
) -> PullState:
    """Return the pull request as it is now. `path`: of the owner's settings, which are read at the base branch's tip."""
    facts = await host.facts()
    bases = await compare(host, facts, find_bases)
    stranger, untold = await is_stranger(host, facts)
    # With its settings, by who has opened it
    is_chosen = stranger and facts.base_ref != facts.repository.default_branch
    file = await text_at(host, path, facts.repository.default_branch if is_chosen else bases.tip)
    shared = await read_shared(host, facts.repository.name, is_private=facts.repository.private)
    short_facts = replace(facts, body=cut(facts.body, MOST_BODY))
    return PullState(short_facts, bases, is_paused, file, stranger, shared, await _below(host, facts), untold)


async def _below(host: Host, facts: PullFacts) -> int:
    """The number of the open pull request whose head is this one's base branch; 0 if there is none."""
    if facts.base_ref == facts.repository.default_branch:
        return 0
    head = f"{facts.repository.name.partition('/')[0]}:{facts.base_ref}"
    listing = partial(host.rest.pulls.async_list, *host.repo, state="open", head=head)
    with suppress(HostRefused):
        async for row in host.client.pages(listing):
            return int(shapes.at(row, "number"))
    return 0


async def text_at(host: Host, path: str, ref: str) -> str | None:
    """Return the text of a settings file in a commit, one character longer than is read at most; None if there is no such file."""
    file = await file_at(host.client, host.repo, path, ref)
    return file.decode("utf-8", "replace")[:MOST_CONFIG] if file is not None else None


async def file_at(client: GitHubClient, repo: tuple[str, str], path: str, ref: str) -> bytes | None:
    """Return a file of settings in a commit, None if the commit lacks it. Everything else is read by git.

    A link that GitHub does not follow is the path that it names; a file that is too large for GitHub to show is longer than may be read.
    """
    data: Any = None
    with unless_absent():
        data = await client.json(client.rest.repos.async_get_content(*repo, safe(quote(path)), ref=ref))
    if data is None:
        return None
    kind = "dir" if isinstance(data, list) and data else shapes.at(data, "type")
    if kind == "symlink":
        return str(shapes.at(data, "target")).encode()
    if kind in ("dir", "submodule"):
        return None
    if kind != "file":
        raise unknown("a file")
    return base64.b64decode(data.get("content", "")) if shapes.at(data, "encoding") == "base64" else b" " * MOST_CONFIG


@contextmanager
def unless_absent() -> Iterator[None]:
    """Go on where GitHub knows no such thing."""
    try:
        yield
    except HostRefused as refused:
        if not refused.is_gone:
            raise


async def is_stranger(host: Host, facts: PullFacts) -> tuple[bool, str]:
    """Return whether the author may not write here, and a sentence if GitHub does not tell: then less is believed of the change, and it is reviewed.

    Who may only read can open a pull request from a branch of the repository too.
    """
    if facts.fork or not facts.author:
        return True, ""
    try:
        return facts.author_type == "User" and await host.permission(facts.author) not in WRITERS, ""
    except HostRefused as refusal:
        return (
            True,
            f"Reviewed as an outside contribution, because the author's permission is unknown: {refusal.reason}.",
        )


async def compare(host: Host, facts: PullFacts, find_bases: FindBases) -> Bases:
    """Compare against the base branch as it is now; where it was deleted, against the commit that it had.

    Two that share no commit have no merge base: GitHub knows no answer then. If it has an answer and does not give it (it compares
    all files, and some changes take it too long), using git to find the merge base.
    """
    for base in (facts.base_ref, facts.base_sha):
        with unless_absent():
            try:
                return await compare_refs(host, base, facts.head_sha)
            except (HostDown, HostRefused) as refusal:
                if isinstance(refusal, HostRefused) and refusal.is_gone:
                    raise
                log.info("using git to find the merge base", extra={"facts": {"reason": str(refusal)}})
            return await find_bases(facts, base)
    return Bases(facts.base_sha, merge_base="", ahead=0, behind=0)


async def compare_refs(host: Host, base: str, head: str) -> Bases:
    """Return where `head` left `base`; either is a branch or a commit.

    The second page is asked for because the first has the patches of up to 300 files, which may be many megabytes.
    """
    ends = safe(f"{quote(base, safe='/')}...{quote(head, safe='/')}")
    asked = host.rest.repos.async_compare_commits(*host.repo, ends, per_page=1, page=2)
    return shapes.value(Bases, await host.client.json(asked), BASES)


async def has_several_bases(host: Host, pull: PullRequest, told_bases: Bases) -> bool:
    """Return whether the fetched head and its base branch have other merge bases beside the one that GitHub has named (`told_bases`).

    The branch has such a commit and its named merge base does not, so the head is further ahead of this than of that. A store without
    the whole history may show too many commits, or too few: only then GitHub is asked. If it does not tell, there may be several.
    """
    async with checkout.Checkout(pull) as tree:
        commits = await tree.commits()
    if commits is not None and len(commits) == told_bases.ahead:
        return False
    try:
        return (await compare_refs(host, pull.base, pull.head)).ahead != told_bases.ahead
    except (HostDown, HostRefused):
        return True


async def linked_issues(host: Host) -> tuple[LinkedIssue, ...]:
    """Return the first issues of this repository that the pull request closes, with the beginning of their texts. A token that may not see issues sees none."""
    try:
        data = await host.client.ask("closes", **host.named, first=2 * MOST_ISSUES)
    except HostRefused:
        return ()
    nodes = shapes.at(data, "repository.pullRequest.closingIssuesReferences.nodes") or ()
    repository = str(shapes.at(data, "repository.nameWithOwner")).lower()
    in_repository = [node for node in nodes if str(shapes.at(node, "repository.nameWithOwner")).lower() == repository]
    read = [shapes.value(LinkedIssue, node) for node in in_repository[:MOST_ISSUES]]
    return tuple(LinkedIssue(issue.number, issue.title[:ISSUE_TITLE], issue.body[:ISSUE_BODY]) for issue in read)
