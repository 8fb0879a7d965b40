"""Check the added lines of a change for names that the tree after it does not define."""

import re

from deeprepo.impact.language import language_of
from deeprepo.impact.new_lines.forward import places
from deeprepo.impact.new_lines.precedent import Precedents
from deeprepo.impact.ports import SideTree
from deeprepo.impact.resolving.index import Index
from deeprepo.impact.resolving.wholes import builds
from deeprepo.impact.values import Change, Looked, Place, Report

# Folders with test data, which may contain broken code on purpose.
MATERIAL = re.compile(r"(^|/)_*(fixtures?|testdata|test_data|test-data|tests?/data|snapshots|samples?|roots)_*/")


def knows(path: str) -> bool:
    """Return whether a file is in a supported language and not test data."""
    language = language_of(path)
    return language is not None and (not language.search_only or builds(language)) and MATERIAL.search(path) is None


async def report(
    tree: SideTree,
    change: Change,
    base: SideTree | None = None,
    conclusions: dict[tuple[str, int, str], str] | None = None,
) -> Report:
    """Return names in added lines that the tree does not define, and calls that do not match.

    `base`: the tree before the change, used to confirm the findings; without it all are returned.
    `conclusions`: receives what is known about each name, by path, line and name.
    """
    mine = {path: lines for path, lines in change.items() if lines and knows(path)}
    if not mine:
        return Report()
    index = Index(await tree.paths())
    index.conclusions = conclusions
    answer, is_complete = await index.settled(tree, lambda: places(index, mine))
    found = answer if is_complete else ()
    read = tuple(sorted(path for path in mine if index.facts(path) is not None))
    built: tuple[Place, ...] = ()
    if found and base is not None:
        found, built = await Precedents(base, index, Index(await base.paths())).hear(found, mine)
    left_out = mine.keys() - index.sources.keys() if index.cut else frozenset()
    unread = mine.keys() - set(read) - left_out
    return Report(found, Looked(read, len(index.sources), tuple(sorted(unread)), tuple(sorted(left_out))), built)
