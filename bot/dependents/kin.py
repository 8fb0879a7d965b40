"""The classes that inherit a member: what is called on them, or in them without a receiver, may be it.

`basket.total` is the `total` of Cart where a basket is of a class below Cart; in that class, and in another part of Cart, many languages write
`total` alone.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from bot.dependents.exports import Exports, binding
from bot.dependents.members import CLASSES, outside_names
from bot.dependents.overrides import ARGUMENTS, GENERATIONS
from bot.dependents.propose import globs
from bot.dependents.sites import Families, UseTarget
from bot.dependents.targets import former_names
from bot.ports import Language, Tree
from bot.values import Outline, Query, Symbol

SEPARATOR = re.compile(r"::|[.\\]")
DEFINES = r"\b(?:extends|implements|with|class|object|trait|interface|struct|record|protocol|extension|actor|enum|type)\b|^\s*[:,]|\)\s*:"
EDGE = r"\b"
OWN = (  # the name of a class stands behind, not that of its base
    r"\b(?:class|module|object|trait|interface|struct|record|protocol|extension|actor|enum|type)\b"
    r"(?:(?!\b(?:extends|implements|with|for)\b)(?:[^\n(:<{,=]|::)){0,200}"
)
MIXES = r"^\s+(?:include|extend|prepend|use)\b"  # in the body of a class
WORD = re.compile(r"\w+")
MOST_NAMES = 40  # of one generation
MOST_LINES = 2_000
MOST_PATHS = 400  # that git is told one by one


@dataclass(slots=True)
class _Search:
    tree: Tree
    language: Language
    exports: Exports
    missed_uses: list[str]
    nearest: dict[str, Outline] = field(
        default_factory=dict
    )  # the files that may define one of the classes, or one just below it
    outside: dict[tuple[str, str], Collection[str]] = field(
        default_factory=dict
    )  # (file, name) -> the name, if the file imports it from outside the tree

    async def family(self, target: UseTarget) -> dict[str, frozenset[str]]:
        """The class of a member and those below it, each with the files that define it or a part of it."""
        files: dict[str, set[str]] = defaultdict(set)
        if target.is_gone and await self._is_above(target):
            return {}
        generation = {target.owner}
        outlines = self.nearest
        for depth in range(GENERATIONS):
            if not depth:
                files[target.owner] = {path for path, one in outlines.items() if self._is_part(path, one, target)}
                files[target.owner] |= target.homes
            definers = {name: frozenset(files[name]) for name in generation}
            below: set[str] = set()
            for path, outline in outlines.items():
                for name in await self._heirs(path, outline, definers, outlines):
                    short = name.rpartition(".")[2]
                    if path not in files[short] and not any(_has(outline, name, one) for one in target.shorts):
                        files[short].add(path)
                        below.add(short)
            generation = below
            if not generation:
                break
            outlines = await self.outlines(generation)
        return {name: frozenset(paths) for name, paths in files.items()}

    def _is_part(self, path: str, outline: Outline, target: UseTarget) -> bool:
        """Whether a file defines the class of a member or adds to it: not where it defines another one of that name."""
        if target.owner not in {name.rpartition(".")[2] for name in _classes(outline)}:
            return False
        if path in target.homes or self.is_shared or not _defines(outline, target.owner):
            return True
        return not target.homes.isdisjoint(self.exports.mates(path))

    async def _heirs(
        self, path: str, outline: Outline, definers: Mapping[str, frozenset[str]], outlines: Mapping[str, Outline]
    ) -> set[str]:
        """The classes of a file just below one of these. `definers`: name of a class -> the files that define it."""
        bases = [(name, base) for name, every in outline.bases for base in every if _short(base) in definers]
        return {name for name, base in bases if await self._means(path, base, definers[_short(base)], outlines)}

    async def _means(self, path: str, base: str, definers: frozenset[str], outlines: Mapping[str, Outline]) -> bool:
        """Whether a base may be the class that these files define: not if the file shows that it means another one."""
        words, short = WORD.findall(base.partition("`")[0]), _short(base)
        if self.exports.is_told or not words:  # an import's place is in doubt: the namespaces have been asked
            return True
        imports = [  # of the class, or of the module in front of its name
            (item.target, name)
            for item in await self.exports.imports(path)
            for here in {words[0], ".".join(words[:-1])}
            for name in binding(item, here)
        ]
        if imports:
            return await self._leads_to(imports, short, definers, outlines)
        if not self.is_shared and words == [short]:
            near = {path, *self.exports.mates(path)}
            if any(one in outlines and _defines(outlines[one], short) for one in near):
                return not near.isdisjoint(definers)
        return words[0] not in await self._outside_names(path, words[0])

    async def _leads_to(
        self,
        imports: Sequence[tuple[str, str]],
        short: str,
        definers: frozenset[str],
        outlines: Mapping[str, Outline],
    ) -> bool:
        """Whether one of the imports of a name leads to one of these files, or may."""
        if any(target in definers for target, _ in imports):
            return True
        if any(
            target in outlines and name in ("*", short) and _defines(outlines[target], short)
            for target, name in imports
        ):
            return False
        meanings = [
            await self.exports.meaning(target, short if name == "*" else name, types=True) for target, name in imports
        ]
        symbols = [one for one in meanings if isinstance(one, Symbol)]
        return not symbols or any(one.path in definers or one.kind not in CLASSES for one in symbols)

    async def _outside_names(self, path: str, name: str) -> Collection[str]:
        """The name, if the file imports it from outside the tree."""
        if (path, name) not in self.outside:
            source = await self.tree.read(path) or b""
            self.outside[path, name] = await outside_names(self.language, self.exports, path, source, {name})
        return self.outside[path, name]

    @property
    def is_shared(self) -> bool:
        """Whether a file may mean, or add to, a class of another file without naming that file."""
        traits = self.language.TRAITS
        return self.exports.is_told or traits.open_classes or traits.whole_files

    async def _is_above(self, target: UseTarget) -> bool:
        """Whether a base of the class in the tree has such a member too, which is inherited now."""
        names = {target.owner}
        for generation in range(GENERATIONS):
            outlines = [*(await self.outlines(names, with_heirs=False) if generation else self.nearest).values()]
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

    async def outlines(self, names: set[str], *, with_heirs: bool = True) -> dict[str, Outline]:
        """The files that may define one of these classes, or one below it."""
        own_names = sorted(names)[:MOST_NAMES]
        either = "|".join(map(re.escape, own_names))
        defines = rf"(?:{DEFINES}|{MIXES})[^\n]{{0,200}}\b(?:{either})\b"
        embeds = rf"^\s+\*?(?:\w+\.)?(?:{either})\s*(?:[\[`]|//|$)"
        patterns = [defines, embeds] if with_heirs else [rf"{OWN}\b(?:{either})\b"]
        places = await self._places_of(own_names)
        query = Query(patterns, places, syntax="perl", limit=MOST_LINES)
        lines = await self.tree.grep_lines(query) if places else ()
        if len(lines) >= MOST_LINES or len(names) > MOST_NAMES:
            self.missed_uses.append(
                f"more than {MOST_NAMES} classes, or {MOST_LINES} lines, may inherit from {min(names)}: not all were looked at"
            )
        outlines = {path: await self.exports.outline("head", path) for path in sorted({path for path, _, _ in lines})}
        return {path: outline for path, outline in outlines.items() if outline is not None}

    async def _places_of(self, names: Sequence[str]) -> list[str]:
        """Where to look for classes: few files write the name at all, and the patterns take git three times as long as the name alone.

        Beside a letter that is not of ASCII git sees no edge of a word.
        """
        words = [
            "".join((EDGE * name[0].isascii(), re.escape(name), EDGE * name[-1].isascii())) for name in names if name
        ]
        paths = await self.tree.grep(Query([f"(?:{'|'.join(words)})"], globs(self.language), syntax="perl"))
        is_plain = len(paths) <= MOST_PATHS and all(path.isascii() for path in paths)
        return [f":(literal){path}" for path in sorted(paths)] if is_plain else globs(self.language)


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
    return {symbol.name if symbol.kind in CLASSES else symbol.name.rpartition(".")[0] for symbol in outline.symbols}


def _short(base: str) -> str:
    """The last word of a base: `Base` of `shop.Base<T>`, of `*shop.Base` and of an embedded field with a tag."""
    return SEPARATOR.split(ARGUMENTS.sub("", base.partition("`")[0]).strip().lstrip("*"))[-1]


def _has(outline: Outline, owner: str, short: str) -> bool:
    """Whether a class has a member of its own by that name."""
    return any(
        symbol.short == short and symbol.name.rpartition(".")[0].rpartition(".")[2] == owner.rpartition(".")[2]
        for symbol in outline.symbols
    )


def _defines(outline: Outline, short: str) -> bool:
    """Whether a file defines a class of that name at its top level."""
    return any(symbol.name == short and symbol.kind in CLASSES for symbol in outline.symbols)
