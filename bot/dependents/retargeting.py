"""Imports that mean another file after the change, although nobody has touched their lines.

A path that comes or goes can do that, whatever it holds (`shop/cart/__init__.py` beside `shop/cart.py`, `cart.json` before
`cart/index.js`, `json.py` beside a script, a second file of a name that meant the only one); a link or a submodule that comes, goes or leads elsewhere; a configuration file (`paths` of
TypeScript, a nested go.mod); and the move of the importing file. What the new file offers is not compared: each such import is open until
somebody has read it. An import of a file that is gone is a finding (`lost_modules`).
"""

import posixpath
import re
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from bot.dependents.budget import SearchLimits
from bot.dependents.confirm import PORTION, Reach
from bot.dependents.importing import Scene
from bot.dependents.propose import globs
from bot.dependents.sites import MODULE, mention
from bot.dependents.trees import Trees, import_names, naming_files
from bot.machine.concurrency import together
from bot.text.lines import file_lines
from bot.values import ChangedSymbol, Dependents, Import, Query, Reference, Symbol

MOST_FILES = 4_000  # whose imports are resolved on both sides
MOST_WAYS = 50  # paths through a link that are asked about one by one
LOADS = re.compile(
    r"\b(?:from|import|export|use|using|require\w*|include\w*|load|mod|extern|autoload|package|source|import_module)\b"
    r"|^\s*+[\w.]*+\s*+[\"'`][^\"'`]*+[\"'`]\s*+(?:[;,]\s*+)?$"  # in a block of imports
)


@dataclass(slots=True)
class RetargetedImports:
    """What becomes of the imports of one language."""

    dependents: Dependents = field(default_factory=Dependents)
    lost_imports: dict[str, list[Import]] = field(
        default_factory=lambda: defaultdict(list)
    )  # file -> imports of files that are gone
    missed_uses: list[str] = field(default_factory=list)


async def retargeted_imports(
    scene: Scene, trees: Trees, fresh: Mapping[str, Collection[int]], budget: SearchLimits
) -> RetargetedImports:
    """The unchanged imports whose file is another one after the change. `fresh`: the lines that the change adds."""
    head, base = scene.head, scene.base
    report = RetargetedImports()
    own = {path for source in scene.sources for path in (source.file.path, source.file.old_path) if path}
    everything = head.project is not base.project and head.settings != base.settings
    paths = await _candidates(scene, trees, trees.retargets - own, everything=everything)
    if len(paths) > MOST_FILES:
        report.missed_uses.append(
            f"what configuration files decide changed: the imports of {MOST_FILES:,} of {len(paths):,} {head.language.NAME} files were compared"
        )
    cache = _Cache(trees.moves, {new: old for old, new in trees.moves.items()}, own, everything, head, base)
    end = time.process_time() + budget.seconds
    ordered = sorted(paths)[:MOST_FILES]
    for at in range(0, len(ordered), PORTION):
        if time.process_time() > end:
            report.missed_uses.append(
                f"the imports of {at:,} of {len(ordered):,} {head.language.NAME} files were compared in {budget.seconds:g} s of computing"
            )
            break
        for path, source in (await head.tree.read_many(ordered[at : at + PORTION])).items():
            await _compare(path, source, cache, fresh.get(path, ()), report)
    await _closed(scene, trees, fresh, cache)
    report.dependents = Dependents(
        symbols=tuple(cache.symbols.values()), references=tuple(dict.fromkeys(cache.references))
    )
    return report


@dataclass(slots=True)
class _Cache:
    """The imports that are open, and what they are compared by."""

    moves: Mapping[str, str]  # renamed file -> where it is now
    origins: Mapping[str, str]  # the other way
    own: Collection[str]  # files whose definitions are compared: who imports one that is gone is known
    everything: bool  # whether configuration files decide otherwise than before
    head: Reach
    base: Reach
    symbols: dict[str, ChangedSymbol] = field(default_factory=dict)
    references: list[Reference] = field(default_factory=list)

    def note(self, path: str, line: int, text: str, was: str | None, now: str | None) -> None:
        """An import that meant `was` and means `now`."""
        before = Symbol(was, MODULE, "module", 1, 1, "base") if was else None
        after = Symbol(now, MODULE, "module", 1, 1, "head") if now else None
        item = ChangedSymbol(before, after, "renamed" if before else "added", ("renamed",))
        self.symbols[item.symbol.path] = item
        self.references.append(_reference(item.symbol.path, path, line, text))


