"""The check of a commit is the worst truth of all that is open for it, at a real server."""

import asyncio
import random
from pathlib import Path

import pytest
from families import few
from whole import BROKEN, Whole, whole

from bot.app import admission
from bot.values import PullRef
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.github import hooks, payloads

STRICT = {".deeprepo.yml": "fail_on: high\n"}

# Whether GitHub changes what a check run has ended with, or holds on to it: both have been seen.
BOTH = pytest.mark.parametrize("final", few([False, True], 0))


def newest(at: Whole, number: int) -> str | None:
    """What GitHub takes for the answer of the head."""
    return max(at.gh.pull(number).checks, key=lambda one: one.id).conclusion


@BOTH
def test_an_author_cannot_turn_a_failure_neutral(tmp_path: Path, final: bool) -> None:
    """By a draft, by closing and opening again, by both: the failure of the commit stands, and a new review is not paid."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            at.gh.world.final_checks = final
            await at.repo.commit("main", STRICT)
            number = await at.reviewed(fork=True, author="stranger")
            assert newest(at, number) == "failure"
            await at.repo.set_draft(number, True, by="stranger")  # noqa: FBT003 - of the sandbox
            await at.repo.close(number, by="stranger")
            await at.repo.reopen(number, by="stranger")
            await at.quiet()
            last = max(at.gh.pull(number).checks, key=lambda one: one.id)
            assert (last.conclusion, "earlier review" in (last.title or "")) == ("failure", True)
            await at.repo.set_draft(number, False, by="stranger")  # noqa: FBT003
            await at.quiet()
            assert newest(at, number) == "failure"
            assert len(await at.server.store.reviews.heads(at_pull(at, number))) == 1

    asyncio.run(story())


def at_pull(at: Whole, number: int) -> PullRef:
    """The pull request as storage names it."""
    return PullRef(at.repo.installation, at.repo.id, "acme", "shop", number)


@pytest.mark.slow
@BOTH
def test_a_second_pull_request_of_the_same_head_changes_nothing(tmp_path: Path, final: bool) -> None:
    """Whatever its base branch asks for; once the first is closed the second counts alone, and the first counts again when it is opened."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            at.gh.world.final_checks = final
            await at.repo.commit("v1", {"README.md": "# old\n"})
            await at.repo.commit("main", STRICT)
            one = await at.reviewed()
            two = await at.repo.open_pull("feature", base="v1", title="The same head")
            await at.quiet()
            assert [newest(at, number) for number in (one, two)] == ["failure"] * 2
            mine = [check for check in at.gh.pull(two).checks if check.external_id == str(two)]
            assert f"The check of #{one}" in (mine[-1].title or "")
            await at.repo.close(one)
            await at.quiet()
            assert newest(at, two) == "neutral"
            await at.repo.reopen(one)
            await at.quiet()
            assert newest(at, two) == "failure"

    asyncio.run(story())


@pytest.mark.slow
def test_another_base_branch_brings_its_own_bar(tmp_path: Path) -> None:
    """A pull request that was reviewed against a branch without a bar is reviewed again for the one that it is pointed at."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("v1", {"README.md": "# old\n"})
            await at.repo.commit("main", STRICT)
            number = await at.reviewed(base="v1")
            assert newest(at, number) == "neutral"
            await at.repo.retarget(number, "main")
            await at.quiet()
            assert newest(at, number) == "failure"

    asyncio.run(story())


@pytest.mark.slow
def test_what_is_cut_or_not_reviewed_fails_where_there_is_a_bar(tmp_path: Path) -> None:
    """120 new files before the broken one, a draft, and a settings file that cannot be used; without `fail_also` they are neutral."""

    async def story() -> None:
        padded = {**BROKEN, **{f"aa/x{n}.py": f"x = {n}\n" for n in range(120)}}
        async with whole(tmp_path) as at:
            await at.repo.commit("main", STRICT)
            many = await at.reviewed(branch="pad", files=padded, fork=True, author="stranger")
            draft = await at.reviewed(branch="draft", files={"README.md": "# Shop\n"}, draft=True)
            assert [newest(at, number) for number in (many, draft)] == ["failure"] * 2
            await at.repo.commit("main", {".deeprepo.yml": "fail_on: high\nfail_also: []\n"})
            other = await at.reviewed(branch="second", files={"README.md": "# A\n"}, draft=True)
            assert newest(at, other) == "neutral"
            await at.repo.commit("main", {".deeprepo.yml": "fail_on: high\nquota: x\n"})
            third = await at.reviewed(branch="third", files={"README.md": "# B\n"})
            assert newest(at, third) == "failure"
            await at.repo.commit("main", {".deeprepo.yml": f"# {'x' * 64_000}\nfail_on: high\n"})
            fourth = await at.reviewed(branch="fourth", files={"README.md": "# C\n"})
            assert "longer than 64,000 characters" in repr(at.gh.pull(fourth).checks)

    asyncio.run(story())


def test_a_review_that_cannot_be_made_fails_where_there_is_a_bar(tmp_path: Path) -> None:
    """The head shares no commit with its base: nobody has read it, and a person who asks again changes nothing."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", STRICT)
            await sandbox.git.commit(at.repo.repository.git, "orphan", None, {"a.py": "x = 1\n"}, "First", "colleague")
            number = await at.repo.open_pull("orphan")
            await at.quiet()
            assert newest(at, number) == "failure"
            await at.repo.comment(number, "/deeprepo review")
            await at.quiet()
            assert newest(at, number) == "failure"

    asyncio.run(story())


