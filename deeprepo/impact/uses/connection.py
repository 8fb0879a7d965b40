"""Decide why a reference is assumed to mean a changed definition. The first rule that answers wins.

| connection | the reference is assumed to mean the definition because of |
|---|---|
| "bound" | the imports of the file, its namespace, or the written class of the receiver |
| "unique" | a name that is unique in the tree, in a file that imports the class or shares its package |
| "probable" | a name that is unique in the tree, or a receiver that probably is of the class |
| "name" | the name, and nothing else |

"bound" and "unique" are certain: only with these, a comparison with the definition proves a break.
"""

from collections.abc import Collection

from deeprepo.impact.changes import Connection, Reference
from deeprepo.impact.everyday import METHODS, is_specific
from deeprepo.impact.structs import replace
from deeprepo.impact.uses.evidence import Case, Evidence, names_another_class
from deeprepo.impact.uses.sites import last_word
from deeprepo.impact.uses.steps import first_answer, record
from deeprepo.impact.uses.targets import is_imported


async def connection(case: Case) -> Connection:
    """Return why a reference is assumed to mean the target."""
    return await first_answer("connection", RULES, case, case.place)


def after_all_files(reference: Reference, evidence: Evidence, in_tests: Collection[bool]) -> Reference:
    """Return a reference, less certain if another file speaks against it.

    `in_tests`: for each file that gives the name another meaning, whether it is a test.
    """
    if reference.likely and used_by_unrelated_code(reference, evidence):
        record(reference.use_place, "probably removed", "no", used_by_unrelated_code)
        reference = replace(reference, target_state="unknown")
    is_known = reference.is_certain or reference.is_lost or reference.likely
    if not is_known or not replaced_elsewhere(reference, in_tests):
        return reference
    record(reference.use_place, "connection", "probable", replaced_elsewhere)
    return replace(reference, connection="probable", target_state="unknown")


def used_by_unrelated_code(reference: Reference, evidence: Evidence) -> bool:
    """The hint is weak, and unrelated code uses the same member, so it is probably a library's."""
    is_shared = (reference.symbol, reference.name) in evidence.unconnected
    return is_shared and reference.use_place in evidence.weakly_connected


def replaced_elsewhere(reference: Reference, in_tests: Collection[bool]) -> bool:
    """Another file gives the name another meaning, which may take other arguments. In a test, it only affects tests."""
    return False in in_tests or (reference.test and True in in_tests)


async def resolved(case: Case) -> Connection | None:
    """An import, a namespace or the written class of the receiver leads to the target.

    Example: `from lib import load`, then `load()`. If an extension may provide a member of the same name, the
    reference only probably means the target. A private import gives its names to no other module.
    """
    match, path = case.match, case.file.path
    if not match.is_bound:
        return None
    is_asked = case.target.is_gone and bool(match.imported_file and match.name)
    if is_asked and await case.evidence.exports.was_out_of_reach(match.imported_file, match.name, path):
        return "name"
    return "bound" if await _is_only_member(case) else "probable"


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
    return "unique" if await _may_mean(case) else None


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


async def nothing_but_the_name(_: Case) -> Connection | None:
    """Only the name matches."""
    return "name"


RULES = (
    resolved,
    attribute,
    unique_in_reach,
    extended_or_inherited,
    bound_by_the_file,
    of_another_class,
    unique_name,
    member_near_the_target,
    nothing_but_the_name,
)


async def _is_only_member(case: Case) -> bool:
    """Return whether no other member can have that name.

    It may come from an extension or, for an extension, from the type itself.
    """
    target, name, evidence = case.target, case.use.name, case.evidence
    if case.match.is_extension:
        is_of_tree = [await evidence.names.is_defined(written.rpartition(".")[2]) for written in case.use.types]
        return case.is_unique and (is_specific(name) or any(is_of_tree))
    is_doubtful = bool(target.owner) and target.has_new_signature and not target.is_extension
    return not (is_doubtful and await evidence.is_extended(name))


async def _may_mean(case: Case) -> bool:
    """Return whether a file can see the target's class, and the receiver is not named like an external class."""
    target, receiver, evidence = case.target, case.use.receiver, case.evidence
    is_named = names_another_class(receiver, target) and not evidence.is_field(receiver)
    if is_named and await evidence.is_undefined_type((last_word(receiver),)):
        return False  # a class that the tree does not define
    return await evidence.sees(case.file.path, target)
