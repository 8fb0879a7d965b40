"""Decide whether the target of a reference is gone. The first rule that answers wins.

Whether the head may still give a name that is "lost" is decided last. It gives none if no added line of code has the name,
nothing defines it, and the change added nothing that can define names without writing them.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from deeprepo.impact.changes import ChangedFile, ChangedSymbol, Reference, TargetState
from deeprepo.impact.everyday import is_specific
from deeprepo.impact.filetypes import family, filetype, main_names, module_name
from deeprepo.impact.language import rules_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct, replace
from deeprepo.impact.text.lines import file_lines, is_comment
from deeprepo.impact.uses.exports import Exports
from deeprepo.impact.uses.importing import gone_names
from deeprepo.impact.uses.names import Giver, Names, facts_of
from deeprepo.impact.uses.references import Case
from deeprepo.impact.uses.steps import first_answer, record
from deeprepo.impact.uses.symbols import may_be_elsewhere
from deeprepo.impact.uses.targets import WHOLE_MODULE, UseTarget
from deeprepo.impact.values import Definition, Facts

QUESTION = "still given"  # as `explain` prints it
FEW_FILES, NAMED_FILES = 6, 12  # files in which a change may forget a name; the second if the receiver is named so
ROOTS = frozenset({"object", "Object"})  # bases without members of their own
UNNAMED = frozenset({"?"})  # the base of a class to which other files may add members, such as a trait
LONG = 4  # letters of a class name that links a file to it
LAST = re.compile(r"\w+")
CALLED = re.compile(r"\b(\w++)\s*+\(")


async def target_state(case: Case) -> TargetState:
    """Return whether the target of a reference still exists. Nothing is proven about code that is built conditionally."""
    state: TargetState = await first_answer("gone", STATE, case, case.place)
    return "likely" if state == "lost" and case.use.is_guarded else state


async def another_name(case: Case) -> TargetState | None:
    """The reference uses a name that was not removed. A rare member may still be one with a new signature."""
    target = case.target
    if target.is_gone:
        is_new_name = target.after is not None and case.use.name == target.after.short
        if is_new_name and not (case.is_former_name or target.constructor):
            return "present" if case.connection == "bound" else "unknown"
        return None
    may_be_rare = target.has_new_signature and case.connection == "probable" and case.use.form == "member"
    return None if may_be_rare else "unknown"


async def expected_to_be_missing(case: Case) -> TargetState | None:
    """The module of the name may have a replacement, or the language or the project provides the name."""
    is_given = not case.use.receiver and case.use.name in case.evidence.exports.names_of_project(case.file.path)
    is_replaced = case.evidence.lost_imports.get((case.file.path, case.match.imported_file)) is False
    is_ambient = case.use.name in case.evidence.language.ambient
    return "unknown" if is_replaced or is_given or is_ambient else None


async def one_word(case: Case) -> TargetState | None:
    """A base, an unknown package or the object of a block may give a name of one word that the file does not import.

    Example: `Entry` in a class with an unknown base, or below `import lib.*`.
    """
    language, use, exports = case.evidence.language, case.use, case.evidence.exports
    is_shared = language.files.shared_names == "namespace" and not language.scope.relative_namespaces
    is_asked = is_shared and case.connection == "bound" and language.receivers.bare_members and not use.receiver
    if not is_asked or case.target.owner or is_specific(use.name) or case.file.binds(use.name, "import"):
        return None
    outline = await exports.outline("head", case.file.path)
    imports, bases = (outline.imports, outline.bases) if outline is not None else ((), ())
    lines = {link.line for link in await exports.links(case.file.path)}
    homes = [await exports.outline("base", home) for home in sorted(case.target.homes)]
    spaces = {space for home in homes if home is not None for space in home.spaces}
    is_value = case.target.kind in ("function", "variable") and language.receivers.free_functions
    has_unknown = any(one.star and one.line not in lines and one.spec not in spaces for one in imports)
    has_base = any(base not in case.target.shorts for _, above in bases for base in above)
    return "likely" if is_value or has_unknown or has_base else None


async def given_by_another_name(case: Case) -> TargetState | None:
    """The language of this file may have a definition of the target's language by another name."""
    user, exports, owner = rules_of(case.file.path).name, case.evidence.exports, case.target.owner
    for home in sorted(case.target.homes & (await case.evidence.tree.entries()).keys()):
        for name in rules_of(home).accessed(case.use.name, user):
            if await (exports.has_member(home, owner, name) if owner else _offers(exports, home, name, None)):
                return "present"
    return None


