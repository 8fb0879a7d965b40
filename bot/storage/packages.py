"""The packages that an installation's repositories publish and use, as last read from default branches."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import sqlalchemy as sa

from bot.storage.database import StoragePart, upsert
from bot.storage.tables import package, package_home
from deeprepo.impact import structs
from deeprepo.impact.packages import Arrival, PackageRow

MAX_PACKAGE_ROWS = 2_000  # rows per repository
MAX_NAME_CHARS = 300  # characters of a name or a version


@dataclass(frozen=True, slots=True)
class PackageHome:
    """A repository that was read. `problem` is the reason if it could not be read, else ""."""

    installation: int
    repository: int
    name: str  # "owner/name"
    commit_id: str
    read_at: float  # seconds since 1970
    problem: str = ""


@dataclass(frozen=True, slots=True)
class KnownUse:
    """A repository that uses a package from another repository of its installation."""

    user: str
    offerer: str
    package: str
    version: str
    arrival: Arrival
    commit_id: str  # of the user
    read_at: float


_HOME = [package_home.c[name] for name in PackageHome.__dataclass_fields__]
_OFFER, _TAKE = package.alias(), package.alias()


class Packages(StoragePart):
    """The index. A repository that is read again replaces its earlier rows."""

    async def keep(self, home: PackageHome, rows: Sequence[PackageRow]) -> None:
        """Store what a repository publishes and uses."""
        where = {"installation": home.installation, "repository": home.repository}
        values = [
            {**where, **{name: str(value)[:MAX_NAME_CHARS] for name, value in structs.asdict(row).items()}}
            for row in dict.fromkeys(rows[:MAX_PACKAGE_ROWS])
        ]

        def do(connection: sa.Connection) -> None:
            connection.execute(sa.delete(package).where(package.c.repository == home.repository))
            upsert(package_home, asdict(home), connection)
            if values:
                connection.execute(sa.insert(package), values)

        await self.database.run(do)

    async def note_read(self, home: PackageHome) -> None:
        """Record that a repository was read and has not changed."""
        await self.put(package_home, asdict(home))

    async def homes(self, installation: int) -> dict[int, PackageHome]:
        """Return an installation's repositories that were read, by id."""
        rows = await self.rows(sa.select(*_HOME).where(package_home.c.installation == installation))
        return {row.repository: PackageHome(*row) for row in rows}

    async def users(self, installation: int, repository: int) -> tuple[PackageHome, ...]:
        """Return the installation's repositories that use packages of this one, by name."""
        query = (
            sa.select(*_HOME)
            .distinct()
            .join(_TAKE, _TAKE.c.repository == package_home.c.repository)
            .join(_OFFER, (_OFFER.c.language == _TAKE.c.language) & (_OFFER.c.name == _TAKE.c.name))
            .where(_OFFER.c.repository == repository, _OFFER.c.role == "offers", _TAKE.c.role == "takes")
            .where(_TAKE.c.installation == installation, _TAKE.c.repository != repository)
            .order_by(package_home.c.name)
        )
        return tuple(PackageHome(*row) for row in await self.rows(query))

    async def known_uses(self, most: int) -> tuple[KnownUse, ...]:
        """Return who uses which package of whom, in every installation."""
        user, offerer = package_home.alias(), package_home.alias()
        same = (_OFFER.c.language == _TAKE.c.language) & (_OFFER.c.name == _TAKE.c.name)
        query = (
            sa.select(
                *(user.c.name, offerer.c.name, _TAKE.c.name, _TAKE.c.version, _TAKE.c.arrival),
                *(user.c.commit_id, user.c.read_at),
            )
            .select_from(_TAKE)
            .join(_OFFER, same & (_OFFER.c.installation == _TAKE.c.installation))
            .join(user, user.c.repository == _TAKE.c.repository)
            .join(offerer, offerer.c.repository == _OFFER.c.repository)
            .where(_OFFER.c.role == "offers", _TAKE.c.role == "takes", _OFFER.c.repository != _TAKE.c.repository)
            .order_by(offerer.c.name, user.c.name, _TAKE.c.name)
        )
        return tuple(KnownUse(*row) for row in await self.rows(query.limit(most)))
