"""The classes that inherit a member: what is called on them, or in them without a receiver, may be it.

`basket.total` is the `total` of Cart where a basket is of a class below Cart; in that class, and in another part of Cart, many languages write
`total` alone.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.dependents.exports import Exports
from bot.dependents.implementations import namespaces
from bot.dependents.members import outside_names
from bot.dependents.overrides import ARGUMENTS, GENERATIONS
from bot.dependents.propose import globs
from bot.dependents.sites import Families, UseTarget
from bot.dependents.targets import former_names
from bot.ports import Language, Tree
from bot.values import Outline, Query

SEPARATOR = re.compile(r"::|[.\\]")
DEFINES = r"\b(?:extends|implements|with|class|object|trait|interface|struct|record|protocol|extension|actor|enum|type)\b|^\s*[:,]|\)\s*:"
MIXES = r"^\s+(?:include|extend|prepend|use)\b"  # in the body of a class
WORD = re.compile(r"\w+")
MOST_NAMES = 40  # of one generation
MOST_LINES = 2_000


@dataclass(slots=True)
class _Search:
    tree: Tree
    language: Language
    exports: Exports
    missed_uses: list[str]
    nearest: dict[str, Outline] = field(
        default_factory=dict
    )  # the files that may define one of the classes, or one just below it

    async def family(self, target: UseTarget) -> dict[str, frozenset[str]]:
        """The class of a member and those below it, each with the files that define it or a part of it."""
        files: dict[str, set[str]] = defaultdict(set)
        if target.is_gone and await self._is_above(target):
            return {}
        generation, texts = {target.owner}, await self._namespaces(target)
        outlines = self.nearest
        for _ in range(GENERATIONS):
            below: set[str] = set()
            for path, outline in outlines.items():
                source = await self.tree.read(path) or b""
                if not all(text.encode() in source for text in texts):
                    continue
                own = {name.rpartition(".")[2] for name in _classes(outline)} & generation
                for name in own & {target.owner}:
                    files[name].add(path)
                for name in await self._heirs(path, source, outline, generation) - files.keys():
                    short = name.rpartition(".")[2]
                    if not any(_has(outline, name, one) for one in target.shorts):
                        files[short].add(path)
                        below.add(short)
            generation, texts = below, []
            if not generation:
                break
            outlines = await self.outlines(generation)
        return {name: frozenset(paths) for name, paths in files.items()}

    async def _heirs(self, path: str, source: bytes, outline: Outline, names: set[str]) -> set[str]:
        """The classes of a file just below one of these: not those of a base that it imports from outside the tree."""
        pairs = [(name, base) for name, every in outline.bases for base in every if _short(base) in names]
        is_told = self.exports.is_told  # an import's place is in doubt: the namespaces have been asked
        roots = {words[0] for _, base in pairs if not is_told and (words := WORD.findall(base))}
        outside = await outside_names(self.language, self.exports, path, source, roots)
        return {name for name, base in pairs if outside.keys().isdisjoint(WORD.findall(base)[:1])}

    async def _is_above(self, target: UseTarget) -> bool:
        """Whether a base of the class in the tree has such a member too, which is inherited now."""
        names = {target.owner}
        for generation in range(GENERATIONS):
            outlines = [*(await self.outlines(names) if generation else self.nearest).values()]
            if generation and any(
                _has(one, name, short) for one in outlines for name in names for short in former_names(target)
            ):
                return True
            bases = {
                base
                for one in outlines
                for name, every in one.bases
                if name.rpartition(".")[2] in names
                for base in every
            }
            names = {_short(base) for base in bases} - {"", "?", "*", "object"}
            if not names:
                break
        return False

    async def _namespaces(self, target: UseTarget) -> list[str]:
        """The namespace of the class, as who names it writes it."""
        outlines = [await self.exports.outline("head", home) for home in sorted(target.homes)]
        owners = [
            one for outline in outlines if outline is not None for one in outline.symbols if one.name == target.within
        ]
        return namespaces(owners[0]) if owners else []

    async def outlines(self, names: set[str]) -> dict[str, Outline]:
        """The files that may define one of these classes, or one below it."""
        either = "|".join(re.escape(name) for name in sorted(names)[:MOST_NAMES])
        defines = rf"(?:{DEFINES}|{MIXES})[^\n]{{0,200}}\b(?:{either})\b"
        embeds = rf"^\s+\*?(?:\w+\.)?(?:{either})\s*(?:[\[`]|//|$)"
        query = Query([defines, embeds], globs(self.language), syntax="perl", limit=MOST_LINES)
        lines = await self.tree.grep_lines(query)
        if len(lines) >= MOST_LINES or len(names) > MOST_NAMES:
            self.missed_uses.append(
                f"more than {MOST_NAMES} classes, or {MOST_LINES} lines, may inherit from {min(names)}: not all were looked at"
            )
        outlines = {path: await self.exports.outline("head", path) for path in sorted({path for path, _, _ in lines})}
        return {path: outline for path, outline in outlines.items() if outline is not None}


async def families(
    tree: Tree, language: Language, exports: Exports, targets: Sequence[UseTarget], missed_uses: list[str]
) -> Families:
    """The classes that have each of those members whose contract changed."""
    search = _Search(tree, language, exports, missed_uses)
    mine = [target for target in targets if _is_inherited(target, language)]
    owners = sorted({target.owner for target in mine})
    for at in range(0, len(owners), MOST_NAMES):
        search.nearest |= await search.outlines({*owners[at : at + MOST_NAMES]})
    return {target.key: await search.family(target) for target in mine}


def _is_inherited(target: UseTarget, language: Language) -> bool:
    """Whether other classes may have the member, and somebody has to look at its uses."""
    if not target.owner or not target.contract or target.constructor or target.is_attribute:
        return False
    before = target.symbol.before if target.symbol is not None else None
    return before is not None and before.visibility != "file" and target.shorts.isdisjoint(language.AMBIENT)


def _classes(outline: Outline) -> set[str]:
    """The classes of a file, and those to which it adds members."""
    return {
        symbol.name if symbol.kind in ("class", "type") else symbol.name.rpartition(".")[0]
        for symbol in outline.symbols
    }


def _short(base: str) -> str:
    """The last word of a base: `Base` of `shop.Base<T>`, of `*shop.Base` and of an embedded field with a tag."""
    return SEPARATOR.split(ARGUMENTS.sub("", base.partition("`")[0]).strip().lstrip("*"))[-1]


def _has(outline: Outline, owner: str, short: str) -> bool:
    """Whether a class has a member of its own by that name."""
    return any(
        symbol.short == short and symbol.name.rpartition(".")[0].rpartition(".")[2] == owner.rpartition(".")[2]
        for symbol in outline.symbols
    )
