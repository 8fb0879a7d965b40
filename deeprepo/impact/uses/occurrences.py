"""Look up where names occur in a tree, and which names only the changed definitions have."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from deeprepo.impact import resolving
from deeprepo.impact.changes import Query
from deeprepo.impact.concurrency import together
from deeprepo.impact.language import Language
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.text.paths import is_output, is_page, is_prose, is_style
from deeprepo.impact.uses.budget import SearchLimits, is_minified
from deeprepo.impact.uses.reach import globs
from deeprepo.impact.values import Form, Side, Use

MAX_LINES = 20_000
MAX_PATHS = 2_000  # on one command line
EVERYWHERE: tuple[str, ...] = ()
DEFINING: frozenset[Form] = frozenset({"definition", "key"})  # forms of uses that may define their name
WHOLE_FILE = (0, 1 << 30)  # the lines of a whole file
LinesByFile = Mapping[str, Collection[tuple[int, int]]]  # file -> line ranges of definitions


class NameOccurrences(Struct):
    """Where names occur on one side."""

    # name -> files of the language
    files: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    other_kinds: set[str] = field(default_factory=set)  # names that occur in files of other kinds
    complete: bool = True


async def occurrences(
    tree: Tree, language: Language, names: Collection[str], side: Side = "head", where: Sequence[str] | None = None
) -> NameOccurrences:
    """Return the files that contain the names as whole words: of the language, or those that match `where`."""
    name_occurrences = NameOccurrences()
    if not names:
        return name_occurrences
    where = globs(language) if where is None else where
    # one pattern, since git runs each over every line
    any_name = rf"(?<!\w)(?:{'|'.join(re.escape(name) for name in sorted(names))})(?!\w)"
    rows = await tree.grep_lines(Query([any_name], where, syntax="perl", side=side, limit=MAX_LINES))
    words = re.compile(r"(?<![\w$])(?:" + "|".join(re.escape(name) for name in sorted(names)) + r")(?![\w$])")
    for path, _, text in rows:
        for name in dict.fromkeys(words.findall(text)):
            if path.endswith(language.suffixes):
                name_occurrences.files[name].add(path)
            elif not (is_prose(path) or is_output(path) or is_page(path) or is_style(path)):
                name_occurrences.other_kinds.add(name)
    name_occurrences.complete = len(rows) < MAX_LINES
    return name_occurrences


class Own(Struct, frozen=True):
    """Facts about names from the change itself."""

    spans: Mapping[Side, LinesByFile]  # line ranges of the changed definitions
    gone_names: frozenset[str]  # names that lose their definition
    fresh: Mapping[str, Collection[int]]  # file in the head tree -> added lines


class Names(Struct):
    """Looks up names in the files of one language, with a cache."""

    tree: Tree
    language: Language
    budget: SearchLimits
    expected: set[str] = field(default_factory=set)  # names that will be looked up later
    _files: dict[str, Collection[str] | None] = field(default_factory=dict)  # None: too many lines
    _defined_as: dict[str, frozenset[Form]] = field(default_factory=dict)

    async def look_up(self, names: Collection[str]) -> Mapping[str, Collection[str]] | None:
        """Return name -> files in the head tree; None if there are too many lines."""
        found = await occurrences(self.tree, self.language, names)
        if found.complete:
            self._files |= {name: found.files.get(name, ()) for name in names}
        return found.files if found.complete else None

    async def where(self, name: str) -> Collection[str] | None:
        """Return where a name occurs, looking up all expected names as well; None if it occurs too often."""
        if name not in self._files and await self.look_up({name, *self.expected} - self._files.keys()) is None:
            self._files[name] = None
            await self.look_up({name})
        return self._files[name]

    async def is_in_few_files(self, name: str, most: int) -> bool:
        """Return whether few files contain the name.

        A change forgets few uses, while a library's name occurs in many files.
        """
        files = await self.where(name)
        return files is not None and len(files) <= most

    async def is_defined(self, name: str) -> bool:
        """Return whether anything in the head tree may define a name."""
        return bool(await self._definitions(name))

    async def is_type_defined(self, name: str) -> bool:
        """Return whether the head tree may define a type. A key isn't a type: `skip_if = "Map::is_empty"`."""
        return "definition" in await self._definitions(name)

    async def _definitions(self, name: str) -> frozenset[Form]:
        """Return the forms in which the head tree defines a name; all if it can't be searched."""
        if name not in self._defined_as:
            paths = await self.where(name)
            if paths is None or len(paths) > self.budget.parsed_files:
                self._defined_as[name] = DEFINING
            else:
                sources = await self.tree.read_many(sorted(paths))
                uses = (use for one, source in sources.items() for use in resolving.uses(one, source, {name}))
                self._defined_as[name] = DEFINING & {use.form for use in uses}
        return self._defined_as[name]

    async def unique(self, names: Collection[str], own: Own) -> frozenset[str]:
        """Return the names that only changed definitions have, on both sides.

        Names that unchanged code may define are excluded, and so are names that the change defines newly.
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
            # What a change removes everywhere belongs to it.
            left -= {name for name in found.other_kinds if not (side == "base" and name in own.gone_names)}
            left -= {name for name, paths in found.files.items() if len(paths) > self.budget.far}
            paths = sorted({path for name in left for path in found.files.get(name, ())})
            for path, source in (await self.tree.read_many(paths[: self.budget.parsed_files], side)).items():
                wanted_names = {name for name in left if path in found.files[name]}
                if len(source) > self.budget.bytes or is_minified(source):
                    left -= wanted_names
                elif wanted_names:
                    left -= self._defined_in(path, source, wanted_names, side, own)
            left -= {name for path in paths[self.budget.parsed_files :] for name in left if path in found.files[name]}
        return frozenset(left)

    async def _base_occurrences(self, names: Collection[str]) -> NameOccurrences:
        """Return where the names occurred before the change, in files that differ; the head covers the others."""
        head, base = await self.tree.entries("head"), await self.tree.entries("base")
        differs = [
            f":(literal){path}" for path, entry in base.items() if path not in head or head[path].oid != entry.oid
        ]
        if not differs:
            return NameOccurrences()
        where = differs if len(differs) <= MAX_PATHS else EVERYWHERE
        return await occurrences(self.tree, self.language, names, "base", where)

    def _defined_in(self, path: str, source: bytes, names: set[str], side: Side, own: Own) -> frozenset[str]:
        """Return the names that a file may define.

        It defines, sets or looks up the name, or is an added line that uses a removed name.
        """
        spans = own.spans[side].get(path, ())
        fresh = own.fresh.get(path, ()) if side == "head" else ()
        textual_names = frozenset(name for name in names if _spells(name, source))
        if WHOLE_FILE in spans:
            return textual_names
        return textual_names | {
            use.name
            for use in resolving.uses(path, source, names - textual_names)
            if _gives_meaning(use, spans) or (use.form == "member" and use.line in fresh and use.name in own.gone_names)
        }


def _gives_meaning(use: Use, spans: Collection[tuple[int, int]]) -> bool:
    """Return whether a reference defines the name: a definition, a key, an assigned attribute."""
    return use.form in ("definition", "key") and not any(start <= use.line <= end for start, end in spans)


def _spells(name: str, source: bytes) -> bool:
    """Return whether code looks up the name as a string."""
    word = re.escape(name.encode())
    return re.search(rb"(?:attr\s*+\([^)\n]{0,200}|\[\s*+)[\"']" + word + rb"[\"']", source) is not None
