import asyncio
import time
from dataclasses import replace

from bot import storage
from bot.storage import Grant, Store
from bot.values import PullRef
from bot.values.daily import CapReached, DailyCaps

PULL = PullRef(7, 70, "acme", "shop", 1)
NOW = time.time()


async def test_concurrent_reservations_never_exceed_a_cap(url: str) -> None:
    """Twenty concurrent reservations over two connections never exceed the cap."""
    async with storage.open_store(url) as one, storage.open_store(url) as other:
        stores = (one, other) * 10
        asked = [s.spending.reserve(PULL, f"j{n}", 1.0, DailyCaps(installation=4.5), NOW) for n, s in enumerate(stores)]
        granted = [found.usd for found in await asyncio.gather(*asked) if isinstance(found, Grant)]
        assert sum(granted) == 4.5
        assert await one.spending.journals_and_dollars(NOW) == (5, 4.5)
        asked = [s.spending.reserve(PULL, f"f{n}", 1.0, DailyCaps(forks=3), NOW) for n, s in enumerate(stores)]
        assert sum(isinstance(found, Grant) for found in await asyncio.gather(*asked)) == 3


async def test_outsiders_can_use_only_half_of_each_cap(store: Store) -> None:
    """Reviews for people outside the team may use only half of each daily cap."""
    for at, which in enumerate(("server", "repository", "installation"), 1):
        caps = DailyCaps(**{which: 10.0})
        pull = replace(PULL, installation=at, repository=10 * at, owner=which)
        later = NOW + 100_000 * at
        granted = [
            await store.spending.reserve(pull, f"{which}{n}", 1.0, replace(caps, forks=50), later) for n in range(7)
        ]
        assert [isinstance(one, Grant) for one in granted] == [True] * 5 + [False] * 2
        team = [await store.spending.reserve(pull, f"{which}t{n}", 1.0, caps, later) for n in range(6)]
        assert [isinstance(one, Grant) for one in team] == [True] * 5 + [False]


async def test_reinstalling_the_app_does_not_reset_the_accounts_cap(store: Store) -> None:
    """The cap counts per account, so a new installation of the same account doesn't reset it."""
    caps = DailyCaps(installation=2.0)
    again = replace(PULL, installation=8, repository=71, owner="Acme")
    assert isinstance(await store.spending.reserve(PULL, "a", 1.5, caps, NOW), Grant)
    await store.forget(PULL.installation)
    rest = await store.spending.reserve(again, "b", 1.5, caps, NOW)
    assert isinstance(rest, Grant)
    assert rest.usd == 0.5


async def test_reservation_counts_until_it_is_settled(store: Store) -> None:
    """A dead process's reservation counts in full until its job is resumed. Unused amounts are released."""
    caps, spending = DailyCaps(repository=2.0, forks=1), store.spending
    dead = await spending.reserve(PULL, "one", 1.0, caps, NOW)
    assert await spending.reserve(PULL, "two", 1.0, caps, NOW) == CapReached("forks", 1)
    team = replace(caps, repository=1.0, forks=None)
    assert await spending.reserve(PULL, "two", 1.0, team, NOW) == CapReached("repository", 1.0)
    taken = await spending.reserve(PULL, "one", 1.0, caps, NOW)
    assert isinstance(dead, Grant)
    assert isinstance(taken, Grant)
    await spending.settle(dead, 0.0, calls=0)  # the dead process returns, but no longer owns the reservation
    assert await spending.journals_and_dollars(NOW) == (1, 1.0)
    await spending.settle(taken, None, calls=1)  # the price is unknown
    assert await spending.journals_and_dollars(NOW) == (1, 1.0)
    await spending.settle(taken, 0.25, calls=2)
    assert await spending.journals_and_dollars(NOW) == (1, 0.25)
    rest = await spending.reserve(PULL, "two", 1.0, DailyCaps(repository=1.0), NOW)
    assert isinstance(rest, Grant)
    assert rest.usd == 0.75
    await spending.settle(rest, 0.0, calls=0)
    assert await spending.journals_and_dollars(NOW) == (1, 0.25)
    assert await spending.journals_and_dollars(NOW + 90_000) == (0, 0.0)


async def test_days_spending_is_kept_after_the_app_is_removed(store: Store) -> None:
    """Reinstalling the App doesn't reset the day's spending, which is deleted after two days."""
    await store.spending.reserve(PULL, "one", 1.0, DailyCaps(), NOW)
    await store.forget(7)
    assert await store.spending.journals_and_dollars(NOW) == (1, 1.0)
    await store.prune(NOW + 3 * 86_400, 30)
    assert await store.spending.journals_and_dollars(NOW) == (0, 0.0)
