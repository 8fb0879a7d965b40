"""Reproduce findings with tests that a model writes, using real git, a local provider and a real sandbox."""

import asyncio
import base64
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from boxes import missing
from fakes import Repository
from reported import reported
from sample import AFTER

from bot import pipeline
from bot.outputs import OUTPUTS, markdown, posts
from bot.sections.reproduction import ATTEMPTS, REPRODUCTION
from bot.values import Review, TypedChange
from bot.wiring import review as review_of
from bot.wiring.review import local_review
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import PerModel, Reply, Server

boxed = pytest.mark.skipif(bool(missing()), reason=missing() or "-")
FOUND = reported(
    "shop/rate.py",
    "    return amount * rate",
    2,
    "A negative amount is no longer refused",
    suggestion="    if amount < 0:\n        raise ValueError(amount)\n    return amount * rate",
)
CONFIRMED = {"verdict": "confirmed", "trigger": "apply(0.2, -1)", "author_would_change": True, "reason": "r", "limit": "none", "ground": ""}  # fmt: skip
HEAD = "import unittest\nfrom shop.rate import apply\n\n\nclass Negative(unittest.TestCase):\n    def test_it(self):\n"
PROOF = HEAD + "        with self.assertRaises(ValueError):\n            apply(2, -1)\n"


class Model:
    """A scripted model that finds the removed check, writes these tests in turn, and judges the last one."""

    def __init__(self, *tests: str | None, proves: bool = True, finding: Mapping[str, Any] = FOUND) -> None:
        self.tests, self.proves, self.finding = list(tests), proves, finding
        self.asked: list[str] = []

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        text = str(body["messages"])
        if "You write one test" in text:
            self.asked.append(str(body["messages"][-1]["content"]))
            test = self.tests.pop(0)
            return Reply(data={"possible": test is not None, "reason": "it needs a server", "test": test or ""})
        if "You check whether a test proves" in text:
            self.asked.append(str(body["messages"][-1]["content"]))
            return Reply(data={"reason": "it asserts nothing that was promised", "proves": self.proves})
        if "The claim, about" in text:
            return Reply(data=dict(CONFIRMED))
        return Reply(data={"answer": "Read.", "findings": [self.finding] if "apply(rate, amount)" in text else []})


@pytest.fixture
def reviewed(shop: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Review]:
    """Return a function that reviews the change with a model and with runs allowed."""

    async def of_a_stranger(request: TypedChange, given: Mapping[str, Any], scratch: str) -> Review:
        brief = replace(await review_of.brief(request, given, scratch), stranger=True)
        return await pipeline.review(brief, review_of.tools(brief, scratch, lambda _: None))

    def review(model: Model, *, stranger: bool = False, **flags: Any) -> Review:  # noqa: ANN401
        for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
            monkeypatch.delenv(variable, raising=False)
        with doubles.in_thread(Server(PerModel({"worker": model}))) as server:
            monkeypatch.setenv("DEEPREPO_BASE_URL", server.openai_url)
            given = {"worker": "compatible/worker", "effort": "low", "run_tests": True, **flags}
            (tmp_path / "scratch").mkdir(exist_ok=True)
            request, scratch = TypedChange(str(shop.folder)), str(tmp_path / "scratch")
            if stranger:
                return asyncio.run(of_a_stranger(request, given, scratch))
            return asyncio.run(local_review(request, given, scratch))

    return review


@boxed
def test_finding_is_reproduced(reviewed: Callable[..., Review], tmp_path: Path) -> None:
    """The test fails on the head, and passes on the base and with the suggested fix."""
    model = Model(PROOF)
    done = reviewed(model, journal=str(tmp_path / "journal.jsonl"))
    (placed,) = done.reported
    shown = REPRODUCTION.of(placed.finding)
    assert shown is not None
    assert (placed.finding.verdict, shown.test, shown.base, shown.fixed) == ("reproduced", PROOF, "green", "green")
    assert "AssertionError: ValueError not raised" in shown.output
    assert "def test_plain" in model.asked[0]
    assert "The pull request: after" in model.asked[-1]
    rows = [json.loads(row) for row in (tmp_path / "journal.jsonl").read_text().splitlines()]
    runs = [row for row in rows if row["kind"] == "run"]
    sides = [row["about"].partition(" on the ")[2] for row in runs]
    assert sides == ["head", "base", "head with the suggestion", "head with the suggestion", "base", "head"]
    assert all("NoNewPrivs: 1" in row["probe"] for row in runs)


@boxed
def test_resumed_review_runs_nothing_twice(reviewed: Callable[..., Review], tmp_path: Path) -> None:
    """A resumed review takes the results of all tests from its journal."""
    path = tmp_path / "journal.jsonl"
    first = reviewed(Model(PROOF), journal=str(path))
    *lines, _ = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines))  # as if the review was killed before its last line
    again = reviewed(Model(PROOF), journal=str(path))
    assert again.findings == first.findings
    assert path.read_text().count('"kind": "run"') == "".join(lines).count('"kind": "run"') == 6


FIXTURE = HEAD.replace("shop.rate", "shop.rates") + "        apply(2, -1)\n"
NOT_PROMISED = HEAD + "        self.assertEqual(apply(2, 3), 7)\n"
PASSES = HEAD + "        self.assertEqual(apply(2, 3), 6)\n"
LOOPS = HEAD + "        while True: pass\n"