def test_settings_that_cannot_be_used_do_not_take_the_bar_away(tmp_path: Path) -> None:
    """An old base branch holds such a file; the default branch's bounds what a stranger chooses by choosing that base."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("v1", {".deeprepo.yml": "quota: x\n"})
            await at.repo.commit("main", STRICT)
            number = await at.reviewed(fork=True, author="stranger", base="v1")
            assert newest(at, number) == "failure"

    asyncio.run(story())


@pytest.mark.slow
def test_changes_are_requested_again_after_a_detour(tmp_path: Path) -> None:
    """Our own dismissal, for a base without that bar, is no person's: back at its base the request is made again."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("release", {".deeprepo.yml": "request_changes: high\n"})
            number = await at.reviewed(fork=True, author="stranger", base="release")
            for base in ("main", "release"):
                await at.repo.retarget(number, base, by="stranger")
                await at.quiet()
            assert [review.state for review in at.gh.pull(number).reviews] == ["DISMISSED", "CHANGES_REQUESTED"]

    asyncio.run(story())


def test_a_merge_queue_stops_at_a_failure(tmp_path: Path) -> None:
    """The commit of the queue shows what the pull request at its place shows."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", STRICT)
            number = await at.reviewed()
            assert number == 1
            # With words of its own: made within the same second the commit would be that of the pull request.
            queued = await at.repo.commit("gh-readonly-queue/main/pr-1", BROKEN, "Merge pull request #1")
            await at.repo.merge_group(queued, "a" * 40)
            await at.quiet()
            ends = [one.conclusion for one in at.repo.repository.checks.values() if one.head == queued]
            assert ends == ["failure"]

    asyncio.run(story())


def test_a_merge_queue_that_asks_twice_at_once_gets_one_check_run(tmp_path: Path) -> None:
    """Jobs for one commit run one after the other: the later one sees that it has its answer."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            queued = await at.repo.commit("gh-readonly-queue/main/pr-1", BROKEN, "Merge pull request #1")
            await asyncio.gather(*(at.repo.merge_group(queued, "a" * 40) for _ in range(4)))
            await at.quiet()
            ends = [one.conclusion for one in at.repo.repository.checks.values() if one.head == queued]
            assert ends == ["success"]

    asyncio.run(story())


