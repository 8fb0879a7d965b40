from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hosted import HEAD, Scene, finding, reviewed, scene, wanted

from bot import github
from bot.outputs import posts
from bot.values import Review
from bot.workflow import publish
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
    """Publish a first review with two findings."""
    await put(at, reviewed(at.stands.head_sha, finding("f1", 5), finding("f2", 41)), "run-1")


async def second(at: Scene) -> publish.PublishResult:
    """Publish a second review: one finding is fixed, one still open, one new."""
    fixed, still = now(finding("f1"), "fixed"), now(finding("f2"), "still")
    review = reviewed(at.stands.head_sha, finding("f3", 20), fixed, still)
    return await put(at, review, "run-2", wanted)


async def third(at: Scene) -> publish.PublishResult:
    """Publish a third review: another is fixed, and one is not mentioned because its lines are gone."""
    return await put(at, reviewed(at.stands.head_sha, finding("f4", 50), now(finding("f2"), "fixed")), "run-3")


def stands(at: Scene) -> dict[str, tuple[bool, str, list[str]]]:
    """For each finding, return if its thread is resolved, how its comment is hidden, and its replies."""

    def name(one: ReviewComment) -> str:
        return next(name for name in ("f1", "f2", "f3", "f4") if f"Finding {name}" in one.body)

    notes = at.stands.review_comments
    tops = [one for one in notes if one.reply_to is None]
    assert len(tops) == len({name(one) for one in tops})
    answers = {t.id: [n.body.split("\n")[1] for n in notes if n.reply_to == t.id] for t in tops}
    return {name(t): (t.is_resolved, t.hide_reason, answers[t.id]) for t in tops}


async def test_fixed_finding_is_answered_and_resolved_once(tmp_path: Path) -> None:
    """A fixed finding gets one reply and its thread is resolved, even if its lines were removed.

    An open finding is left unchanged.
    """
    async with scene(tmp_path) as at:
        await first(at)
        two = await at.repo.push("feature", {"app.py": SECOND})
        await second(at)
        assert stands(at) == {"f1": (True, "", [f"Fixed in {two[:10]}."]), "f2": (False, "", []), "f3": (False, "", [])}

        three = await at.repo.push("feature", {"app.py": THIRD})
        for _ in range(2):
            await third(at)
        assert stands(at) == {
            "f1": (True, "", [f"Fixed in {two[:10]}."]),
            "f2": (True, "", [f"Fixed in {three[:10]}."]),
            "f3": (True, "outdated", []),
            "f4": (False, "", []),
        }
        assert len(at.stands.comments) == 1


@pytest.mark.parametrize("after", [True, False], ids=["stored", "lost"])
async def test_lost_responses_cause_no_duplicate_replies(tmp_path: Path, *, after: bool) -> None:
    """A reply stored despite a 502 is not repeated, and resolving twice does no harm."""
    async with scene(tmp_path) as at:
        await first(at)
        await at.repo.push("feature", {"app.py": SECOND})
        at.gh.fail("POST", r"/replies$", Fault(502, after=after))
        at.gh.fail("POST", r"/graphql$", Fault(502, after=after, times=2))
        at.gh.fail("PATCH", r"/issues/comments/", Fault(502, after=after))
        await second(at)

        assert [(resolved, len(answers)) for resolved, _, answers in stands(at).values()] == [
            (True, 1),
            (False, 0),
            (False, 0),
        ]


async def test_thread_resolved_by_a_person_is_left_alone(tmp_path: Path) -> None:
    """A thread that a person resolved gets no reply, and its finding is not posted again."""
    async with scene(tmp_path) as at:
        await first(at)
        one, two = at.stands.review_comments
        for thread in (one, two):
            at.repo.resolve(at.number, thread.id)
        await at.repo.push("feature", {"app.py": SECOND})
        fixed = now(finding("f1"), "fixed")
        review = reviewed(at.stands.head_sha, finding("f2", 40), finding("f3", 20), fixed)
        await put(at, review, "run-2")

        assert stands(at) == {"f1": (True, "", []), "f2": (True, "", []), "f3": (False, "", [])}


async def test_finding_with_an_outdated_comment_is_posted_on_the_new_lines(tmp_path: Path) -> None:
    """Without the earlier state, the finding counts as new, and the old thread is resolved.

    This does not look like a person's decision.
    """
    async with scene(tmp_path) as at:
        await first(at)
        await at.repo.push("feature", {"app.py": SECOND})
        await put(at, reviewed(at.stands.head_sha, finding("f1", 20), finding("f2", 40)), "run-2")

        tops = [(one.body.partition("Finding ")[2][:2], one.is_resolved) for one in at.stands.review_comments]
        assert tops == [("f1", True), ("f2", False), ("f1", False)]