@boxed
@pytest.mark.parametrize(
    ("tests", "proves", "why"),
    [
        ([None], True, "it needs a server"),
        ([PASSES], True, "passes on the head"),
        ([FIXTURE, FIXTURE, FIXTURE], True, "the test itself is wrong"),
        ([NOT_PROMISED, NOT_PROMISED, NOT_PROMISED], True, "also fails on the old code"),
        ([PROOF], False, "asserts nothing that was promised"),
    ],
)
def test_failed_reproduction_leaves_the_finding_confirmed(
    reviewed: Callable[..., Review], tests: list[str | None], proves: bool, why: str
) -> None:
    """The finding stays confirmed, and a note gives the reason why there is no test."""
    done = reviewed(Model(*tests, proves=proves))
    (placed,) = done.reported
    assert (placed.finding.verdict, REPRODUCTION.of(placed.finding)) == ("confirmed", None)
    assert placed.replacement is not None
    assert [row[0] for row in ATTEMPTS.of(done)] == ["shop/rate.py:2"]
    assert why in ATTEMPTS.of(done)[0][1]
    assert why in markdown.render(done)


@boxed
def test_timed_out_test_proves_nothing(reviewed: Callable[..., Review], shop: Repository) -> None:
    """A test that exceeds the time limit proves nothing."""
    shop.git("checkout", "-q", "main")
    shop.commit(
        {".deeprepo.yml": "run: {image: 'python:3.13-slim', test: 'python3 -m unittest -v {file}', seconds: 1}\n"},
        "a second",
    )
    shop.git("checkout", "-q", "feature")
    shop.git("rebase", "-q", "main")
    done = reviewed(Model(LOOPS))
    assert done.reported[0].finding.verdict == "confirmed"
    assert "took longer than" in ATTEMPTS.of(done)[0][1]


@boxed
def test_suggestion_that_does_not_fix_the_test_is_not_offered(reviewed: Callable[..., Review]) -> None:
    """The test still fails with the suggestion, so the comment doesn't offer it."""
    wrong = {**FOUND, "suggestion": "    return abs(amount) * rate"}
    done = reviewed(Model(PROOF, finding=wrong))
    (placed,) = done.reported
    assert (placed.finding.verdict, placed.replacement, placed.refused) == ("reproduced", None, "red")
    (comment,) = posts.comments(done).posts
    assert "```suggestion" not in comment.body
    assert "the test still fails with it" in comment.body


def test_nothing_runs_without_permission_from_the_operator(reviewed: Callable[..., Review]) -> None:
    """A `run` section without the operator's permission enables nothing."""
    model = Model()
    done = reviewed(model, run_tests=None)
    assert (model.asked, [note for note in done.notes if "test" in note]) == ([], [])


def test_nothing_runs_without_a_section_on_the_base_branch(reviewed: Callable[..., Review], shop: Repository) -> None:
    """The operator's permission is not enough, and a section added by the change is ignored."""
    shop.git("checkout", "-q", "main")
    shop.commit({".deeprepo.yml": None}, "no runs")
    shop.git("checkout", "-qb", "other")
    shop.commit({**AFTER, ".deeprepo.yml": "run: {image: 'python:3.13-slim'}\n"}, "after")
    model = Model()
    assert reviewed(model).reported
    assert model.asked == []


def test_outsider_code_runs_only_if_the_operator_allows_forks(reviewed: Callable[..., Review]) -> None:
    """Code by people without write access only runs if DEEPREPO_RUN_FORKS is set."""
    model = Model()
    done = reviewed(model, stranger=True)
    assert model.asked == []
    assert any("DEEPREPO_RUN_FORKS" in note for note in done.notes)


SECRET = "ghp_" + "R7tq2LwX9vKd4NzYb8Hc3MfJ6sPg" + "1aQeUoTi"
READS = HEAD + "        import base64\n        data = open('shop/keys.py', 'rb').read()\n        print(base64.b64encode(data), data[::-1])\n        with self.assertRaises(ValueError):\n            apply(2, -1)\n"  # fmt: skip


@boxed
def test_cannot_reveal_secrets_in_the_tree(reviewed: Callable[..., Review], shop: Repository, tmp_path: Path) -> None:
    """Secrets in the tree are masked, so a test that prints them in any encoding reveals nothing."""
    shop.git("checkout", "-q", "main")
    shop.commit({"shop/keys.py": f'TOKEN = "{SECRET}"\n'}, "a key")
    shop.git("checkout", "-q", "feature")
    shop.git("rebase", "-q", "main")
    journal = tmp_path / "journal.jsonl"
    model = Model(READS)
    done = reviewed(model, journal=str(journal))
    assert done.reported[0].finding.verdict == "reproduced"
    texts = [*model.asked, journal.read_text(), OUTPUTS["json"]().render(done)]
    encoded = base64.b64encode(f'TOKEN = "{SECRET}"\n'.encode()).decode()
    for form in (SECRET, SECRET[::-1], encoded, encoded[12:-4]):
        assert not any(form in text for text in texts)
    assert any(
        "MASKED_SECRET" in base64.b64decode(found).decode()
        for found in re.findall(r"b'([A-Za-z0-9+/=]{20,})'", texts[1])
    )