async def no_longer_imported(case: Case) -> TargetState | None:
    """The file from which the name is imported may no longer exist or offer it.

    Example: `from lib import load` after `lib.py` dropped `load`.
    """
    match, evidence, name = case.match, case.evidence, case.match.name
    if case.connection != "bound" or not match.imported_file:
        return None
    if (case.file.path, match.imported_file) in evidence.lost_imports:
        return "lost"
    if not name or case.target.owner:
        return None
    is_there = match.imported_file in await evidence.tree.entries()
    if not is_there or name in await gone_names(evidence.exports, match.imported_file):
        is_value = is_there and name == WHOLE_MODULE and case.use.form != "import" and case.use.arguments is None
        return "unknown" if is_value else "lost"  # what is handed on may be an object as well
    before = case.target.before
    is_named_so = before is not None and before.short == name
    if await _offers(evidence.exports, match.imported_file, name, before if is_named_so else None):
        return "present"
    return "unknown" if evidence.language.scope.unwritten_names else "likely"


async def _offers(exports: Exports, path: str, name: str, was: Definition | None) -> bool:
    """Return whether importers find the name in this file after the change, and only what can replace `was` if given."""
    now = await exports.meaning(path, name, types=was is not None and was.kind == "type")
    if isinstance(now, Definition):
        if was is None or now.name == f"{now.name.rpartition('.')[0]}.{was.name}":
            return was is None  # otherwise its new parent must be named, too
        return now.path == was.path or (now.kind, now.parameters) == (was.kind, was.parameters)
    is_there = now == "there" or (now == "module" and (was is None or was.signature is None))
    return is_there or await may_be_elsewhere(exports, path, name)


async def member_of_a_class(case: Case) -> TargetState | None:
    """The class of a member, or a class that it inherits from, may still have it; bases outside the tree may, too."""
    target, exports = case.target, case.evidence.exports
    if case.connection != "bound" or not target.owner or not case.is_former_name:
        return None
    lines = [(home, await exports.ancestry(home, target.owner)) for home in sorted(target.homes)]
    if not any(line.classes for _, line in lines):
        return "unknown"  # the class itself is gone, or its name means something else
    for home, line in lines:
        if await exports.has_member(home, target.owner, case.use.name):
            return "present"
        beyond, language = {base for _, base in line.beyond} - ROOTS, rules_of(home)
        unknown = {base for base in beyond if not language.adds_nothing(base, case.use.name)}
        if "*" in beyond or unknown - language.types.plain_bases - UNNAMED:
            return "likely" if case.is_alone and "*" not in beyond else "unknown"
        if unknown & UNNAMED and not case.is_alone:
            return "likely"
    return "lost"


async def bare_name(case: Case) -> TargetState | None:
    """The file, or another one whose definitions it sees, may define a name without a receiver."""
    if case.connection != "bound" or case.target.owner:
        return None
    use, path, exports = case.use, case.file.path, case.evidence.exports
    outline = await exports.outline("head", path)
    if outline is None or case.file.binds(use.name, "import", "definition"):
        return "unknown"
    if use.name in outline.names:
        return "present"
    lines = {link.line for link in await exports.links(path)}
    if any(one.star and one.line not in lines for one in outline.imports):
        return "likely"  # a package outside the tree may give the name
    around = use.function.split(".") if case.evidence.language.receivers.bare_members else []
    for owner in [name for name, bases in outline.bases if bases and name in around]:
        return "present" if await exports.has_member(path, owner, use.name) else "likely"
    return "unknown" if await may_be_elsewhere(exports, path, use.name) else "lost"


