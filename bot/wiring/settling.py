"""Reviews of a coding agent, which reviews, fixes and reviews again until a review says that it can stop.

`TODO(#123)` in the code, on a finding's lines or the line above, answers the finding: the agent has moved it
to an issue. That only counts here, where people review their own work, and never for a secret. A review of a
pull request still reports it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.checkout import Checkout
from bot.values import Finding, PullRequest, Review

MAX_ROUNDS = 3  # reviews
TODO = re.compile(r"\bTODO\((?:[\w.-]+/[\w.-]+)?#\d+\)")
Answers = tuple[tuple[int, str], ...]  # a finding's number, and the words in the code


@dataclass(frozen=True, slots=True)
class Round:
    """The outcome of one review."""

    number: int
    change: str  # the two reviewed commits
    seen: tuple[str, ...]  # identities of all findings so far
    settled: bool  # whether another review cannot add anything
    why: str
    open: tuple[int, ...] = ()  # numbers of findings neither fixed nor answered
    answers: Answers = ()


async def answers(pull: PullRequest, findings: Sequence[Finding]) -> Answers:
    """Return which findings the code answers, from the files of the head."""
    at_head = [
        finding
        for finding in findings
        if finding.side == "head" and finding.start and not finding.consumer and finding.category != "secret"
    ]
    async with Checkout(pull) as tree:
        sources = await tree.read_many(sorted({finding.path for finding in at_head}))
    lines = {path: source.decode("utf-8", "replace").split("\n") for path, source in sources.items()}
    found = list[tuple[int, str]]()
    for finding in at_head:
        near_lines = lines.get(finding.path, [])[max(0, finding.start - 2) : finding.end]
        if match := TODO.search("\n".join(near_lines)):
            found.append((finding.number, match[0]))
    return tuple(found)


def settle(
    review: Review, findings: Sequence[Finding], given: Answers, last: Round | None, *, is_new: bool = False
) -> Round:
    """Return the outcome of this review. A new change after a settled one, or new work, starts from one."""
    change = f"{review.pull.base}..{review.pull.head}"
    is_same = last is not None and last.change == change
    if last is None or (not is_same and (last.settled or is_new)):
        number, before = 1, frozenset[str]()
    else:
        number, before = min(last.number + 1, MAX_ROUNDS), frozenset(last.seen)
    answered = {finding for finding, _ in given}
    left = [finding for finding in findings if finding.number not in answered]
    new = [finding for finding in left if finding.identity not in before]
    seen = tuple(sorted(before | {finding.identity for finding in findings}))
    if number >= MAX_ROUNDS and left:
        settled, why = (
            True,
            f"the limit of {MAX_ROUNDS} reviews is reached, so a person has to decide on the open findings",
        )
    elif review.cut.partial:
        settled, why = number >= MAX_ROUNDS, "the review was cut short, so part of the change was not checked"
    elif not left:
        settled, why = True, "every finding is answered in the code" if findings else "no problems were found"
    elif is_same and not new:
        settled, why = True, "nothing changed since the last review, and there are no new findings"
    else:
        settled, why = (
            False,
            f"{len(left)} finding{'s are' if len(left) != 1 else ' is'} open, {len(new)} of them new",
        )
    return Round(number, change, seen, settled, why, tuple(finding.number for finding in left), given)
