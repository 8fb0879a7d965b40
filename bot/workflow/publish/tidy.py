"""Resolve the threads of findings that are fixed or dismissed, so that they do not block a merge.

GitHub requires `contents: write` for that. Without it the comment is collapsed, and the summary names the
permission.
"""

from collections.abc import Collection
from dataclasses import dataclass

from bot import __version__
from bot.errors import HostRefused
from bot.github import Host
from bot.render import Safe, comment, link
from bot.stored import markers
from bot.values import Hidden, PostedComment
from bot.workflow.publish.publication import CLOSED, FIXED, PostedFinding, Publication, posted_findings

NEWER = "Comments by a newer deeprepo ({by}) were left as they are: this one ({this}) does not know what their markers mean."
COMMIT_CHARS = 10  # characters of a commit id


@dataclass(slots=True)
class ThreadCloser:
    """Resolves threads until GitHub refuses because of a missing permission."""

    host: Host
    is_refused: bool = False

    async def close(self, finding: PostedFinding, why: Hidden = "RESOLVED") -> None:
        """Resolve a thread. Collapse its comment if that fails or if the comment is outdated.

        An outdated finding can be posted again. The marker records how the comment was closed, so the next
        review notices if a person reopened it.
        """
        is_resolved = why != "OUTDATED" and await self._resolve(finding)
        if not is_resolved and not finding.hide_reason and finding.comment.node_id:
            await self.host.client.ask("minimize", id=finding.comment.node_id, why=why)
        is_resolved = is_resolved or (why == "OUTDATED" and await self._resolve(finding))
        body = markers.with_facts(finding.comment.body, **{CLOSED: "resolved" if is_resolved else "hidden"})
        if body != finding.comment.body:
            await self.host.edit_comment(finding.comment.id, body, "review")

    async def _resolve(self, finding: PostedFinding) -> bool:
        if self.is_refused or not finding.thread:
            return False
        try:
            await self.host.resolver.ask("resolve", id=finding.thread)
        except HostRefused as refusal:
            self.is_refused = refusal.is_forbidden
            return False
        return True


async def tidy(publication: Publication, closer: ThreadCloser) -> tuple[str, ...]:
    """Clean up after earlier reviews. Return sentences about what could not be done.

    Threads that a person resolved or reopened stay as they are, and so do threads that end with a person's
    question. If the finding's code is fixed, the reply is posted anyway.
    """
    notes: list[str] = []
    open_findings = publication.review.open_findings
    for finding in await posted_findings(publication.host):
        if finding.marker.is_newer:
            notes.append(NEWER.format(by=finding.marker.by, this=__version__))
        if finding.is_resolved or finding.marker.is_newer:
            continue
        try:
            why = await _follow_up(publication, finding, is_left=finding.is_left(open_findings))
            if why is not None and not (finding.hide_reason and closer.is_refused) and not finding.has_question:
                await publication.check()
                await closer.close(finding, why)
        except HostRefused as refusal:
            notes.append(f"An earlier comment could not be cleaned up: {refusal}")
    return tuple(dict.fromkeys(notes))


async def _follow_up(publication: Publication, finding: PostedFinding, *, is_left: bool) -> Hidden | None:
    """Reply to a fixed or moved (`is_left`) finding.

    Return how to close its thread, or None to leave it open.
    """
    review = publication.review
    is_open = finding.names(review.open_findings) and not is_left
    is_elsewhere = (
        finding.comment.is_outdated and len(finding.findings) == 1
    )  # an open finding has the same words on other lines
    is_fixed = is_left or (finding.names(review.findings_with_status("fixed")) and (is_elsewhere or not is_open))
    is_unwanted = (
        finding.names((*review.findings_with_status("silenced"), *review.findings_with_status("below"))) and not is_open
    )
    if is_fixed and not finding.is_closed:
        await _answer(publication, finding)
    elif finding.is_reopened:
        return None
    if (
        is_fixed or is_unwanted or (finding.is_closed and finding.hide_reason)
    ):  # hidden, because GitHub refused to resolve it
        return "RESOLVED"
    is_known = not finding.marker.is_newer or finding.names(item.finding for item in review.findings)
    is_outdated = finding.comment.is_outdated and finding.run != publication.run and not finding.names(review.still)
    return "OUTDATED" if is_outdated and is_known else None


async def _answer(publication: Publication, finding: PostedFinding) -> None:
    """Reply once that the finding is fixed, with links to the findings that its fix introduced."""
    text = comment(
        "publish/fixed.md.j2",
        publication.words,
        sha=Safe(publication.head[:COMMIT_CHARS]),
        introduced=await _introduced(publication, finding),
    )
    body = publication.make(FIXED, text, fingerprint=finding.fingerprint)

    async def find() -> PostedComment | None:
        thread = await publication.host.comments("review", finding.comment.id)
        return next((p for p in thread if publication.is_mine(p, FIXED, fingerprint=finding.fingerprint)), None)

    await publication.put(find, lambda: publication.host.reply(finding.comment.id, body))


async def _introduced(publication: Publication, fixed: PostedFinding) -> list[tuple[Safe, str, bool]]:
    """Return what the fix introduced: each finding's number, its title, and whether it had been fixed before.

    The number is a link to the finding's comment if it has one.
    """
    review = publication.review
    numbers = {finding.number for finding in review.findings_with_status("fixed") if fixed.names([finding])}
    caused = [finding for finding in review.open_findings if finding.is_new and finding.tracking.fix_of in numbers]
    posted = await posted_findings(publication.host) if caused else ()
    return [
        (
            link(str(finding.number), next((one.comment.url for one in posted if one.names([finding])), "")),
            finding.title,
            finding.tracking.how == "back",
        )
        for finding in caused
    ]


async def close(closer: ThreadCloser, withdrawn: Collection[str], silenced_marks: Collection[str]) -> None:
    """Close the threads of these findings (fingerprints) unless another finding in the thread is open."""
    for finding in await posted_findings(closer.host):
        marks = {mark for mark, _ in finding.findings}
        if (
            not finding.is_resolved
            and not finding.marker.is_newer
            and not marks.isdisjoint(withdrawn)
            and marks.issubset({*silenced_marks, *withdrawn})
        ):
            await closer.close(finding)