@pytest.mark.slow
@BOTH
def test_a_change_of_base_is_shown_before_its_review_begins(tmp_path: Path, final: bool) -> None:
    """A green check that was made for another base branch waits at once, however long the review is put off; a new event does not put it off again."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            at.gh.world.final_checks = final
            await at.repo.commit("main", STRICT)
            await at.repo.commit("next", BROKEN)
            await at.repo.commit("feature", {"README.md": "# hello\n"}, onto="next")
            number = await at.repo.open_pull("feature", base="next", title="t", fork=True, author="stranger")
            await at.quiet()
            assert newest(at, number) == "success"
            for _ in range(admission.FREE // 2 + 1):
                await at.repo.set_draft(number, True, by="stranger")  # noqa: FBT003 - of the sandbox
                await at.repo.set_draft(number, False, by="stranger")  # noqa: FBT003
                await at.gh.settle()
            await at.repo.retarget(number, "main", by="stranger")
            await at.until(lambda: newest(at, number) is None)
            assert "not reviewed against main" in (at.gh.pull(number).checks[-1].title or "")
            (first,) = [one for one in await at.server.jobs._rows.find() if one.queue == "reviews"]  # noqa: SLF001
            await at.repo.retarget(number, "next", by="stranger")
            await at.until(lambda: newest(at, number) == "success")
            await at.repo.retarget(number, "main", by="stranger")
            await at.until(lambda: newest(at, number) is None)
            (last,) = [one for one in await at.server.jobs._rows.find() if one.queue == "reviews"]  # noqa: SLF001
            assert last.due_at < first.due_at + 1

    asyncio.run(story())


@pytest.mark.slow
@BOTH
def test_a_second_pull_request_waits_for_its_own_review(tmp_path: Path, final: bool) -> None:
    """From a fork too: while its review is put off neither is green; when it is closed, the first is again."""

    async def story() -> None:
        async with whole(tmp_path, debounce=600.0) as at:
            at.gh.world.final_checks = final
            await at.repo.commit("old", {"README.md": "# old\n"})
            sha = await at.repo.commit("feature", {"README.md": "# hello\n"})
            one = await at.repo.open_pull("feature", title="fine")
            await at.quiet()
            assert newest(at, one) == "success"
            await at.repo.retarget(one, "old")  # a change of base waits for the next push here
            await at.until(lambda: newest(at, one) is None)
            await at.repo.retarget(one, "main")
            await at.until(lambda: newest(at, one) == "success")
            await sandbox.git.point(at.repo.repository.git, "refs/heads/same", sha)
            two = await at.repo.open_pull("same", base="old", title="t", fork=True, author="stranger")
            await at.repo.retarget(two, "main", by="stranger")
            await at.until(lambda: newest(at, one) is None)
            assert any(f"#{two}" in (check.title or "") for check in at.gh.pull(one).checks)
            await at.repo.close(two, by="stranger")
            await at.until(lambda: newest(at, one) == "success")

    asyncio.run(story())


@pytest.mark.slow
@BOTH
def test_closed_pull_requests_of_strangers_count_no_longer(tmp_path: Path, final: bool) -> None:
    """However many with a maintainer's head have failed, and the number that is blamed is never that of one that passes."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            at.gh.world.final_checks = final
            await at.repo.commit("old", {"README.md": "# old\n"})
            await at.repo.commit("main", {**BROKEN, **STRICT})
            sha = await at.repo.commit("feature", {"README.md": "# hello\n"})
            number = await at.repo.open_pull("feature", title="fine")
            await at.quiet()
            for n in range(3):
                await sandbox.git.point(at.repo.repository.git, f"refs/heads/s{n}", sha)
                one = await at.repo.open_pull(f"s{n}", base="old", fork=True, author=f"s{n}")
                await at.quiet()
                assert newest(at, number) == "failure"
                await at.repo.close(one, by=f"s{n}")
                await at.quiet()
            last = max(at.gh.pull(number).checks, key=lambda check: check.id)
            assert last.conclusion == "success"
            assert "does not pass" not in (last.title or "")

    asyncio.run(story())


@pytest.mark.slow
@pytest.mark.parametrize("game", range(24))
def test_random_orders_of_events_leave_the_worst_truth(game: int, tmp_path: Path) -> None:
    """Two pull requests with one head, one of them against a branch with a bar: after each event the newest check fails while that one is open."""

    async def story() -> None:
        dice = random.Random(game)  # noqa: S311 - a game
        async with whole(tmp_path) as at:
            at.gh.world.final_checks = bool(game % 2)
            await at.repo.commit("v1", {"README.md": "# old\n"})
            await at.repo.commit("main", STRICT)
            one = await at.reviewed()
            two = await at.repo.open_pull("feature", base="v1", title="The same head")
            shown, drafts = {one: True, two: True}, {one: False, two: False}
            for _ in range(6):
                number = dice.choice((one, two))
                match dice.choice(("close", "draft", "rerun", "pause")):
                    case "close" if shown[number]:
                        await at.repo.close(number)
                        shown[number] = False
                    case "close":
                        await at.repo.reopen(number)
                        shown[number] = True
                    case "draft" if shown[number]:
                        drafts[number] = not drafts[number]
                        await at.repo.set_draft(number, drafts[number])
                    case "pause":
                        await at.repo.comment(number, dice.choice(("/deeprepo pause", "/deeprepo resume")))
                    case _:
                        await at.repo.comment(number, dice.choice(("/deeprepo review", "/deeprepo full review")))
                if dice.random() < 0.7:
                    await at.quiet()
                    assert not shown[one] or newest(at, two) == "failure"
            await at.quiet()
            assert not shown[one] or newest(at, two) == "failure"

    asyncio.run(story())


