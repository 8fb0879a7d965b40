"""Decide whether a coding agent should review its change again after it has fixed findings.

An agent can postpone a finding by writing `TODO(#123)` on the finding's lines or on the line above. Such a
finding doesn't have to be fixed. This only applies to local reviews by agents, and never to secrets. A review
of the pull request still reports the finding.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot import verdict
from bot.checkout import Checkout
from bot.values import Finding, PullRequest, Review

MAX_ROUNDS = 3  # reviews of a change in a row
TODO = re.compile(r"\bTODO\((?:[\w.-]+/[\w.-]+)?#\d+\)")
Answers = tuple[tuple[int, str], ...]  # the numbers of postponed findings, and the TODOs


@dataclass(frozen=True, slots=True)
class Round:
    """The outcome of one review in a series. It is stored between reviews."""

    number: int
    change: str  # "BASE..HEAD", the commits that were reviewed
    seen: tuple[str, ...]  # the identities of all findings in this series
    settled: bool  # whether another review would add nothing
    why: str  # a sentence that explains `settled`
    open: tuple[int, ...] = ()  # the numbers of findings that are neither fixed nor postponed
    answers: Answers = ()


async def answers(pull: PullRequest, findings: Sequence[Finding]) -> Answers:
    """Return which findings are postponed by a TODO in the code at the change's head."""
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


def settle(review: Review, findings: Sequence[Finding], given: Answers, last: Round | None) -> Round:
    """Return the outcome of a review, given the TODOs in the code and the previous outcome.

    A series of reviews starts again if a different change follows a settled one.
    """
    change = f"{review.pull.base}..{review.pull.head}"
    is_same = last is not None and last.change == change
    if last is None or (not is_same and last.settled):
        number, before = 1, frozenset[str]()
    else:
        number, before = min(last.number + 1, MAX_ROUNDS), frozenset(last.seen)
    postponed = {finding for finding, _ in given}
    left = [finding for finding in findings if finding.number not in postponed]
    new = [finding for finding in left if finding.identity not in before]
    seen = tuple(sorted(before | {finding.identity for finding in findings}))
    if number >= MAX_ROUNDS and left:
        settled, why = (
            True,
            f"the limit of {MAX_ROUNDS} reviews is reached, so a person has to decide on the open findings",
        )
    elif verdict.of(review).is_partial:
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
