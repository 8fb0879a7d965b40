"""The texts of the corpus as what people write behind a command, and as code beside a line that `/deeprepo fix` rewrites."""

import asyncio
import re
from pathlib import Path

import pytest
from families import few
from hostile_texts import CORPUS, text_of
from rendered import SEEN, harm
from test_whole_commands import said
from whole import BROKEN, whole

SHARES = 6
MOST = 250  # characters: one line of a comment, as GitHub holds it
SECRET = "planted-" + "3c2b1a0f9e8d"


def lines(share: int) -> list[str]:
    """The share of one pull request, each text on one line."""
    return [" ".join(text_of(entry)[:MOST].split()) or "x" for entry in CORPUS][share::SHARES]


def assert_harmless(page: str) -> None:
    """Nothing in it that GitHub would act on, nothing unseen, no secret, and one marker, which is ours."""
    assert harm(page.partition("\n")[2]) is None, harm(page.partition("\n")[2])
    assert not SEEN.search(page)
    assert SECRET not in page
    assert len(re.findall(r"<!--\s*deeprepo", page, re.IGNORECASE)) == 1


@pytest.mark.parametrize("share", few(range(SHARES), 0))
def test_a_sentence_that_is_remembered_is_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: int) -> None:
    """Taught, edited, exported and given as the reason to ignore: each answer holds words, and nothing else follows."""
    monkeypatch.setenv("GITHUB_TOKEN", SECRET)

    async def go() -> None:
        async with whole(tmp_path) as at:
            number = await at.reviewed()
            for text in lines(share):
                await at.repo.comment(number, f"/deeprepo remember in shop/ {text}", author="maintainer")
            await at.quiet()
            for at_number, text in enumerate(lines(share), 1):
                await at.repo.comment(number, f"/deeprepo rules edit {at_number} {text}", author="maintainer")
            await at.repo.comment(number, f"/deeprepo ignore 1 {lines(share)[-1]}", author="maintainer")
            await at.quiet()
            exported = await said(at, number, "/deeprepo rules export")
            stands = at.gh.pull(number)
            ours = [one.body for one in (*stands.comments, *stands.review_comments) if one.user.login == at.gh.login]
            assert len(ours) > 2 * len(lines(share))
            for body in ours:
                assert_harmless(body)
            assert "learnings:" in exported

    asyncio.run(go())
    assert not list(tmp_path.rglob("*_was_here"))


@pytest.mark.parametrize("share", few(range(SHARES), 0))
def test_a_patch_beside_hostile_code_is_words(tmp_path: Path, share: int) -> None:
    """The lines around the fix stand in the answer, in a fence that none of them closes; the commit's message has none of them."""
    around = [f"    # {text}" for text in lines(share)]
    code = "\n".join(
        ["from shop.price import total", "", "", "def pay(items):", *around[:2], "    return total(items, 0.2)", ""]
    )
    path = "shop/cart ``` @team.py"

    async def go() -> None:
        async with whole(tmp_path) as at:
            at.gh.grant(contents="write")
            await at.repo.commit("main", {"shop/cart.py": code, path: code})
            number = await at.reviewed(files=BROKEN, fork=True)
            reply = await said(at, number, "/deeprepo fix")
            assert "+    return total(items)" in reply
            (body,) = [one.body for one in at.gh.pull(number).comments if '"kind": "reply"' in one.body]
            assert_harmless(body)

    asyncio.run(go())
