"""Decide whether a line that provides a name does so for its user: the user must reach it there.

| what was provided | where a line that provides it counts |
|---|---|
| a module | in the files through which its old path is reached, or in the user's file if it renames it |
| a name of a module | in its former file, and as above; in its namespace or folder if no import is needed |
| a member | in its class, in what that inherits, mixes in or dereferences to, in an extension of it |

The rules are asked in the order of `RULES`; the first that answers wins.
"""

import posixpath
import re
from collections.abc import Callable, Sequence

from deeprepo.impact.filetypes import filetype, module_name
from deeprepo.impact.language import rules_of
from deeprepo.impact.structs import Struct
from deeprepo.impact.uses.providers import TYPE, is_declared_still
from deeprepo.impact.uses.providing_lines import Claim, Line, ProvidingLines, is_code_of_page, parents

_WORD = re.compile(r"[A-Za-z_]\w*")
_NAMED = re.compile(r"\b(?:class|struct|record|interface|enum|trait|object|union|type)\s++(?:class\s++)?(\w++)")
# What a type's head opens: a type, or a further part of one.
_OPENED = re.compile(rf"{_NAMED.pattern}|\b(?:extension|protocol|actor)\s++(\w++)")
_EXTENSION = re.compile(r"\s*+extension\s*+(?:<[^<>\n]{0,80}>\s*+)?\(")  # a block of extension members
_MEMBER_OF = (
    r"\bthis\s+(?:\w+\.)*OWNER\b"
    r"|\b(?:fun|val|var|extension)\s+(?:<[^<>\n]{0,80}>\s*+)?OWNER\b[^.\n]{0,200}\."
)


class Reached(Struct):
    """A line that provides a name in some way, and what seems to be missing."""

    lines: ProvidingLines
    claim: Claim
    candidate: Line
    way: str

    @property
    def name(self) -> str:
        """The name that seems to be missing."""
        return self.claim.names[0]

    @property
    def is_declared(self) -> bool:
        """Whether the line declares the name, rather than passing it on."""
        return self.way == "declaration"

    @property
    def around(self) -> Sequence[str]:
        """The heads of the blocks around the line, innermost first."""
        return self.lines.now.around(self.candidate.path, self.candidate.line)

    @property
    def types(self) -> Sequence[str]:
        """Those of them that open a type, a module or an extension."""
        return [head for head in self.around if TYPE.search(head)]

    @property
    def is_in_former_namespace(self) -> bool:
        """Whether the line is in the namespace that had the name."""
        homes = {self.lines.before.namespace(home) for home in self.claim.homes}
        return self.lines.now.namespace(self.candidate.path) in homes


def reaches(lines: ProvidingLines, claim: Claim, candidate: Line, way: str) -> Callable[[Reached], bool | None] | None:
    """Return the rule by which the user reaches the name on a line; None if it doesn't."""
    case = Reached(lines, claim, candidate, way)
    for rule in RULES:
        answer = rule(case)
        if answer is not None:
            return rule if answer else None
    return None


def declared_in_a_type_that_the_user_names(case: Reached) -> bool | None:
    """The line reads the name from a type in the same file, and that type declares it."""
    if case.candidate.path != case.claim.user or not case.is_declared:
        return None
    receivers = re.findall(rf"([A-Za-z_]\w{{0,80}})(?:\.|::){re.escape(case.name)}\b", case.claim.text)
    heads = case.types[:1]
    return any(re.search(rf"\b{receiver}\b", head) for head in heads for receiver in receivers) or None


def declared_by_the_accused_line(case: Reached) -> bool | None:
    """The line that seems to use the name declares it."""
    candidate = case.candidate
    is_accused = (candidate.path, candidate.line) in case.lines.accused
    return True if is_accused and is_declared_still(case.name, candidate.path, candidate.text) else None


def declared_in_the_code_of_a_page(case: Reached) -> bool | None:
    """The user is a page without a parser, and the line is in its code."""
    return True if case.is_declared and is_code_of_page(case.candidate.path, case.claim.user) else None


