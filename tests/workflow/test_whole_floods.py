"""What strangers can make a server ask of GitHub, and whom they keep waiting."""

from pathlib import Path

import pytest
from test_whole_conversations import talk

from bot.app import webhook


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
        assert 0 < spent <= 12 * webhook.COMMENTS_OF_STRANGER
        await at.repo.comment(number, "/deeprepo help", author="stranger")
        await at.quiet()
        assert len(at.gh.requests) == before + spent
        known = len(at.replies(number))
        await at.repo.comment(number, "/deeprepo help")
        await at.quiet()
        assert len(at.replies(number)) == known + 1
