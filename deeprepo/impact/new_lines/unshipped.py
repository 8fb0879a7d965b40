"""Find new files that their package does not ship although shipped code imports them.

Such an import works in the repository and fails elsewhere. The result is never proven, since a build may add
files. Nothing is reported if the package seemed not to ship modules of its own before the change either.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import PurePosixPath
from typing import Protocol

from deeprepo.impact.language import Language, language_of
from deeprepo.impact.paths import joined
from deeprepo.impact.resolving.index import Index
from deeprepo.impact.text.paths import is_sample, is_test, vendored_folder
from deeprepo.impact.values import Base, Change, Place, Rule

RULE: Rule = "unshipped-file"
SAYS = "is imported, and its package does not include it"


class Shipping(Protocol):
    """A packaging that knows which files it ships."""

    LISTING: tuple[str, ...]  # base names of the files that list them

    def ships(self, manifests: Mapping[str, bytes], paths: Mapping[str, bool], path: str) -> tuple[str, bool] | None:
        """Return the manifest that lists shipped files, and whether this file is among them.

        Return None if there is no written list.
        """


async def unshipped(tree: Base, base: Base, index: Index, change: Change) -> tuple[Place, ...]:
    """Return added imports in shipped files of added files that the package does not ship.

    `index`: the index of the head.
    """
    before, paths = await base.paths(), await tree.paths()
    asked = [*_asked(index, change, before)]
    listings: dict[tuple[str, str], tuple[Mapping[str, bytes], Mapping[str, bytes]]] = {}
    found: list[Place] = []
    for path, line, language, target in asked:
        shipping, folder = _shipping(language), path.rpartition("/")[0]
        if shipping is None:
            continue
        if (language.folder, folder) not in listings:
            above = [joined(str(one), name) for one in PurePosixPath(path).parents for name in shipping.LISTING]
            listings[language.folder, folder] = (
                await base.read([one for one in above if before.get(one)]),
                await tree.read([one for one in above if paths.get(one)]),
            )
        old, new = listings[language.folder, folder]
        mine, its = (shipping.ships(new, paths, one) for one in (path, target))
        is_left_out = mine is not None and its is not None and mine[0] == its[0] and mine[1] and not its[1]
        if mine is not None and is_left_out and _is_understood(shipping, old, before, path):
            happens = language.fails.get(RULE, "")
            found.append(Place(path, line, target, RULE, "likely", mine[0], happens=happens, asked=target, says=SAYS))
    return tuple(found)


def _asked(index: Index, change: Change, before: Mapping[str, bool]) -> Iterator[tuple[str, int, Language, str]]:
    """Yield each added import of an added file: path, line, language and target."""
    new = {path for path in change if path not in before and not is_test(path) and not is_sample(path)}
    for path, lines in change.items() if new else ():
        language, facts = language_of(path), index.facts(path)
        modules = index.modules(language) if language is not None else None
        if language is None or facts is None or modules is None or is_test(path) or vendored_folder(path):
            continue
        for item in facts.imports:
            if item.line not in lines or item.guarded or item.maybe or item.of_type:
                continue
            files = {*(modules.files(path, item) or ())}
            files |= {file for bound in item.names for file in modules.inner(path, item, bound.there) or ()}
            yield from ((path, item.line, language, one) for one in sorted(files & new))


def _shipping(language: Language) -> Shipping | None:
    try:
        found = import_module(f"deeprepo.impact.languages.{language.folder}.manifest")
    except ModuleNotFoundError:
        return None
    return found if hasattr(found, "ships") else None


def _is_understood(shipping: Shipping, listing: Mapping[str, bytes], paths: Mapping[str, bool], path: str) -> bool:
    """Return whether the package shipped each module next to a file before the change."""
    top, suffix = path.rpartition("/")[0], path[path.rfind(".") :]
    beside = [one for one in paths if one.startswith(f"{top}/".lstrip("/")) and one.endswith(suffix)]
    rows = [shipping.ships(listing, paths, one) for one in beside if not is_test(one) and not is_sample(one)]
    return bool(rows) and all(row is not None and row[1] for row in rows)