async def rare_member(case: Case) -> TargetState | None:
    """Nothing in the tree has this rare member any more, and the file is connected to its class."""
    use, evidence = case.use, case.evidence
    is_rare = use.form == "member" and (case.is_alone or await _is_rare_and_gone(case))
    if not is_rare or await _is_of_a_library(case):
        return None
    if case.is_alone and not use.types and not case.is_external and await _sees_target(case):
        return "likely"
    most = NAMED_FILES if case.is_named_like_its_class else FEW_FILES
    is_in_few_files = await evidence.names.is_in_few_files(evidence.language, use.name, most)
    return "likely" if is_in_few_files and await _is_connected(case) else None


async def undecided(_: Case) -> TargetState | None:
    """Nothing says whether the name still exists."""
    return "unknown"


STATE = (
    another_name,
    expected_to_be_missing,
    one_word,
    given_by_another_name,
    no_longer_imported,
    member_of_a_class,
    bare_name,
    rare_member,
    undecided,
)


def _is_beside(path: str, target: UseTarget) -> bool:
    return posixpath.dirname(path) in {posixpath.dirname(home) for home in target.homes}


async def _sees_target(case: Case) -> bool:
    """Return whether the file is in the target's package, or imports its files with at most one file between."""
    path, target, evidence = case.file.path, case.target, case.evidence
    if path in target.homes or any(path in evidence.exports.visible_files(home) for home in target.homes):
        return True
    # in such a language, a folder is a package
    if evidence.exports.declares_content and _is_beside(path, target):
        return True
    imported = (link.target for link in await evidence.exports.links(path))
    return any(evidence.imports_target(one, target) for one in (path, *imported))


async def _is_near(case: Case) -> bool:
    """Return whether the file sees the target, is next to it, or one of them imports what the other does."""
    path, target, exports = case.file.path, case.target, case.evidence.exports
    if _is_beside(path, target) or await _sees_target(case):
        return True
    backwards = {item.target for home in target.homes for item in await exports.links(home)}
    return path in backwards or any(item.target in backwards for item in await exports.links(path))


async def _is_rare_and_gone(case: Case) -> bool:
    """Return whether nothing gives a removed member that is called like no other, or on an object called like its class."""
    language, name = case.evidence.language, case.use.name
    is_rare = (language.declared_members and is_specific(name)) or case.is_named_like_its_class
    return case.is_former_name and is_rare and not await case.evidence.names.is_given(language, name)


async def _is_of_a_library(case: Case) -> bool:
    """Return whether the receiver is another class, has one that the tree does not define, or a library returns it."""
    use, evidence = case.use, case.evidence
    if case.is_of_another_class and not evidence.language.open_classes:
        return True
    types = {words[-1] for written in use.types if (words := LAST.findall(written))} - {case.target.owner}
    called = CALLED.findall(use.receiver) if use.receiver.endswith(")") else ()
    names = sorted({*types, *called})
    return any([not await evidence.names.is_given(evidence.language, name) for name in names])


async def _is_connected(case: Case) -> bool:
    """Return whether the receiver is named like the target's class or folder, or the file is near the target."""
    use, target, file = case.use, case.target, case.file
    folders = {posixpath.basename(posixpath.dirname(home)) for home in target.homes}
    if case.is_named_like_its_class or (not target.owner and use.receiver in folders):
        return True
    is_mentioned = len(target.owner) >= LONG and target.owner.encode() in file.source
    return not case.is_external and (is_mentioned or await _is_near(case))


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
    return "" if row.is_module else WHOLE_MODULE if row.symbol.endswith(f":{WHOLE_MODULE}") else row.name


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
        # Code that runs can add a name to any other file
        openings = {path: what for path, what in self.openings.items() if path in self.makers or counts(path)}
        places += [f"{what} in {path}" for path, what in openings.items() if family(path) == kind]
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
