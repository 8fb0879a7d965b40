from dataclasses import replace
from pathlib import Path

from bot import storage
from bot.storage import FinishedReview, Store, StoredFinding
from bot.values import CommentRef, Dismissal, PullRef

PULL = PullRef(7, 70, "owner", "name", 3)
OTHER = PullRef(8, 80, "other", "name", 3)
FOUND = StoredFinding("f1", "new", "high", "logic", "worker openai/gpt", "a.py", "Wrong sign")
DONE = FinishedReview(
    "job-1", "sha-1", "push", 1, 100.0, 160.0, "neutral", "parts", 9, 4000, 0.02, PULL, b'{"round": 1}', (FOUND,)
)
DAY = 86400.0


async def test_last_review_is_returned_unchanged(store: Store) -> None:
    """The newest review's output is returned unchanged, and reviewed heads and figures are listed."""
    assert await store.reviews.last(PULL) is None
    second = replace(DONE, id="job-2", head="sha-2", round=2, finished=300.0, usd=None, output=b"\x00\xff two")
    for done in (DONE, second, replace(DONE, id="job-3", pull=OTHER, finished=400.0)):
        await store.reviews.save(done)
    assert await store.reviews.last(PULL) == b"\x00\xff two"
    assert await store.reviews.heads(PULL) == {"sha-1", "sha-2"}
    assert [(row.id, row.usd) for row in (await store.listing.page(None, 2)).rows] == [("job-3", 0.02), ("job-2", None)]


async def test_newest_dismissal_counts_per_pull_request(url: str) -> None:
    """Dismissals apply per pull request, the newest counts, and replies don't override other kinds."""
    one, other = Dismissal("f1 d1", "noise", "ignored", "ann"), Dismissal("f2", "", "withdrawn", "bob")
    said = Dismissal("f3", "by design", "reply", "ann")
    async with storage.open_store(url) as store:
        words = (
            one,
            other,
            replace(said, reason="wrong"),
            said,
            replace(said, mark="f1"),
            Dismissal("f4", "", "reaction", "bob"),
        )
        for now, each in enumerate(words):
            await store.people.dismiss(PULL, each, float(now))
        assert await store.people.dismissals(PULL) == (one, other, said)
        assert await store.people.dismissed(PULL) == {"f1", "f2", "f3", "f4"}
        assert await store.people.dismissals(replace(PULL, number=4)) == ()


async def test_pull_request_stays_paused_until_resumed(store: Store) -> None:
    """A pull request stays paused until it is resumed."""
    await store.people.pause(PULL, "ann", 1.0)
    await store.people.pause(PULL, "bob", 2.0)
    assert await store.people.is_paused(PULL)
    assert not await store.people.is_paused(OTHER)
    assert await store.people.resume(PULL)
    assert not await store.people.resume(PULL)
    assert not await store.people.is_paused(PULL)


async def test_removal_deletes_only_the_data_it_concerns(url: str, tmp_path: Path) -> None:
    """Removing an installation or a repository deletes its data and journals, and no other data."""
    here, beside = PULL, replace(PULL, repository=71)

    async def fill(store: storage.Store, pull: PullRef, name: str) -> None:
        await store.reviews.save(replace(DONE, id=name, pull=pull))
        async with store.journals.synchronized(f"{pull.repository}-{name}", tmp_path / name) as kept:
            kept.put("line")
        await store.people.dismiss(pull, Dismissal("f1", "", "ignored", "ann"), 1.0)
        await store.people.pause(pull, "ann", 1.0)

    def left(store: storage.Store) -> set[int]:
        tables = ("review", "finding", "suppression", "feedback", "paused")
        read = [f"SELECT repository FROM {table}" for table in tables]  # noqa: S608
        rows = [store.database.now(lambda c, s=s: c.exec_driver_sql(s).all()) for s in read]  # type: ignore[misc]
        found = [{row[0] for row in each} for each in rows]
        assert all(each == found[0] for each in found)
        return found[0]

    async with storage.open_store(url) as store:
        for pull, name in ((here, "one"), (beside, "two"), (OTHER, "three")):
            await fill(store, pull, name)
        await store.forget(7, (70,))
        assert left(store) == {71, 80}
        assert await store.journals.lines("70-one") == []
        assert await store.journals.lines("71-two") == ["line"]
        await store.forget(7)
        assert left(store) == {80}
        assert await store.journals.lines("71-two") == []
        assert await store.journals.lines("80-three") == ["line"]


