"""Decide how certain a reference found by `sites.py` is, and whether its target still exists.

Four questions are asked in this order, each answered by a list of rules. The first rule that answers wins.

1. `CONNECTION`: why is the reference assumed to mean the definition? See the table.
2. `REMOVED`: has a search found nothing that still provides the name? `name_check.py` decides what that proves.
3. `PROBABLY_REMOVED`: does nothing in the tree have the name, although a library may provide it? That is a hint.
4. `STILL_THERE`: does the name still exist after the change? Only asked about a removed name that the
   reference resolves to.

| connection | the reference is assumed to mean the definition because of |
|---|---|
| "bound" | the imports of the file, its namespace, or the written class of the receiver |
| "unique" | a name that is unique in the tree, in a file that imports the class or shares its package |
| "probable" | a name that is unique in the tree, or a receiver that probably is of the class |
| "name" | the name, and nothing else |

`python -m deeprepo.impact explain BASE..HEAD PATH:LINE` prints the rules that ran for one line.
"""

import posixpath
import re
from collections.abc import Awaitable, Callable
from typing import cast

from deeprepo.impact.changes import Connection, TargetState
from deeprepo.impact.everyday import METHODS, is_specific
from deeprepo.impact.structs import Struct
from deeprepo.impact.uses.evidence import FEW_FILES, LONG, Evidence, SearchedFile, names_another_class
from deeprepo.impact.uses.sites import Match, is_imported, resembles
from deeprepo.impact.uses.steps import record
from deeprepo.impact.uses.targets import UseTarget
from deeprepo.impact.values import COMPONENT, Use

NAMED_FILES = 12  # files in which a change may forget a member of a receiver that has its class's name
CHAIN = re.compile(r"[\w$]{1,60}(?:\.[\w$]{1,60}){1,4}$")  # an attribute, which cannot be imported
# roots that are never imports
OWN = frozenset({"self", "Self", "this", "super", "crate", "cls", "parent", "static"})


class Case(Struct):
    """One reference, the target that it may mean, and the evidence about both."""

    evidence: Evidence
    target: UseTarget
    match: Match
    file: SearchedFile
    connection: Connection = "name"  # the answer to the first question

    @property
    def use(self) -> Use:
        """The reference as it is written."""
        return self.match.use

    @property
    def is_unique(self) -> bool:
        """Whether only changed definitions have the name; for a removed target, nothing at all."""
        return self.evidence.is_unique(self.target, self.use.name)

    @property
    def is_external(self) -> bool:
        """Whether the receiver comes from outside the tree."""
        return self.use.receiver in self.file.external

    @property
    def is_untyped(self) -> bool:
        """Whether nothing says which class the receiver has."""
        return self.use.receiver.partition(".")[0] not in OWN and not set(self.use.types) - {"?"}

    @property
    def is_former_name(self) -> bool:
        """Whether the reference uses a name that the change removed."""
        return self.target.is_gone and self.use.name in self.target.former_names

    @property
    def is_named_like_its_class(self) -> bool:
        """Whether the receiver is named like the target's class: `cart.total` for a member of `Cart`."""
        return resembles(self.use.receiver, self.target.owner)


Conclusion = Connection | bool
CaseRule = Callable[[Case], Awaitable[Conclusion | None]]


class Decision(Struct, frozen=True):
    """A question about a case, with the rules that answer it, in order."""

    name: str
    rules: tuple[CaseRule, ...]


async def verdict(
    evidence: Evidence, target: UseTarget, match: Match, file: SearchedFile
) -> tuple[Connection, TargetState]:
    """Return why a reference is assumed to mean the target, and whether its target still exists."""
    case = Case(evidence, target, match, file)
    # only this question is answered with a connection
    case.connection = cast("Connection", await _answer(CONNECTION, case))
    states: list[tuple[Decision, TargetState]] = [(REMOVED, "lost"), (PROBABLY_REMOVED, "likely")]
    if case.connection == "bound" and target.is_gone and target.contract:
        states.append((STILL_THERE, "present"))
    for question, target_state in states:
        if await _answer(question, case):
            return case.connection, target_state
    return case.connection, "unknown"


async def _answer(question: Decision, case: Case) -> Conclusion:
    """Return the answer of the first rule that gives one. The last rule of a question always does."""
    for index, rule in enumerate(question.rules):
        answer = await rule(case)
        if answer is not None:
            in_words = {True: "yes", False: "no"}[answer] if isinstance(answer, bool) else answer
            place = case.target.key, case.file.path, case.use.line
            record(place, question.name, in_words, rule, question.rules[:index])
            return answer
    raise AssertionError(f"no rule answers {question.name}")


