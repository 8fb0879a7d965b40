"""The package index: which repositories use which others' packages, within one installation."""

from bot.storage import Store
from bot.storage.packages import MAX_PACKAGE_ROWS, PackageHome
from deeprepo.impact.packages import PackageRow

LIBRARY = PackageHome(7, 70, "acme/prices", "a" * 40, 100.0)
USER = PackageHome(7, 71, "acme/till", "b" * 40, 200.0)
OFFERS = (PackageRow("offers", "python", "prices"),)
TAKES = (
    PackageRow("takes", "python", "prices", ">=1.2", "release"),
    PackageRow("takes", "python", "flask", "", "release"),
)


async def test_consumers_are_matched_by_language_and_package_name(store: Store) -> None:
    """Packages match by language and name within one installation, and new data replaces the old."""
    await store.packages.save(LIBRARY, OFFERS)
    await store.packages.save(USER, TAKES)
    await store.packages.save(PackageHome(8, 80, "other/till", "c" * 40, 300.0), TAKES)
    await store.packages.save(PackageHome(7, 72, "acme/rust", "c" * 40, 1.0), (PackageRow("takes", "rust", "prices"),))
    assert await store.packages.users(7, 70) == (USER,)
    (known_use,) = await store.packages.known_uses(10)
    assert (known_use.user, known_use.offerer, known_use.version) == ("acme/till", "acme/prices", ">=1.2")
    await store.packages.note_read(PackageHome(7, 71, "acme/till", "b" * 40, 400.0, "GitHub refused access"))
    assert [one.problem for one in await store.packages.users(7, 70)] == ["GitHub refused access"]
    await store.packages.save(USER, ())
    assert await store.packages.users(7, 70) == ()
    assert sorted(await store.packages.homes(7)) == [70, 71, 72]
    await store.forget(7)
    assert await store.packages.homes(7) == {}
    assert sorted(await store.packages.homes(8)) == [80]


async def test_index_rows_per_repository_are_limited(store: Store) -> None:
    """The number of rows per repository and the length of each are limited."""
    rows = [
        PackageRow("takes", "python", f"{number}-{'x' * 5_000}", "y" * 5_000) for number in range(3 * MAX_PACKAGE_ROWS)
    ]
    await store.packages.save(LIBRARY, OFFERS)
    await store.packages.save(USER, [PackageRow("takes", "python", "prices", "y" * 5_000), *rows])
    (known_use,) = await store.packages.known_uses(10)
    assert len(known_use.version) < 1_000
    count = await store.database.run(
        lambda connection: connection.exec_driver_sql("SELECT COUNT(*) FROM package").scalar()
    )
    assert count == MAX_PACKAGE_ROWS + 1
