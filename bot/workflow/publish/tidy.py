"""What earlier rounds left behind: the threads of findings that are over are resolved, so that none of them holds up a merge.

GitHub wants `contents: write` for that. Without it the comment is collapsed, and the summary names the permission.
"""

from collections.abc import Collection
from dataclasses import dataclass

from bot.errors import HostRefused
from bot.github import Host
from bot.render import Safe, comment
from bot.values import Hidden, PostedComment
from bot.workflow.publish.existing import FIXED, PostedFinding, posted_findings
from bot.workflow.publish.publication import Publication

COMMIT_CHARS = 10  # characters of a commit id


@dataclass(slots=True)
class ThreadCloser:
    """Resolves threads, until GitHub refuses it for want of a permission."""

    host: Host
    is_refused: bool = False

    async def close(self, one: PostedFinding, why: Hidden = "RESOLVED") -> None:
        """Resolve a thread. Its comment is collapsed if that fails; and if it is outdated: such a finding may be posted again."""
        if (why == "OUTDATED" or not await self._resolve(one)) and not one.hide_reason and one.comment.node_id:
            await self.host.client.ask("minimize", id=one.comment.node_id, why=why)
        if why == "OUTDATED":
            await self._resolve(one)

    async def _resolve(self, one: PostedFinding) -> bool:
        if self.is_refused or not one.thread:
            return False
        try:
            await self.host.resolver.ask("resolve", id=one.thread)
        except HostRefused as refusal:
            self.is_refused = refusal.is_forbidden
            return False
        return True


async def tidy(publication: Publication, closer: ThreadCloser) -> tuple[str, ...]:
    """Tidy up; sentences about what could not be done, which loses nothing. What a person resolved is left alone."""
    notes: list[str] = []
    open_findings = publication.review.open_findings
    for one in await posted_findings(publication.host):
        if one.is_resolved:
            continue
        try:
            why = await _follow_up(publication, one, is_left=one.is_left(open_findings))
            if why is not None and not (one.hide_reason and closer.is_refused):
                await publication.check()
                await closer.close(one, why)
        except HostRefused as refusal:
            notes.append(f"An earlier comment could not be tidied up: {refusal}")
    return tuple(dict.fromkeys(notes))


async def _follow_up(publication: Publication, one: PostedFinding, *, is_left: bool) -> Hidden | None:
    """Answer a finding that is fixed, or has left the place of its comment (`is_left`). Returns why its thread is to be closed; None if it is not."""
    review = publication.review
    is_open = one.names(review.open_findings) and not is_left
    is_elsewhere = one.comment.is_outdated and not one.also  # what is open has the same words on other lines
    is_fixed = is_left or (one.names(review.having("fixed")) and (is_elsewhere or not is_open))
    is_unwanted = one.names((*review.having("silenced"), *review.having("below"))) and not is_open
    if is_fixed and not one.is_closed:
        await _answer(publication, one)
    if is_fixed or is_unwanted or (one.is_closed and one.hide_reason):  # not shown: GitHub has refused to resolve it
        return "RESOLVED"
    is_outdated = one.comment.is_outdated and one.run != publication.run and not one.names(review.still)
    return "OUTDATED" if is_outdated else None


async def _answer(publication: Publication, one: PostedFinding) -> None:
    """Answer once that it is fixed."""
    body = publication.make(
        FIXED,
        comment("publish/fixed.md.j2", publication.words, sha=Safe(publication.head[:COMMIT_CHARS])),
        fingerprint=one.fingerprint,
    )

    async def find() -> PostedComment | None:
        thread = await publication.host.comments("review", one.comment.id)
        return next((p for p in thread if publication.is_mine(p, FIXED, fingerprint=one.fingerprint)), None)

    await publication.put(find, lambda: publication.host.reply(one.comment.id, body))


async def close(closer: ThreadCloser, withdrawn: Collection[str], silenced_marks: Collection[str]) -> None:
    """Close the threads of these findings (fingerprints), but for those that are also about a finding that still stands."""
    for one in await posted_findings(closer.host):
        marks = {mark for mark, _ in one.findings}
        if not one.is_resolved and not marks.isdisjoint(withdrawn) and marks.issubset({*silenced_marks, *withdrawn}):
            await closer.close(one)
