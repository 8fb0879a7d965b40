"""Who reads the pushes, over which pull requests, and the table."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from bot.errors import GitError
from bot.values import Review
from bot.wiring.review import local_review
from deeprepo.rlm.values import Completion, Prompt, Usage
from deeprepo_evals import intervals, tables
from deeprepo_evals.clones import clones
from deeprepo_evals.converge import series
from deeprepo_evals.converge.replay import Played, play
from deeprepo_evals.reviews import product
from deeprepo_evals.reviews.oracle import confirmation, shown_rows
from deeprepo_sandbox.scripted import ScriptedModel

SOON = 3  # reviews after which most pull requests should be silent
SHORTEST = 8  # characters of a line that a talkative reader takes up


@dataclass(frozen=True, slots=True)
class Plan:
    """What is played: so many pull requests, no more than `each` of one repository."""

    repos: Path
    count: int
    each: int
    flags: Mapping[str, Any] = field(default_factory=dict)
    talkative: bool = False


async def carry_out(plan: Plan, say: Callable[[str], None]) -> list[Played]:
    """Play pull requests of one clone after the other."""
    read = _talkative if plan.talkative else partial(_by_product, plan.flags)
    played: list[Played] = []
    for repo, clone in clones(plan.repos).items():
        for one in await series.of(repo, clone, plan.each):
            say(f"{len(played) + 1} of {plan.count}: {one.repo} {one.number}")
            try:
                played.append(await play(one, read))
            except GitError as error:
                say(f"{one.repo} {one.number}: {error}")
            if len(played) == plan.count:
                return played
    return played


async def _by_product(flags: Mapping[str, Any], repo: Path, last: bytes | None, scratch: str) -> Review:
    return await local_review(product.request(repo), {**flags, "previous": last}, scratch)


async def _talkative(repo: Path, last: bytes | None, scratch: str) -> Review:
    model = ScriptedModel(remarks, "scripted/talkative", price=0.0)
    return await product.rehearse("parts", model, repo, scratch, earlier=last)


def remarks(prompt: Prompt) -> Completion:
    """The script of a reader that never has nothing to say: of each prompt it takes a line that the change adds and one that it does not.

    Which ones depends on the prompt, so in another round it finds others. Whoever asks for a confirmation is told that all of it is so.
    """
    if (confirmed := confirmation(prompt)) is not None:
        return Completion("", Usage(1, 1), data=confirmed)
    text = prompt.messages[-1].text
    rows = sorted({(sign, path, line) for path, sign, line in shown_rows(text) if len(line) > SHORTEST})
    draw = random.Random(text)  # noqa: S311 - a draw that can be repeated
    kinds = [[row for row in rows if row[0] == sign] for sign in "+ "]
    chosen = [draw.choice(kind) for kind in kinds if kind]
    return Completion("", Usage(1, 1), data={"answer": "Read.", "findings": [_remark(*row[1:]) for row in chosen]})


def _remark(path: str, text: str) -> dict[str, Any]:
    return {
        "path": path, "quote": text, "line": None, "title": f"This may be wrong: {text[:40]}", "why": f"It reads {text}.",
        "consequence": "A wrong result.", "trigger": "any call", "severity": "medium", "category": "logic",
        "evidence": [], "suggestion": None,
    }  # fmt: skip


def table(played: Sequence[Played]) -> str:
    """A line for each pull request, then what they came to."""
    lines = [
        f"{one.series.repo} {one.series.number} {one.series.pushes[-1][:8]}: "
        + ", ".join(f"{row.comments}" for row in one.rounds)
        + "".join(f"\n    round {n}: {place}" for n, row in enumerate(one.rounds, 1) for place in row.untouched)
        for one in played
    ]
    return "\n".join(["New comments, round by round:", *lines, "", _summary(played)])


def _summary(played: Sequence[Played]) -> str:
    spoken = [one for one in played if any(row.comments for row in one.rounds)]
    heads = (
        "round",
        "reviews",
        "comments a review",
        "of them about untouched code",
        "caused by a fix",
        "without a cause",
    )
    rows = []
    for number in range(max(len(one.rounds) for one in played)):
        here = [one.rounds[number] for one in played if len(one.rounds) > number]
        each = intervals.mean([row.comments for row in here])
        counts = (
            len(here),
            sum(len(row.untouched) for row in here),
            sum(row.fixes for row in here),
            sum(row.uncaused for row in here),
        )
        rows.append((str(number + 1), str(counts[0]), str(each), *map(str, counts[1:])))
    silent = sum(one.was_silent for one in played)
    first = [one.silent_from for one in played]
    soon = sum(number <= SOON for number in first)
    told = (
        f"{len(played)} pull requests of {len({one.series.repo for one in played})} repositories; "
        f"{len(spoken)} had a comment; {silent} ended in silence, the median from review {median(first):g} on "
        f"(mean {intervals.mean(first)}), {soon} from review {SOON} on or before."
    )
    return f"{tables.align(heads, rows)}\n\n{told}"
