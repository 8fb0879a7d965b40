"""Which packages the repositories of an installation offer and take, as their default branches had them when they were looked at."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from fnmatch import fnmatchcase

import sqlalchemy as sa

from bot.storage.database import StoragePart, upsert
from bot.storage.tables import package, package_home
from bot.values.consumer import Arrival, PackageRow

MOST = 2_000  # rows of one repository
TOO_MANY = f"it takes and offers more than {MOST:,} packages"
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
    """A repository that takes a package which another one of its installation offers; or of which that is not known."""

    user: str
    offerer: str
    package: str
    version: str
    arrival: Arrival
    commit_id: str  # of the user
    read_at: float
    unread: str = ""  # why it is not known what the user takes: then no package is named


FIELDS = tuple(field.name for field in fields(PackageHome))


class Packages(StoragePart):
    """The index. A repository that was looked at again takes the place of what was known of it."""

    async def keep(self, home: PackageHome, rows: Sequence[PackageRow]) -> None:
        """Store what one repository offers and takes."""
        own = {"installation": home.installation, "repository": home.repository}
        left = dict.fromkeys((row.role, row.language) for row in rows[MOST:])
        more = [
            PackageRow("may-take" if role == "takes" else "may-offer", language, "*", reason=TOO_MANY)
            for role, language in left
        ]
        values = [
            {**own, **{name: str(value)[:LONGEST] for name, value in asdict(row).items()}}
            for row in dict.fromkeys((*rows[:MOST], *more))
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

    async def possible_users(self, installation: int, repository: int) -> tuple[PackageHome, ...]:
        """The repositories of the same installation that may take what this one offers: a manifest of theirs could not be read."""
        offer, take = package.alias(), package.alias()
        query = (
            sa.select(package_home, offer.c.name.label("offered"), take.c.name.label("glob"))
            .distinct()
            .join(take, take.c.repository == package_home.c.repository)
            .join(offer, offer.c.language == take.c.language)
            .where(offer.c.repository == repository, offer.c.role == "offers", take.c.role == "may-take")
            .where(take.c.installation == installation, take.c.repository != repository)
            .order_by(package_home.c.name)
        )
        rows = await self.database.look(lambda connection: connection.execute(query).mappings().all())
        fits = [{**row} for row in rows if fnmatchcase(row["offered"], row["glob"])]
        homes = [PackageHome(**{key: row[key] for key in FIELDS}) for row in fits]
        return tuple(dict.fromkeys(homes))

    async def unread_manifests(self, repository: int) -> tuple[str, ...]:
        """Which manifests of a repository that may offer something could not be read, and why."""
        query = sa.select(package.c.reason).where(package.c.repository == repository, package.c.role == "may-offer")
        return tuple(
            await self.database.look(
                lambda connection: connection.execute(query.order_by(package.c.id)).scalars().all()
            )
        )

    async def unread_homes(self, installation: int) -> tuple[PackageHome, ...]:
        """The repositories of an installation of which nothing is known, because they could not be read."""
        known = sa.select(package.c.id).where(package.c.repository == package_home.c.repository).exists()
        query = sa.select(package_home).where(package_home.c.installation == installation, package_home.c.problem != "")
        rows = await self.database.look(
            lambda connection: connection.execute(query.where(~known).order_by(package_home.c.name)).mappings().all()
        )
        return tuple(PackageHome(**row) for row in rows)

    async def unread(self, most: int) -> tuple[KnownUse, ...]:
        """The repositories of which it is not known what they take, in every installation, with the reason."""
        manifests = (
            sa.select(package_home, package.c.reason.label("reason"))
            .join(package, package.c.repository == package_home.c.repository)
            .where(package.c.role == "may-take")
            .order_by(package_home.c.name, package.c.id)
            .limit(most)
        )
        homes = sa.select(package_home).where(package_home.c.problem != "").order_by(package_home.c.name).limit(most)

        def look(connection: sa.Connection) -> list[tuple[str, str, float, str]]:
            whole = [(row.name, row.commit_id, row.read_at, row.problem) for row in connection.execute(homes)]
            parts = [(row.name, row.commit_id, row.read_at, row.reason) for row in connection.execute(manifests)]
            return whole + parts

        rows = await self.database.look(look)
        return tuple(
            KnownUse(name, "", "", "", "upgrade", commit, read_at, why) for name, commit, read_at, why in rows[:most]
        )

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
