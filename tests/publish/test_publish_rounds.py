import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from hosted import HEAD, Scene, finding, reviewed, scene, wanted

from bot import publish
from bot.outputs import posts
from bot.values import Review
from deeprepo_sandbox.github import Fault
from deeprepo_sandbox.github.things import ReviewComment
from tests.hosted import now

SECOND = HEAD.replace("five\nand a half\n", "line 5\n").replace("line 20\n", "twenty\n")
THIRD = SECOND.replace("twenty\n", "line 20\n").replace("forty\n", "fourty\n").replace("line 50\n", "fifty\n")


async def put(
    at: Scene, review: Review, run: str, current: Callable[[], Awaitable[bool]] = wanted
) -> publish.PublishResult:
    """Publish as the workflow does."""
    return await publish.publish(at.host, review, posts.comments, run, current)


async def first(at: Scene) -> None:
    """Two findings."""
    await put(at, reviewed(at.stands.head_sha, finding("f1", 5), finding("f2", 41)), "run-1")


async def second(at: Scene, current: Callable[[], Awaitable[bool]] = wanted) -> publish.PublishResult:
    """One is fixed, one is still there, one is new."""
    fixed, still = now(finding("f1"), "fixed"), now(finding("f2"), "still")
    review = reviewed(at.stands.head_sha, finding("f3", 20), fixed, still)
    return await put(at, review, "run-2", current)


async def third(at: Scene) -> publish.PublishResult:
    """The second one is fixed too; of the third nobody says anything, and its lines are gone."""
    return await put(at, reviewed(at.stands.head_sha, finding("f4", 50), now(finding("f2"), "fixed")), "run-3")


def stands(at: Scene) -> dict[str, tuple[str, list[str]]]:
    """By finding: how its comment is hidden, and the first lines of the answers under it."""

    def name(one: ReviewComment) -> str:
        return next(name for name in ("f1", "f2", "f3", "f4") if f"Finding {name}" in one.body)

    notes = at.stands.review_comments
    tops = [one for one in notes if one.reply_to is None]
    assert len(tops) == len({name(one) for one in tops})
    return {name(t): (t.hide_reason, [n.body.split("\n")[1] for n in notes if n.reply_to == t.id]) for t in tops}


def test_three_rounds(tmp_path: Path) -> None:
    """What is fixed is answered and folded once, what is outdated is folded, what is still there is left alone."""

    async def go() -> None:
        async with scene(tmp_path) as at:
            await first(at)
            two = await at.repo.push("feature", {"app.py": SECOND})
            await second(at)
            assert stands(at) == {
                "f1": ("resolved", [f"Fixed in {two[:10]}."]),
                "f2": ("", []),
                "f3": ("", []),
            }

            three = await at.repo.push("feature", {"app.py": THIRD})
            for _ in range(2):
                await third(at)
            assert stands(at) == {
                "f1": ("resolved", [f"Fixed in {two[:10]}."]),
                "f2": ("resolved", [f"Fixed in {three[:10]}."]),
                "f3": ("outdated", []),
                "f4": ("", []),
            }
            assert len(at.stands.comments) == 1

    asyncio.run(go())


@pytest.mark.parametrize("after", [True, False], ids=["stored", "lost"])
def test_answers_and_folding_survive_lost_answers(tmp_path: Path, *, after: bool) -> None:
    """A reply that was stored behind a 502 is not written again; folding twice is folding."""

    async def go() -> None:
        async with scene(tmp_path) as at:
            await first(at)
            await at.repo.push("feature", {"app.py": SECOND})
            at.gh.fail("POST", r"/replies$", Fault(502, after=after))
            at.gh.fail("POST", r"/graphql$", Fault(502, after=after, times=2))
            at.gh.fail("PATCH", r"/issues/comments/", Fault(502, after=after))
            await second(at)

            assert [(hidden, len(answers)) for hidden, answers in stands(at).values()] == [
                ("resolved", 1),
                ("", 0),
                ("", 0),
            ]

    asyncio.run(go())


def test_a_thread_that_a_person_resolved_is_left_alone(tmp_path: Path) -> None:
    """Nothing is answered under it, nothing folded, and its finding is not said again."""

    async def go() -> None:
        async with scene(tmp_path) as at:
            await first(at)
            one, two = at.stands.review_comments
            for thread in (one, two):
                at.repo.resolve(at.number, thread.id)
            await at.repo.push("feature", {"app.py": SECOND})
            fixed = now(finding("f1"), "fixed")
            review = reviewed(at.stands.head_sha, finding("f2", 40), finding("f3", 20), fixed)
            await put(at, review, "run-2")

            assert stands(at) == {"f1": ("", []), "f2": ("", []), "f3": ("", [])}

    asyncio.run(go())


def test_a_finding_whose_comment_is_outdated_is_said_on_the_new_lines(tmp_path: Path) -> None:
    """Without a memory of the earlier round it is new; the old comment is folded."""

    async def go() -> None:
        async with scene(tmp_path) as at:
            await first(at)
            await at.repo.push("feature", {"app.py": SECOND})
            await put(at, reviewed(at.stands.head_sha, finding("f1", 20), finding("f2", 40)), "run-2")

            tops = [(one.body.partition("Finding ")[2][:2], one.hide_reason) for one in at.stands.review_comments]
            assert tops == [("f1", "outdated"), ("f2", ""), ("f1", "")]

    asyncio.run(go())


def test_what_cannot_be_tidied_is_a_note(tmp_path: Path) -> None:
    """Folding is a courtesy: a refusal costs a sentence and nothing else."""

    async def go() -> None:
        async with scene(tmp_path) as at:
            await first(at)
            await at.repo.push("feature", {"app.py": SECOND})
            at.gh.fail("POST", r"/replies$", Fault(403))
            outcome = await second(at)

            assert outcome.posted_count == 1
            assert len(outcome.notes) == 1
            assert "could not be tidied up: GitHub refuses POST" in outcome.notes[0]

    asyncio.run(go())
