import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from opening import event, summary
from stepping import WRITE, Stage, stage

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import PerModel, Reply

BASE = {"price.py": "def mean(items):\n    return 0\n"}
GUARD = "    if not items:"
HEAD = {"price.py": f"def mean(items):\n{GUARD}\n        return 0\n    return sum(items) / len(items)\n"}
FOUND = {
    "path": "price.py", "quote": "    return sum(items) / len(items)", "line": 4, "title": "mean() divides by zero",
    "why": "An empty list has no length.", "consequence": "A crash.", "trigger": "mean([])", "severity": "high",
    "category": "logic", "evidence": [], "claims": [], "suggestion": None,
}  # fmt: skip
REMARK = "There is a guard, and it returns first."
TAKEN = {"finding": 1, "because": "code", "reason": "The guard returns first.", "words": REMARK}
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "COMPATIBLE_API_KEY", "DEEPREPO_BASE_URL")


@pytest.fixture(autouse=True)
def _keyed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COMPATIBLE_API_KEY", "sk-pretended-and-long-enough")


@dataclass
class Talk:
    """A reviewed pull request with one of our comments on a line, and the model's next reply."""

    at: Stage
    number: int
    asks: dict[str, str]
    top: int

    async def said(self, text: str, author: str = "maintainer", thread: int = 0) -> str:
        """What a run of the workflow makes of a remark."""
        with self.at.gh.holding() as held:
            await self.at.repo.reply(self.number, thread or self.top, text, author=author)
        remark = [one for one in held if one.event == "pull_request_review_comment"]
        told = await self.at.told("pull_request_review_comment", event(remark), **self.asks)
        return f"{told.conclusion}: {told.says}"

    @property
    def last(self) -> str:
        """The newest comment on a line."""
        return self.at.gh.pull(self.number).review_comments[-1].body

    async def pushed(self) -> str:
        """The summary after one more push."""
        with self.at.gh.holding() as held:
            await self.at.repo.push("feature", {"NEWS.md": "one\n"})
        await self.at.told("pull_request", event(held), **self.asks)
        return summary(self.at.gh, self.number)


@asynccontextmanager
async def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *replies: dict[str, Any]) -> AsyncIterator[Talk]:
    """A stage after its first review, by a model that finds one thing."""
    left = iter(replies)

    def reader(body: Mapping[str, Any]) -> Reply:
        if body["response_format"]["json_schema"]["name"] == "reply":
            return Reply(data={**next(left), "look_ups": []})
        return Reply(data={"answer": "Read.", "findings": [FOUND], "look_ups": [], "unsettled": []})

    async with doubles.openai_server(PerModel({"reader": reader})) as model, stage(tmp_path, BASE) as at:
        monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
        asks = {"worker": "compatible/reader", "strategy": "fanout"}
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


def test_a_reply_is_answered_and_a_withdrawn_finding_stays_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the App does it: the thread is closed, and the next run of the workflow knows it from the answer's marker."""

    async def go() -> None:
        async with talk(tmp_path, monkeypatch, REPLY, NOTHING) as one:
            assert "Nothing was answered" in await one.said("Let me in.", "stranger")
            assert "it is addressed to somebody else" in await one.said("@colleague, is that so?")
            assert await one.said(REMARK) == "success: A remark was answered."
            assert "Withdrawn: mean() divides by zero" in one.last
            assert one.at.gh.pull(one.number).review_comments[0].hide_reason == "resolved"
            await one.said("Thank you!")
            assert one.last == "Thank you!"
            assert "1 finding was withdrawn in a conversation" in await one.pushed()

    asyncio.run(go())


@pytest.mark.slow
def test_without_a_key_nothing_is_withdrawn_and_the_answer_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next run would not know of it: no promise is made, and the finding is still open."""
    monkeypatch.delenv("COMPATIBLE_API_KEY")

    async def go() -> None:
        async with talk(tmp_path, monkeypatch, REPLY) as one:
            assert await one.said(REMARK) == "success: A remark was answered."
            assert "Not withdrawn: this workflow has no key to sign a withdrawal with" in one.last
            text = await one.pushed()
            assert "withdrawn" not in text
            assert "mean() divides by zero" in text

    asyncio.run(go())


@pytest.mark.slow
def test_a_thread_that_another_workflow_began_is_about_no_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It writes under our login and repeats our marker, above a text that is easy to refute."""

    async def go() -> None:
        async with talk(tmp_path, monkeypatch) as one:
            ours = one.at.gh.pull(one.number).review_comments[0].body.partition("\n")[0]
            body = {"body": f"{ours}\nThe moon is made of cheese.", "path": "price.py", "line": 2, "side": "RIGHT"}
            body["commit_id"] = one.at.gh.pull(one.number).head_sha
            headers = {"authorization": f"Bearer {one.at.gh.actions_token(one.at.repo, WRITE)}"}
            async with httpx2.AsyncClient() as http:
                where = f"{one.at.gh.api}/repos/acme/shop/pulls/{one.number}/comments"
                made = (await http.post(where, json=body, headers=headers)).json()
            assert made["user"]["login"] == "github-actions[bot]"
            said = await one.said(REMARK, thread=made["id"])
            assert said.startswith("skipped: Nothing was answered: it is in a thread that other people began")

    asyncio.run(go())
