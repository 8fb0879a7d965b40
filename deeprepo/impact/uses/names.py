"""Look up which files of the head mention a name, and which of them give it to others.

The head gives a name no more if no added line of code has the name, nothing in the head defines it, and the change added
nothing that can define names without writing them. Only then is a reference to the name proven to be broken.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from deeprepo.impact import resolving
from deeprepo.impact.changes import ChangedFile, ChangedSymbol, Query, Reference
from deeprepo.impact.filetypes import family, filetype, main_names, module_name
from deeprepo.impact.language import Language, rules_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.reading import reader, syntax
from deeprepo.impact.structs import Struct, field, replace
from deeprepo.impact.text.lines import file_lines, is_comment
from deeprepo.impact.uses.reach import globs
from deeprepo.impact.uses.sites import last_word
from deeprepo.impact.uses.steps import record
from deeprepo.impact.values import Facts

MOST_LINES = 20_000
MOST_FILES = 400  # files with a name that are searched for its definition
QUESTION = "still given"  # as `explain` prints it
NO_DEFINITIONS = ("block", "bound", "holder", "global")  # kinds that give no name to others


class Giver(Struct, frozen=True):
    """A place of the head that may give a name to others."""

    path: str
    line: int
    owner: str = ""  # the class of a member; "" if it may be a member of anything
    is_loose: bool = False  # an extension or an assignment, which may replace a definition elsewhere


class Names(Struct):
    """Looks up names in the head, with a cache."""

    tree: Tree
    _files: dict[str, Collection[str] | None] = field(default_factory=dict)  # None: too many lines
    _givers: dict[str, list[Giver]] = field(default_factory=dict)

    async def files(self, language: Language, names: Collection[str]) -> Mapping[str, Collection[str]] | None:
        """Return name -> files of a language that mention it; None if there are too many lines."""
        if not names:
            return {}
        # one pattern, since git runs each over every line
        any_name = rf"(?<![\w$])(?:{'|'.join(re.escape(name) for name in sorted(names))})(?![\w$])"
        rows = await self.tree.grep_lines(Query([any_name], globs(language), syntax="perl", limit=MOST_LINES))
        if len(rows) >= MOST_LINES:
            return None
        word, found = re.compile(any_name), {name: set[str]() for name in names}
        for path, _, text in rows:
            for name in word.findall(text):
                found[name].add(path)
        self._files |= found
        return found

    async def is_in_few_files(self, language: Language, name: str, most: int) -> bool:
        """Return whether few files contain the name.

        A change forgets few uses, while a library's name occurs in many files.
        """
        if name not in self._files and await self.files(language, [name]) is None:
            self._files[name] = None
        files = self._files[name]
        return files is not None and len(files) <= most

    async def givers(self, names: Collection[str]) -> Mapping[str, Sequence[Giver]]:
        """Return name -> places of the head that may give it, in any language."""
        new = {name for name in names if name and name not in self._givers}
        self._givers |= {name: [] for name in new}
        paths = await self.tree.grep(Query(sorted(new), word=True)) if new else ()
        code = sorted(path for path in paths if filetype(path).is_parsed)
        sources = await self.tree.read_many(code[:MOST_FILES])
        for path in code:
            for name, giver in _given(path, sources.get(path), new):
                self._givers[name].append(giver)
        return self._givers

    async def is_given(self, language: Language, name: str) -> bool:
        """Return whether anything in the files of a language may give a name."""
        return any(one.path.endswith(language.suffixes) for one in (await self.givers([name])).get(name, ()))

    async def alone(
        self, language: Language, names: Collection[str], far: int, changed: Collection[tuple[str, str]]
    ) -> frozenset[str]:
        """Return the names that nothing in the head gives, except for changed definitions.

        `far`: in more files, a name is not specific. `changed`: pairs of path and name.
        """
        where = await self.files(language, names) or {}
        few = [name for name, paths in where.items() if len(paths) <= far]
        givers = await self.givers(few)
        others = {
            name
            for name in few
            for one in givers[name]
            if one.path.endswith(language.suffixes) and (one.path, name) not in changed
        }
        return frozenset(few) - others


def facts_of(path: str, source: bytes | None) -> Facts | None:
    """Return a file's facts; None if it could not be read or parsed."""
    language = syntax.language_for(path, source) if source is not None else None
    return reader.facts(language, source) if language is not None and source is not None else None