# --- CONNECTION: why is the reference assumed to mean the definition? ---


async def resolved(case: Case) -> Connection | None:
    """An import, a namespace or the written class of the receiver leads to the target.

    Example: `from lib import load`, then `load()`. If an extension may provide a member of the same name, the
    reference only probably means the target. A private import gives its names to no other module.
    """
    match, path = case.match, case.file.path
    if not match.sure:
        return None
    is_asked = case.target.is_gone and bool(match.imported_file and match.name)
    if is_asked and await case.evidence.exports.was_out_of_reach(match.imported_file, match.name, path):
        return "name"
    return "bound" if await case.evidence.is_only_member(case.target, case.match) else "probable"


async def attribute(case: Case) -> Connection | None:
    """The target is an attribute that a class no longer sets, so the receiver must point to the class.

    Example: `order.total` for an attribute of `Order`. Other code may still set the attribute.
    """
    target, use = case.target, case.use
    if not target.is_attribute:
        return None
    if use.form != "member" or use.is_guarded or case.is_external or not case.is_untyped:
        return "name"
    is_imported_name = is_imported(target, case.file.bound) and use.name not in METHODS
    return "probable" if case.is_unique or case.is_named_like_its_class or is_imported_name else "name"


async def unique_in_reach(case: Case) -> Connection | None:
    """Only the target has this name in the whole tree, and the file can see the target's class.

    Example: `basket.apply_voucher()` where nothing else is called `apply_voucher`.
    """
    if not case.is_unique or case.use.types or case.is_external:
        return None
    return "unique" if await case.evidence.may_mean(case.target, case.use, case.file.path) else None


async def extended_or_inherited(case: Case) -> Connection | None:
    """The member may come from an extension that the file can call, from a base class, or from a macro.

    Example: `"a".shout()` with an extension of `String` in the same package.
    """
    is_macro_member = case.target.is_macro and case.use.form == "member"
    return "probable" if case.match.is_extension or case.match.is_inherited or is_macro_member else None


async def bound_by_the_file(case: Case) -> Connection | None:
    """The file itself imports or defines this name, so it means something else.

    Example: `def load(): ...` above `load()`.
    """
    return "name" if case.file.gives_another_meaning(case.use, case.target) else None


async def of_another_class(case: Case) -> Connection | None:
    """The receiver is written like a class other than the target's.

    Example: `Invoice.total` for a member of `Order`. A capitalized field is not a class: `h.Options.total`.
    """
    if not names_another_class(case.use.receiver, case.target):
        return None
    is_field = case.evidence.is_field(case.use.receiver) and not case.is_external
    return None if is_field else "name"


async def unique_name(case: Case) -> Connection | None:
    """Only the target has this name in the whole tree."""
    return "probable" if case.is_unique else None


async def member_near_the_target(case: Case) -> Connection | None:
    """A member of a value of unknown class, in a file that imports the target's file.

    This only counts if the member was removed, or is called and has a new signature. Names that every library
    has don't count. Example: `from shop import open_cart`, then `open_cart().total`.
    """
    target, use = case.target, case.use
    is_member = use.form == "member" and (bool(target.owner) or target.is_method_of_a_value)
    is_changed = target.is_gone or (use.arguments is not None and target.has_new_signature)
    if not (is_member and is_changed and case.is_untyped) or case.is_external or use.name in METHODS:
        return None
    return "probable" if case.evidence.imports_target(case.file.path, target) else None


async def same_name(_: Case) -> Connection | None:
    """Only the name matches."""
    return "name"


CONNECTION = Decision(
    "connection",
    (
        resolved,
        attribute,
        unique_in_reach,
        extended_or_inherited,
        bound_by_the_file,
        of_another_class,
        unique_name,
        member_near_the_target,
        same_name,
    ),
)

# --- REMOVED: has a search found nothing that still provides the name? ---


async def too_loose_for_a_proof(case: Case) -> bool | None:
    """Nothing is proven about a guarded use, an attribute, or a reference that may mean something else.

    Example of a guarded use: `if hasattr(store, "load"): store.load()`.
    """
    is_loose = case.use.is_guarded or case.target.is_attribute or case.connection not in ("bound", "unique")
    return False if is_loose else None


