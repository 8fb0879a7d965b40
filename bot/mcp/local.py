"""What the tools do with a local repository: the same pipeline as the command line, words instead of exit codes."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot import checkout, dependents
from bot.checkout import Checkout
from bot.errors import NothingToReview, UsageError
from bot.languages import LANGUAGES
from bot.masking import hide
from bot.masking.masks import Masks
from bot.outputs import OUTPUTS, facts, handover, markdown, parts
from bot.outputs.form import ReviewTemplates
from bot.values import Placed, Reference, Review, ReviewRequest
from bot.wiring import child
from bot.wiring.child import ChildPipe
from bot.wiring.local import LOCAL, reviewed_aside

MOST = 200  # places that `callers` names


async def review(repo: str, change: str, flags: Mapping[str, Any], scratch: str) -> Review:
    """Review what was named. Raises NothingToReview and UsageError with a sentence."""
    try:
        return await reviewed_aside(asked(repo, change), flags, scratch)
    except NothingToReview:
        raise NothingToReview(
            f"Nothing to review: {change or 'what HEAD adds to the default branch'} is empty."
        ) from None


def asked(repo: str, change: str) -> ReviewRequest:
    """A change as an agent names it."""
    named = change.strip()
    if named in {"uncommitted", "staged"}:
        return ReviewRequest(repo, "staged" if named == "staged" else "uncommitted")
    base, _, head = named.replace("...", "..").partition("..")
    if base.startswith("-") or head.startswith("-"):
        raise UsageError(f"{change!r} is not a revision")
    return ReviewRequest(repo, "range", base or None, head or None)


def told(done: Review) -> str:
    """The review as the command line prints it: nothing in it is written twice, and no name is escaped."""
    return OUTPUTS["console"]().render(done)


async def explained(done: Review, number: int) -> str:
    """One finding with its proof, as Markdown. Raises UsageError where there is none of that number."""
    safe = hide.secrets(done)
    listed = {placed.finding.number: placed for placed in facts.listing(safe).all}
    if number not in listed:
        known = f"their numbers are {', '.join(map(str, sorted(listed)))}" if listed else "it found nothing"
        raise UsageError(f"the last review has no finding {number}: {known}")
    form = ReviewTemplates(safe)
    return form.fill("finding.md.j2", lambda: [parts.one(listed[number], safe, form.words)], markdown.MOST_BYTES)[0]


def handed_over(done: Review, number: int) -> str:
    """One finding, or all for 0, as a prompt for a coding agent. Raises NothingToReview, and UsageError if there is no such finding."""
    safe = hide.secrets(done)
    return chosen(facts.listing(safe).all, number, safe.pull.head)


def chosen(findings: Sequence[Placed], number: int, commit: str) -> str:
    """The prompt for one of these findings, or for all of them. Raises NothingToReview, and UsageError if there is no such finding."""
    if not findings:
        raise NothingToReview("The review has no open finding.")
    mine = [placed for placed in findings if number in (0, placed.finding.number)]
    if not mine:
        known = ", ".join(str(placed.finding.number) for placed in findings)
        raise UsageError(f"the review has no finding {number}: their numbers are {known}")
    return handover.prompt(mine, commit, handover.MOST_BYTES)


async def callers(repo: str, symbol: str, scratch: str) -> str:
    """The places where a name is used, calls first."""
    return await child.run(_callers, repo, symbol, scratch, caps=LOCAL)


async def _callers(_: ChildPipe, repo: str, symbol: str, scratch: str) -> str:
    try:
        pull = await checkout.pull(ReviewRequest(repo, "uncommitted"), scratch)
    except UsageError:  # a bare repository, or no commit yet
        pull = await checkout.pull(ReviewRequest(repo, "range", "HEAD", "HEAD"), scratch)
    async with Checkout(pull) as tree:
        found = await dependents.callers(tree, symbol, LANGUAGES)
    if not found:
        raise NothingToReview(f"No code of this repository writes {symbol!r} (strings and comments do not count).")
    rest = [f"and {len(found) - MOST} more"] if len(found) > MOST else []
    masks, rows = Masks(), [*map(_line, found[:MOST]), *rest]
    for place in found[:MOST]:
        masks.learn(place.text, place.path)
    return masks.cover("\n".join(rows))


def _line(place: Reference) -> str:
    return f"{place.path}:{place.line}: {place.form} in {place.function}: {place.text.strip()}"
