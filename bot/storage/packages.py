"""An index of the packages that repositories publish and use, as last read from their default branches."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import sqlalchemy as sa

from bot.storage.database import StoragePart, upsert
from bot.storage.tables import package, package_home
from deeprepo.impact import structs
from deeprepo.impact.packages import Arrival, PackageRow

MAX_PACKAGE_ROWS = 2_000  # per repository
MAX_NAME_CHARS = 300  # of a package's name or version


@dataclass(frozen=True, slots=True)
class PackageHome:
    """A repository in the index. `problem` is why it could not be read, or ""."""

    installation: int
    repository: int
    name: str  # "owner/name"
    commit_id: str
    read_at: float  # seconds since 1970
    problem: str = ""


@dataclass(frozen=True, slots=True)
class KnownUse:
    """A repository (`user`) that uses a package from another repository (`offerer`) of its installation."""

    user: str  # "owner/name"
    offerer: str  # "owner/name"; the name is part of the command line's JSON
    package: str
    version: str
    arrival: Arrival
    commit_id: str  # the user's commit that was read
    read_at: float  # seconds since 1970


_HOME = [package_home.c[name] for name in PackageHome.__dataclass_fields__]
_PUBLISHED, _USED = package.alias(), package.alias()


class Packages(StoragePart):
    """The package index."""

    async def save(self, home: PackageHome, rows: Sequence[PackageRow]) -> None:
        """Store what a repository publishes and uses. This replaces its earlier rows."""
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
        """Return an installation's repositories in the index, by ID."""
        rows = await self.rows(sa.select(*_HOME).where(package_home.c.installation == installation))
        return {row.repository: PackageHome(*row) for row in rows}

    async def users(self, installation: int, repository: int) -> tuple[PackageHome, ...]:
        """Return the installation's repositories that use a package published by this one, sorted by name."""
        query = (
            sa.select(*_HOME)
            .distinct()
            .join(_USED, _USED.c.repository == package_home.c.repository)
            .join(_PUBLISHED, (_PUBLISHED.c.language == _USED.c.language) & (_PUBLISHED.c.name == _USED.c.name))
            .where(_PUBLISHED.c.repository == repository, _PUBLISHED.c.role == "offers", _USED.c.role == "takes")
            .where(_USED.c.installation == installation, _USED.c.repository != repository)
            .order_by(package_home.c.name)
        )
        return tuple(PackageHome(*row) for row in await self.rows(query))

    async def known_uses(self, most: int) -> tuple[KnownUse, ...]:
        """Return which repositories use packages of others, in all installations, at most `most`."""
        user, publisher = package_home.alias(), package_home.alias()
        same = (_PUBLISHED.c.language == _USED.c.language) & (_PUBLISHED.c.name == _USED.c.name)
        query = (
            sa.select(
                *(user.c.name, publisher.c.name, _USED.c.name, _USED.c.version, _USED.c.arrival),
                *(user.c.commit_id, user.c.read_at),
            )
            .select_from(_USED)
            .join(_PUBLISHED, same & (_PUBLISHED.c.installation == _USED.c.installation))
            .join(user, user.c.repository == _USED.c.repository)
            .join(publisher, publisher.c.repository == _PUBLISHED.c.repository)
            .where(
                _PUBLISHED.c.role == "offers", _USED.c.role == "takes", _PUBLISHED.c.repository != _USED.c.repository
            )
            .order_by(publisher.c.name, user.c.name, _USED.c.name)
        )
        return tuple(KnownUse(*row) for row in await self.rows(query.limit(most)))
