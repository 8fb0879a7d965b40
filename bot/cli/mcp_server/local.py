"""The implementation of the MCP tools. They use the same pipeline as the command line, and return text."""

from collections.abc import Callable, Mapping
from typing import Any

from bot import checkout, render
from bot.checkout import Checkout
from bot.errors import NothingToReview, UsageError
from bot.outputs import OUTPUTS, facts, handover, markdown, parts
from bot.outputs.review_templates import Templates
from bot.review import written
from bot.values import Finding, PullRequest, Reference, Review, TypedChange
from bot.wiring import child
from bot.wiring.child import ChildPipe
from bot.wiring.local import LOCAL, review_in_child
from bot.wiring.settling import MAX_ROUNDS as MOST_ROUNDS
from bot.wiring.settling import Answers, Round, answers, settle
from deeprepo.impact import uses

MAX_CALLERS = 200  # call sites that `callers` lists


async def review(
    repo: str, change: str, flags: Mapping[str, Any], scratch: str, say: Callable[[str], None], last: Round | None
) -> tuple[Review, Round]:
    """Review a change: a range, "staged", "uncommitted", or "" for HEAD compared with the default branch.

    `last` is the previous review of this change in this session. Raises NothingToReview and UsageError.
    """
    word = change.strip()
    scopes = {"staged": word == "staged", "uncommitted": word == "uncommitted"}
    request = checkout.typed_change(None if any(scopes.values()) else word or None, repo, **scopes)
    try:
        review = await review_in_child(request, flags, scratch, say)
        given = await child.run(_answers, review.pull, review.open_findings, caps=LOCAL)
        return review, settle(review, review.open_findings, given, last)
    except NothingToReview:
        raise NothingToReview(
            f"Nothing to review: {change or 'HEAD, compared with the default branch,'} contains no changes."
        ) from None


async def _answers(_: ChildPipe, pull: PullRequest, findings: tuple[Finding, ...]) -> Answers:
    return await answers(pull, findings)


def text(review: Review, round_: Round) -> str:
    """Return the review as the command line prints it, followed by whether another review is useful."""
    ended = render.text("agent_round.txt.j2", round=round_, most=MOST_ROUNDS).strip()
    return f"{OUTPUTS['console']().render(review).rstrip()}\n\n{ended}\n"


async def explanation(review: Review, number: int) -> str:
    """Return a finding with its evidence, as Markdown. Raises UsageError if no finding has this number."""
    findings_by_number = {item.finding.number: item for item in facts.listing(review).all}
    if number not in findings_by_number:
        numbers = (
            f"its findings are numbered {', '.join(map(str, sorted(findings_by_number)))}"
            if findings_by_number
            else "it has no findings"
        )
        raise UsageError(f"the last review has no finding {number}: {numbers}")
    form = Templates(review)
    return form.fill(
        "finding.md.j2",
        lambda: [parts.finding_values(findings_by_number[number], review, form.words)],
        markdown.MAX_COMMENT_BYTES,
    )[0]


async def handover_prompt(review: Review, number: int) -> str:
    """Return a prompt for a coding agent that describes one finding, or all findings if `number` is 0.

    Raises NothingToReview if there are no findings, and UsageError if no finding has this number.
    """
    findings = facts.listing(review).all
    if not findings:
        raise NothingToReview("The review has no open findings.")
    mine = [item for item in findings if number in (0, item.finding.number)]
    if not mine:
        numbers = ", ".join(str(item.finding.number) for item in findings)
        raise UsageError(f"the review has no finding {number}: its findings are numbered {numbers}")
    return handover.prompt(mine, review.pull.head, handover.MAX_PROMPT_BYTES)


async def callers(repo: str, symbol: str, scratch: str) -> str:
    """Return the lines where a name is used, calls first. Raises NothingToReview if there are none."""
    return await child.run(_callers, repo, symbol, scratch, caps=LOCAL)


async def _callers(_: ChildPipe, repo: str, symbol: str, scratch: str) -> str:
    try:
        pull = await checkout.pull(TypedChange(repo, "uncommitted"), scratch)
    except UsageError:  # a bare repository, or no commit yet
        pull = await checkout.pull(TypedChange(repo, "range", "HEAD", "HEAD"), scratch)
    async with Checkout(pull) as tree:
        call_rows = await uses.callers(tree, symbol)
        sources = await tree.read_many(sorted({place.path for place in call_rows[:MAX_CALLERS]}))
    if not call_rows:
        raise NothingToReview(f"No code in this repository uses {symbol!r} (strings and comments are not searched).")
    rest = [f"and {len(call_rows) - MAX_CALLERS} more"] if len(call_rows) > MAX_CALLERS else []
    texts = {path: source.decode("utf-8", "replace") for path, source in sources.items()}
    return written.of_files("\n".join([*map(_line, call_rows[:MAX_CALLERS]), *rest]), texts)


def _line(place: Reference) -> str:
    return f"{place.path}:{place.line}: {place.form} in {place.function}: {place.text.strip()}"