def begins_a_module_as_before(case: Reached) -> bool | None:
    """The line begins a module, as a line of the former file did."""
    former = (line for home in case.claim.homes for line in case.lines.before.lines(home))
    text = case.candidate.text.strip()
    return True if case.way == "inline module" and any(text == line.strip() for line in former) else None


def declared_in_a_type_taken_whole(case: Reached) -> bool | None:
    """The user, or the file that had the name, imports everything from the type around the line."""
    heads = case.types[:1] if case.is_declared else ()
    taken = [case.lines.types_taken_by(case.claim.user), *map(case.lines.now.taken_from, case.claim.homes)]
    types = frozenset[str]().union(*taken) if heads else frozenset[str]()
    return True if any(not types.isdisjoint(_NAMED.findall(head)) for head in heads) else None


def declared_in_a_part_of_the_users_type(case: Reached) -> bool | None:
    """The user's file has another part of the type around the line, or a type that inherits from it."""
    claim = case.claim
    if not case.is_declared or case.candidate.path == claim.user or (claim.owner and not claim.is_bare):
        return None
    heads = [head for head in case.types if not _is_scope(head)][:1]
    found = (name for head in heads for names in _OPENED.findall(head) for name in names if name)
    opened = {*found} - {case.name}  # it's a constructor there
    return None if opened.isdisjoint(case.lines.now.types(claim.user)) else True


def declared_in_an_extension_in_sight(case: Reached) -> bool | None:
    """The line declares an extension in a namespace that the user sees."""
    return True if case.is_declared and _extends_too(case) else None


def renamed_for_all_files(case: Reached) -> bool | None:
    """The line gives the name to all files of a project: `global using Total = ...`."""
    is_for_all = case.way == "alias" and re.match(rules_of(case.claim.user).global_aliases, case.candidate.text)
    return True if is_for_all and _shared(case.claim.user) == "namespace" else None


def member_of_the_class(case: Reached) -> bool | None:
    """The line declares a member of a class, of its bases or mixins, or in an extension. A bare name may be seen, too."""
    if not case.claim.owner or case.way not in ("declaration", "accessor"):
        return None
    is_in_sight = case.claim.is_bare and any(_stands_in(case, home) for home in case.claim.homes)
    return is_in_sight or _is_of_the_class(case)


def no_member_is_exported(case: Reached) -> bool | None:
    """No: a re-export doesn't provide a member."""
    return False if case.claim.owner and case.way == "re-export" else None


def provided_for_users_of_the_former_file(case: Reached) -> bool | None:
    """The line provides the name in the former file, in a file that re-exports it, or where the user sees it."""
    return any(_stands_in(case, home) for home in case.claim.homes)


RULES = (
    declared_in_a_type_that_the_user_names,
    declared_by_the_accused_line,
    declared_in_the_code_of_a_page,
    begins_a_module_as_before,
    declared_in_a_type_taken_whole,
    declared_in_a_part_of_the_users_type,
    declared_in_an_extension_in_sight,
    renamed_for_all_files,
    member_of_the_class,
    no_member_is_exported,
    provided_for_users_of_the_former_file,
)


def _stands_in(case: Reached, home: str) -> bool:
    """Return whether a line provides a name for users of another file."""
    claim, candidate, way = case.claim, case.candidate, case.way
    if candidate.path == claim.user and way == "alias":
        return True
    heads = case.around if case.is_declared else ()
    is_top = not any(TYPE.search(head) for head in heads if not _is_scope(head))
    if candidate.path in parents(home):
        if is_top and rules_of(home).has_headers:
            return True  # a source sees all that its header declares
        module = re.compile(rf"\b(?:mod|namespace|module)\s+{re.escape(module_name(home))}\b")
        return not case.is_declared or (is_top and any(map(module.search, heads)))
    # `use Base` mixes in what is inside `Base`
    mixed = case.lines.now.mixed_in(home) if case.is_declared and not claim.is_module else frozenset[str]()
    if any(not mixed.isdisjoint(_WORD.findall(head)) for head in heads if TYPE.search(head)):
        return True
    is_resolved = way in ("declaration", "re-export") and claim.is_resolved and _shared(candidate.path) != "namespace"
    is_in_sight = candidate.path == home or (not claim.is_module and _is_in_sight(case, home))
    return not is_resolved and is_top and is_in_sight


