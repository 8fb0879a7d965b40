"""Search the confirmed dependents, and by name the rest of the tree, for uses of the changed definitions."""

import asyncio
import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.dependents.budget import Budget, minified
from bot.dependents.exports import Exports
from bot.dependents.names import Own, Spans, lonely, occurrences
from bot.dependents.sites import Bindings, Match, Target, bind, match, names, reference
from bot.ports import Language, Tree
from bot.values import Import, Outline, Reference, Side, Use

LISTED = 8  # names in a sentence
ROOT = re.compile(r"[A-Za-z_$][\w$]*")
SHORT = 3  # letters: a shorter name is not looked up without an import


@dataclass(slots=True)
class Search:
    """One search over the files of one language."""

    tree: Tree
    language: Language
    importers: Mapping[str, Sequence[Import]]
    origins: Mapping[str, Collection[str]]
    exports: Exports
    budget: Budget
    cut: list[str]
    fresh: Mapping[str, Collection[int]]  # file -> lines that the change adds
    lost: frozenset[tuple[str, str]] = frozenset()  # (file, module that it imports and that is gone)

    async def run(self, targets: Sequence[Target]) -> tuple[Reference, ...]:
        """The references to all targets, the ones that prove a break first."""
        if not targets:
            return ()
        end = asyncio.get_running_loop().time() + self.budget.seconds
        special = {short for t in targets if t.reached_by_name and (t.gone or _signature(t)) for short in t.shorts}
        gone = frozenset(name for target in targets if target.gone for name in _former(target))
        own = Own(_spans(targets), gone, self.fresh)
        by_name, alone = await asyncio.gather(
            self._by_name(targets), lonely(self.tree, self.language, special, own, self.budget)
        )
        homes = {home for target in targets for home in target.homes}
        paths = [*sorted({*self.importers, *homes}), *sorted({*by_name} - {*self.importers, *homes})]
        if len(paths) > self.budget.parsed:
            self.cut.append(
                f"references were looked for in {self.budget.parsed} of {len(paths)} {self.language.NAME} files"
            )
        found: dict[str, list[Reference]] = defaultdict(list)
        sources = await self.tree.read_many(paths[: self.budget.parsed])
        for count, (path, source) in enumerate(sources.items()):
            if asyncio.get_running_loop().time() > end:
                self.cut.append(
                    f"the search for references stopped after {self.budget.seconds:g} s, {count} of {len(paths)} files read"
                )
                break
            if len(source) <= self.budget.bytes and not minified(source):
                await self._file(path, source, targets, by_name.get(path, set()), alone, found)
        return self._limited(found)

    async def _by_name(self, targets: Sequence[Target]) -> dict[str, set[str]]:
        """File -> the members whose names occur there, for names that do not occur everywhere."""
        wanted = {
            s for t in targets if t.reached_by_name for s in t.shorts if len(s) >= SHORT and not s.startswith("__")
        }
        where = await occurrences(self.tree, self.language, wanted, "head", everywhere=False)
        if not where.complete:
            self.cut.append("too many lines hold the names of changed members: some were not looked up by name")
        found: dict[str, set[str]] = defaultdict(set)
        common = sorted(name for name, paths in where.files.items() if len(paths) > self.budget.far)
        if common:
            listed = ", ".join(common[:LISTED]) + (", ..." if len(common) > LISTED else "")
            self.cut.append(f"members with common names were looked up in importing files only: {listed}")
        for name, paths in where.files.items():
            for path in paths if len(paths) <= self.budget.far else ():
                found[path].add(name)
        return found

    async def _file(
        self,
        path: str,
        source: bytes,
        targets: Sequence[Target],
        named: Collection[str],
        alone: frozenset[str],
        found: dict[str, list[Reference]],
    ) -> None:
        bound = bind(self.importers.get(path, ()), self.origins)
        mine = [t for t in targets if path in t.homes or not t.shorts.isdisjoint(named) or _imported(t, bound)]
        uses = self.language.uses(path, source, names(mine, bound)) if mine else ()
        lines = source.decode("utf-8", "replace").split("\n")
        foreign = await self._foreign(path, source, uses, alone)
        for target in mine:
            near = await self._connected(path, target)
            for hit in match(target, uses, bound, path):
                if _inside(target, hit.use, path):
                    continue
                told = near and not hit.use.types and hit.use.name in alone and hit.use.receiver not in foreign
                missing = await self._missing(target, hit, path, uses, alone, by_name=told)
                found[target.key].append(
                    reference(target, hit, path, lines, missing=missing, unique=told and not hit.sure)
                )

    async def _foreign(self, path: str, source: bytes, uses: Sequence[Use], alone: frozenset[str]) -> frozenset[str]:
        """Receivers of the telling names that come from outside the tree: what they have is not ours to judge."""
        receivers = {use.receiver for use in uses if use.form == "member" and use.name in alone}
        roots = {match[0] for receiver in receivers if (match := ROOT.match(receiver))}
        if not roots:
            return frozenset()
        imported = {use.name for use in self.language.uses(path, source, roots) if use.form == "import"}
        known = {name for item in await self.exports.imports(path) for name in _bound_by(item)}
        outside = (imported - known) | (roots & self.language.AMBIENT)
        return frozenset(receiver for receiver in receivers if (match := ROOT.match(receiver)) and match[0] in outside)

    async def _missing(
        self, target: Target, hit: Match, path: str, uses: Sequence[Use], alone: frozenset[str], *, by_name: bool
    ) -> bool:
        """Whether what is named here is proven to be gone."""
        use, former = hit.use, hit.use.name in _former(target)
        if use.guarded:
            return False
        if hit.sure and ((path, hit.door) in self.lost or (hit.name and hit.door)):
            return (path, hit.door) in self.lost or hit.name in await self.exports.gone(hit.door)
        if not target.gone or not former:
            return False
        if not hit.sure:
            return by_name and use.call is not None
        if target.owner:
            return use.name in alone or await self._baseless(target, use.name)
        return await self._unbound(path, use, uses)

    async def _unbound(self, path: str, use: Use, uses: Sequence[Use]) -> bool:
        """Whether nothing in the file gives the name a meaning any more."""
        outline = await self.exports.outline("head", path)
        bound = any(other.name == use.name and other.form in ("definition", "import") for other in uses)
        known = outline is not None and outline.complete and not outline.stars and use.name not in outline.names
        return known and not bound and use.name not in self.language.AMBIENT

    async def _baseless(self, target: Target, name: str) -> bool:
        """Whether the class stands alone, in full sight, and has no member of that name."""
        outline = await self.exports.outline("head", min(target.homes))
        bases = dict(outline.bases) if outline is not None else {}
        closed = outline is not None and outline.complete and bases.get(target.owner) == ()
        return outline is not None and closed and not any(_has(outline, other) for other in (name, "__getattr__"))

    async def _connected(self, path: str, target: Target) -> bool:
        """Whether two files have to do with each other: one imports the other, or they share a folder."""
        if posixpath.dirname(path) in {posixpath.dirname(home) for home in target.homes}:
            return True
        if any(not target.homes.isdisjoint(self.origins.get(i.target, ())) for i in self.importers.get(path, ())):
            return True
        known = [item.target for home in target.homes for item in await self.exports.imports(home)]
        return path in known

    def _limited(self, found: Mapping[str, list[Reference]]) -> tuple[Reference, ...]:
        """The best references of each symbol: proven breaks, then sure ones, then those outside tests."""
        kept: list[Reference] = []
        sure = {(row.path, row.line, row.name) for rows in found.values() for row in rows if row.sure}
        for key, listed in found.items():
            rows = [row for row in listed if row.sure or (row.path, row.line, row.name) not in sure]
            rows = sorted(
                set(rows), key=lambda row: (not row.missing, not row.sure, row.test, not row.call, row.path, row.line)
            )
            if len(rows) > self.budget.sites:
                self.cut.append(f"{key}: {self.budget.sites} of its {len(rows)} uses are listed")
            kept += rows[: self.budget.sites]
        return tuple(kept)


