"""Commit to a pull request's branch: on the reviewed head, as a fast-forward, or not at all.

The commit is created first without a reference. Then the branch is pointed at it, which GitHub refuses if the
branch has moved. A run after a crash points the branch at the same commit.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote

from bot.commands.context import WRITERS
from bot.errors import HostRefused
from bot.github import Host, responses
from bot.github.host import safe
from bot.github.responses import OPAQUE
from bot.values import PullFacts

if TYPE_CHECKING:
    from githubkit_schemas.latest.types import ReposOwnerRepoGitTreesPostBodyPropTreeItemsType as Row


class CommitRefused(Exception):  # noqa: N818 - an outcome
    """The reason why there is no commit.

    It is "fork", "closed", "moved", "protected", "permission" (the person's), "contents" (the App's
    permission), "encoding", or "refused" with GitHub's reason in `says`, for example a ruleset, a signature
    or an archived repository.
    """

    def __init__(self, reason: str, says: str = "") -> None:
        super().__init__(reason)
        self.reason, self.says = reason, says


def _refused(refusal: HostRefused) -> CommitRefused:
    """Translate GitHub's refusal of a write. Without a reason, the App's permission is missing."""
    is_opaque = not refusal.words or OPAQUE in refusal.words.lower()
    is_permission = refusal.is_gone or (refusal.is_forbidden and is_opaque)
    return CommitRefused("contents") if is_permission else CommitRefused("refused", refusal.reason)


async def check(host: Host, head: str, actor: str, *, ours: str = "") -> PullFacts:
    """Return the current pull request. `ours` is our commit, which may already be its head.

    Raises CommitRefused if nothing may be committed.
    """
    facts = await host.facts()
    if facts.fork or not facts.source:
        raise CommitRefused("fork")
    if facts.state != "open":
        raise CommitRefused("closed")
    if facts.head_sha not in {head, ours} - {""}:
        raise CommitRefused("moved")
    if await host.permission(actor) not in WRITERS:
        raise CommitRefused("permission")
    if facts.head_ref == facts.repository.default_branch or await _is_protected(host, facts.head_ref):
        raise CommitRefused("protected")
    return facts


async def _is_protected(host: Host, branch: str) -> bool:
    request = host.rest.repos.async_get_branch(*host.repo, safe(quote(branch, safe="")))
    return bool(responses.at(await host.client.json(request), "protected"))


async def create(host: Host, head: str, contents: Mapping[str, bytes], modes: Mapping[str, str], message: str) -> str:
    """Create a commit on top of the head, without a reference, and return its id. Raises CommitRefused."""
    rows: list[Row] = []
    for path, content in sorted(contents.items()):
        try:
            mode = "100755" if modes.get(path) == "100755" else "100644"
            rows.append({"path": path, "mode": mode, "type": "blob", "content": content.decode()})  # type: ignore[typeddict-item]
        except UnicodeDecodeError:
            raise CommitRefused("encoding") from None
    data = host.rest.git
    try:
        base = await host.client.json(data.async_get_commit(*host.repo, head))
        tree = await host.client.json(
            data.async_create_tree(*host.repo, base_tree=str(responses.at(base, "tree.sha")), tree=rows)
        )
        commit = await host.client.json(
            data.async_create_commit(*host.repo, message=message, tree=str(responses.at(tree, "sha")), parents=[head])
        )
    except HostRefused as refusal:
        raise _refused(refusal) from None
    return str(responses.at(commit, "sha"))


async def point(host: Host, branch: str, head: str, commit: str) -> None:
    """Point the branch from the head to the commit, or do nothing if it is there. Raises CommitRefused."""
    tip = await _tip(host, branch)
    if tip == commit:
        return
    if tip != head:
        raise CommitRefused("moved")
    ref = f"heads/{safe(quote(branch, safe='/'))}"
    try:
        await host.client.json(host.rest.git.async_update_ref(*host.repo, ref, sha=commit, force=False))
    except HostRefused as refusal:
        now = await _tip(host, branch)
        if now != commit:
            raise (_refused(refusal) if now == head else CommitRefused("moved")) from None


async def _tip(host: Host, branch: str) -> str:
    """Return the commit of a branch, or "" if the branch does not exist."""
    try:
        request = host.rest.git.async_get_ref(*host.repo, f"heads/{safe(quote(branch, safe='/'))}")
        return str(responses.at(await host.client.json(request), "object.sha"))
    except HostRefused as refusal:
        if not refusal.is_gone:
            raise
        return ""
