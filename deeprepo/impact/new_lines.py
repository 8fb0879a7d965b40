"""Check the added lines of a change for names that the tree after it does not define."""

import re

from deeprepo.impact.forward import places
from deeprepo.impact.index import ROUNDS, Index
from deeprepo.impact.language import Language, language_of
from deeprepo.impact.memo import memo
from deeprepo.impact.undeclared import undeclared
from deeprepo.impact.unshipped import unshipped
from deeprepo.impact.values import Base, Change, HalfBound, Looked, Place, Report, Rule, Tree
from deeprepo.impact.wholes import builds
from deeprepo.impact.witness import Witness

HALF_BOUND: Rule = "half-bound"
SAYS = "is assigned in only one branch"
# Folders with test data, which may contain broken code on purpose.
MATERIAL = re.compile(r"(^|/)_*(fixtures?|testdata|test_data|test-data|snapshots|samples?|roots)_*/")


def knows(path: str) -> bool:
    """Return whether a file is in a supported language and not test data."""
    language = language_of(path)
    return language is not None and (not language.sought or builds(language)) and MATERIAL.search(path) is None


async def report(tree: Tree, change: Change, base: Base | None = None) -> Report:
    """Return names in added lines that the tree does not define, and calls that do not match.

    `base`: the tree before the change, used to confirm the findings; without it all are returned.
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
        found += await unshipped(tree, base, index, mine)
        found += await _half_bound(base, index, mine)
    return Report(found, Looked(read, len(index.sources), tuple(sorted(mine.keys() - set(read)))), built)


async def _half_bound(base: Base, index: Index, change: Change) -> tuple[Place, ...]:
    """Return names that only one branch binds, if the change adds the binding or the read.

    A read that the base already contained is not reported.
    """
    told = dict[str, tuple[HalfBound, ...]]()
    for path, lines in change.items():
        language = language_of(path)
        if language is not None and language.half_bound is not None:
            rows = _bound_by_half(language, index.sources.get(path, b""), frozenset(lines)) or ()
            told[path] = tuple(row for row in rows if {row.line, row.bound} & {*lines})
    paths = await base.paths()
    before = await base.read([path for path in told if told[path] and paths.get(path)])
    found: list[Place] = []
    for path, rows in told.items():
        language = language_of(path)
        if language is None or not rows:
            continue
        old = before.get(path, b"").split(b"\n")
        former = _bound_by_half(language, before.get(path, b""), None) or ()
        known = {(row.name, old[row.line - 1].strip()) for row in former}
        texts, happens = index.sources.get(path, b"").split(b"\n"), language.fails.get(HALF_BOUND, "")
        found += [
            Place(
                path, row.line, row.name, HALF_BOUND, "likely", path, happens=happens, asked=str(row.bound), says=SAYS
            )
            for row in rows
            if (row.name, texts[row.line - 1].strip()) not in known
        ]
    return tuple(found)


@memo
def _bound_by_half(language: Language, source: bytes, lines: frozenset[int] | None) -> tuple[HalfBound, ...] | None:
    """Return the names in a file that are bound in only one branch before a read."""
    return language.half_bound(source, lines) if language.half_bound is not None else None
