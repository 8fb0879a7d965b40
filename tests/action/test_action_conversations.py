from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from opening import event, summary
from reported import reported
from stepping import Stage, stage

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import PerModel, Reply

BASE = {"price.py": "def mean(items):\n    return 0\n"}
GUARD = "    if not items:"
HEAD = {"price.py": f"def mean(items):\n{GUARD}\n        return 0\n    return sum(items) / len(items)\n"}
FOUND = reported("price.py", "    return sum(items) / len(items)", 4, "mean() divides by zero")
REMARK = "There is a guard, and it returns first."
TAKEN = {"finding": 1, "because": "code", "reason": "The guard returns first.", "words": REMARK}


@pytest.fixture(autouse=True)
def _keyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPATIBLE_API_KEY", "sk-pretended-and-long-enough")


@dataclass
class Talk:
    """A reviewed pull request with one of our comments on a line."""

    at: Stage
    number: int
    asks: dict[str, str]
    top: int

    async def said(self, text: str, author: str = "maintainer", thread: int = 0) -> str:
        """Reply in a thread, run the workflow, and return its conclusion and message."""
        with self.at.gh.holding() as held:
            await self.at.repo.reply(self.number, thread or self.top, text, author=author)
        remark = [one for one in held if one.event == "pull_request_review_comment"]
        told = await self.at.told("pull_request_review_comment", event(remark), **self.asks)
        return f"{told.conclusion}: {told.says}"

    @property
    def last(self) -> str:
        """Return the newest comment on a line."""
        return self.at.gh.pull(self.number).review_comments[-1].body

    async def pushed(self) -> str:
        """Push, run the workflow, and return the summary."""
        with self.at.gh.holding() as held:
            await self.at.repo.push("feature", {"NEWS.md": "one\n"})
        await self.at.told("pull_request", event(held), **self.asks)
        return summary(self.at.gh, self.number)


@asynccontextmanager
async def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *replies: dict[str, Any]) -> AsyncIterator[Talk]:
    """Open a pull request that a model reviews with one finding; `replies` are its later answers."""
    left = iter(replies)

    def reader(body: Mapping[str, Any]) -> Reply:
        if "reply" in body["response_format"]["json_schema"]["name"]:
            return Reply(data={**next(left), "look_ups": []})
        return Reply(data={"answer": "Read.", "findings": [FOUND]})

    async with doubles.openai_server(PerModel({"reader": reader})) as model, stage(tmp_path, BASE) as at:
        monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
        asks = {"worker": "compatible/reader", "strategy": "parts"}
        await at.repo.commit("main", {".deeprepo.yml": "verify: false\n"})
        await at.repo.commit("feature", HEAD)
        with at.gh.holding() as held:
            number = await at.repo.open_pull("feature", title="A mean")
        await at.told("pull_request", event(held), **asks)
        (top,) = at.gh.pull(number).review_comments
        yield Talk(at, number, asks, top.id)
        assert next(left, None) is None


REPLY = {"answer": "There is a guard.", "quotes": [{"path": "price.py", "quote": GUARD}], "withdraw": [TAKEN]}
NOTHING: dict[str, Any] = {"answer": "", "quotes": [], "withdraw": []}


async def test_reply_is_answered_and_a_withdrawn_finding_is_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread is resolved, and the next run finds the withdrawal in the answer's marker."""
    async with talk(tmp_path, monkeypatch, REPLY, NOTHING) as one:
        assert "No answer" in await one.said("Let me in.", "stranger")
        assert "it is addressed to someone else" in await one.said("@colleague, is that so?")
        assert await one.said(REMARK) == "skipped: Answered a comment."
        assert "Withdrawn: mean() divides by zero" in one.last
        assert one.at.gh.pull(one.number).review_comments[0].is_resolved
        await one.said("Thank you!")
        assert one.last == "Thank you!"
        assert "withdrawn in a conversation" in await one.pushed()
