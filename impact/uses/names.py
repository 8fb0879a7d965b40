"""Where words occur in a tree, and which of them nothing bears but what is changed.

Members are reached through objects whose class is seldom known: then only the name can speak, if nothing else bears it.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from impact.changes import Query
from impact.concurrency import together
from impact.ports import Language, Tree
from impact.text.paths import is_output, is_page, is_prose, is_style
from impact.uses.budget import SearchLimits, is_minified
from impact.uses.reach import globs
from impact.values import Side, Use

MAX_LINES = 20_000
MAX_PATHS = 2_000  # on one command line
EVERYWHERE: tuple[str, ...] = ()
ALL_LINES = range(1, 1 << 30)  # of a file of the change whose lines could not be read
WHOLE = (0, 1 << 30)  # the lines of a whole file
Spans = Mapping[str, Collection[tuple[int, int]]]  # file -> lines of definitions


@dataclass(slots=True)
class NameOccurrences:
    """Where some names occur on one side."""

    files: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # name -> files of the language
    foreign: set[str] = field(default_factory=set)  # names that a file of no language that is read here holds
    complete: bool = True


async def occurrences(
    tree: Tree,
    language: Language,
    names: Collection[str],
    side: Side = "head",
    where: Sequence[str] | None = None,
) -> NameOccurrences:
    """The files in which the names occur as whole words: of the language, or those of any kind that the pathspecs name."""
    name_occurrences = NameOccurrences()
    if not names:
        return name_occurrences
    where = globs(language) if where is None else where
    any_name = rf"(?<!\w)(?:{'|'.join(re.escape(name) for name in sorted(names))})(?!\w)"  # one pattern: git runs each over every line
    rows = await tree.grep_lines(Query([any_name], where, syntax="perl", side=side, limit=MAX_LINES))
    words = re.compile(r"(?<![\w$])(?:" + "|".join(re.escape(name) for name in sorted(names)) + r")(?![\w$])")
    for path, _, text in rows:
        for name in dict.fromkeys(words.findall(text)):
            if path.endswith(language.SUFFIXES):
                name_occurrences.files[name].add(path)
            elif not (is_prose(path) or is_output(path) or is_page(path) or is_style(path)):
                name_occurrences.foreign.add(name)
    name_occurrences.complete = len(rows) < MAX_LINES
    return name_occurrences


@dataclass(frozen=True, slots=True)
class Own:
    """What the change itself says about names."""

    spans: Mapping[Side, Spans]  # where the changed definitions stand
    gone_names: frozenset[str]  # names that lose their definition
    fresh: Mapping[str, Collection[int]]  # file of the head tree -> lines that the change adds


@dataclass(slots=True)
class Names:
    """What the files of one language say about names. What was asked once is not asked again."""

    tree: Tree
    language: Language
    budget: SearchLimits
    expected: set[str] = field(default_factory=set)  # names about which questions are to come
    _files: dict[str, Collection[str] | None] = field(default_factory=dict)  # None: in more lines than are read
    _is_defined: dict[str, bool] = field(default_factory=dict)

    async def look_up(self, names: Collection[str]) -> Mapping[str, Collection[str]] | None:
        """Each of these names with the files of the head tree in which it occurs; None if all together occur too often."""
        found = await occurrences(self.tree, self.language, names)
        if found.complete:
            self._files |= {name: found.files.get(name, ()) for name in names}
        return found.files if found.complete else None

    async def where(self, name: str) -> Collection[str] | None:
        """Where a name occurs, asked together with the names that are expected to be asked for; None if it occurs too often."""
        if name not in self._files and await self.look_up({name, *self.expected} - self._files.keys()) is None:
            self._files[name] = None
            await self.look_up({name})
        return self._files[name]

    async def is_in_few_files(self, name: str, most: int) -> bool:
        """Whether few files hold the name: what a change forgets is little, and what a library offers is used everywhere."""
        files = await self.where(name)
        return files is not None and len(files) <= most

    async def is_defined(self, name: str) -> bool:
        """Whether anything in the head tree defines a name, or may."""
        if name not in self._is_defined:
            paths = await self.where(name)
            if paths is None or len(paths) > self.budget.parsed_files:
                self._is_defined[name] = True
            else:
                sources = await self.tree.read_many(sorted(paths))
                uses = (use for one, source in sources.items() for use in self.language.uses(one, source, {name}))
                self._is_defined[name] = any(use.form in ("definition", "key") for use in uses)
        return self._is_defined[name]

    async def lone(self, names: Collection[str], own: Own) -> frozenset[str]:
        """Those of these names that nothing in the tree bears but what is changed, on either side: a line that writes one means that.

        A name that something unchanged defines, or may, says nothing; neither does one whose definition the change brings.
        """
        left = set(names)
        if not left:
            return frozenset()
        before, now = await together(
            self._base_occurrences(left), occurrences(self.tree, self.language, left, where=EVERYWHERE)
        )
        sides: tuple[tuple[Side, NameOccurrences], ...] = (("base", before), ("head", now))
        for side, found in sides:
            if not found.complete:
                return frozenset()
            # What a change takes away everywhere is its own.
            left -= {name for name in found.foreign if not (side == "base" and name in own.gone_names)}
            left -= {name for name, paths in found.files.items() if len(paths) > self.budget.far}
            paths = sorted({path for name in left for path in found.files.get(name, ())})
            for path, source in (await self.tree.read_many(paths[: self.budget.parsed_files], side)).items():
                wanted_names = {name for name in left if path in found.files[name]}
                if len(source) > self.budget.bytes or is_minified(source):
                    left -= wanted_names
                elif wanted_names:
                    left -= self._borne(path, source, wanted_names, side, own)
            left -= {name for path in paths[self.budget.parsed_files :] for name in left if path in found.files[name]}
        return frozenset(left)

    async def _base_occurrences(self, names: Collection[str]) -> NameOccurrences:
        """Where the names occurred before the change: only what differs is asked, the rest is in the head as well."""
        head, base = await self.tree.entries("head"), await self.tree.entries("base")
        differs = [
            f":(literal){path}" for path, entry in base.items() if path not in head or head[path].oid != entry.oid
        ]
        if not differs:
            return NameOccurrences()
        where = differs if len(differs) <= MAX_PATHS else EVERYWHERE
        return await occurrences(self.tree, self.language, names, "base", where)

    def _borne(self, path: str, source: bytes, names: set[str], side: Side, own: Own) -> frozenset[str]:
        """The names that a file defines, or may: a definition, a key, a name that is looked up, a gone one that the change uses anew."""
        spans = own.spans[side].get(path, ())
        fresh = own.fresh.get(path, ()) if side == "head" else ()
        spelt = frozenset(name for name in names if _spells(name, source))
        if WHOLE in spans:
            return spelt
        return spelt | {
            use.name
            for use in self.language.uses(path, source, names - spelt)
            if _gives_meaning(use, spans) or (use.form == "member" and use.line in fresh and use.name in own.gone_names)
        }


def _gives_meaning(use: Use, spans: Collection[tuple[int, int]]) -> bool:
    """Whether a use gives the name a meaning of its own: a definition, a key, an attribute that is set."""
    return use.form in ("definition", "key") and not any(start <= use.line <= end for start, end in spans)


def _spells(name: str, source: bytes) -> bool:
    """Whether the name stands in quotes where code looks something up by its name."""
    word = re.escape(name.encode())
    return re.search(rb"(?:attr\s*+\([^)\n]{0,200}|\[\s*+)[\"']" + word + rb"[\"']", source) is not None
