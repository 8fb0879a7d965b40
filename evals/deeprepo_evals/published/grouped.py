"""ReviewBench's judge, and what its answers come to.

Of each file, what a reviewer found is matched with what is known by meaning, many to many. The first finding that matches a known one takes its label;
what is left without one is judged by itself, with the code at hand, and counts only in the augmented figures.
"""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot import checkout, diff
from bot.checkout import Checkout
from bot.diff.roles import changes_role
from bot.errors import DeepRepoError
from bot.findings.read import asking, many, one_of, strict, text
from bot.review.dialogues import Dialogues
from bot.review.opening import look_ups_over
from bot.values import ChangedFile
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Completion, Message, Model, Prompt, Schema
from deeprepo_evals import words
from deeprepo_evals.published.sets import Comment, Pull
from deeprepo_evals.published.tally import Tally
from deeprepo_evals.results import Item, Run
from deeprepo_evals.reviews import judge, product
from deeprepo_evals.reviews.outcome import MeasuredFinding, MeasuredReview

EXPERIMENT = "reviewbench judgements"
CHUNK = 10  # remarks of one file on either side of a question
ANSWER_TOKENS = 4_096
DIFF_CHARS = 30_000  # of the change, the remark's own file first; the rest is named, and can be looked up
AROUND = 40  # lines before and after a remark
MATCHES = Schema(
    name="matches",
    description="Hand in which findings match which known remarks.",
    parameters=strict(
        reasoning=text("a short explanation"),
        matches=many(
            strict(finding={"type": "integer"}, known=many({"type": "integer"})), "only findings that match something"
        ),
    ),
)
WORTH = asking(
    "verdict",
    "Hand in the judgement of the remark.",
    {
        "reason": text("one or two sentences, with what you have verified"),
        "worth": one_of(("true", "false")),
        "severity": one_of(("high", "medium", "low")),
        "scope": one_of(("introduced", "exacerbated", "pre-existing", "unrelated")),
        "context": one_of(("diff-only", "related files", "broader"), "what one has to read to verify it"),
    },
)
AXES = ("severity", "context", "scope")
RepoOf = Callable[[str], Awaitable[Path]]  # where the repository of a pull request is built
Labels = Sequence[tuple[Comment, bool]]  # a known remark, and whether it is true


