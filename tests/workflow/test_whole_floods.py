"""What strangers can make a server ask of GitHub, and whom they keep waiting."""

from pathlib import Path

import pytest
from test_wallet import purse
from test_whole_conversations import talk

from bot.app import admission


async def test_a_strangers_comments_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of fifteen replies and commands of a stranger six are looked at; the others cost no request. The team is heard all the same."""
    async with talk(tmp_path, monkeypatch) as one:
        at, number = one.at, one.number
        top, before = one.thread("mean()"), len(at.gh.requests)
        for n in range(5):
            await at.repo.reply(number, top, f"hello {n}", author="stranger")
            await at.repo.comment(number, f"hi @deeprepo {n}", author="stranger")
            await at.repo.comment(number, "/deeprepo help", author="stranger")
        await at.quiet()
        spent = len(at.gh.requests) - before
        assert 0 < spent <= 12 * admission.COMMENTS_OF_STRANGER
        await at.repo.comment(number, "/deeprepo help", author="stranger")
        await at.quiet()
        assert len(at.gh.requests) == before + spent
        known = len(at.replies(number))
        await at.repo.comment(number, "/deeprepo help")
        await at.quiet()
        assert len(at.replies(number)) == known + 1


@pytest.mark.slow
async def test_a_button_pays_only_for_who_may_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Re-run on a check is a push if a stranger has pressed it; pressed by the team it is a review that somebody asked for."""
    rules = "strategy: direct\nverify: false\ntriggers: {fork_reviews_per_day: 0}\n"
    async with purse(tmp_path, monkeypatch, rules=rules, delay=0.0) as p:
        number = await p.at.reviewed(fork=True)
        check = p.at.gh.pull(number).checks[-1].id
        await p.at.repo.rerequest(check, by="stranger")
        await p.at.quiet()
        assert p.model.count == 0
        await p.at.repo.rerequest(p.at.gh.pull(number).checks[-1].id)
        await p.at.quiet()
        assert p.model.count == 1
