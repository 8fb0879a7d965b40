"""Decide whether the head may still give a name that the change took away.

It gives none if no added line of code has the name, nothing in the head defines it, and the change added nothing
that can define names without writing them. Only then is a reference to the name proven to be broken.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from deeprepo.impact.changes import ChangedFile, ChangedSymbol, Query, Reference
from deeprepo.impact.filetypes import family, filetype, main_names, module_name
from deeprepo.impact.language import rules_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.reading import reader
from deeprepo.impact.resolution import Absent, Resolution, Unknown
from deeprepo.impact.structs import Struct, replace
from deeprepo.impact.text.lines import file_lines, is_comment
from deeprepo.impact.uses.steps import record
from deeprepo.impact.values import Facts

MOST_FILES = 400  # files with a name that are searched for its definition
NO_DEFINITIONS = ("block", "bound", "holder", "global")  # kinds that give no name to others
QUESTION = "still given"  # as `explain` prints it


async def with_resolutions(
    tree: Tree, files: Sequence[ChangedFile], symbols: Mapping[str, ChangedSymbol], references: Sequence[Reference]
) -> tuple[Reference, ...]:
    """Return the references. One to a removed name is proven broken only if nothing may give the name."""
    gone = {key for key, item in symbols.items() if item.change in ("removed", "renamed")}
    claims = [
        row for row in references if row.is_lost or (row.likely and (row.symbol in gone or row.symbol not in symbols))
    ]
    if not claims:
        return tuple(references)
    world = await _world(tree, files, claims)
    answers = {row: world.giver(row) for row in claims}
    return tuple(_judged(row, answers[row]) if row in answers else row for row in references)


def _given_name(row: Reference) -> str:
    """Return the name that has to be gone; "" if the reference is an import by path, which leads nowhere."""
    if not row.is_module:
        return row.name.removesuffix("()")
    return row.name if filetype(row.path).named_types and not row.imported_from else ""


def _judged(row: Reference, answer: Resolution) -> Reference:
    in_words = f"open, {answer.reason}" if isinstance(answer, Unknown) else "no"
    record(row.use_place, QUESTION, in_words, _World.giver)
    if isinstance(answer, Absent):
        return replace(row, resolution=answer)
    is_by_path = not row.is_module or bool(row.imported_from) or not filetype(row.path).named_types
    is_hint = row.is_lost and is_by_path
    return replace(row, target_state="likely" if is_hint else "unknown", resolution=answer)


class _World(Struct):
    """What in the head may define a name."""

    added: Mapping[str, Collection[int]]  # file -> added lines
    lines: Mapping[str, Sequence[str]]  # changed file -> its lines in the head
    definitions: Mapping[str, Collection[tuple[str, int, str]]]  # name -> file, line and class of each definition
    openings: Mapping[str, str]  # changed file -> what it has newly that may give any name
    stopped: Sequence[str]  # searches for definitions that were stopped early

    def giver(self, row: Reference) -> Resolution:
        """Nothing gives the name if no added line has it, nothing defines it, and no added code may make it."""
        if self.stopped:
            return Unknown(self.stopped[0])
        name, home = _given_name(row), row.symbol.rpartition(":")[0]

        def counts(path: str) -> bool:
            """Return whether a file may give the name; if an import says which file has to, only that one."""
            if not name:
                return _is_parent(path, home)
            if not row.imported_from or filetype(path).shared_names not in ("", "folder"):
                return True
            is_beside = posixpath.dirname(path) == posixpath.dirname(row.imported_from)
            return path == row.imported_from or (bool(filetype(path).shared_names) and is_beside)

        word = name or module_name(home)
        places = [
            f"{path}:{line}"
            for path, line, owner in self.definitions.get(name, ())
            if counts(path) and _may_be_of(row, owner)
        ]
        places += self._lines_with(word, [path for path in self.added if counts(path)], has_attributes=not name)
        places += [f"{what} in {path}" for path, what in self.openings.items() if family(path) == family(row.path)]
        return Unknown(f"{places[0]} may define it") if places else Absent()

    def _lines_with(self, name: str, paths: Sequence[str], *, has_attributes: bool) -> Iterator[str]:
        """Yield the added lines of code that have a name, or with `has_attributes` precede a line that has it."""
        word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
        for path in paths:
            lines = self.lines.get(path, ())
            for number in sorted(self.added[path]):
                text = "\n".join(lines[number - 1 : number + has_attributes])
                if name in text and word.search(text) and not is_comment(text, path):
                    yield f"{path}:{number}"


async def _world(tree: Tree, files: Sequence[ChangedFile], claims: Sequence[Reference]) -> _World:
    mine = [file for file in files if file.status != "deleted" and filetype(file.path).is_parsed]
    sources = await tree.read_many([file.path for file in mine])
    before = await tree.read_many([file.old_path for file in mine if file.old_path], "base")
    openings = {
        file.path: what
        for file in mine
        if (what := _opening(file, sources.get(file.path), before.get(file.old_path or "")))
    }
    stopped = len(tree.stopped_searches)
    definitions = await _definitions(tree, {name for row in claims if (name := _given_name(row))})
    return _World(
        added={file.path: file.added_lines for file in mine},
        lines={path: file_lines(source) for path, source in sources.items()},
        definitions=definitions,
        openings=openings,
        stopped=tree.stopped_searches[stopped:],
    )


def _may_be_of(row: Reference, owner: str) -> bool:
    """Return whether a definition in a class may be what a reference uses: only the same class has the same members."""
    name = row.symbol.rpartition(":")[2]
    mine = name.rpartition(".")[0].rpartition(".")[2]
    if not owner or not mine or row.is_module:
        return not owner or bool(rules_of(row.path).receivers.bare_members)
    return owner.rpartition(".")[2] == mine


def _is_parent(path: str, home: str) -> bool:
    """Return whether a file is a module around the one of another file."""
    stem = posixpath.splitext(path)[0]
    around = posixpath.dirname(stem) if posixpath.basename(stem) in main_names(path) else stem
    return not around or home.startswith(f"{around}/")


def _opening(file: ChangedFile, now: bytes | None, before: bytes | None) -> str:
    """Return what a changed file has newly that can give names without writing them; "" if it has nothing."""
    after, was = _facts(file.path, now), _facts(file.old_path or file.path, before) or Facts()
    if after is None:
        return "content that could not be read"
    old, new = _bases(was), _bases(after)
    lines = sorted(after.unwritten.lines & file.added_lines)
    owners = sorted(after.open_owners - was.open_owners)
    bases = sorted(base for owner, mine in new.items() if owner in old for base in mine - old[owner])
    stars = {item.spec for item in after.imports if item.star} - {item.spec for item in was.imports if item.star}
    if lines:
        return f"line {lines[0]}"
    if after.open and not was.open:
        return after.open
    if after.unwritten.words - was.unwritten.words:
        return "a macro"
    if owners or bases:
        return f"the class {owners[0]}" if owners else f"the new base {bases[0]}"
    return f"the import of all names from {min(stars)}" if stars and file.old_path else ""


def _bases(facts: Facts) -> Mapping[str, frozenset[str]]:
    bases = defaultdict[str, frozenset[str]](frozenset)
    for one in facts.definitions:
        if one.kind in ("class", "type", "holder"):
            bases[one.name] |= frozenset(one.bases)
    return bases


def _facts(path: str, source: bytes | None) -> Facts | None:
    """Return a file's facts; None if it could not be read or parsed."""
    language = reader.language_for(path, source) if source is not None else None
    return reader.facts(language, source) if language is not None and source is not None else None


async def _definitions(tree: Tree, names: Collection[str]) -> Mapping[str, Collection[tuple[str, int, str]]]:
    """Return name -> file, line and class of each definition in the head."""
    paths = await tree.grep(Query(sorted(names), word=True)) if names else ()
    code = sorted(path for path in paths if filetype(path).is_parsed)
    found = defaultdict[str, list[tuple[str, int, str]]](list)
    sources = await tree.read_many(code[:MOST_FILES])
    for path in code:
        facts = _facts(path, sources.get(path))
        if facts is None:  # it may define any of the names
            for name in names:
                found[name].append((path, 1, ""))
            continue
        mine = [one for one in facts.definitions if one.kind not in NO_DEFINITIONS]
        rows = [(one.short, one.line, "" if one.extends else one.owner) for one in mine]
        rows += [(one.here, one.line, "") for item in facts.imports for one in item.names if one.here != one.there]
        rows += [(word, 1, "") for word in facts.unwritten.words]
        for name, line, owner in rows:
            if name in names:
                found[name].append((path, line, owner))
    return found
