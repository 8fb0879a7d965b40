"""Read what every job needs first: the pull request, its merge base, and its repository's settings.

Also counts the pushes after which reviews pause. The count is in the summary's marker, so the server and the
GitHub Actions step use it alike.
"""

import base64
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from pydantic import SecretStr

from bot import checkout, render
from bot.brief import Brief
from bot.checkout import remote
from bot.commands.context import WRITERS
from bot.config import Config
from bot.errors import HostDown, HostRefused, RevisionError
from bot.github import Host, git_url, responses
from bot.github.host import safe
from bot.github.responses import unknown
from bot.render import cut
from bot.stored import markers
from bot.values import Bases, LinkedIssue, PullFacts, PullRef, PullRequest, ReviewJob
from bot.values.job import ASKED
from bot.values.shared_file import SettingsText, SharedFile, UnusableFile
from bot.workflow.publish import publication
from bot.workflow.publish.publication import summaries

log = logging.getLogger("deeprepo.review")
BASES = {"tip": "base_commit.sha", "merge_base": "merge_base_commit.sha", "ahead": "ahead_by", "behind": "behind_by"}
OTHER_KINDS = {"dir": "folder", "submodule": "submodule", "symlink": "symbolic link"}  # of GitHub, in our words
MOST_ISSUES = 3  # issues per pull request
ISSUE_BODY = 1_500  # characters that a model is shown
MOST_BODY = 8_000  # characters of the description that are stored and shown to a model


@dataclass(frozen=True, slots=True)
class PullState:
    """A pull request at the start of a job."""

    facts: PullFacts
    bases: Bases
    paused: bool
    file: SettingsText  # .deeprepo.yml at the base branch's tip; for strangers' changes, on the default branch
    stranger: bool = False  # whether the author has no write access or the change comes from a fork
    shared: tuple[SharedFile, ...] = ()  # settings files shared with other repositories
    below: int = 0  # number of the open pull request whose head is this one's base branch
    untold: str = ""  # a sentence about what GitHub did not report about the author

    @property
    def note(self) -> str:
        """Sentences for the summary about a stacked pull request and an unknown author."""
        stacked = f"Stacked on #{self.below}, so this was compared with that pull request. The comparison changes when the base branch does."
        return " ".join(filter(None, (stacked if self.below else "", self.untold)))

    @property
    def files(self) -> tuple[str | None, ...]:
        """The texts of all settings files that apply."""
        return tuple(map(_text, (self.file, *(file.text for file in self.shared))))

    def brief(self, pull: PullRequest, settings: Config, journal: str = "") -> Brief:
        """Return the brief of the fetched change under the settings that apply to it."""
        return Brief(pull, settings.for_labels(self.facts.labels), stranger=self.stranger, journal=journal)


class ReadShared(Protocol):
    """Reads the settings that a repository shares with others."""

    async def __call__(self, host: Host, repository: str, *, is_private: bool) -> tuple[SharedFile, ...]:
        """Return the shared settings of a repository ("owner/name").

        `is_private` says whether the repository is private, so that a private file may be shown.
        """


# Finds the merge base with a branch or a commit by git.
FindBases = Callable[[PullFacts, str], Awaitable[Bases]]


async def read_pull_state(
    host: Host, path: str, read_shared: ReadShared, find_bases: FindBases, *, is_paused: bool = False
) -> PullState:
    """Return the current pull request, with the settings file `path` at the base branch's tip."""
    facts = await host.facts()
    bases = await compare(host, facts, find_bases)
    stranger, untold = await is_stranger(host, facts)
    # Strangers can choose the base branch, so only the default branch's settings count for them.
    is_chosen = stranger and facts.base_ref != facts.repository.default_branch
    file = await settings_at(host, path, facts.repository.default_branch if is_chosen else bases.tip)
    shared = await read_shared(host, facts.repository.name, is_private=facts.repository.private)
    short_facts = replace(facts, body=cut(facts.body, MOST_BODY))
    return PullState(short_facts, bases, is_paused, file, stranger, shared, await _below(host, facts), untold)


