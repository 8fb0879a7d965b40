"""Find the recorded review to replay, and read its change from the repository."""

from dataclasses import replace
from pathlib import Path

from bot import brief, checkout
from bot.errors import UsageError
from bot.machine import build
from bot.review.journal import reviews
from bot.values import PullRequest, ReviewRequest
from deeprepo.rlm.errors import ReplayDiffers
from deeprepo.rlm.journal import reader
from deeprepo.rlm.journal.codec import Start
from deeprepo.rlm.journal.reader import Record, Section


def last_finished(path: Path) -> tuple[Record, Section, Start]:
    """Return the last finished review in a journal.

    Raises UsageError without a review, ReplayDiffers without an end.
    """
    record, recorded = reviews.of(path)
    if reader.start(recorded[-1], build.name()).is_question:
        raise UsageError(f"{path} records a question about a text. Use `deeprepo.RLM` to replay it")
    finished = [section for section in recorded if section.end and section.end["fault"] != "interrupted"]
    if not finished:
        raise ReplayDiffers(
            f"{path} cannot be replayed: {reviews.without_end(recorded[-1])}; "
            "run the same command (`deeprepo review --journal FILE`) again to resume it"
        )
    return record, finished[-1], reader.start(finished[-1], build.name())


def recorded_pull(start: Start) -> PullRequest:
    """Return the change that was reviewed. Raises UsageError."""
    try:
        return brief.restore_pull(start.subject)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise unusable(start, error) from error


def unusable(start: Start, error: Exception) -> UsageError:
    """Return the error for a record that cannot be replayed, because of another build or damage."""
    if start.version != build.name():
        return UsageError(
            f"another build (deeprepo {start.version}) wrote this journal, and this one ({build.name()}) cannot read it"
        )
    return UsageError(f"this journal is damaged or was not written by deeprepo: {error}")


async def pull(start: Start, repo: str | None, request: ReviewRequest, scratch: str) -> PullRequest:
    """Return the recorded change, found by its commit IDs in the same repository or in a clone.

    Raises ReplayDiffers.
    """
    pull = recorded_pull(start)
    if pull.object_dir is not None:  # uncommitted work, which must still exist
        now = await checkout.pull(replace(request, repo=repo or request.repo), scratch)
        if (now.base, now.head) != (pull.base, pull.head):
            raise ReplayDiffers(f"the {pull.head_name} have changed since the review")
        return now
    where = repo or pull.git_dir
    if not Path(where).is_dir():  # noqa: ASYNC240 - one look at the local disk
        raise ReplayDiffers(f"the repository {where} no longer exists. Pass another clone of it with --repo DIR")
    recorded = replace(pull, git_dir=checkout.git_dir(where))
    async with checkout.Checkout(recorded) as tree:
        for name in filter(None, (pull.base, pull.head, pull.base_tip)):
            if not await tree.has_object(name):
                raise ReplayDiffers(
                    f"the repository {where} does not contain {name}. Fetch it, or pass a clone with --repo DIR"
                )
    return recorded
