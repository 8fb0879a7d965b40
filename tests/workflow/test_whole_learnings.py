"""A learning from the rejected finding to what it silences, and one of the team's own checks."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from whole import whole

from bot import config
from deeprepo_sandbox import providers as doubles

CODE = (
    "def quote(weight):\n    return 10 / weight\n\n\ndef rate(zone):\n    return ZONES[zone - 1]\n\n\nZONES = (1, 2)\n"
)
GUESS = {
    "path": "shop/quote.py", "quote": "    return 10 / weight", "title": "Division by zero for a weight of 0", "why": "quote(0) divides by zero.",
    "consequence": "The page fails.", "trigger": "quote(0)", "severity": "high", "category": "logic", "claims": [], "evidence": [], "suggestion": None,
}  # fmt: skip
OTHER = {
    **GUESS,
    "quote": "    return ZONES[zone - 1]",
    "title": "Zone 0 is the last zone",
    "why": "rate(0) reads ZONES[-1].",
    "trigger": "rate(0)",
}
SENTENCE = "By design: weights are checked in the form before this line."
VERDICT = {
    "verdict": "confirmed",
    "trigger": "t",
    "author_would_change": True,
    "reason": "r",
    "limit": "none",
    "ground": "",
}


class Model:
    """A model that reports both defects and, in the second call, cites the learning for the first one."""

    def __init__(self) -> None:
        self.texts = list[str]()

    def __call__(self, request: Mapping[str, Any]) -> doubles.Reply:
        text = json.dumps(request, ensure_ascii=False)
        self.texts.append(text)
        if "The claim, about" in text:
            is_first = "Title: Division" in text or "Title: A weight" in text
            return doubles.Reply(data={**VERDICT, "sentence": "S1" if is_first else "", "repeats": ""})
        failed = [
            {
                "check": 1,
                "verdict": "failed",
                "reason": "quote() has none.",
                "quotes": [{"path": "shop/quote.py", "quote": "def quote(weight):"}],
            }
        ]
        return doubles.Reply(data={"answer": "Read.", "findings": [GUESS, OTHER], "checks": failed})


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    monkeypatch.setenv("DEEPREPO_WORKER", "openai/reader")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended")
    return Model()


@pytest.mark.slow
async def test_learning_is_proposed_confirmed_applied_and_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: Model
) -> None:
    """From "by design" in a thread to the next pull request, where only the other finding is reported."""
    async with doubles.openai_server(model) as server:
        monkeypatch.setenv("DEEPREPO_BASE_URL", server.base_url)
        async with whole(tmp_path) as at:
            number = await at.reviewed(files={"shop/quote.py": CODE})
            (first,) = [c for c in at.gh.pull(number).review_comments if "Division by zero" in c.body]
            await at.repo.reply(number, first.id, SENTENCE, author="stranger")
            await at.said(number, "/deeprepo rules")
            assert not [c for c in at.gh.pull(number).review_comments if '"kind": "rule"' in c.body]
            await at.repo.reply(number, first.id, SENTENCE, author="maintainer")
            listed = await at.said(number, "/deeprepo rules")
            assert SENTENCE in listed
            assert "logic" not in listed
            (proposal,) = [c for c in at.gh.pull(number).review_comments if '"kind": "rule"' in c.body]
            assert "learning 1" in proposal.body
            at.repo.react(number, proposal.id, "+1", "maintainer")
            await at.said(number, "/deeprepo rules ")

            model.texts.clear()
            second = await at.reviewed(branch="again", files={"shop/quote.py": CODE + "\nMORE = 1\n"})
            summary = at.summary(second)
            assert "Zone 0 is the last zone" in summary
            assert "Learning 1" in summary
            assert "1 finding is silenced" in summary
            assert "Division by zero" in summary.partition("Learning 1")[2]  # so that people can check it
            assert not [c for c in at.gh.pull(second).review_comments if "Division by zero" in c.body]
            assert not any(SENTENCE in text for text in model.texts if "The claim, about" not in text)
            listed = await at.said(second, "/deeprepo rules list")
            assert "| 1 |" in next(row for row in listed.splitlines() if SENTENCE in row)[-8:]

            edited = await at.said(second, "/deeprepo rules edit 1 Weights are never zero: the form rejects them.")
            assert "From the next review" in edited
            zones = "/deeprepo remember in shop/quote.py:rate Zones are numbered from one in every table."
            assert "learning 2" in await at.said(second, zones)
            reworded = await at.said(second, "/deeprepo rules edit 2 Zones are numbered from one everywhere.")
            assert "It does not apply yet. To accept it" in reworded
            assert "| proposed |" in next(
                row for row in (await at.said(second, "/deeprepo rules")).splitlines() if "one everywhere" in row
            )
            assert "Zones are numbered" in await at.said(second, "/deeprepo rules confirm 2")
            exported = await at.said(second, "/deeprepo rules export")
            text = exported.partition("yaml\n")[2].rpartition("\n`")[0]
            settings, problems = config.check(text.encode())
            assert problems == ()
            assert [(row.path, row.symbol) for row in settings.values["ignore"]] == [
                ("=shop/quote.py", ""),
                ("shop/quote.py", "rate"),
            ]