async def _below(host: Host, facts: PullFacts) -> int:
    """Return the number of the open pull request whose head is this one's base branch, or 0."""
    if facts.base_ref == facts.repository.default_branch:
        return 0
    head = f"{facts.repository.name.partition('/')[0]}:{facts.base_ref}"
    listing = partial(host.rest.pulls.async_list, *host.repo, state="open", head=head)
    with suppress(HostRefused):
        async for row in host.client.pages(listing):
            return int(responses.at(row, "number"))
    return 0


def _text(file: SettingsText) -> str | None:
    if isinstance(file, UnusableFile):
        return file.why
    return None if file is None else file.decode("utf-8", "replace")


async def settings_at(host: Host, path: str, ref: str) -> SettingsText:
    """Return a settings file in a commit, or None if nothing is at its path. GitHub follows symbolic links to files."""
    data: Any = None
    with ignore_missing():
        data = await host.client.json(host.rest.repos.async_get_content(*host.repo, safe(quote(path)), ref=ref))
    if data is None:
        return None
    kind = "dir" if isinstance(data, list) and data else responses.at(data, "type")
    if kind in OTHER_KINDS:
        return UnusableFile(f"it is a {OTHER_KINDS[kind]}, not a file")
    if kind != "file":
        raise unknown("a file")
    if responses.at(data, "encoding") != "base64":
        return UnusableFile("it is too large")
    return base64.b64decode(data.get("content", ""))


@contextmanager
def ignore_missing() -> Iterator[None]:
    """Ignore GitHub's answer that something does not exist."""
    try:
        yield
    except HostRefused as refused:
        if not refused.is_gone:
            raise


async def is_stranger(host: Host, facts: PullFacts) -> tuple[bool, str]:
    """Return whether the author has no write access, and a sentence if GitHub does not say.

    An unknown author counts as a stranger. People with read access can also open a pull request from a branch
    of the repository.
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
    """Compare with the current base branch, or with its last commit if the branch was deleted.

    Without a common commit there is no merge base and GitHub has no answer. If GitHub fails to answer because
    a comparison takes too long, git finds the merge base.
    """
    for base in (facts.base_ref, facts.base_sha):
        with ignore_missing():
            try:
                return await compare_refs(host, base, facts.head_sha)
            except (HostDown, HostRefused) as refusal:
                if isinstance(refusal, HostRefused) and refusal.is_gone:
                    raise
                log.info("using git to find the merge base", extra={"facts": {"reason": str(refusal)}})
            return await find_bases(facts, base)
    return Bases(facts.base_sha, merge_base="", ahead=0, behind=0)


async def compare_refs(host: Host, base: str, head: str) -> Bases:
    """Return the merge base of `head` and `base`, each a branch or a commit.

    The second page is requested because the first contains up to 300 patches, which can be many megabytes.
    """
    ends = safe(f"{quote(base, safe='/')}...{quote(head, safe='/')}")
    asked = host.rest.repos.async_compare_commits(*host.repo, ends, per_page=1, page=2)
    return responses.value(Bases, await host.client.json(asked), BASES)


async def fetch(api: str, pull: PullRef, facts: PullFacts, bases: Bases, token: SecretStr, folder: str) -> PullRequest:
    """Fetch the change into a store below `folder`. `api` is the address of GitHub's API.

    Raises RevisionError if the head has no common history with the base branch.
    """
    if not bases.merge_base:
        raise RevisionError(f"the branch has no common history with {facts.base_ref}. Rebase it onto {facts.base_ref}")
    commits = bases.merge_base, facts.head_sha, bases.tip
    store = await remote.fetch(_git_url(api, pull, facts), commits, token, folder, depth=bases.ahead + 1)
    is_cut = Path(store, "shallow").exists()  # noqa: ASYNC240 - one check of the local disk
    missing_history = remote.missing_history(bases.ahead) if is_cut else ""
    return PullRequest(
        title=facts.title, body=facts.body, base=bases.merge_base, head=facts.head_sha,
        base_name=facts.base_ref, head_name=facts.head_ref,
        git_dir=store, base_tip=bases.tip, url=facts.repository.pages or None,
        missing_history=missing_history, several_bases=None if missing_history else False,
    )  # fmt: skip


async def find_bases(api: str, pull: PullRef, facts: PullFacts, base: str, token: SecretStr, folder: str) -> Bases:
    """Return where the head branched off from a branch or commit, as git finds it in the history."""
    url = _git_url(api, pull, facts)
    return await remote.find_bases(await remote.fetch_history(url, base, facts.head_sha, token, folder))


def _git_url(api: str, pull: PullRef, facts: PullFacts) -> str:
    """Return the repository's address under its current name, because with a token git follows no redirect."""
    owner, _, name = facts.repository.name.partition("/")
    return git_url(api, replace(pull, owner=owner, name=name) if name else pull)