async def _candidates(scene: Scene, trees: Trees, rest: AbstractSet[str], *, everything: bool) -> set[str]:
    """The files of the head whose imports may mean another file now."""
    head, base = scene.head, scene.base
    suffixes = tuple(head.language.SUFFIXES)
    files = head.paths - head.links.real.keys()
    if everything:
        return {path for path in files if path.endswith(suffixes)}
    added = {source.file.path for source in scene.sources if source.file.path not in base.paths}
    twins = _twins(added, base) if head.language.TRAITS.unique_names else set()
    importers = {path for path, items in scene.importers.items() if any(item.target in added for item in items)}
    own = {path for path in rest if path.endswith(suffixes)}
    real = [path for path in sorted(own) if path not in head.links.real and path not in base.links.real]
    through = sorted(own.difference(real))[:MOST_WAYS]
    targets = {head.links.real.get(path, path) for path in through} | {
        base.links.real.get(path, path) for path in through
    }
    words = trees.words | (import_names(rest - own) if head.language.NAME in trees.foreign else frozenset())
    here, past, naming = await together(
        head.importers(
            {path for path in real if path in head.paths} | {path for path in targets if path in head.paths}
        ),
        base.importers(
            {path for path in real if path not in head.paths} | {path for path in targets if path in base.paths} | twins
        ),
        naming_files(head.tree, words, globs(head.language)),
    )
    moved = {path for path in trees.moves.values() if path.endswith(suffixes)}
    return {*importers, *here, *past, *naming, *moved} & files


def _twins(paths: Collection[str], base: Reach) -> set[str]:
    """The files of the base whose names an added one bears, too: an import that meant the only one may mean neither now."""
    stems = {_stem(path) for path in paths}
    return {path for path in base.paths if path.endswith(tuple(base.language.SUFFIXES)) and _stem(path) in stems}


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0].replace("_", "").lower()


async def _compare(path: str, source: bytes, cache: _Cache, fresh: Collection[int], report: RetargetedImports) -> None:
    """Hold the imports of a text, resolved in the base, against the same in the head."""
    past = cache.base.resolve(cache.origins.get(path, path), source)
    present = cache.head.resolve(path, source)
    before, after = _targets(past), _targets(present)
    lines = file_lines(source)
    _note_lost_grants(path, lines, past, present, cache, fresh)
    if before == after:
        return
    for line in sorted(before.keys() | after.keys()):
        if line in fresh or not 0 < line <= len(lines):
            continue
        gone = {one for one in before[line] - {path} if after[line].isdisjoint((one, cache.moves.get(one, one)))}
        new = after[line] - {cache.moves.get(one, one) for one in before[line]}
        left = {one for one in gone if one in cache.head.paths}
        outside = {one for one in new if cache.everything or _beside(path, one)} if not before[line] else set()
        if left or outside:
            cache.note(path, line, lines[line - 1].rstrip("\r"), min(left, default=None), min(new, default=None))
        elif gone and not after[line]:
            lost = gone if path in cache.origins else gone.difference(cache.own)
            report.lost_imports[path] += [item for item in past if item.line == line and item.target in lost]


def _note_lost_grants(
    path: str,
    lines: Sequence[str],
    past: Iterable[Import],
    present: Iterable[Import],
    cache: _Cache,
    fresh: Collection[int],
) -> None:
    """Note the imports for which no manifest speaks any more, although the file is where it was."""
    grants = {(item.line, item.target): item.grants for item in present}
    for item in past:
        target = cache.moves.get(item.target, item.target)
        now = grants.get((item.line, target))
        if now is not None and item.grants - now and item.line not in fresh and 0 < item.line <= len(lines):
            cache.note(path, item.line, lines[item.line - 1].rstrip("\r"), item.target, None)


async def _closed(scene: Scene, trees: Trees, fresh: Mapping[str, Collection[int]], cache: _Cache) -> None:
    """Note the imports that name a submodule or a link out of the tree that comes, goes or leads elsewhere: what it holds nobody here knows."""
    if not trees.dead_ends:
        return
    head = scene.head
    names = {re.sub(r"\.\w+$", "", posixpath.basename(path)): path for path in sorted(trees.dead_ends)}
    holders = await head.tree.grep(Query(sorted(names), globs(head.language), word=True))
    for path, source in (await head.tree.read_many(sorted(holders)[:MOST_FILES])).items():
        lines = file_lines(source)
        names_by_line = {
            use.line: use.name for use in head.language.uses(path, source, names.keys()) if use.form == "import"
        }
        for line, text in enumerate(lines, 1):
            word = names_by_line.get(line) or next(
                (name for name in names if name in text and LOADS.search(text[:400]) and _names(name, text)), ""
            )
            if word and line not in fresh.get(path, ()):
                place = names[word]
                there = place in trees.here
                cache.note(path, line, text.rstrip("\r"), None if there else place, place if there else None)


def _names(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def _targets(items: Iterable[Import]) -> dict[int, set[str]]:
    targets: dict[int, set[str]] = defaultdict(set)
    for item in items:
        targets[item.line].add(item.target)
    return targets


def _beside(path: str, target: str) -> bool:
    """Whether a file stands where it is found before what is installed: in the folder of who imports it, or in one around that."""
    folder = posixpath.dirname(target)
    return not folder or path.startswith(f"{folder}/")


def _reference(target: str, path: str, line: int, text: str) -> Reference:
    name = posixpath.splitext(posixpath.basename(target))[0]
    return replace(mention(f"{target}:{MODULE}", name, path, line, text, lone=False), sure=True, form="import")
