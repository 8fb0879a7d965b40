"""Parse a change as typed by a person, program or agent, and suggest what to type if it is empty."""

from bot.checkout import own_git_dir
from bot.checkout.locate import locate
from bot.config import hook
from bot.errors import UsageError
from bot.values import ReviewRequest


def read(change: str | None, repo: str, *, staged: bool, uncommitted: bool) -> ReviewRequest:
    """Return the parsed request; in a pre-push hook, what is pushed. Raises UsageError for contradictions."""
    if sum((staged, uncommitted, change is not None)) > 1:
        raise UsageError("use only one of BASE..HEAD, --staged and --uncommitted")
    if staged or uncommitted:
        return ReviewRequest(repo, "staged" if staged else "uncommitted")
    if change is None and (push := hook.push()) is not None:
        return ReviewRequest(repo, "range", push.base, push.head)
    base, dots, head = (change or "").replace("...", "..").partition("..")
    if change is not None and not dots and base.startswith("-"):
        raise UsageError(f"{change!r} is not a revision")
    return ReviewRequest(repo, "range", base or None, head or None)


def nothing(request: ReviewRequest, *, behind: bool = False) -> str:
    """Return what an empty change means and what to type instead.

    `behind`: the base has commits that the head lacks.
    """
    return f"Nothing to review: {_nothing(request, request.head or 'HEAD', behind=behind)}."


def _nothing(request: ReviewRequest, head: str, *, behind: bool) -> str:
    base = request.base
    if request.scope != "range":
        nothing_staged = "nothing is staged (use `git add`, or --uncommitted)"
        return nothing_staged if request.scope == "staged" else "there are no uncommitted changes"
    if base and behind:
        return f"{head} has no commits that {base} does not have. To review the other direction, run `deeprepo review {head}..{base}`"
    if base and base == request.head:
        return f"{head} is compared with itself. To review its last commit, run `deeprepo review {head}~1..{head}`"
    if base:
        alone = f"; to review the last commit on {base}, run `deeprepo review {base}~1..{base}`"
        return f"no file differs between {base} and {head}" + ("" if request.head else alone)
    last = (
        ""
        if request.head
        else " (to review the last commit, run `deeprepo review HEAD~1..HEAD`; for uncommitted changes, add --uncommitted)"
    )
    if last and own_git_dir.shallow(locate(request.repo)):
        last = " (this clone is shallow: run `git fetch --unshallow`, then `deeprepo review HEAD~1..HEAD` to review the last commit)"
    return f"{head} has no changes compared with the default branch{last}"
