"""Data for the operator's pages: paginated lists, sums per day, durations and failures."""

from dataclasses import replace

from bot.storage import FinishedReview, Store
from bot.storage.listing import DAY
from bot.values import PullRef

PULL, OTHER = PullRef(7, 70, "owner", "name", 3), PullRef(8, 80, "other", "name", 3)
DONE = FinishedReview(
    "job-0", "sha", "push", 1, 100.0, 160.0, "success", "parts", 9, 400, 0.5, PULL, b"{}", state="clean", found=2
)


async def test_pages_have_no_gaps_or_repetitions(store: Store) -> None:
    """Pagination works across installations and equal times; each installation sees only its reviews."""
    for number in range(20):
        pull = OTHER if number % 3 else PULL
        await store.reviews.save(replace(DONE, id=f"job-{number:02}", pull=pull, finished=200.0 + number // 4))
    every = [row.id for row in (await store.listing.page(None, 100)).rows]
    assert every == sorted(every, reverse=True)
    for scope in (None, (7, 8)):
        seen, mark = list[str](), ""
        while page := await store.listing.page(scope, 3, after=mark):
            seen += [row.id for row in page.rows]
            if not (mark := page.older):
                break
        assert seen == every
    assert {row.installation for row in (await store.listing.page((7,), 100)).rows} == {7}
    assert (await store.listing.page((), 3)).rows == ()
    assert await store.listing.one("job-01", (7,)) is None


async def test_review_stored_twice_is_summed_once(store: Store) -> None:
    """A review that is stored twice counts once, and unknown prices are counted separately."""
    later = replace(DONE, id="job-1", finished=DAY + 5.0, started=DAY + 0.0, usd=None, state="incomplete")
    for done in (DONE, DONE, later, replace(DONE, id="job-2", pull=OTHER)):
        await store.reviews.save(done)
    days = await store.days.by_day(None, 0)
    assert [(row.key, row.reviews, row.clean, row.usd, row.unpriced_reviews, row.found) for row in days] == [
        (0, 2, 2, 1.0, 0, 4),
        (1, 1, 0, 0.0, 1, 2),
    ]
    assert [(row.repository, row.reviews) for row in await store.days.by_repository((7,), 0)] == [("owner/name", 2)]
    assert await store.days.by_day((), 0) == ()
