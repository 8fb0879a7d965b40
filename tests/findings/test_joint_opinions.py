"""Several claims in one confirmation request: each gets its own verdict, and shared code is sent once."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
import step
from fakes import Repository

from bot.checkout import Checkout
from bot.findings import joint_opinions
from bot.findings.opinion_cache import Opinions
from bot.review.judging import JudgedFindings, judge
from bot.values import Basis, DiffRow, Evidence, Excerpt, Finding, Severity, Source, Verdict
from deeprepo.rlm.values import Completion, Prompt, Usage

CODE = "def f(x): return x.y\nx = f(None)\nz = f(3)\n"
READER = (Source("model", "m", "worker"),)
FIRST = Finding("a.py", "x = f(None)", "f fails for None", "w", "c", "high", "logic", Basis(READER), start=2, end=2)
SECOND = replace(FIRST, quote="z = f(3)", title="A number has no `y`", why="Other.", category="crash", start=3, end=3)
CONFIRMED = {"verdict": "confirmed", "trigger": "t", "author_would_change": True, "reason": "", "limit": "none", "ground": "", "by": "code"}  # fmt: skip
REFUTED = CONFIRMED | {"verdict": "refuted", "ground": "def f(x): return x.y"}
Rows = Mapping[str, Mapping[str, Any]]


class Answers:
    """A model that answers joint requests with these rows, and single requests with the last argument."""

    def __init__(self, rows: Rows, alone: Mapping[str, Any] = CONFIRMED) -> None:
        self.rows, self.alone, self.asked = rows, alone, list[Prompt]()

    async def __call__(self, prompts: Sequence[Prompt], shown: Sequence[Sequence[Excerpt]]) -> list[Completion]:
        assert len(shown) == len(prompts)
        self.asked += prompts
        rows = [{"claim": name, **row} for name, row in self.rows.items()]
        return [
            Completion("", Usage(), data={"verdicts": rows, "look_ups": []} if _is_joint(prompt) else self.alone)
            for prompt in prompts
        ]


def _is_joint(prompt: Prompt) -> bool:
    return prompt.answer is not None and prompt.answer.name == joint_opinions.VERDICTS


def judged(repository: Repository, answers: Answers, findings: Sequence[Finding]) -> JudgedFindings:
    pull = repository.change({"a.py": "y = 1\n"}, {"a.py": CODE})

    async def run() -> JudgedFindings:
        opinions = Opinions(answers)
        async with Checkout(pull) as tree:
            return await judge(step.survey(pull, tree), findings, opinions.answers)

    return asyncio.run(run())


def test_each_claim_gets_its_own_verdict(repository: Repository) -> None:
    """Two claims in one request get their own verdicts, and shared code is sent only once."""
    answers = Answers({"C1": CONFIRMED, "C2": REFUTED})
    found = judged(repository, answers, (SECOND, FIRST))
    assert [one.title for one in found.findings_with_status("new")] == [FIRST.title]
    assert [one.title for one in found.findings_with_status("refuted")] == [SECOND.title]
    (prompt,) = answers.asked
    assert prompt.messages[-1].text.count("2 x = f(None)") == 1


def test_claims_with_the_same_fix_become_one_finding(repository: Repository) -> None:
    """Claims with the same fix become one finding. A refuted claim doesn't remove another one."""
    for other in (CONFIRMED, CONFIRMED | {"same_as": "C2"}):
        found = judged(repository, Answers({"C1": other, "C2": CONFIRMED | {"same_as": "C1"}}), (FIRST, SECOND))
        (one,) = found.findings_with_status("new")
        assert {one.start, *(item.line for item in one.evidence)} == {2, 3}
    for first, second in ((REFUTED, CONFIRMED | {"same_as": "C1"}), (REFUTED, CONFIRMED | {"same_as": "C2"})):
        found = judged(repository, Answers({"C1": first, "C2": second}), (FIRST, SECOND))
        assert [one.title for one in found.findings_with_status("new")] == [SECOND.title]


def test_claims_that_quote_the_same_line_share_a_request(repository: Repository) -> None:
    """Claims that quote the same line are in the same request, so that one call can compare them."""
    line = Evidence("a.py", "def f(x): return x.y", 1)
    between = [replace(SECOND, path=f"b{at}.py", quote="z", title=f"Other {at}", start=1, end=1) for at in range(13)]
    told = replace(FIRST, evidence=(line,))
    again = replace(SECOND, path="c.py", quote="z", title="f takes None", start=1, end=1, evidence=(line,))
    pull = repository.change({"a.py": "y = 1\n"}, {"a.py": CODE, "c.py": "z\n", **{one.path: "z\n" for one in between}})
    answers = Answers({})

    async def run() -> JudgedFindings:
        opinions = Opinions(answers)
        async with Checkout(pull) as tree:
            return await judge(step.survey(pull, tree), [told, *between, again], opinions.answers)

    asyncio.run(run())
    texts = [prompt.messages[-1].text for prompt in answers.asked if _is_joint(prompt)]
    assert len(texts) > 1
    assert [again.title in text for text in texts] == [told.title in text for text in texts]


