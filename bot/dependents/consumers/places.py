"""Whether a folder or an address of git that a manifest names is the reviewed repository."""

import posixpath
import re
from dataclasses import dataclass

from bot.values.consumer import Package, Requirement

ADDRESS = re.compile(
    r"(?:^|[/:@])(?P<owner>[\w.-]{1,100})/(?P<name>[\w.-]{1,100}?)(?:\.git)?/?(?:$|[#?@;\s&]|/(?:tarball|archive|zipball|releases|tar\.gz)/)"
)
INNER = re.compile(r"(?:subdirectory=|path:|workspace=)/?([\w./@-]{1,300})")
SCHEME = re.compile(r"^(?:file|link|portal):(?://)?")


@dataclass(frozen=True, slots=True)
class RepositoryPlace:
    """Where a repository lies, and what it is called."""

    folder: str = ""  # on this disk, "" if that tells nothing of where others are
    name: str = ""  # "owner/name" of its origin, or the name of its folder

    @property
    def short(self) -> str:
        """The name without the owner."""
        return self.name.rpartition("/")[2].lower()


def package_at(
    row: Requirement, consumer: RepositoryPlace, own: RepositoryPlace, packages: tuple[Package, ...]
) -> tuple[bool, Package | None]:
    """Whether a requirement names the reviewed repository by its place, and the package that is meant there."""
    inner = _by_folder(row, consumer, own) if row.origin == "path" else _by_address(row.source, own)
    if inner is None:
        return False, None
    fits = [one for one in packages if inner in (one.folder, one.name)]
    return True, next(iter(fits), None)


def _by_folder(row: Requirement, consumer: RepositoryPlace, own: RepositoryPlace) -> str | None:
    """The folder within the reviewed repository that a path leads to."""
    path = SCHEME.sub("", row.source.partition("[")[0].strip()).removesuffix("/")
    inside = posixpath.normpath(posixpath.join(posixpath.dirname(row.path), path))
    if consumer.folder and own.folder:
        whole = posixpath.normpath(posixpath.join(consumer.folder, inside))
        if whole == own.folder or whole.startswith(f"{own.folder}/"):
            return whole[len(own.folder) + 1 :]
    if not inside.startswith(("../", "/")) or not own.short:
        return None
    parts = inside.lower().split("/")
    if own.short not in parts:
        return None
    return "/".join(inside.split("/")[parts.index(own.short) + 1 :])


def _by_address(source: str, own: RepositoryPlace) -> str | None:
    """The folder within the reviewed repository that an address names, "" for its root."""
    address, _, rest = source.partition("#")
    match = ADDRESS.search(address.removesuffix("/"))
    if match is None or not own.name:
        return None
    address_name = f"{match['owner']}/{match['name']}".lower()
    is_own = address_name == own.name.lower() if "/" in own.name else match["name"].lower() == own.short
    inner = INNER.search(rest or source)
    return (inner[1].strip("/") if inner else "") if is_own else None
