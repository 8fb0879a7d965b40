import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from opening import event, summary
from stepping import stage

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
TAKEN = {"finding": 1, "because": "code", "reason": "The guard returns first.", "words": ""}


def test_a_reply_is_answered_and_a_withdrawn_finding_stays_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the App does it: the thread is closed, and the next run of the workflow knows it from the answer's marker."""
    replies = iter(
        [
            {"answer": "There is a guard.", "quotes": [{"path": "price.py", "quote": GUARD}], "withdraw": [TAKEN]},
            {"answer": "", "quotes": [], "withdraw": []},
        ]
    )

    def reader(body: Mapping[str, Any]) -> Reply:
        if body["response_format"]["json_schema"]["name"] == "reply":
            return Reply(data={**next(replies), "look_ups": []})
        return Reply(data={"answer": "Read.", "findings": [FOUND], "look_ups": [], "unsettled": []})

    async def go() -> None:
        async with doubles.openai_server(PerModel({"reader": reader})) as model, stage(tmp_path, BASE) as at:
            monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
            asks = {"worker": "compatible/reader", "strategy": "fanout"}
            await at.repo.commit("main", {".deeprepo.yml": "verify: false\n"})
            await at.repo.commit("feature", HEAD)
            with at.gh.holding() as held:
                number = await at.repo.open_pull("feature", title="A mean")
            await at.told("pull_request", event(held), **asks)
            (top,) = at.gh.pull(number).review_comments

            async def said(text: str, author: str = "maintainer") -> str:
                with at.gh.holding() as held:
                    await at.repo.reply(number, top.id, text, author=author)
                remark = [one for one in held if one.event == "pull_request_review_comment"]
                told = await at.told("pull_request_review_comment", event(remark), **asks)
                return f"{told.conclusion}: {told.says}"

            assert "Nothing was answered" in await said("Let me in.", "stranger")
            assert "it is addressed to somebody else" in await said("@colleague, is that so?")
            assert await said("There is a guard.") == "success: A remark was answered."
            ours = at.gh.pull(number).review_comments[-1]
            assert "Withdrawn: mean() divides by zero" in ours.body
            assert at.gh.pull(number).review_comments[0].hidden == "resolved"
            await said("Thank you!")
            assert at.gh.pull(number).review_comments[-1].body == "Thank you!"
            with at.gh.holding() as held:
                await at.repo.push("feature", {"NEWS.md": "one\n"})
            await at.told("pull_request", event(held), **asks)
            assert "1 finding was withdrawn in a conversation" in summary(at.gh, number)

    asyncio.run(go())