def _given(path: str, source: bytes | None, names: Collection[str]) -> Iterator[tuple[str, Giver]]:
    """Yield what a file may give of these names: all, if it could not be parsed."""
    facts = facts_of(path, source)
    if facts is None or source is None:
        yield from ((name, Giver(path, 1)) for name in names)
        return
    for one in facts.definitions:
        if one.short in names and one.kind not in NO_DEFINITIONS:
            yield one.short, Giver(path, one.line, "" if one.extends else one.owner, bool(one.extends))
    for item in facts.imports:
        yield from (
            (one.here, Giver(path, one.line)) for one in item.names if one.here in names and one.here != one.there
        )
    yield from ((word, Giver(path, 1)) for word in facts.unwritten.words & frozenset(names))
    rules = rules_of(path)
    for use in resolving.uses(path, source, names) if not (rules.declared_members or rules.broken_use) else ():
        if use.is_assigned and use.receiver:
            is_own = use.receiver in rules.receivers.own
            owner = use.function.rpartition(".")[0] if is_own else last_word(use.receiver.removesuffix(".prototype"))
            yield use.name, Giver(path, use.line, owner, not is_own)


# --- May the head still give a name that the change took away? ---


async def with_resolutions(
    tree: Tree, files: Sequence[ChangedFile], symbols: Mapping[str, ChangedSymbol], references: Sequence[Reference]
) -> tuple[Reference, ...]:
    """Return the references. One to a removed name is proven broken only if nothing may give the name."""
    gone = {key for key, item in symbols.items() if item.change in ("removed", "renamed")}
    claims = {
        row for row in references if row.missing or (row.likely and (row.symbol in gone or row.symbol not in symbols))
    }
    world = await world_of(tree, files, {_given_name(row) for row in claims}) if claims else None
    return tuple(world.judged(row) if world is not None and row in claims else row for row in references)


def _given_name(row: Reference) -> str:
    """Return the name that has to be gone; "" if the reference is an import by path, which leads nowhere."""
    return "" if row.is_module else row.name


class World(Struct):
    """What in the head may define a name."""

    added: Mapping[str, Collection[int]]  # file -> added lines
    lines: Mapping[str, Sequence[str]]  # changed file -> its lines in the head
    givers: Mapping[str, Sequence[Giver]]
    makers: Mapping[str, int]  # changed file -> the first added line that may give any name
    openings: Mapping[str, str]  # changed file -> what it has newly that may give any name
    stopped: Sequence[str]  # searches for definitions that were stopped early

    def judged(self, row: Reference) -> Reference:
        """Nothing gives the name if no added line has it, nothing defines it, and no added code may make it."""
        doubt, has_line = self._doubt(row)
        record(row.use_place, QUESTION, f"open, {doubt}" if doubt else "no", World.judged)
        return replace(row, target_state="unknown" if has_line else "likely", doubt=doubt) if doubt else row

    def _doubt(self, row: Reference) -> tuple[str, bool]:
        """Return what may give the name, or "", and whether that is a line which defines it."""
        if self.stopped:
            return self.stopped[0], True
        name, home = _given_name(row), row.symbol.rpartition(":")[0]

        def counts(path: str) -> bool:
            """Return whether a file may give the name; if an import says which file has to, only that one."""
            if not name:
                return _is_parent(path, home)
            if not row.imported_from or filetype(path).shared_names not in ("", "folder"):
                return True
            is_beside = posixpath.dirname(path) == posixpath.dirname(row.imported_from)
            return path == row.imported_from or (bool(filetype(path).shared_names) and is_beside)

        word = rf"(?<![\w$]){re.escape(name or module_name(home))}(?![\w$])"
        kind = family(row.path)
        givers = [
            one
            for one in self.givers.get(name, ())
            if family(one.path) == kind and counts(one.path) and _may_be_of(row, one.owner)
        ]
        lines = [f"{one.path}:{one.line}" for one in givers]
        places = [*self._lines_with(word, [path for path in self.added if counts(path)], has_attributes=not name)]
        places += [f"{what} in {path}" for path, what in self.openings.items() if family(path) == kind]
        if lines or places:
            # a name that its import or class no longer has may only come from an extension
            has_line = any(one.is_loose for one in givers) if row.missing else bool(lines)
            return f"{[*lines, *places][0]} may define it", has_line
        return "", False

    def may_make(self, name: str, near: Collection[str]) -> bool:
        """Return whether an added line may give a name without declaring it: it assigns or quotes the name.

        `near`: files whose added lines may give it without writing it.
        """
        spelled = rf"[\"'`](?:[\w.{{}}]*\.)?{re.escape(name)}[\"'`]|\.{re.escape(name)}\s*=(?![=>~])"
        return not self.makers.keys().isdisjoint(near) or any(self._lines_with(spelled, [*self.added]))

    def _lines_with(self, pattern: str, paths: Sequence[str], *, has_attributes: bool = False) -> Iterator[str]:
        """Yield the added lines of code that match, or with `has_attributes` precede a line that matches."""
        word = re.compile(pattern)
        for path in paths:
            lines = self.lines.get(path, ())
            for number in sorted(self.added[path]):
                text = "\n".join(lines[number - 1 : number + has_attributes])
                if word.search(text) and not is_comment(text, path):
                    yield f"{path}:{number}"


