"""GitHub refuses something while a review is made or posted: what it has found outlives that, and is posted once."""

import asyncio
from pathlib import Path

import pytest
from families import few
from test_whole_faults import posted_once
from test_whole_refusals import BAR, newest
from whole import MENDED, WORSE, Whole, whole

from bot.values import PullRef
from deeprepo_sandbox.github import Fault

STATUSES = (404, 403, 422)
ANY = r"^(?!.*(access_tokens|installation/token))"  # tokens apart: those of git and of the App itself
MOST = 42  # requests of such a review
TOKEN = "ghp_" + "Jd83kQpXw71LmZt5RvYb20NcHsAeGu4KfTi9"
FAILED = ("completed", "failure")


def fetches(at: Whole) -> int:
    """How often the change was fetched: once for each time that a review was made."""
    return len([row for row in at.gh.requests if "shop.git/info/refs" in row.path and row.status == 200])


@pytest.mark.parametrize("place", few(range(MOST), 8, 20, 25))
def test_a_refusal_of_any_request_changes_nothing_in_the_end(tmp_path: Path, place: int) -> None:
    """Whatever its place in the order: the same check, one summary, no comment twice."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", BAR)
            at.gh.fail("*", ANY, Fault(STATUSES[place % len(STATUSES)], skip=place))
            number = await at.reviewed(files=WORSE, fork=True, author="stranger")
            assert newest(at, number) == FAILED
            assert posted_once(at, number)
            assert len(at.gh.pull(number).review_comments) == 1
            pull = PullRef(at.gh.installation, at.repo.id, "acme", "shop", number)
            assert await at.server.store.reviews.heads(pull) == {at.gh.pull(number).head_sha}

    asyncio.run(go())


@pytest.mark.parametrize(("status", "times"), few([(403, 1), (404, 1), (422, 1), (403, 4)], 0))
def test_what_was_found_outlives_its_comments(tmp_path: Path, status: int, times: int) -> None:
    """Refused once or in every try: the author who takes the token back in the next push does not pass; nothing is made twice for it."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", BAR)
            at.gh.fail("POST", r"/issues/\d+/comments$", Fault(status, times=times))
            number = await at.reviewed(files={"conf.py": f'KEY = "{TOKEN}"\n'}, fork=True, author="stranger")
            assert newest(at, number) == FAILED
            assert fetches(at) == 1
            await at.repo.force_push("feature", {"NEWS.md": "hello\n"}, author="stranger")
            await at.quiet()
            assert newest(at, number) == FAILED

    asyncio.run(go())


def test_a_push_before_the_next_try_does_not_pass(tmp_path: Path) -> None:
    """The review whose comments were refused waits for its next try when the author takes the token back."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", BAR)
            at.gh.fail("POST", r"/issues/\d+/comments$", Fault(403))
            number = await at.opened(files={"conf.py": f'KEY = "{TOKEN}"\n'}, fork=True, author="stranger")
            await at.put_off()
            await at.repo.force_push("feature", {"NEWS.md": "hello\n"}, author="stranger")
            await at.quiet()
            assert newest(at, number) == FAILED
            assert posted_once(at, number)

    asyncio.run(go())


PARTS = [(r"/pulls/\d+/reviews$", 1), (r"/issues/\d+/comments$", 1), (r"/pulls/\d+/reviews$", 4)]
LATER = {"push": {"NEWS.md": "More.\n"}, "rewrite": {**WORSE, "NEWS.md": "More.\n"}}


@pytest.mark.parametrize("how", few(LATER, 0))
@pytest.mark.parametrize(("path", "times"), few(PARTS, 0, 1))
def test_a_later_round_says_what_could_not_be_posted(tmp_path: Path, path: str, times: int, how: str) -> None:
    """The comments, or the summary after them, are refused until the next push: each finding is on its line once, and new."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            at.gh.fail("POST", path, Fault(403, times=times))
            number = await at.opened(files=WORSE)
            await (at.put_off() if times == 1 else at.quiet())
            await (at.repo.push if how == "push" else at.repo.force_push)("feature", LATER[how])
            await at.quiet()
            assert posted_once(at, number)
            assert len(at.gh.pull(number).review_comments) == 1
            assert "Still open from earlier rounds" not in at.summary(number)
            await at.repo.push("feature", {"NEWS.md": "Still more.\n"})
            await at.quiet()
            assert len(at.gh.pull(number).review_comments) == 1
            assert "Still open from earlier rounds" in at.summary(number)

    asyncio.run(go())


def test_what_a_later_try_has_posted_is_not_new_in_the_next_round(tmp_path: Path) -> None:
    """Refused once, and posted before the push that mends a part of it."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            at.gh.fail("POST", r"/pulls/\d+/reviews$", Fault(403))
            number = await at.reviewed(files=WORSE)
            assert len(at.gh.pull(number).review_comments) == 1
            await at.repo.push("feature", MENDED)
            await at.quiet()
            assert len(at.gh.pull(number).review_comments) == 1
            assert "Still open from earlier rounds" in at.summary(number)
            assert "None of them is new" in str(max(at.gh.pull(number).checks, key=lambda one: one.id).title)

    asyncio.run(go())


@pytest.mark.slow
@pytest.mark.parametrize("files", [BAR, {".deeprepo.yml": "language: en\n"}])
def test_a_lasting_refusal_of_the_list_leaves_no_check_in_progress(tmp_path: Path, files: dict[str, str]) -> None:
    """Which pull requests have this head stays unknown: the check ends with what is known, never better than its own review."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", files)
            at.gh.fail("POST", r"/graphql$", Fault(403, times=-1))
            number = await at.opened(files=WORSE, fork=True, author="stranger")
            await at.put_off()  # all tries take three quarters of a minute
            await asyncio.sleep(15)
            await at.quiet()
            assert newest(at, number) == ("completed", "failure" if files is BAR else "neutral")
            assert posted_once(at, number)

    asyncio.run(go())
