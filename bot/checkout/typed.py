"""Parse the change that a user, a program or an agent has given, and explain what to do if it is empty."""

from bot.checkout import own_git_dir
from bot.checkout.locate import locate
from bot.config import hook
from bot.errors import UsageError
from bot.values import ReviewRequest


def read(change: str | None, repo: str, *, staged: bool, uncommitted: bool) -> ReviewRequest:
    """Return the requested change. In a pre-push hook, this is what is being pushed by default.

    Raises UsageError if the arguments contradict each other.
    """
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


def last(request: ReviewRequest) -> str:
    """Return the revision whose last commit the user may want to review if the change is empty."""
    return request.head or request.base or "HEAD"


def nothing(request: ReviewRequest, *, behind: bool = False, has_parent: bool = True) -> str:
    """Return a message that explains why a change is empty, and what to type instead.

    `behind`: the base has commits that the head lacks. `has_parent`: the revision `last` has a parent commit.
    """
    return f"Nothing to review: {_nothing(request, behind=behind, has_parent=has_parent)}."


def _nothing(request: ReviewRequest, *, behind: bool, has_parent: bool) -> str:
    head = request.head or "HEAD"
    base = request.base
    if request.scope != "range":
        nothing_staged = "nothing is staged (use `git add`, or --uncommitted)"
        return nothing_staged if request.scope == "staged" else "there are no uncommitted changes"
    if base and behind:
        return f"{head} has no commits that {base} does not have. To review the other direction, run `deeprepo review {head}..{base}`"
    if base and base == request.head:
        return f"{head} is compared with itself. {_suggest_last_commit(request, has_parent=has_parent)}"
    if base:
        found = f"no file differs between {base} and {head}"
        return found if request.head else f"{found}. {_suggest_last_commit(request, has_parent=has_parent)}"
    found = f"{head} has no changes compared with the default branch"
    if request.head:
        return found
    return f"{found}. {_suggest_last_commit(request, has_parent=has_parent)}. To review uncommitted changes, add --uncommitted"


def _suggest_last_commit(request: ReviewRequest, *, has_parent: bool) -> str:
    """Return a sentence that says how to review only the last commit of a branch."""
    name = last(request)
    command = f"`deeprepo review {name}~1..{name}`"
    if has_parent:
        return f"To review only the last commit of {name}, run {command}"
    if own_git_dir.shallow(locate(request.repo)):
        return f"This clone is shallow. To review only the last commit, run `git fetch --unshallow`, then {command}"
    return f"{name} has only one commit, so there is nothing to compare it with. Commit a change, then run {command}"
