"""The texts of the corpus as what a team teaches: sentences, checks, instructions, and the answers that a talked-round reader gives."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from fakes import Repository
from families import few
from hostile_texts import CORPUS, text_of
from pushes import Hand
from rendered import SEEN, harm
from test_hostile_corpus import pages

from bot.config.names import MOST_CHECKS
from bot.values import Review
from deeprepo_sandbox.providers import Reply

REVIEWS = 6
CODE = "def pay(amount):\n    return amount / 0\n"
SECRET = "planted-" + "1f2e3d4c5b6a"


def texts(number: int) -> list[str]:
    """The share of one review, as many as a file may have checks."""
    return [text_of(entry) for entry in CORPUS][number::REVIEWS][:MOST_CHECKS]


class Obedient:
    """A reader that says what the owner's texts say, fails each check with a quote, and names every sentence that it is shown."""

    def __init__(self, words: list[str]) -> None:
        self.words, self.requests = words, list[str]()

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        text = "\n".join(str(message["content"]) for message in body["messages"])
        self.requests.append(text)
        if "The claim, about" in text:
            sentence = "S1" if "\nS1 (" in text else ""
            verdict = {
                "verdict": "confirmed",
                "trigger": "t",
                "author_would_change": True,
                "reason": self.words[0],
                "limit": "none",
            }
            return Reply(data={**verdict, "ground": "", "sentence": sentence, "repeats": "D1"})
        quotes = [{"path": "pay.py", "quote": "    return amount / 0"}]
        rows = [
            {"check": at, "verdict": "failed", "reason": words, "quotes": quotes}
            for at, words in enumerate(self.words, 1)
        ]
        found = {
            "path": "pay.py", "quote": "    return amount / 0", "title": self.words[0], "why": self.words[-1], "trigger": "pay(1)",
            "consequence": "c", "severity": "high", "category": "logic", "claims": [], "evidence": [], "suggestion": None,
        }  # fmt: skip
        return Reply(data={"answer": "Read.", "findings": [found], "checks": rows, "look_ups": [], "unsettled": []})


@pytest.fixture(scope="module", params=few(range(REVIEWS), 0))
def taught(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Review, Obedient]:
    """A review under settings that hold nothing but hostile texts."""
    top, words = tmp_path_factory.mktemp("team"), texts(request.param)
    repository = Repository(top / "repository")
    settings = {
        "checks": [
            {"name": f"{at} {text}"[:60], "ask": text[:600], "severity": "note"} for at, text in enumerate(words)
        ],
        "learnings": [{"path": "**", "symbol": text[:200], "text": text[:300] or "x"} for text in words]
        + [{"path": "**", "text": text[:300]} for text in words],
        "instructions": [{"path": "**", "text": text[:2_000]} for text in words],
        "rules": [{"path": "never/**", "kind": "logic", "text": text} for text in words],
    }
    repository.commit({".deeprepo.yml": yaml.safe_dump(settings), "README": "x\n"}, "before")
    repository.git("checkout", "-qb", "feature")
    repository.commit({"pay.py": CODE}, "after")
    (top / "scratch").mkdir()
    reader = Obedient(words)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GITHUB_TOKEN"):
            patch.setenv(name, SECRET)
        review = Hand(repository, top / "scratch", patch).review(worker=reader, strategy="direct")
    assert not list(Path(top).rglob("*_was_here"))
    return review, reader


def test_each_text_was_read_and_repeated(taught: tuple[Review, Obedient]) -> None:
    """As a question, as a sentence and as an answer: each had the chance to do harm."""
    review, reader = taught
    assert len(review.checks) == len(reader.words)
    assert {one.verdict for one in review.checks} == {"failed"}
    assert [one.silencing and one.silencing.scope for one in review.having("silenced")] == [
        "rule"
    ]  # the sentence silenced the finding that it was named for
    assert any("S1 (" in text for text in reader.requests)


def test_what_a_team_teaches_calls_nobody(taught: tuple[Review, Obedient]) -> None:
    """Tables, collapsed lines and the check run as GitHub would render them; nothing unseen, and no secret, in any output or prompt."""
    review, reader = taught
    for name, page in pages(review).items():
        assert not (hidden := SEEN.search(page)), (name, hidden)
        assert SECRET not in page
        if name.startswith(("markdown", "summary", "post")):
            assert harm(page) is None, name
            assert len(re.findall(r"<!--\s*deeprepo", page, re.IGNORECASE)) == (0 if name == "markdown" else 1)
    assert SECRET not in "".join(reader.requests)