async def no_longer_exported(case: Case) -> bool | None:
    """Yes if the file from which the name is imported no longer exists or exports it, no if it still exports it.

    Example: `from lib import load` after `lib.py` dropped `load`. If another import of the file provides the
    name, it isn't removed.
    """
    match, path = case.match, case.file.path
    is_export = (path, match.imported_file) in case.evidence.lost_imports or bool(match.name and match.imported_file)
    return await case.evidence.is_no_longer_exported(match, path) if match.sure and is_export else None


async def not_removed(case: Case) -> bool | None:
    """The change didn't remove the name, or its class accepts any member.

    Example: a class with `__getattr__`, or with a base that the tree doesn't define.
    """
    return False if not case.is_former_name or await case.evidence.accepts_any_member(case.target) else None


async def unique_name_removed(case: Case) -> bool | None:
    """Yes if the name was unique in the tree and now nothing has it.

    A mere mention is no proof in a language whose members can be created at run time, and neither is a static
    member of another type: `Path.load()` for `Helpers.load`.
    """
    if case.connection != "unique":
        return None
    is_use = case.use.arguments is not None or case.evidence.language.declared_members
    return is_use and not (
        _is_of_another_type(case.target, case.use)
        or await case.evidence.is_from_library_call(case.target, case.use, case.file)
    )


async def member_removed(case: Case) -> bool | None:
    """Yes if the class and all its bases are known and none has the member.

    Example: `cart.total` after `total` was removed from `Cart`, which has no base.
    """
    target, name = case.target, case.use.name
    if not target.owner:
        return None
    if case.is_unique:
        return True
    is_constant = target.kind in ("variable", COMPONENT)
    is_lacking = await case.evidence.lacks(min(target.homes), target.owner, name, is_constant=is_constant)
    return is_lacking and not await case.evidence.is_extended(name)


async def no_binding_left(case: Case) -> bool | None:
    """Yes if nothing in the file binds the name any more: no definition, import, wildcard or inherited member."""
    return await case.evidence.is_unbound(case.file, case.use)


REMOVED = Decision(
    "removed",
    (
        too_loose_for_a_proof,
        no_longer_exported,
        not_removed,
        unique_name_removed,
        member_removed,
        no_binding_left,
    ),
)

# --- PROBABLY_REMOVED: does nothing in the tree have the name any more? ---


async def expected_to_be_missing(case: Case) -> bool | None:
    """The code handles a missing name, its module may have a replacement, or the language provides the name.

    A build condition doesn't handle a missing name.
    """
    is_handled = case.use.is_guarded and not case.evidence.language.scope.conditional_build
    is_replaced = (case.file.path, case.match.imported_file) in case.evidence.doubtful_imports
    return False if is_handled or is_replaced or case.use.name in case.evidence.language.ambient else None


async def resolved_to_nothing(case: Case) -> bool | None:
    """Yes if the reference means the target, whose home is fully known, and nothing in the tree has the name.

    Example: `cart.total()`, where `Cart` no longer has `total` and nothing else defines it.
    """
    if case.connection != "bound":
        return None
    target, name, evidence = case.target, case.use.name, case.evidence
    is_known = evidence.language.declared_members or case.is_unique
    if not case.is_former_name or not (is_known or not await evidence.accepts_any_member(target)):
        return False
    if case.file.defines(name) or not await evidence.is_home_known(target):
        return False
    return not (await evidence.names.is_defined(name) or await evidence.has_member_still(target, name))


async def no_changed_member(case: Case) -> bool | None:
    """Only members count from here on, and only if they were removed or have a new signature."""
    is_changed = case.is_former_name or (case.target.has_new_signature and case.connection != "unique")
    return None if case.use.form == "member" and is_changed else False


async def common_member(case: Case) -> bool | None:
    """The name is defined elsewhere, or common in libraries, so it may be a member of anything.

    A rare name doesn't need to be unique if its receiver is named like the class: `cart.sum`.
    """
    if case.is_unique:
        return None
    is_rare = case.is_former_name and await case.evidence.is_rare_after_removal(
        case.use, is_called_so=case.is_named_like_its_class
    )
    return None if is_rare else False


async def member_of_another_class(case: Case) -> bool | None:
    """The receiver is written like another class. Where classes are open, a mixin may have added the member."""
    is_open = case.evidence.language.open_classes and case.is_unique
    return False if names_another_class(case.use.receiver, case.target) and not is_open else None


async def used_in_many_files(case: Case) -> bool | None:
    """Many files use the name. A change forgets a few files, not many."""
    most = NAMED_FILES if case.is_named_like_its_class else FEW_FILES
    return None if await case.evidence.names.is_in_few_files(case.use.name, most) else False


