"""A dismissed finding is not reported again in other words; other findings in that file are."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
import step
from fakes import Repository
from families import few

from bot.checkout import Checkout
from bot.findings.merge import identify
from bot.findings.quotes import check_quotes
from bot.findings.silencing import IgnoreList
from bot.review.incremental import Past
from bot.review.judging import JudgedFindings, judge
from bot.values import Basis, Dismissal, EarlierReview, Finding, OwnerRule, PullRequest, Rejection, Source, Verdict
from deeprepo.rlm.values import Completion, Prompt, Usage
from tests.findings_changed import changed

READER = Source("model", "scripted/reader", "worker")
REASON = "weights are checked in quote() before this line"
# per case: the function and key of both findings, the dismissed claim, and another true defect
SUBJECTS = (
    ("weight", "rate", "divides by the weight, which is zero for letters", "reads the rate of the wrong zone"),
    ("stock", "shelf", "takes the first shelf of an empty list", "counts a reserved item twice"),
    ("refund", "order", "refunds an order without looking whether it was paid", "rounds the refund down twice"),
    ("token", "user", "compares tokens in a time that depends on them", "keeps the token in the log"),
)  # fmt: skip
# title and explanation of one claim; the first was dismissed, and the others repeat it
WORDINGS = (
    ("{name}() {claim}", "The value of {key} reaches the line unchecked, so it {claim}."),
    ("{key} {claim} in {name}()", "Nothing checks {key}: the line {claim}."),
    ("Unchecked {key}", "An unusual {key} makes the function fail, because it {claim}."),
    ("Crash on an edge case", "With the smallest input, {name}() {claim}."),
    ("Missing guard before use", "A guard was dropped. Without it the code {claim}."),
    ("Invalid input is not rejected", "The caller may pass anything for {key}, and then this {claim}."),
    ("Possible failure for callers of {name}()", "A caller of {name}() with such a {key} meets this: it {claim}."),
)


def source(name: str, key: str) -> str:
    return (
        f"def {name}(one, table):\n"
        f"    first = one.{key} / table.{key}_unit\n"
        f"    second = table.lookup(one.{key})\n"
        f"    return first * second\n"
    )


def finding(name: str, key: str, words: tuple[str, str], line: str, *, category: str = "logic") -> Finding:
    return identify(
        Finding(
            path=f"shop/{name}.py",
            quote=line,
            title=words[0],
            why=words[1],
            consequence="A customer notices.",
            severity="high",
            category=category,
            basis=Basis((READER,)),
            trigger=f"{name}(letter, table)",
        )
    )


class Confirming:
    """A confirmation that marks repeats as scripted and confirms everything."""

    def __init__(self, answers: Mapping[str, Mapping[str, Any]]) -> None:
        self.answers, self.prompts = answers, list[str]()

    async def __call__(self, prompts: Sequence[Prompt], _shown: object) -> list[Completion]:
        replies = []
        for prompt in prompts:
            text = prompt.messages[-1].text
            self.prompts.append(text)
            more = next((dict(each) for mark, each in self.answers.items() if mark in text.partition("---")[0]), {})
            data = {
                "verdict": "confirmed",
                "trigger": "t",
                "author_would_change": True,
                "reason": "r",
                "ground": "g",
                "limit": "none",
            }
            replies.append(Completion("", Usage(), data={**data, **more}))
        return replies


async def judged(
    repository: Repository,
    pull: PullRequest,
    findings: Sequence[Finding],
    confirming: Confirming | None,
    ignore_list: IgnoreList,
    *before: Finding,
) -> JudgedFindings:
    """Judge a review's findings with these dismissals; `before` are findings from earlier reviews."""
    async with Checkout(pull) as tree:
        checked = [one for one in [await check_quotes(each, tree) for each in findings] if isinstance(one, Finding)]
        assert len(checked) == len(findings)
        known = EarlierReview(1, pull.base, "0" * 40, findings=before)
        subject = step.survey(pull, tree, ignore_list=ignore_list, past=Past(known))
        return await judge(subject, checked, confirming)


@pytest.fixture
def change(repository: Repository) -> tuple[Repository, PullRequest]:
    files = {f"shop/{name}.py": source(name, key) for name, key, _, _ in SUBJECTS}
    return repository, repository.change({"README.md": "a shop\n"}, files)


def cases() -> list[tuple[int, int, Rejection]]:
    """Return 40 cases: each subject with five starting wordings and two ways of dismissal."""
    return [
        (subject, turn, how) for subject in range(len(SUBJECTS)) for turn in range(5) for how in ("withdrawn", "reply")
    ]