async def test_data_older_than_the_retention_is_deleted(url: str) -> None:
    """Data older than the retention is deleted, except dismissals."""
    now = 1000 * DAY
    async with storage.open_store(url) as store:
        await store.reviews.save(replace(DONE, finished=now - 31 * DAY))
        await store.reviews.save(replace(DONE, id="job-2", pull=OTHER, finished=now - 29 * DAY))
        await store.reviews.close(PULL, now - 31 * DAY)
        await store.people.dismiss(PULL, Dismissal("f1", "", "ignored", "ann"), now - 31 * DAY)
        assert await store.prune(now, 30) == 3
        assert await store.prune(now, 30) == 0
        assert await store.reviews.last(PULL) is None
        assert await store.reviews.last(OTHER) == DONE.output
        assert len(await store.people.dismissals(PULL)) == 1


async def test_last_review_of_an_open_pull_request_is_kept(url: str) -> None:
    """The last review is kept until the retention after closing has passed or the App is removed."""
    now = 1000 * DAY
    async with storage.open_store(url) as store:
        await store.reviews.save(replace(DONE, finished=now - 90 * DAY))
        await store.reviews.save(replace(DONE, id="job-2", finished=now - 80 * DAY, output=b"last"))
        await store.prune(now, 30)
        assert (await store.reviews.last(PULL), await store.reviews.has("job-1")) == (b"last", False)
        await store.reviews.close(PULL, now)
        await store.prune(now + 29 * DAY, 30)
        assert await store.reviews.last(PULL) == b"last"
        await store.reviews.close(PULL, None)
        await store.prune(now + 31 * DAY, 30)
        assert await store.reviews.last(PULL) == b"last"
        await store.reviews.close(PULL, now)
        await store.prune(now + 31 * DAY, 30)
        assert await store.reviews.last(PULL) is None
        await store.reviews.save(DONE)
        await store.forget(PULL.installation)
        assert await store.reviews.last(PULL) is None


async def test_newest_conclusions_of_pull_requests_with_one_head_are_returned(store: Store) -> None:
    """The newest conclusion per open pull request with the same head is returned, and can be updated."""
    one, two, three = (replace(PULL, number=number) for number in (1, 2, 3))
    rows = [
        ("a", one, "success", 1.0),
        ("b", one, "failure", 2.0),
        ("c", two, "neutral", 3.0),
        ("d", OTHER, "failure", 4.0),
    ]
    for name, pull, ending, at in rows:
        await store.reviews.save(replace(DONE, id=name, pull=pull, head="h", conclusion=ending, finished=at))
    assert await store.reviews.conclusions_at(three, "h") == {1: "failure", 2: "neutral"}
    assert await store.reviews.conclusions_at(one, "h") == {2: "neutral"}
    assert await store.reviews.conclusions_at(three, "other") == {}
    await store.reviews.conclude("b", "success")
    await store.reviews.close(two, 5.0)
    assert await store.reviews.conclusions_at(three, "h") == {1: "success"}


async def test_remarks_and_commands_are_counted_separately(store: Store) -> None:
    """Commands count per person and repository, remarks per person and pull request, each comment once."""
    beside, people = replace(PULL, number=4), store.people
    assert await people.record_comment(PULL, CommentRef(1, "issue"), "ann", 10.0) == ()
    assert await people.record_comment(PULL, CommentRef(2, "issue"), "ann", 20.0, is_remark=True) == ()
    assert await people.record_comment(PULL, CommentRef(2, "issue"), "ann", 25.0, is_remark=True) == ()
    assert await people.record_comment(PULL, CommentRef(3, "review"), "ann", 30.0, is_remark=True) == (20.0,)
    assert await people.record_comment(beside, CommentRef(4, "issue"), "ann", 30.0, is_remark=True) == ()
    assert await people.record_comment(PULL, CommentRef(5, "issue"), "bob", 30.0, is_remark=True) == ()
    assert await people.record_comment(beside, CommentRef(6, "issue"), "ann", 40.0) == (10.0,)
    assert await people.record_comment(PULL, CommentRef(7, "issue"), "ann", 86_425.0, is_remark=True) == (30.0,)