async def has_several_bases(host: Host, pull: PullRequest, told_bases: Bases) -> bool:
    """Return whether the head and its base branch have merge bases other than the one GitHub named.

    If so, the head is further ahead of the named merge base than of the branch. A store with partial history
    can show too many or too few commits, so only then is GitHub asked. If GitHub does not answer, several are
    assumed.
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
    """Return the first issues of this repository that the pull request closes, with shortened texts.

    A token without access to issues sees none.
    """
    try:
        data = await host.client.ask("closes", **host.named, first=2 * MOST_ISSUES)
    except HostRefused:
        return ()
    nodes = responses.at(data, "repository.pullRequest.closingIssuesReferences.nodes") or ()
    repository = str(responses.at(data, "repository.nameWithOwner")).lower()
    in_repository = [
        node for node in nodes if str(responses.at(node, "repository.nameWithOwner")).lower() == repository
    ]
    read = [responses.value(LinkedIssue, node) for node in in_repository[:MOST_ISSUES]]
    return tuple(LinkedIssue(issue.number, issue.title, issue.body[:ISSUE_BODY]) for issue in read)


PUSHED = frozenset({"push", "catch-up"})
# A pull request that is reopened or ready again brings new commits.
RETURNS = frozenset({"reopened", "ready"})
FACT = "pushes"


@dataclass(frozen=True, slots=True)
class PushCount:
    """Automatically reviewed pushes before and including this review. Reviews pause after `most` pushes."""

    before: int = 0
    now: int = 0
    most: int | None = None

    @property
    def is_spent(self) -> bool:
        """Whether no further push is reviewed."""
        return self.most is not None and self.before >= self.most

    @property
    def note(self) -> str:
        """A sentence for the last review before the pause."""
        if self.most is None or self.now < self.most:
            return ""
        return f"Automatic reviews of this pull request are now paused after {render.count(self.most, 'push', 'pushes')}. Comment `/deeprepo review` to review later pushes."

    @property
    def facts(self) -> dict[str, str]:
        """The part of the count that the summary's marker stores."""
        return {FACT: str(self.now)} if self.most is not None else {}


async def reset_count(host: Host, most: int | None) -> bool:
    """Reset the count to zero; return False if no push was waiting."""
    for summary in await summaries(host) if most is not None else ():
        marker = publication.marker_of(summary)
        if most is not None and _count(marker.facts) >= most and not marker.is_newer:
            rest = summary.body.replace("\r\n", "\n").partition("\n")[2]
            await host.edit_comment(summary.id, f"{markers.make(marker.kind, **{**marker.facts, FACT: '0'})}\n{rest}")
            return True
    return False


def _count(facts: Mapping[str, str]) -> int:
    count_text = facts.get(FACT, "")
    return int(count_text) if count_text.isdecimal() else 0


async def count_pushes(host: Host, job: ReviewJob, run: str, most: int | None) -> PushCount:
    """Return the count for this review, not counting a repeated `run`. A requested review resets it."""
    if most is None or job.trigger in ASKED:
        return PushCount(most=most)
    stands = next(iter(await summaries(host)), None)
    marker_facts = publication.marker_of(stands).facts if stands is not None else {}
    count, is_again = _count(marker_facts), job.trigger in RETURNS and bool(marker_facts)
    if marker_facts.get("run") == run:
        return PushCount(max(0, count - 1), count, most)
    return PushCount(count, count + (is_again or job.trigger in PUSHED), most)