def _is_in_sight(case: Reached, home: str) -> bool:
    """Return whether a name is visible as if it were in another file, without an import."""
    now, path = case.lines.now, case.candidate.path
    if _shared(path) == "namespace":
        homes = {case.lines.before.namespace(home), now.namespace(case.claim.user)}
        return now.namespace(path) in homes or now.opens(case.claim.user, now.namespace(path))
    is_beside = posixpath.dirname(path) == posixpath.dirname(home)
    return _shared(path) == "tree" or (_shared(path) == "folder" and is_beside)


def _is_of_the_class(case: Reached) -> bool:
    """Return whether a line declares a member of a class, of its bases or mixins, or in an extension."""
    claim, candidate, heads, owner = case.claim, case.candidate, case.types, re.escape(case.claim.owner)
    if re.search(_MEMBER_OF.replace("OWNER", owner), candidate.text):
        return True
    if (claim.extended or claim.is_word) and _extends_too(case):
        return True
    if not heads:
        receiver = rules_of(candidate.path).receiver_type(candidate.text)
        is_embedded = bool(receiver) and receiver in case.lines.now.above(claim.owner)
        return is_embedded or (candidate.path in claim.homes and re.search(rf"\b{owner}\b", candidate.text) is not None)
    declared = re.split(r"\b(?:extends|implements)\b", heads[0], maxsplit=1)[0]  # not in a subclass
    if re.search(rf"(?<![\w$]){owner}(?![\w$])", declared):
        return _is_same_type(case, heads[0])
    return not case.lines.now.above(claim.owner).isdisjoint(_WORD.findall(heads[0].partition("(")[0]))


def _extends_too(case: Reached) -> bool:
    """Return whether a line declares an extension in a namespace that the user sees, for the same type or a call.

    The type of a call's object is unknown, so it may mean an extension of any type.
    """
    claim, candidate, now = case.claim, case.candidate, case.lines.now
    is_called = re.search(rf"\.\s*{re.escape(case.name)}\s*(?:<[^<>\n]{{0,200}}>)?\(", claim.text)
    extended = "" if is_called else claim.extended
    of_type = rf"[\w.]{{0,80}}\b{re.escape(extended)}\b"
    is_inside = any(_EXTENSION.match(head) and re.search(rf"\(\s*+{of_type}", head) for head in case.around)
    if not (is_called or extended) or not (is_inside or re.search(rf"\bthis\s+{of_type}", candidate.text)):
        return False
    return case.is_in_former_namespace or now.opens(claim.user, now.namespace(candidate.path))


def _is_same_type(case: Reached, head: str) -> bool:
    """Return whether a type with the class's name is that class.

    It must be in the class's file, reopen it, or be in the same namespace.
    """
    claim, candidate, lines = case.claim, case.candidate, case.lines
    if candidate.path in claim.homes or re.search(r"\b(?:impl|extension)\b", head):
        return True
    if any(map(rules_of(candidate.path).augments, case.around)):
        return True
    if is_near(claim, candidate) and candidate.line in lines.added.get(candidate.path, ()):
        return True  # it went from the source into its header, or back
    if any(lines.now.renames(home, claim.owner) for home in claim.homes):
        return True
    return _shared(candidate.path) == "tree" or (_shared(candidate.path) == "namespace" and case.is_in_former_namespace)


def is_near(claim: Claim, candidate: Line) -> bool:
    """Return whether a line is in the file that had the name, or in its header."""
    return any(candidate.path == home or candidate.path in parents(home) for home in claim.homes)


def _shared(path: str) -> str:
    """Return whose names a file sees without imports; "tree" if it has no parser."""
    return filetype(path).shared_names or ("" if filetype(path).folder else "tree")


def _is_scope(head: str) -> bool:
    """Return whether a head opens a module or namespace rather than a type."""
    return re.search(r"\b(?:namespace|mod|module|defmodule|package|extern)\b", head) is not None
