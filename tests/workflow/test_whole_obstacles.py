"""Reviews that no model could make or finish: each reason has its own wording in the check and a state."""

from pathlib import Path

import pytest
from whole import whole

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers.reply import Reply

SETTINGS = "strategy: direct\nverify: false\nbudget: {seconds: 12}\n"
OK = Reply(data={"answer": "One.", "findings": []})
ROWS = (
    (Reply("Insufficient credits", status=402), "quota", "Quota exhausted, so no model reviewed this change: openai"),
    (
        Reply("slow down", status=429),
        "quota",
        "Quota exhausted, so no model reviewed this change: openai asked for fewer calls (status 429)",
    ),
    (
        Reply("overloaded", status=529),
        "provider",
        "Provider down, so no model reviewed this change: openai is overloaded (status 529)",
    ),
    (
        Reply(stop="refusal"),
        "declined",
        "Content refused, so no model reviewed this change: openai/gpt-5.4-mini declined",
    ),
)  # fmt: skip


@pytest.mark.slow
async def test_check_title_gives_each_reason_for_a_review_without_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check is neutral and its title starts with the reason. The next review that succeeds is green."""
    answer = [ROWS[0][0]]
    async with doubles.openai_server(lambda _: answer[0]) as model:
        monkeypatch.setenv("DEEPREPO_WORKER", "openai/gpt-5.4-mini")
        monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended")
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": SETTINGS})
            number = await at.reviewed(files={"shop/new.py": "def one():\n    return 1\n"})
            seen = [at.gh.pull(number).checks[-1]]
            for reply, _, _ in ROWS[1:]:
                answer[0] = reply
                await at.pushed({"NEWS.md": f"{reply}\n"})
                seen.append(at.gh.pull(number).checks[-1])
            answer[0] = OK
            await at.repo.commit("main", {".deeprepo.yml": f"{SETTINGS}models: {{context: 2048}}\n"})
            await at.pushed({"NEWS.md": "large\n"})
            large = at.gh.pull(number).checks[-1]
            await at.repo.commit("main", {".deeprepo.yml": SETTINGS})
            await at.pushed({"NEWS.md": "read\n"})
            last = at.gh.pull(number).checks[-1]
            states = [each.state for each in (await at.server.store.listing.page(None, 20)).rows]

    assert [(check.title or "")[: len(title)] for check, (_, _, title) in zip(seen, ROWS, strict=True)] == [
        title for _, _, title in ROWS
    ]
    assert (large.title or "").startswith("Limit reached, so no model reviewed this change: ")
    assert {check.conclusion for check in (*seen, large)} == {"neutral"}
    assert last.conclusion == "success"
    assert states[::-1] == [*[state for _, state, _ in ROWS], "too_large", "clean"]
