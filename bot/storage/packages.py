"""Which packages the repositories of an installation offer and take, as their default branches had them when they were looked at."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import sqlalchemy as sa

from bot.storage.database import StoragePart, upsert
from bot.storage.tables import package, package_home
from bot.values.consumer import Arrival, PackageRow

MOST = 2_000  # rows of one repository
LONGEST = 300  # characters of a name or a version


@dataclass(frozen=True, slots=True)
class PackageHome:
    """A repository that was looked at. `problem`: why it could not be read, "" if it was."""

    installation: int
    repository: int
    name: str  # "owner/name"
    commit_id: str
    read_at: float  # seconds since 1970
    problem: str = ""


@dataclass(frozen=True, slots=True)
class KnownUse:
    """A repository that takes a package which another one of its installation offers."""

    user: str
    offerer: str
    package: str
    version: str
    arrival: Arrival
    commit_id: str  # of the user
    read_at: float


class Packages(StoragePart):
    """The index. A repository that was looked at again takes the place of what was known of it."""

    async def keep(self, home: PackageHome, rows: Sequence[PackageRow]) -> None:
        """Store what one repository offers and takes."""
        own = {"installation": home.installation, "repository": home.repository}
        values = [
            {**own, **{name: str(value)[:LONGEST] for name, value in asdict(row).items()}}
            for row in dict.fromkeys(rows[:MOST])
        ]

        def do(connection: sa.Connection) -> None:
            connection.execute(sa.delete(package).where(package.c.repository == home.repository))
            upsert(package_home, asdict(home), connection)
            if values:
                connection.execute(sa.insert(package), values)

        await self.database.run(do)

    async def note_read(self, home: PackageHome) -> None:
        """Remember that a repository was looked at and has not changed."""
        await self.put(package_home, asdict(home))

    async def homes(self, installation: int) -> dict[int, PackageHome]:
        """The repositories of an installation that were looked at, by id."""
        query = sa.select(package_home).where(package_home.c.installation == installation)
        rows = await self.database.look(lambda connection: connection.execute(query).mappings().all())
        return {row["repository"]: PackageHome(**row) for row in rows}

    async def users(self, installation: int, repository: int) -> tuple[PackageHome, ...]:
        """The repositories of the same installation that take what this one offers, by name."""
        offer, take = package.alias(), package.alias()
        query = (
            sa.select(package_home)
            .distinct()
            .join(take, take.c.repository == package_home.c.repository)
            .join(offer, (offer.c.language == take.c.language) & (offer.c.name == take.c.name))
            .where(offer.c.repository == repository, offer.c.role == "offers", take.c.role == "takes")
            .where(take.c.installation == installation, take.c.repository != repository)
            .order_by(package_home.c.name)
        )
        rows = await self.database.look(lambda connection: connection.execute(query).mappings().all())
        return tuple(PackageHome(**row) for row in rows)

    async def known_uses(self, most: int) -> tuple[KnownUse, ...]:
        """Who takes what from whom, in every installation."""
        offer, take, user, offerer = package.alias(), package.alias(), package_home.alias(), package_home.alias()
        query = (
            sa.select(
                user.c.name.label("user"), offerer.c.name.label("offerer"), take.c.name.label("package"),
                take.c.version, take.c.arrival, user.c.commit_id, user.c.read_at,
            )
            .select_from(take)
            .join(offer, (offer.c.language == take.c.language) & (offer.c.name == take.c.name) & (offer.c.installation == take.c.installation))
            .join(user, user.c.repository == take.c.repository)
            .join(offerer, offerer.c.repository == offer.c.repository)
            .where(offer.c.role == "offers", take.c.role == "takes", offer.c.repository != take.c.repository)
            .order_by(offerer.c.name, user.c.name, take.c.name)
            .limit(most)
        )  # fmt: skip
        rows = await self.database.look(lambda connection: connection.execute(query).mappings().all())
        return tuple(KnownUse(**row) for row in rows)