def test_a_merge_queue_whose_pull_request_is_unknown_stops_at_a_bar(tmp_path: Path) -> None:
    """The queue names its branch in a way that nobody knows: the file of the commit that it builds upon decides, not its own."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            plain = await at.repo.commit("main", {"README.md": "# A\n"})
            strict = await at.repo.commit("main", STRICT)
            ends = []
            for base in (plain, strict):
                queued = await at.repo.commit(
                    f"batch-{base[:6]}", {**BROKEN, ".deeprepo.yml": "quota: 4\n"}, f"Merge {base}"
                )
                facts = payloads.merge_group(at.gh.world, at.repo.repository, queued, base)
                facts["merge_group"]["head_ref"] = "refs/heads/gh-readonly-queue/main/batch-1"
                who = at.gh.world.user("maintainer")
                await hooks.send(at.gh.world, at.repo.repository, "merge_group", "checks_requested", facts, who)
                await at.quiet()
                ends += [one.conclusion for one in at.repo.repository.checks.values() if one.head == queued]
            assert ends == ["success", "failure"]

    asyncio.run(story())


CHECKED = "checks: [{name: Notes, ask: 'Is it told?', severity: fail}]\n"


@pytest.mark.parametrize("own", few(["language: en\n", "fail_on: often\n"], 1))
def test_a_queue_whose_pull_request_is_unknown_stops_at_the_owners_bar(tmp_path: Path, own: str) -> None:
    """Their private file counts, beside a file of the repository that cannot be used too, and nothing of it is shown."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.gh.repository("acme", ".deeprepo", files={".deeprepo.yml": CHECKED}, private=True)
            base = await at.repo.commit("main", {".deeprepo.yml": own})
            queued = await at.repo.commit("batch", BROKEN, "Merge")
            facts = payloads.merge_group(at.gh.world, at.repo.repository, queued, base)
            facts["merge_group"]["head_ref"] = "refs/heads/gh-readonly-queue/main/batch-1"
            who = at.gh.world.user("maintainer")
            await hooks.send(at.gh.world, at.repo.repository, "merge_group", "checks_requested", facts, who)
            await at.quiet()
            (check,) = [one for one in at.repo.repository.checks.values() if one.head == queued]
            assert check.conclusion == "failure"
            assert "Is it told?" not in f"{check.title}{check.summary}"

    asyncio.run(story())


@pytest.mark.parametrize("final", few([False, True], 0))
def test_a_queue_that_was_stopped_stays_stopped_for_its_commit(tmp_path: Path, final: bool) -> None:
    """A pull request whose head is the queue's commit, against a branch of which it breaks nothing, shows why it does not pass."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            at.gh.world.final_checks = final
            await at.repo.commit("main", STRICT)
            number = await at.reviewed()
            head, branch = at.gh.pull(number).head_sha, "gh-readonly-queue/main/pr-1"
            queued = await at.repo.commit(branch, {"NEWS.md": "x\n"}, "Merge pull request #1", onto=head)
            await at.repo.merge_group(queued, "a" * 40)
            await at.quiet()
            await at.repo.open_pull(branch, base="feature", title="Another", author="stranger")
            await at.quiet()
            checks = sorted((one.id, one) for one in at.repo.repository.checks.values() if one.head == queued)
            assert [one.conclusion for _, one in checks] == ["failure", "failure"]
            assert (checks[-1][1].title or "").startswith("The merge queue stops here")

    asyncio.run(story())