def test_same_text_at_two_lines_stays_two_findings(repository: Repository) -> None:
    """Two findings with the same text at different lines stay separate."""
    twin = replace(FIRST, start=SECOND.start, end=SECOND.end)
    found = judged(repository, Answers({"C1": CONFIRMED, "C2": CONFIRMED}), (FIRST, twin))
    assert sorted(one.start for one in found.findings_with_status("new")) == [FIRST.start, twin.start]


def test_claim_missing_from_a_joint_answer_gets_its_own_request(repository: Repository) -> None:
    """A claim that is missing in a joint answer is requested separately."""
    answers = Answers({"C2": REFUTED, "C9": REFUTED})
    found = judged(repository, answers, (FIRST, SECOND))
    assert [_is_joint(prompt) for prompt in answers.asked] == [True, False]
    assert [one.title for one in found.findings_with_status("new")] == [FIRST.title]


def test_many_claims_are_split_evenly(repository: Repository) -> None:
    """Fourteen claims are split into two requests of seven; a request has at most twelve."""
    many = [replace(FIRST, title=f"`f{at}` fails", why=f"w{at}", category="logic", evidence=(), start=at, end=at, quote=f"line {at}") for at in range(1, 15)]  # fmt: skip
    answers = Answers({f"C{at}": CONFIRMED for at in range(1, 15)})
    judged(repository, answers, many)
    assert [prompt.messages[-1].text.count("The claim, about") for prompt in answers.asked] == [7, 7]


def test_second_answer_decides_only_open_claims() -> None:
    """A second answer decides only the claims that the first one left open."""
    first = Completion("", Usage(), data={"verdicts": [{"claim": "C1", **CONFIRMED}, {"claim": "C2", **CONFIRMED, "verdict": "open"}]})  # fmt: skip
    last = Completion("", Usage(), data={"verdicts": [{"claim": "C1", **REFUTED}, {"claim": "C2", **REFUTED}]})
    assert joint_opinions.open_claims(first.data) == ("C2",)
    done = joint_opinions.join_answers(first, last)
    assert [(row["claim"], row["verdict"]) for row in (done.data or {})["verdicts"]] == [
        ("C1", "confirmed"),
        ("C2", "refuted"),
    ]


class QuickAnswers:
    """A cheaper model that gives one verdict on everything, after looking up a line. `asked` lists its prompts."""

    def __init__(self, verdict: Mapping[str, Any]) -> None:
        self.verdict, self.asked = verdict, list[Prompt]()
        self.code = Excerpt("b.py", 7, 7, (DiffRow("", "LOOKED_UP = 7", 7),), "head", "defines LOOKED_UP")

    async def __call__(
        self, prompts: Sequence[Prompt], _shown: Sequence[Sequence[Excerpt]]
    ) -> list[tuple[Completion, Sequence[Excerpt]]]:
        self.asked += prompts
        return [(Completion("", Usage(), data=self.verdict), (self.code,)) for _ in prompts]


@pytest.mark.parametrize(
    ("severity", "verdict", "is_asked_again"),
    [
        ("high", CONFIRMED, False),
        ("high", REFUTED, True),
        ("high", CONFIRMED | {"verdict": "unproven"}, True),
        ("medium", REFUTED, False),
    ],
)
def test_model_that_decides_sees_the_code_that_a_cheaper_model_looked_up(
    repository: Repository, severity: Severity, verdict: Mapping[str, Any], is_asked_again: bool
) -> None:
    """It is only asked about serious findings, and a cheaper model alone never refutes a finding."""
    quick, answers = QuickAnswers(verdict), Answers({})
    finding = replace(FIRST, severity=severity, basis=Basis((Source("model", "big", "root"),)))
    pull = repository.change({"a.py": "y = 1\n"}, {"a.py": CODE})

    async def run() -> JudgedFindings:
        opinions = Opinions(answers, quick, lambda _finding, _precedents: True)
        async with Checkout(pull) as tree:
            return await judge(step.survey(pull, tree), [finding], opinions.answers)

    judgement = asyncio.run(run())
    assert len(quick.asked) == 1
    assert [("LOOKED_UP = 7" in prompt.messages[-1].text) for prompt in answers.asked] == [True] * is_asked_again
    (told,) = judgement.findings
    assert told.status != "refuted"
    is_confirmed = is_asked_again or verdict is CONFIRMED
    assert (told.verdict is Verdict.CONFIRMED) == is_confirmed