def _bound_by(item: Import) -> frozenset[str]:
    """The first words of what an import binds."""
    here = dict(item.aliases)
    return frozenset(here.get(name, name).partition(".")[0] for name in item.names) | {
        name.partition(".")[0] for name in here.values()
    }


def _signature(target: Target) -> bool:
    return target.symbol is not None and target.symbol.change == "signature"


def _former(target: Target) -> frozenset[str]:
    """The names that are gone: of a renamed definition only the old one."""
    item = target.symbol
    return frozenset({item.before.short}) if item is not None and item.before is not None else target.shorts


def _has(outline: Outline, name: str) -> bool:
    return any(symbol.short == name for symbol in outline.symbols)


def _imported(target: Target, bound: Bindings) -> bool:
    return any(
        origin in bound.modules or origin in bound.stars or any((origin, name) in bound.locals for name in offered)
        for origin, offered in target.doors
    )


def _inside(target: Target, use: Use, path: str) -> bool:
    """Whether a use is the definition's own head line."""
    after = target.symbol.after if target.symbol is not None else None
    return after is not None and after.path == path and use.form == "definition"


def _spans(targets: Iterable[Target]) -> dict[Side, Spans]:
    """Where the changed definitions stand. Before: their whole files, which also hand them on."""
    before: dict[str, set[tuple[int, int]]] = defaultdict(set)
    after: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for item in (target.symbol for target in targets if target.symbol is not None):
        if item.before is not None:
            before[item.before.path].add((0, 1 << 30))
        if item.after is not None and item.change == "signature":
            after[item.after.path].add((item.after.start, item.after.end))
    return {"base": before, "head": after}