async def world_of(tree: Tree, files: Sequence[ChangedFile], names: Collection[str]) -> World:
    """Return what the changed files, and for these names the whole head, may define."""
    mine = [file for file in files if file.status != "deleted" and filetype(file.path).is_parsed]
    sources = await tree.read_many([file.path for file in mine])
    before = await tree.read_many([file.old_path for file in mine if file.old_path], "base")
    makers, openings = dict[str, int](), dict[str, str]()
    for file in mine:
        now, was = facts_of(file.path, sources.get(file.path)), facts_of(file.path, before.get(file.old_path or ""))
        if now is not None and (lines := now.unwritten.lines & file.added_lines):
            makers[file.path] = min(lines)
            openings[file.path] = f"line {min(lines)}"
        elif what := _opening(now, was):
            openings[file.path] = what
    stopped = len(tree.stopped_searches)
    return World(
        added={file.path: file.added_lines for file in mine},
        lines={path: file_lines(source) for path, source in sources.items()},
        givers=await Names(tree).givers(names),
        makers=makers,
        openings=openings,
        stopped=tree.stopped_searches[stopped:],
    )


def _may_be_of(row: Reference, owner: str) -> bool:
    """Return whether a definition in a class may be what a reference uses: only the same class has the same members."""
    name = row.symbol.rpartition(":")[2]
    mine = name.rpartition(".")[0].rpartition(".")[2]
    if not owner or not mine:
        return not owner or bool(rules_of(row.path).receivers.bare_members)
    return owner.rpartition(".")[2] == mine


def _is_parent(path: str, home: str) -> bool:
    """Return whether a file is a module around the one of another file."""
    stem = posixpath.splitext(path)[0]
    around = posixpath.dirname(stem) if posixpath.basename(stem) in main_names(path) else stem
    return not around or home.startswith(f"{around}/")


def _opening(after: Facts | None, before: Facts | None) -> str:
    """Return what a changed file has newly that can give names without writing them; "" if it has nothing."""
    if after is None:
        return "content that could not be read"
    was = before or Facts()
    old, new = _bases(was), _bases(after)
    owners = sorted(after.open_owners - was.open_owners)
    bases = sorted(base for owner, mine in new.items() if owner in old for base in mine - old[owner])
    stars = {item.spec for item in after.imports if item.star} - {item.spec for item in was.imports if item.star}
    if after.open and not was.open:
        return after.open
    if after.unwritten.words - was.unwritten.words:
        return "a macro"
    if owners or bases:
        return f"the class {owners[0]}" if owners else f"the new base {bases[0]}"
    return f"the import of all names from {min(stars)}" if stars and before is not None else ""


def _bases(facts: Facts) -> Mapping[str, frozenset[str]]:
    bases = defaultdict[str, frozenset[str]](frozenset)
    for one in facts.definitions:
        if one.kind in ("class", "type", "holder"):
            bases[one.name] |= frozenset(one.bases)
    return bases
