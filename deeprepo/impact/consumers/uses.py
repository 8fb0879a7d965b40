"""Find a consumer's lines that use packages of the reviewed repository, by searching both trees as one."""

import posixpath
from collections.abc import Mapping, Sequence

from deeprepo.impact.changes import ChangedFile, Dependents, Reference
from deeprepo.impact.consumers.manifests import form, holding
from deeprepo.impact.consumers.offered_change import OfferedChange, is_aside
from deeprepo.impact.consumers.overlay import MountedTree, OverlayTree
from deeprepo.impact.filetypes import has_common_name
from deeprepo.impact.language import Language, leading
from deeprepo.impact.packages import Linking, Package, Requirement
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct, replace
from deeprepo.impact.uses.budget import SearchLimits
from deeprepo.impact.uses.find import find
from deeprepo.impact.values import MODULE

LIMITS = SearchLimits(sites=200, seconds=6.0)
INSIDE = ("unit", "folder", "file")  # visibilities that end at the repository


class ConsumerUses(Struct, frozen=True):
    """A consumer's references to the change."""

    tree: OverlayTree  # both repositories
    files: tuple[ChangedFile, ...]  # the changed files that can affect it
    users: Dependents
    missed: tuple[str, ...]  # sentences about what may hide a reference


async def consumer_uses(
    change: OfferedChange, tree: Tree, mount: str, takes: Sequence[Requirement]
) -> ConsumerUses | None:
    """Find the references in code below `mount` to packages that it requires; None if the change is to none of them."""
    languages = {name: leading(name) for name in dict.fromkeys(row.language for row in takes)}
    suffixes = tuple(suffix for language in languages.values() for suffix in language.suffixes)
    files = tuple(file for file in change.files if file.path.endswith(suffixes))
    if not files:
        return None
    joined = _joined(change, mount, tree, languages, suffixes, takes)
    found = await find(joined, files, LIMITS)
    return ConsumerUses(joined, files, await _of_consumer(joined, found, change), found.missed_uses)


def _joined(
    change: OfferedChange,
    mount: str,
    tree: Tree,
    languages: Mapping[str, Language],
    suffixes: tuple[str, ...],
    takes: Sequence[Requirement],
) -> OverlayTree:
    packages = [package for package in change.packages if package.language in languages]
    configs = form(tuple(name for language in languages.values() for name in language.scope.configs) or ("",))
    links: dict[str, bytes] = {}
    for name, language in languages.items():
        if isinstance(language.packaging, Linking):
            paths = [mount + row.path for row in takes if row.language == name]
            folders = sorted({posixpath.dirname(path) for path in paths})
            links |= language.packaging.links([one for one in packages if one.language == name], folders)

    def is_offered(path: str) -> bool:
        if any(package.holds(path) for package in packages):
            return not is_aside(path, packages)
        # it configures where modules are
        return not path.endswith(suffixes) or configs.match(f"/{path}") is not None

    def handing(path: str) -> bool:
        return path in change.handing or has_common_name(path)

    return OverlayTree(change.tree, MountedTree(tree, mount), is_offered=is_offered, handing=handing, links=links)


async def _of_consumer(overlay: OverlayTree, impact: Dependents, change: OfferedChange) -> Dependents:
    direct = {(row.path, row.target) for row in impact.files if row.via is None}
    items = impact.by_key()
    importing_paths = {row.path for row in impact.files if overlay.inside(row.path) is not None}
    references = []
    for row in impact.references:
        home = row.symbol.rpartition(":")[0]
        if overlay.inside(row.path) is None or overlay.inside(home) is not None:
            continue
        before = item.before if (item := items.get(row.symbol)) is not None else None
        is_hidden = before is not None and before.visible in INSIDE
        if is_hidden or _is_private(home, row, change, direct=(row.path, home) in direct):
            continue
        # a name alone proves nothing in a file without imports from the package
        if not row.is_bound and row.path not in importing_paths:
            row = replace(row, connection="name", target_state="unknown")  # noqa: PLW2901
        references.append(row)
    subclasses = tuple(
        (key, own)
        for key, own in impact.subclasses
        if overlay.inside(own.path) is not None and not _is_private_name(key.rpartition(":")[2].rpartition(".")[2])
    )
    return replace(impact, references=tuple(references), subclasses=subclasses)


def _is_private(home: str, row: Reference, change: OfferedChange, *, direct: bool) -> bool:
    """Return whether a reference is to something private, by its name or its imported file."""
    name = row.symbol.rpartition(":")[2]
    is_module = name == MODULE  # an import, whatever the file is called
    if not is_module and any(_is_private_name(one.rpartition(".")[2]) for one in (name, row.name)):
        return True
    package = holding(change.packages, home)
    return package is not None and (direct or is_module) and _is_inner_file(package, home)


def _is_inner_file(package: Package, path: str) -> bool:
    parts = posixpath.splitext(path[len(package.folder) :].strip("/"))[0].split("/")
    return any(part == "internal" or _is_private_name(part) for part in parts)


def certain_uses(users: Dependents) -> list[Reference]:
    """Return the consumer's lines that certainly use something with a changed contract."""
    changed = users.by_key()
    rows = [row for row in users.references if row.is_bound or row.missing or row.likely]
    return [row for row in rows if row.missing or row.likely or ((item := changed.get(row.symbol)) and item.contract)]


def _is_private_name(name: str) -> bool:
    return name.startswith("#") or (name.startswith("_") and not name.startswith("__"))