@dataclass(frozen=True, slots=True)
class Answers:
    """What the judge has said so far."""

    matches: Mapping[tuple[str, ...], Sequence[Mapping[str, Any]]]
    worth: Mapping[tuple[str, ...], Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scored:
    """A review held against the labels. Findings are known by their position; those shown in full come first."""

    findings: tuple[MeasuredFinding, ...]
    labels: Labels
    takes: Mapping[int, int]  # a finding -> the label that it takes, each label once
    covers: Mapping[int, frozenset[int]]  # a finding -> every label that it matches
    worth: Mapping[int, Mapping[str, Any]]  # a finding that takes none -> what the judge says of it

    def grounded(self, count: int, axis: str = "", value: str = "") -> Tally:
        """Its first so many findings against the labels alone, or those of one kind."""
        kept = {at for at, (label, _) in enumerate(self.labels) if not axis or _kind(label, axis) == value}
        taken = [self.labels[label][1] for at, label in self.takes.items() if at < count and label in kept]
        covered = {label for at, labels in self.covers.items() if at < count for label in labels & kept}
        found = sum(self.labels[label][1] for label in covered)
        known = sum(self.labels[label][1] for label in kept)
        return Tally(count, sum(taken), len(taken) - sum(taken), found, known)

    def augmented(self, count: int) -> Tally:
        """Count the first findings against the labels and the judge's verdicts on findings without a label.

        A finding without a usable verdict counts as false.
        """
        base = self.grounded(count)
        new = sum(self.worth.get(at, {}).get("worth") == "true" for at in range(count) if at not in self.takes)
        right = base.right + new
        return Tally(count, right, count - right, base.found + new, base.known + new)


def scored(pull: Pull, row: MeasuredReview, name: str, answers: Answers) -> Scored:
    """What the judge's answers make of a review."""
    found, labels = ordered(row), known(pull)
    covers = {at: set[int]() for at in range(len(found))}
    for item, at_found, at_known in _chunks(pull, row, name):
        for match in answers.matches.get(_match_key(item), ()):
            if 0 <= match["finding"] < len(at_found):
                covers[at_found[match["finding"]]] |= {
                    at_known[one] for one in match["known"] if 0 <= one < len(at_known)
                }
    takes: dict[int, int] = {}
    for at, mine in covers.items():
        label = next((label for label in sorted(mine) if label not in takes.values()), None)
        if label is not None:
            takes[at] = label
    worth = {
        at: answers.worth.get(_worth_key(worth_item(pull, one, name)), {})
        for at, one in enumerate(found)
        if at not in takes
    }
    return Scored(tuple(found), labels, takes, {at: frozenset(mine) for at, mine in covers.items()}, worth)


def ordered(row: MeasuredReview) -> list[MeasuredFinding]:
    """The findings of a review, those shown in full first."""
    return sorted(row.outcome.findings, key=lambda found: not found.aloud)


def known(pull: Pull) -> Labels:
    """What is known of a pull request, true and false, in the order of the set."""
    both = [*((one, True) for one in pull.known), *((one, False) for one in pull.rejected)]
    return sorted(both, key=lambda pair: pair[0].at)


def match_items(pull: Pull, row: MeasuredReview, name: str) -> list[Item]:
    """The first questions about a review."""
    return [item for item, _, _ in _chunks(pull, row, name)]


def worth_item(pull: Pull, found: MeasuredFinding, name: str) -> Item:
    """The question about a finding that matches nothing."""
    place = [found.path, found.start, max(found.start, found.end)]
    return {"judge": name, "case": pull.id, "head": pull.head, "place": place, "text": found.text}


def _chunks(pull: Pull, row: MeasuredReview, name: str) -> list[tuple[Item, list[int], list[int]]]:
    """The questions about each file that has remarks on both sides, with the positions of these."""
    found, labels = ordered(row), known(pull)
    chunks = list[tuple[Item, list[int], list[int]]]()
    for path in dict.fromkeys(one.path for one in found):
        mine = [at for at, one in enumerate(found) if one.path == path]
        theirs = [at for at, (label, _) in enumerate(labels) if label.path == path]
        for a in range(0, len(mine), CHUNK):
            for b in range(0, len(theirs), CHUNK):
                at_found, at_known = mine[a : a + CHUNK], theirs[b : b + CHUNK]
                item = {
                    "judge": name,
                    "path": path,
                    "findings": [f"(lines {found[at].start}-{found[at].end}) {found[at].text}" for at in at_found],
                    "known": [
                        f"(lines {labels[at][0].start}-{labels[at][0].end}) {labels[at][0].text}" for at in at_known
                    ],
                }
                chunks.append((item, at_found, at_known))
    return chunks


async def ask(
    model: Model, reviews: Sequence[tuple[Pull, MeasuredReview]], repo_of: RepoOf, run: Run, at_once: int
) -> tuple[Answers, tuple[str, ...]]:
    """Match every review, then have judged what matches nothing; sentences about what is left open."""
    asked = [item for pull, row in reviews for item in match_items(pull, row, model.name)]
    asked = list({_match_key(item): item for item in asked}.values())
    matched = await judge.ask(model, asked, _match_prompt, run, at_once)
    answers = Answers({_match_key(row.item): row.result.get("matches") or () for row in run.rows(asked)})
    left: dict[tuple[str, ...], Item] = {}
    for pull, row in reviews:
        result = scored(pull, row, model.name, answers)
        items = [
            worth_item(pull, found, model.name) for at, found in enumerate(result.findings) if at not in result.takes
        ]
        left |= {_worth_key(item): item for item in items}
    async with AsyncExitStack() as stack:
        desk = _Desk(model, repo_of, stack)
        judged = await judge.settle(model, list(left.values()), desk.judge, run, at_once)
    worth = {_worth_key(row.item): row.result for row in run.rows(left.values())}
    return Answers(answers.matches, worth), tuple(dict.fromkeys((*matched.why, *judged.why)))


class _Desk:
    """Judges findings with the code of their pull requests at hand."""

    def __init__(self, model: Model, repo_of: RepoOf, stack: AsyncExitStack) -> None:
        self._model, self._repo_of, self._stack = model, repo_of, stack
        self._opening = asyncio.Lock()
        self._trees: dict[str, tuple[Checkout, tuple[ChangedFile, ...]]] = {}

    async def judge(self, calls: Calls, item: Item) -> Completion | DeepRepoError:
        """One finding: two calls at most, the second with what the first asks to see."""
        tree, files = await self._tree(item["case"])
        over = look_ups_over(tree, files)
        prompt = await _worth_prompt(item, tree, files)
        return (await Dialogues(calls, self._model, "verify", over).answers([prompt]))[0]

    async def _tree(self, case: str) -> tuple[Checkout, tuple[ChangedFile, ...]]:
        async with self._opening:
            if case not in self._trees:
                scratch = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="deeprepo-judge-"))
                pull = await checkout.pull(product.request(await self._repo_of(case)), scratch)
                tree = await self._stack.enter_async_context(Checkout(pull))
                files = tuple(file for file in diff.read(await tree.change(changes_role)) if not file.skip)
                self._trees[case] = tree, files
            return self._trees[case]


def _match_prompt(item: Item) -> Prompt:
    system = Message("system", words.text("published/match_system.md.j2"))
    asked = words.text("published/match.md.j2", path=item["path"], findings=item["findings"], known=item["known"])
    return Prompt((system, Message("user", asked)), answer=MATCHES, max_tokens=ANSWER_TOKENS)


async def _worth_prompt(item: Item, tree: Checkout, files: Sequence[ChangedFile]) -> Prompt:
    path, start, end = item["place"]
    shown, others, left = list[tuple[str, str, str]](), list[str](), DIFF_CHARS
    for file in sorted(files, key=lambda file: file.path != path):
        told = diff.numbered_text(file.hunks)
        if len(told) <= left:
            shown.append((file.path, file.status, told))
            left -= len(told)
        else:
            others.append(file.path)
    lines = (await tree.read(path) or b"").decode("utf-8", "replace").split("\n")
    first = max(1, start - AROUND)
    code = "\n".join(f"{at} {line}" for at, line in enumerate(lines[first - 1 : end + AROUND], first)) if start else ""
    asked = words.text(
        "published/worth.md.j2",
        title=tree.pull.title,
        body=tree.pull.body,
        files=shown,
        others=others,
        place=f"{path}:{start}-{end}",
        finding=item["text"],
        code=code,
    )
    system = Message("system", words.text("published/worth_system.md.j2"))
    return Prompt((system, Message("user", asked)), answer=WORTH, max_tokens=ANSWER_TOKENS)


def _match_key(item: Item) -> tuple[str, ...]:
    return (item["path"], *item["findings"], "", *item["known"])


def _worth_key(item: Item) -> tuple[str, ...]:
    return (item["case"], *map(str, item["place"]), item["text"])


def _kind(label: Comment, axis: str) -> str:
    return label.level if axis == "context" else str(getattr(label, axis))
