"""What the added lines of a change name that the tree after it does not hold."""

import re

from impact.forward import places
from impact.index import ROUNDS, Index
from impact.language import language_of
from impact.undeclared import undeclared
from impact.values import Base, Change, Looked, Place, Report, Tree
from impact.witness import Witness

# Below these folders code is the material of tests, and may be broken on purpose.
MATERIAL = re.compile(r"(^|/)_*(fixtures?|testdata|test_data|test-data|snapshots|samples?|roots)_*/")


def knows(path: str) -> bool:
    """Whether a file is of a language that can be read, and meant to run."""
    language = language_of(path)
    return language is not None and not language.sought and MATERIAL.search(path) is None


async def report(tree: Tree, change: Change, base: Base | None = None) -> Report:
    """What the added lines of a change name that the tree after it does not hold, and the calls of them that do not fit.

    `base`: the tree before it, which is the witness; without one all that is found stands.
    """
    mine = {path: lines for path, lines in change.items() if lines and knows(path)}
    if not mine:
        return Report()
    index = Index(await tree.paths())
    found: tuple[Place, ...] = ()
    for _ in range(ROUNDS):
        found = places(index, mine)
        if not await index.read(tree):
            break
    else:
        found = ()
    read = tuple(sorted(path for path in mine if index.facts(path) is not None))
    built: tuple[Place, ...] = ()
    if found and base is not None:
        found, built = await Witness(base, index, Index(await base.paths())).hear(found, mine)
    if base is not None and isinstance(tree, Base):
        found += await undeclared(tree, base, index, mine)
    return Report(found, Looked(read, len(index.sources), tuple(sorted(mine.keys() - set(read)))), built)
