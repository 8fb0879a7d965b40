"""A sentence that a person taught, and what it silences."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from whole import whole

from deeprepo_sandbox import providers as doubles

CODE = (
    "def quote(weight):\n    return 10 / weight\n\n\ndef rate(zone):\n    return ZONES[zone - 1]\n\n\nZONES = (1, 2)\n"
)
GUESS = {
    "path": "shop/quote.py", "quote": "    return 10 / weight", "title": "Division by zero for a weight of 0", "why": "quote(0) divides by zero.",
    "consequence": "The page fails.", "trigger": "quote(0)", "severity": "high", "category": "logic", "evidence": [], "suggestion": None,
}  # fmt: skip
OTHER = {
    **GUESS,
    "quote": "    return ZONES[zone - 1]",
    "title": "Zone 0 is the last zone",
    "why": "rate(0) reads ZONES[-1].",
    "trigger": "rate(0)",
}
SENTENCE = "Weights are checked in the form before this line."
VERDICT = {
    "verdict": "confirmed",
    "trigger": "t",
    "author_would_change": True,
    "reason": "r",
    "limit": "none",
    "ground": "",
}


class Model:
    """A model that reports both defects and, in the confirmation, cites the learning for the first one."""

    def __init__(self) -> None:
        self.texts = list[str]()

    def __call__(self, request: Mapping[str, Any]) -> doubles.Reply:
        text = json.dumps(request, ensure_ascii=False)
        self.texts.append(text)
        if "The claim, about" in text:
            is_first = "Title: Division" in text or "Title: A weight" in text
            return doubles.Reply(data={**VERDICT, "sentence": "S1" if is_first else "", "repeats": ""})
        return doubles.Reply(data={"answer": "Read.", "findings": [GUESS, OTHER]})


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    monkeypatch.setenv("DEEPREPO_WORKER", "openai/reader")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended")
    return Model()


async def test_remembered_sentence_silences_the_finding_that_it_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: Model
) -> None:
    """Only a person with write permission can teach a sentence. The next review counts the silenced finding."""
    teach = f"/deeprepo remember in shop/quote.py {SENTENCE}"
    async with doubles.openai_server(model) as server:
        monkeypatch.setenv("DEEPREPO_BASE_URL", server.base_url)
        async with whole(tmp_path) as at:
            number = await at.reviewed(files={"shop/quote.py": CODE})
            assert "write permission" in await at.said(number, teach, author="stranger")
            assert "(`shop/`)" in await at.said(number, f"/deeprepo remember in shop {SENTENCE}")
            assert "Nothing was taught" in await at.said(number, "/deeprepo rules")
            assert "From the next review" in await at.said(number, teach)

            model.texts.clear()
            second = await at.reviewed(branch="again", files={"shop/quote.py": CODE + "\nMORE = 1\n"})
            summary = at.summary(second)
            assert "Zone 0 is the last zone" in summary
            assert "1 finding is silenced" in summary
            assert "Division by zero" in summary.partition("is silenced")[2]  # so that people can check it
            assert not [c for c in at.gh.pull(second).review_comments if "Division by zero" in c.body]
            assert not any(SENTENCE in text for text in model.texts if "The claim, about" not in text)
            listed = await at.said(second, "/deeprepo rules")
            assert next(row for row in listed.splitlines() if SENTENCE in row).endswith("| 1 |")
            assert "no longer applies" in await at.said(second, "/deeprepo rules remove 1")
            assert "Nothing was taught" in await at.said(second, "/deeprepo rules")
