"""Whether a folder or an address of git that a manifest names is the reviewed repository."""

import posixpath
import re
from dataclasses import dataclass

from bot.checkout import origin_name
from bot.checkout.locate import work_tree_of
from bot.errors import DeepRepoError
from bot.values.consumer import Clone, Package, Requirement

ADDRESS = re.compile(
    r"(?:^|[/:@])(?P<owner>[\w.-]{1,100})/(?P<name>[\w.-]{1,100}?)(?:\.git)?/?(?:$|[#?@;\s&]|/(?:tarball|archive|zipball|releases|tar\.gz)/)"
)
INNER = re.compile(r"(?:subdirectory=|path:|workspace=)/?([\w./@-]{1,300})")
SCHEME = re.compile(r"^(?:file|link|portal):(?://)?")


@dataclass(frozen=True, slots=True)
class RepositoryIdentity:
    """What a manifest can name a repository by: where it is, and what it is called."""

    folder: str = ""  # on this disk, "" if that tells nothing of where others are
    name: str = ""  # "owner/name" of its origin, or the name of its folder

    @property
    def short(self) -> str:
        """The name without the owner."""
        return self.name.rpartition("/")[2].lower()


async def own_identity(git_dir: str, address: str = "") -> RepositoryIdentity:
    """Return the folder and the name of the reviewed repository."""
    if not git_dir:
        return RepositoryIdentity()
    folder = work_tree_of(git_dir)
    try:
        name = await origin_name(folder or git_dir)
    except DeepRepoError:
        name = ""
    name = "/".join(address.rstrip("/").split("/")[-2:]) or name
    return RepositoryIdentity(folder, name or posixpath.basename(folder or git_dir).removesuffix(".git"))


def identity_of_clone(consumer: Clone) -> RepositoryIdentity:
    """Return the folder and the name of a consumer. The folder of one that was fetched is not where its own people have it."""
    return RepositoryIdentity(
        "" if consumer.standing is not None else work_tree_of(consumer.pull.git_dir), consumer.name
    )


def package_at(
    row: Requirement, consumer: RepositoryIdentity, own: RepositoryIdentity, packages: tuple[Package, ...]
) -> Package | None:
    """Return the package that a requirement means which names the reviewed repository by its folder or its address."""
    inner = _by_folder(row, consumer, own) if row.origin == "path" else _by_address(row.source, own)
    return next((one for one in packages if inner in (one.folder, one.name)), None)


def _by_folder(row: Requirement, consumer: RepositoryIdentity, own: RepositoryIdentity) -> str | None:
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


def _by_address(source: str, own: RepositoryIdentity) -> str | None:
    """The folder within the reviewed repository that an address names, "" for its root."""
    address, _, rest = source.partition("#")
    match = ADDRESS.search(address.removesuffix("/"))
    if match is None or not own.name:
        return None
    address_name = f"{match['owner']}/{match['name']}".lower()
    is_own = address_name == own.name.lower() if "/" in own.name else match["name"].lower() == own.short
    inner = INNER.search(rest or source)
    return (inner[1].strip("/") if inner else "") if is_own else None
