import asyncio
import time
from dataclasses import replace

from bot import storage
from bot.storage import Grant
from bot.values import PullRef
from bot.values.daily import CapReached, DailyCaps

PULL = PullRef(7, 70, "acme", "shop", 1)
NOW = time.time()


def test_workers_that_reserve_at_the_same_time_do_not_pass_a_cap(url: str) -> None:
    """Twenty at once, over two connections to one database: what is granted together is the cap, and no more."""

    async def story() -> None:
        async with storage.open_store(url) as one, storage.open_store(url) as other:
            stores = (one, other) * 10
            asked = [
                s.spending.reserve(PULL, f"j{n}", 1.0, DailyCaps(installation=4.5), NOW) for n, s in enumerate(stores)
            ]
            granted = [found.usd for found in await asyncio.gather(*asked) if isinstance(found, Grant)]
            assert sum(granted) == 4.5
            assert await one.spending.journals_and_dollars(NOW) == (5, 4.5)
            asked = [s.spending.reserve(PULL, f"f{n}", 1.0, DailyCaps(forks=3), NOW) for n, s in enumerate(stores)]
            assert sum(isinstance(found, Grant) for found in await asyncio.gather(*asked)) == 3

    asyncio.run(story())


def test_strangers_leave_half_of_each_cap_to_the_team(url: str) -> None:
    """Reviews that nobody has asked for take half of a repository's day, of its installation's and of the server's."""

    async def story() -> None:
        async with storage.open_store(url) as store:
            for at, which in enumerate(("server", "repository", "installation"), 1):
                caps = DailyCaps(**{which: 10.0})
                pull = replace(PULL, installation=at, repository=10 * at, owner=which)
                later = NOW + 100_000 * at
                granted = [
                    await store.spending.reserve(pull, f"{which}{n}", 1.0, replace(caps, forks=50), later)
                    for n in range(7)
                ]
                assert [isinstance(one, Grant) for one in granted] == [True] * 5 + [False] * 2
                team = [await store.spending.reserve(pull, f"{which}t{n}", 1.0, caps, later) for n in range(6)]
                assert [isinstance(one, Grant) for one in team] == [True] * 5 + [False]

    asyncio.run(story())


def test_an_account_that_installs_the_app_again_keeps_its_day(url: str) -> None:
    """Another installation, the same account: the cap counts on."""

    async def story() -> None:
        async with storage.open_store(url) as store:
            caps = DailyCaps(installation=2.0)
            again = replace(PULL, installation=8, repository=71, owner="Acme")
            assert isinstance(await store.spending.reserve(PULL, "a", 1.5, caps, NOW), Grant)
            await store.forget(PULL.installation)
            rest = await store.spending.reserve(again, "b", 1.5, caps, NOW)
            assert isinstance(rest, Grant)
            assert rest.usd == 0.5

    asyncio.run(story())


def test_a_reservation_counts_until_it_is_settled(url: str) -> None:
    """A dead process's counts in full; the job that goes on takes it over; nothing paid gives it back, for the count too."""

    async def story() -> None:
        async with storage.open_store(url) as store:
            caps, spending = DailyCaps(repository=2.0, forks=1), store.spending
            dead = await spending.reserve(PULL, "one", 1.0, caps, NOW)
            assert await spending.reserve(PULL, "two", 1.0, caps, NOW) == CapReached("forks", 1)
            team = replace(caps, repository=1.0, forks=None)
            assert await spending.reserve(PULL, "two", 1.0, team, NOW) == CapReached("repository", 1.0)
            taken = await spending.reserve(PULL, "one", 1.0, caps, NOW)
            assert isinstance(dead, Grant)
            assert isinstance(taken, Grant)
            await spending.settle(dead, 0.0, calls=0)  # comes back from the dead: it is no longer its to settle
            assert await spending.journals_and_dollars(NOW) == (1, 1.0)
            await spending.settle(taken, None, calls=1)  # nobody knows the price
            assert await spending.journals_and_dollars(NOW) == (1, 1.0)
            await spending.settle(taken, 0.25, calls=2)
            assert await spending.journals_and_dollars(NOW, repository=70) == (1, 0.25)
            rest = await spending.reserve(PULL, "two", 1.0, DailyCaps(repository=1.0), NOW)
            assert isinstance(rest, Grant)
            assert rest.usd == 0.75
            await spending.settle(rest, 0.0, calls=0)
            assert await spending.journals_and_dollars(NOW) == (1, 0.25)
            assert await spending.journals_and_dollars(NOW + 90_000) == (0, 0.0)

    asyncio.run(story())


def test_another_job_with_the_same_journal_counts_once_more(url: str) -> None:
    """It pays for what it adds, and counts as a review; a repository that moved to another owner keeps its day."""

    async def story() -> None:
        async with storage.open_store(url) as store:
            caps, spending = DailyCaps(repository=2.0, forks=2), store.spending
            one = await spending.reserve(PULL, "same", 0.5, caps, NOW, job="one")
            assert isinstance(one, Grant)
            await spending.settle(one, 0.3, calls=2)
            two = await spending.reserve(PULL, "same", 0.5, caps, NOW, job="two", calls=2, paid_usd=0.3)
            assert isinstance(two, Grant)
            assert await spending.journals_and_dollars(NOW) == (2, 0.8)
            await spending.settle(two, 0.4, calls=3)
            assert await spending.journals_and_dollars(NOW) == (2, 0.4)
            moved = replace(PULL, installation=8, owner="other", name="store")
            assert await spending.reserve(moved, "more", 0.5, caps, NOW, job="three") == CapReached("forks", 2)
            idle = await spending.reserve(PULL, "same", 0.5, DailyCaps(), NOW, job="idle", calls=3, paid_usd=0.4)
            assert isinstance(idle, Grant)
            await spending.settle(idle, 0.4, calls=3)  # all of it stood in the journal
            assert await spending.journals_and_dollars(NOW) == (2, 0.4)

    asyncio.run(story())


def test_a_removed_app_does_not_begin_a_new_day(url: str) -> None:
    """Who removes the App and installs it again has spent what they have spent; after two days it is forgotten."""

    async def story() -> None:
        async with storage.open_store(url) as store:
            await store.spending.reserve(PULL, "one", 1.0, DailyCaps(), NOW)
            await store.forget(7)
            assert await store.spending.journals_and_dollars(NOW, repository=70) == (1, 1.0)
            await store.prune(NOW + 3 * 86_400, 30)
            assert await store.spending.journals_and_dollars(NOW) == (0, 0.0)

    asyncio.run(story())


def test_an_account_keeps_its_day_under_another_name(url: str) -> None:
    """It is renamed and installs the App again: its id is the same. Two accounts of one name, one after the other, have a day each."""

    async def story() -> None:
        async with storage.open_store(url) as store:
            caps, one = DailyCaps(installation=5.0), replace(PULL, account=4_001)
            assert isinstance(await store.spending.reserve(one, "before", 5.0, caps, NOW), Grant)
            again = replace(one, installation=8, repository=71, owner="acme-2")
            assert isinstance(await store.spending.reserve(again, "after", 5.0, caps, NOW), CapReached)
            other = replace(again, installation=9, owner="acme", account=4_002)
            assert isinstance(await store.spending.reserve(other, "other", 5.0, caps, NOW), Grant)

    asyncio.run(story())
