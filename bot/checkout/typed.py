"""A change as a person, a program or an agent names it, and what to type instead where it is empty."""

from bot.checkout import own_git_dir
from bot.checkout.locate import locate
from bot.config import hook
from bot.errors import UsageError
from bot.values import ReviewRequest


def read(change: str | None, repo: str, *, staged: bool, uncommitted: bool) -> ReviewRequest:
    """Return what was typed, as a value; in a pre-push hook, what is pushed. Raises UsageError if the parts contradict each other."""
    if sum((staged, uncommitted, change is not None)) > 1:
        raise UsageError("give one of BASE..HEAD, --staged and --uncommitted")
    if staged or uncommitted:
        return ReviewRequest(repo, "staged" if staged else "uncommitted")
    if change is None and (push := hook.push()) is not None:
        return ReviewRequest(repo, "range", push.base, push.head)
    base, dots, head = (change or "").replace("...", "..").partition("..")
    if change is not None and not dots and base.startswith("-"):
        raise UsageError(f"{change!r} is not a revision")
    return ReviewRequest(repo, "range", base or None, head or None)


def nothing(request: ReviewRequest, *, behind: bool = False) -> str:
    """Return what an empty change means, and what to type instead. `behind`: the base has commits that the head lacks."""
    return f"Nothing to review: {_nothing(request, request.head or 'HEAD', behind=behind)}."


def _nothing(request: ReviewRequest, head: str, *, behind: bool) -> str:
    base = request.base
    if request.scope != "range":
        nothing_staged = "nothing is staged (`git add` something, or use --uncommitted)"
        return nothing_staged if request.scope == "staged" else "there is no uncommitted work"
    if base and behind:
        return (
            f"{head} has nothing that {base} lacks. `deeprepo review {head}..{base}` reviews what {base} adds to {head}"
        )
    if base:
        alone = f"; `deeprepo review {base}~1..{base}` reviews what {base} itself changes"
        return f"no file differs between {base} and {head}" + ("" if request.head else alone)
    last = (
        ""
        if request.head
        else " (`deeprepo review HEAD~1..HEAD` reviews the last commit, `--uncommitted` what is not committed yet)"
    )
    if last and own_git_dir.shallow(locate(request.repo)):
        last = " (this clone is shallow: after `git fetch --unshallow`, `deeprepo review HEAD~1..HEAD` reviews the last commit)"
    return f"{head} adds nothing to the default branch{last}"
