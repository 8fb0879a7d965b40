"""Find imports in added lines that lead nowhere, or take a name that the imported file doesn't offer."""

import re
from collections.abc import Collection, Iterator
from difflib import SequenceMatcher

from deeprepo.impact.language import Language, language_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.resolving.index import Index, index_of
from deeprepo.impact.resolving.resolve import ABSENT, names_of, taken
from deeprepo.impact.structs import replace
from deeprepo.impact.text.paths import is_sample
from deeprepo.impact.values import Change, Import, Looked, Place, Report

ALIKE = 0.72  # minimum similarity of a suggestion, from 0 to 1
NEAR = 3  # suggestions


def knows(path: str) -> bool:
    """Return whether the imports of a file can be checked: its language is supported, and it is no sample."""
    language = language_of(path)
    return language is not None and not language.search_only and not is_sample(path)


async def report(tree: Tree, change: Change) -> Report:
    """Return the imports in added lines that lead nowhere; one is proven to be broken only if the base had its file."""
    mine = {path: lines for path, lines in change.items() if lines and knows(path)}
    if not mine:
        return Report()
    index = await index_of(tree, "head")
    places, is_complete = await index.settled(lambda index: _places(index, mine))
    found = [*places] if is_complete else []
    if found:
        before = await index_of(tree, "base")
        were, _ = await before.settled(lambda before: [_was_there(before, place, item) for place, item in found])
        found = [
            (replace(place, certainty="proven" if was_there and place.rule == "missing-module" else "likely"), item)
            for (place, item), was_there in zip(found, were, strict=True)
            if was_there or place.near  # otherwise, a build may create it
        ]
    read = tuple(sorted(path for path in mine if index.facts(path) is not None))
    left_out = mine.keys() - index.sources.keys() if index.cut else frozenset()
    unread = mine.keys() - set(read) - left_out
    looked = Looked(read, tuple(sorted(unread)), tuple(sorted(left_out)))
    return Report(tuple(place for place, _ in found), looked)


def _was_there(before: Index, place: Place, item: Import) -> bool:
    language = language_of(place.path)
    modules = before.modules(language) if language is not None else None
    if modules is None:
        return False
    if place.rule == "missing-module":
        return bool(modules.files(place.path, item))
    return taken(before, modules, place.path, item, place.name).state == "found"


def _places(index: Index, change: Change) -> list[tuple[Place, Import]]:
    """Return the broken imports in the added lines, once for each file and name."""
    found: dict[tuple[str, str, str], tuple[Place, Import]] = {}
    for path, lines in change.items():
        language, facts = language_of(path), index.facts(path)
        modules = index.modules(language) if language is not None else None
        if language is None or facts is None or modules is None:
            continue
        for item in facts.imports:
            if item.spec and not (item.guarded or item.of_type):
                for place in _of_import(index, language, modules, path, item, frozenset(lines)):
                    found.setdefault((path, place.name, place.home), (place, item))
    return sorted(found.values(), key=lambda row: (row[0].path, row[0].line))


def _of_import(
    index: Index, language: Language, modules: Resolver, path: str, item: Import, lines: Collection[int]
) -> Iterator[Place]:
    """Yield what an import takes although it does not exist."""
    taken_names = (*item.names, *language.taken(index.sources[path], item))
    mine = [bound for bound in taken_names if bound.line in lines]
    files = modules.files(path, item) if mine or item.line in lines else None
    if files is None or path in files:
        return
    if not files:
        if item.line in lines:
            before, others = modules.beside(path, item)
            near = tuple(before + one for one in _near(item.spec.removeprefix(before), others))
            yield Place(path, item.line, item.spec, "missing-module", "likely", "", near=near)
        return
    if modules.may_make(files, index.sources):
        return
    unwritten = re.compile(f"{language.scope.generated_names or '(?!)'}|{language.scope.implicit_names}")
    for bound in mine:
        if not unwritten.fullmatch(bound.there) and taken(index, modules, path, item, bound.there) is ABSENT:
            near = _near(bound.there, names_of(index, files))
            yield Place(path, bound.line, bound.there, "missing-name", "likely", files[0], near, here=bound.here)


def _near(name: str, names: Collection[str]) -> tuple[str, ...]:
    plain = name.lower().replace("_", "")
    rows = [
        (SequenceMatcher(None, plain, other.lower().replace("_", "")).ratio(), other)
        for other in names
        if other != name
    ]
    return tuple(other for ratio, other in sorted(rows, key=lambda row: (-row[0], row[1]))[:NEAR] if ratio >= ALIKE)