async def test_threads_of_silenced_findings_are_resolved(tmp_path: Path) -> None:
    """Threads of silenced or hidden findings are resolved; of two equal findings, the open one is kept."""
    async with scene(tmp_path) as at:
        two = (finding("f3", 5), finding("f3", 41))
        await put(at, reviewed(at.stands.head_sha, finding("f1", 6), finding("f2", 42), *two), "run-1")
        await at.repo.push("feature", {"app.py": HEAD.replace("five\n", "line 5\n")})
        over = now(finding("f1"), "silenced"), now(finding("f2"), "below")
        alike = now(finding("f3", 5), "fixed"), now(finding("f3", 41), "still")
        await put(at, reviewed(at.stands.head_sha, *over, *alike), "run-2")

        tops = [one for one in at.stands.review_comments if one.reply_to is None]
        rows = [(one.body.partition("Finding ")[2][:2], one.line, one.is_resolved) for one in tops]
        assert sorted(rows) == [("f1", 6, True), ("f2", 42, True), ("f3", 5, True), ("f3", 41, False)]


async def test_summary_names_the_permission_missing_to_resolve_threads(tmp_path: Path) -> None:
    """The comment is hidden instead. Once the permission exists, the next review resolves the thread."""
    async with scene(tmp_path) as at:
        at.gh.grant(contents="read")
        await first(at)
        two = await at.repo.push("feature", {"app.py": SECOND})
        outcome = await second(at)
        assert stands(at)["f1"] == (False, "resolved", [f"Fixed in {two[:10]}."])
        assert (outcome.posted_count, outcome.notes) == (1, ())
        (said,) = at.stands.comments
        assert "without the `contents: write` permission" in said.body

        at.gh.grant(contents="write")
        await at.repo.push("feature", {"app.py": THIRD})
        async with github.open_pull(at.identity, at.pull, at.pace) as host:
            await third(replace(at, host=host))
        assert [resolved for resolved, _, _ in stands(at).values()] == [True, True, True, False]
        assert "contents: write" not in at.stands.comments[0].body


def tops(at: Scene) -> list[ReviewComment]:
    """Return the first comments of our threads."""
    return [one for one in at.stands.review_comments if one.reply_to is None]


def closed(at: Scene) -> list[bool]:
    """Return for each of our threads whether it is resolved or its comment hidden."""
    return [bool(one.is_resolved or one.hide_reason) for one in tops(at)]


@pytest.mark.parametrize("contents", ["write", "read"])
async def test_thread_reopened_by_a_person_stays_open(tmp_path: Path, contents: str) -> None:
    """Later reviews neither resolve nor hide a reopened thread until the code changes it."""
    async with scene(tmp_path) as at:
        at.gh.grant(contents=contents)
        await first(at)
        await at.repo.push("feature", {"app.py": SECOND})
        over = now(finding("f1"), "fixed"), now(finding("f2", 41), "silenced")
        await put(at, reviewed(at.stands.head_sha, *over), "run-2")
        assert closed(at) == [True, True]
        for one in tops(at):
            at.repo.resolve(at.number, one.id, is_resolved=False)
            at.repo.show(at.number, one.id)
        await at.repo.push("feature", {"NEWS.md": "1\n"})
        await put(at, reviewed(at.stands.head_sha, now(finding("f2", 41), "silenced")), "run-3")
        assert closed(at) == [False, False]

        await at.repo.push("feature", {"app.py": THIRD})
        await put(at, reviewed(at.stands.head_sha, now(finding("f2"), "fixed")), "run-4")
        assert closed(at) == [False, True]


async def test_thread_with_a_persons_question_stays_open(tmp_path: Path) -> None:
    """The finding gets its "fixed" reply, but the thread stays open until the question is answered."""
    async with scene(tmp_path) as at:
        await first(at)
        top = tops(at)[0]
        await at.repo.reply(at.number, top.id, "Which rounding does the tax office want? Please leave this open.")
        await at.repo.push("feature", {"app.py": SECOND})
        await put(at, reviewed(at.stands.head_sha, now(finding("f1"), "fixed")), "run-2")
        replies = [one.body for one in at.stands.review_comments if one.reply_to == top.id]
        assert (closed(at)[0], "Fixed in" in replies[-1]) == (False, True)

        await at.repo.reply(at.number, top.id, "Half up.", "colleague")
        await at.repo.push("feature", {"NEWS.md": "1\n"})
        await put(at, reviewed(at.stands.head_sha), "run-3")
        assert closed(at)[0]


async def test_reply_to_a_fixed_finding_links_to_the_finding_its_fix_introduced(tmp_path: Path) -> None:
    """The new finding gets its own comment, and the last reply in the fixed finding's thread links to it."""
    async with scene(tmp_path) as at:
        await put(at, reviewed(at.stands.head_sha, finding("f1", 5, number=1), finding("f2", 41, number=2)), "run-1")
        await at.repo.push("feature", {"app.py": SECOND})
        fixed, still = now(finding("f1", number=1), "fixed"), now(finding("f2", number=2), "still")
        caused = finding("f3", 20, number=3, fix_of=1), finding("f4", 0, number=4, fix_of=2)
        await put(at, reviewed(at.stands.head_sha, *caused, fixed, still), "run-2")
        (answer,) = [one.body for one in at.stands.review_comments if one.reply_to is not None]
        (comment,) = [one for one in at.stands.review_comments if "Finding f3" in one.body and one.reply_to is None]
        (told,) = [line for line in answer.splitlines() if "introduced" in line]
        assert told.startswith("The fix introduced finding [`3`](")
        assert told.endswith(f"#discussion_r{comment.id}): Finding f3.")
