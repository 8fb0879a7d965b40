"""What features do on a pull request after its review, with the real server and the sandbox GitHub."""

from pathlib import Path

import pytest
from whole import BROKEN, Whole, whole

from deeprepo_sandbox import providers as doubles

SETTINGS = """\
description: true
approve: high
strategy: direct
verify: false
"""
READ = doubles.Reply(data={"answer": "Takes the tax out of prices.", "findings": []})


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPREPO_WORKER", "openai/gpt-5.4-mini")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-pretended")


def approvals(at: Whole, number: int) -> list[str]:
    """Return the states of our reviews that are or were approvals."""
    return [each.state for each in at.gh.pull(number).reviews if '"kind": "approval"' in each.body]


@pytest.mark.usefixtures("model")
async def test_ticket_named_by_a_trusted_author_is_sent_to_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator's command prints the ticket named in the title, without access to the server's variables.

    A ticket that an outsider names is not printed.
    """
    tickets = tmp_path / "tickets"
    tickets.mkdir()
    (tickets / "SHOP-12").write_text("Prices are shown without tax in every list.")
    monkeypatch.setenv("DEEPREPO_TICKET_COMMAND", f"sh -c 'cat {tickets}/$0 && env'")
    monkeypatch.setenv("TICKET_PLACE", "jira.example")
    async with doubles.openai_server(READ) as server:
        monkeypatch.setenv("DEEPREPO_BASE_URL", server.openai_url)
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": "tickets: true\nstrategy: direct\nverify: false\n"})
            for branch, author in (("known", "maintainer"), ("foreign", "stranger")):
                await at.repo.commit(branch, BROKEN)
                await at.repo.open_pull(branch, title="SHOP-12: prices, UTF-8", body="", author=author)
                await at.quiet()
    seen = [str(body["messages"]) for body in server.requests]
    assert sum("Prices are shown without tax in every list." in text for text in seen) == 1
    assert sum("TICKET_PLACE=jira.example" in text for text in seen) == 1
    assert not any("Ticket UTF-8:" in text or "DEEPREPO_" in text for text in seen)