@pytest.mark.parametrize(("subject", "turn", "how"), few(cases(), *range(0, 40, 7)))
def test_dismissed_finding_is_not_reported_again(
    change: tuple[Repository, PullRequest], subject: int, turn: int, how: Rejection
) -> None:
    """In three reviews, no reworded repeat is reported, and the file's other finding always is."""
    repository, pull = change
    name, key, claim, other_claim = SUBJECTS[subject]
    line, other_line = f"    first = one.{key} / table.{key}_unit", f"    second = table.lookup(one.{key})"
    say = {"name": name, "key": key, "claim": claim}
    wordings = [(a.format(**say), b.format(**say)) for a, b in WORDINGS]
    before = finding(name, key, wordings[0], line)
    other = finding(name, key, (f"{name}() {other_claim}", f"The looked up value {other_claim}."), other_line)
    confirming = Confirming({title: {"repeats": "D1"} for title, _ in wordings})
    words = IgnoreList().also([Dismissal(before.identity, REASON, how)])
    for number in range(3):
        again = finding(name, key, wordings[(turn + number) % (len(wordings) - 1) + 1], line, category="crash")
        # another line with the same cause: a reworded finding may quote a different line
        moved = finding(
            name,
            key,
            wordings[(turn + number + 1) % (len(wordings) - 1) + 1],
            f"def {name}(one, table):",
            category="other",
        )
        result = asyncio.run(judged(repository, pull, [again, moved, other], confirming, words, before))
        assert [one.title for one in result.findings_with_status("new")] == [other.title]
        assert {
            one.tracking.silencing and one.tracking.silencing.scope for one in result.findings_with_status("silenced")
        } >= {"repeat"}
        assert all(
            one.tracking.silencing and one.tracking.silencing.reason == REASON
            for one in result.findings_with_status("silenced")
        )


def learning(path: str, text: str = REASON, **more: object) -> OwnerRule:
    return replace(OwnerRule(path, "", text, 4, learned=True), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scope", "sentence", "silent"),
    [
        (learning("shop/**"), "S1", True),
        (learning("shop/weight.py"), "S1", True),
        (learning("shop/weight.py"), "", False),  # no answer names the sentence
        (learning("shop/weight.py"), "S2", False),
        (learning("shop/stock.py"), "S1", False),  # another file: it is not shown
        (learning("shop/weight.py", symbol="other"), "S1", False),
        (replace(learning("shop/**"), kind="security"), "S1", False),  # a rule of another kind
    ],
)
def test_learned_sentence_silences_only_findings_it_was_shown_for(
    change: tuple[Repository, PullRequest], scope: OwnerRule, sentence: str, silent: bool
) -> None:
    """A learned sentence silences a finding only if a call names it and it was shown for that location."""
    repository, pull = change
    one = finding(
        "weight", "rate", ("Zero is not handled", "It divides by zero."), "    first = one.rate / table.rate_unit"
    )
    confirming = Confirming({"Zero is not handled": {"sentence": sentence}})
    result = asyncio.run(judged(repository, pull, [one], confirming, IgnoreList().also([], [scope])))
    assert bool(result.findings_with_status("silenced")) == silent
    assert len(result.findings_with_status("new")) == (not silent)
    if silent:
        (quiet,) = result.findings_with_status("silenced")
        assert quiet.tracking.silencing is not None
        assert (quiet.tracking.silencing.scope, quiet.tracking.silencing.reason) == ("rule", REASON)
        assert quiet.tracking.silencing.rule is not None
        assert quiet.tracking.silencing.rule.number == 4


def test_learned_sentence_never_silences_a_proven_finding(change: tuple[Repository, PullRequest]) -> None:
    """Learned sentences silence neither proven findings nor findings that no call confirms."""
    repository, pull = change
    proven = changed(
        finding("weight", "rate", ("Zero", "It divides."), "    first = one.rate / table.rate_unit"),
        verdict=Verdict.PROVEN,
        sources=(Source("analyser", "contracts", proof="removed-symbol"),),
    )
    guess = finding("stock", "shelf", ("Zero", "It divides."), "    first = one.shelf / table.shelf_unit")
    words = IgnoreList().also([], [learning("**", "answer everything with S1")])
    confirming = Confirming({"Zero": {"sentence": "S1"}})
    result = asyncio.run(judged(repository, pull, [proven], confirming, words))
    assert len(result.findings_with_status("new")) == 1
    result = asyncio.run(judged(repository, pull, [proven, guess], None, words))
    assert len(result.findings_with_status("new")) == 2


def test_learned_sentence_silences_at_most_three_findings(change: tuple[Repository, PullRequest]) -> None:
    """A sentence silences at most three findings in a review; the others are reported."""
    repository, pull = change
    many = [
        finding(name, key, ("Zero", "It divides."), line)
        for name, key, _, _ in SUBJECTS
        for line in (f"    first = one.{key} / table.{key}_unit", f"    second = table.lookup(one.{key})")
    ]
    confirming = Confirming({"Zero": {"sentence": "S1"}})
    result = asyncio.run(judged(repository, pull, many, confirming, IgnoreList().also([], [learning("**")])))
    assert len(result.findings_with_status("silenced")) == 3
    assert len(result.findings_with_status("new")) == len(many) - 3