async def member_of_a_library(case: Case) -> bool | None:
    """The receiver's class isn't defined in the tree, or the receiver comes from an external package.

    The evidence remembers such uses, because they speak against hints with the same name elsewhere.
    """
    is_undefined = await case.evidence.is_undefined_type(case.use.types, case.target.owner)
    if not is_undefined and not await case.evidence.is_from_library(case.file.path, case.use):
        return None
    case.evidence.unconnected.add((case.target.key, case.use.name))
    return False


async def unconnected(case: Case) -> bool | None:
    """The receiver isn't named like the target, and its file isn't connected to it.

    The evidence remembers such uses, because they speak against hints with the same name elsewhere.
    """
    target, use, evidence = case.target, case.use, case.evidence
    folders = {posixpath.basename(posixpath.dirname(home)) for home in target.homes}
    if case.is_named_like_its_class or (not target.owner and use.receiver in folders):
        return None
    if case.is_external:
        return False
    is_near = (
        await evidence.is_connected(case.file.path, target)
        if is_specific(use.name)
        else evidence.imports_target(case.file.path, target)
    )
    is_mentioned = len(target.owner) >= LONG and target.owner.encode() in case.file.source
    if is_near or case.connection == "unique" or is_mentioned:
        evidence.weakly_connected.add((target.key, case.file.path, use.line))
        return None
    evidence.unconnected.add((target.key, use.name))
    is_bare = evidence.language.open_classes and not use.receiver and use.arguments is not None
    is_alone = target.is_gone and case.is_unique and (is_bare or CHAIN.match(use.receiver) is not None)
    # in two files it is more likely a library's
    return None if is_alone and await evidence.names.is_in_few_files(use.name, 1) else False


async def result_of_a_library(case: Case) -> bool | None:
    """The receiver is what a call of a library returns: `http.open().total`."""
    is_call = case.use.receiver.endswith(")")
    is_library = is_call and await case.evidence.is_from_library_call(case.target, case.use, case.file)
    return False if is_library else None


async def rare_member(_: Case) -> bool | None:
    """Nothing in the tree has this rare member any more, and the file is connected to its class."""
    return True


PROBABLY_REMOVED = Decision(
    "probably removed",
    (
        expected_to_be_missing,
        resolved_to_nothing,
        no_changed_member,
        common_member,
        member_of_another_class,
        used_in_many_files,
        member_of_a_library,
        unconnected,
        result_of_a_library,
        rare_member,
    ),
)

# --- STILL_THERE: does the name still exist after the change? (only asked if the reference is resolved) ---


async def another_name(case: Case) -> bool | None:
    """The reference uses a name that wasn't removed, or that the file itself binds."""
    is_former = case.use.name in case.target.former_names or case.target.constructor
    return True if not is_former or case.file.gives_another_meaning(case.use, case.target) else None


async def embedded_member(case: Case) -> bool | None:
    """Yes if the class still has the member, from a type that it embeds."""
    target = case.target
    if not (case.evidence.language.embeds_types and target.owner and target.before) or case.match.imported_file:
        return None
    return await case.evidence.has_member_still(target, case.use.name)


async def exported_from_elsewhere(case: Case) -> bool | None:
    """Yes if the imported file still offers the name: renamed, re-exported, or defined elsewhere."""
    imported_file, name = case.match.imported_file, case.match.name
    if not (imported_file and name):
        return None
    before = case.target.before
    is_named_so = before is not None and before.short == name
    return await case.evidence.exports.offers(imported_file, name, before if is_named_so else None)


async def bound_in_the_head(case: Case) -> bool | None:
    """Yes if the file binds the name in the head, to something that offers it."""
    exports, path, name = case.evidence.exports, case.file.path, case.use.name
    outline = await exports.outline("head", path)
    is_bound = outline is not None and not case.match.imported_file and name in outline.names
    return is_bound and await exports.offers(path, name, case.target.before)


STILL_THERE = Decision(
    "still there",
    (another_name, embedded_member, exported_from_elsewhere, bound_in_the_head),
)


def _is_of_another_type(target: UseTarget, use: Use) -> bool:
    """Return whether a static member is accessed on another type: `Path.GetTempPath()`, not `Helpers.GetTempPath()`."""
    last = use.receiver.rpartition(".")[2]
    is_static = target.before is not None and target.before.kind == "function" and bool(target.owner)
    return is_static and last[:1].isupper() and last != target.owner
