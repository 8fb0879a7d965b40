"""Decide whether the head may still give a name that the change took away.

It gives none if no added line of code has the name, nothing in the head defines it, and the change added nothing
that can define names without writing them. Only then is a reference to the name proven to be broken.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from deeprepo.impact.changes import ChangedFile, ChangedSymbol, Reference
from deeprepo.impact.filetypes import family, filetype, main_names, module_name
from deeprepo.impact.language import rules_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.resolution import Absent, Resolution, Unknown
from deeprepo.impact.structs import Struct, replace
from deeprepo.impact.text.lines import file_lines, is_comment
from deeprepo.impact.uses.names import Giver, Names, facts_of
from deeprepo.impact.uses.steps import record
from deeprepo.impact.values import Facts

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
    world = await world_of(tree, files, {_given_name(row) for row in claims})
    answers = {row: world.giver(row) for row in claims}
    return tuple(_judged(row, answers[row]) if row in answers else row for row in references)


def _given_name(row: Reference) -> str:
    """Return the name that has to be gone; "" if the reference is an import by path, which leads nowhere."""
    return "" if row.is_module else row.name


def _judged(row: Reference, answer: Resolution) -> Reference:
    in_words = f"open, {answer.reason}" if isinstance(answer, Unknown) else "no"
    record(row.use_place, QUESTION, in_words, World.giver)
    if isinstance(answer, Absent):
        return replace(row, resolution=answer)
    return replace(row, target_state="unknown" if answer.is_by_line else "likely", resolution=answer)


class World(Struct):
    """What in the head may define a name."""

    added: Mapping[str, Collection[int]]  # file -> added lines
    lines: Mapping[str, Sequence[str]]  # changed file -> its lines in the head
    givers: Mapping[str, Sequence[Giver]]
    makers: Mapping[str, int]  # changed file -> the first added line that may give any name
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
            is_by_line = any(one.is_loose for one in givers) if row.is_lost else bool(lines)
            return Unknown(f"{[*lines, *places][0]} may define it", is_by_line)
        return Absent()

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
