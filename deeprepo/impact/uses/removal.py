"""Decide whether the name that a reference uses still exists. The first rule that answers wins.

1. `REMOVED`: has a search found nothing that still provides the name? `closed_world.py` decides what that proves.
2. `PROBABLY_REMOVED`: does nothing in the tree have the name, although a library may provide it? That is a hint.
3. `STILL_THERE`: does the name still exist after the change? Only asked about a removed name that the
   reference resolves to.
"""

import posixpath
import re

from deeprepo.impact import resolving
from deeprepo.impact.changes import TargetState
from deeprepo.impact.everyday import is_specific
from deeprepo.impact.language import rules_of
from deeprepo.impact.text.lines import says
from deeprepo.impact.uses.evidence import Case, is_beside, names_another_class
from deeprepo.impact.uses.sites import last_word
from deeprepo.impact.uses.steps import first_answer
from deeprepo.impact.uses.targets import UseTarget
from deeprepo.impact.values import COMPONENT, Outline, Side, Use

SIDES: tuple[Side, Side] = ("head", "base")
NAMED_FILES = 12  # files in which a change may forget a member of a receiver that has its class's name
PASSES = re.compile(r"[\w)>][ \t]?$")
ASSIGNED = re.compile(r"=\s{0,4}[\w.]{1,60}\s{0,4}(?:\([^()]{0,200}\))?\s?$")
BODY = re.compile(
    r"^\s*\)|\b(?:fun|class|object|interface|if|for|while|when|else|try|catch|finally|do|init|get|set|constructor)\b"
)
CHAIN = re.compile(r"[\w$]{1,60}(?:\.[\w$]{1,60}){1,4}$")  # an attribute, which cannot be imported
FEW_FILES = 6  # files in which a change may forget a name
UNNAMED = frozenset({"?", "*"})  # bases whose members are unknown
ROOTS = frozenset({"object", "Object"})  # bases without members of their own
UNNAMED_BASE = {"?"}  # of a class to which other files may add members, such as a trait
LONG = 4  # letters of a class name that links a file to it


async def target_state(case: Case) -> TargetState:
    """Return whether the target of a reference still exists."""
    if await first_answer("removed", REMOVED, case, case.place):
        return "lost"
    if await first_answer("probably removed", PROBABLY_REMOVED, case, case.place):
        return "likely"
    is_asked = case.connection == "bound" and case.target.is_gone and case.target.contract
    return "present" if is_asked and await first_answer("still there", STILL_THERE, case, case.place) else "unknown"


# --- REMOVED: has a search found nothing that still provides the name? ---


async def too_loose_for_a_proof(case: Case) -> bool | None:
    """Nothing is proven about a guarded use, an attribute, or a reference that may mean something else.

    Example of a guarded use: `if hasattr(store, "load"): store.load()`.
    """
    is_loose = case.use.is_guarded or case.target.is_attribute or case.connection not in ("bound", "unique")
    return False if is_loose else None


async def may_be_of_another(case: Case) -> bool | None:
    """Nothing is proven about a name of one word without an import if a base or an unknown package may define it.

    Examples: `Entry` in a class with an unknown base, or below `import lib.*`; `total()` in `build { total() }`, where
    it may be a member of what the block is for.
    """
    use, path, rules = case.use, case.file.path, rules_of(case.file.path)
    is_shared = rules.files.shared_names == "namespace" and not rules.scope.relative_namespaces
    if not is_shared or not rules.receivers.bare_members or use.receiver or is_specific(use.name):
        return None
    outline = await case.evidence.exports.outline("head", path)
    if outline is None or case.file.defines(use.name, ("import",)):
        return None
    known = {link.line for link in await case.evidence.exports.links(path)}
    has_unknown = any(one.star and one.line not in known for one in outline.imports)
    if has_unknown or await _may_be_inherited(case, outline):
        return False
    is_value = case.target.kind in ("function", "variable") and rules.receivers.free_functions
    return False if is_value and _is_in_block(case.file.source[: use.at].decode("utf-8", "replace")) else None


async def no_longer_exported(case: Case) -> bool | None:
    """Yes if the file from which the name is imported no longer exists or exports it, no if it still exports it.

    Example: `from lib import load` after `lib.py` dropped `load`. If another import of the file provides the
    name, it isn't removed.
    """
    match, path, evidence = case.match, case.file.path, case.evidence
    is_lost = (path, match.imported_file) in evidence.lost_imports
    if not (match.is_bound and (is_lost or (match.name and match.imported_file))):
        return None
    is_gone = is_lost or match.name in await evidence.exports.gone_names(match.imported_file)
    if is_gone and evidence.language.open_classes:
        return not await evidence.names.is_defined(case.use.name)
    if is_gone and await evidence.exports.has_other_source(path, match.name, match.imported_file):
        return False
    return is_gone and (not match.star or await _is_nowhere(case, match.name))


async def not_removed(case: Case) -> bool | None:
    """The change didn't remove the name, or its class accepts any member.

    Example: a class with `__getattr__`, or with a base that the tree doesn't define.
    """
    return False if not case.is_former_name or await _accepts_any_member(case) else None


async def unique_name_removed(case: Case) -> bool | None:
    """Yes if the name was unique in the tree and now nothing has it.

    A mere mention is no proof in a language whose members can be created at run time, and neither is a static
    member of another type: `Path.load()` for `Helpers.load`.
    """
    if case.connection != "unique":
        return None
    is_use = case.use.arguments is not None or case.evidence.language.declared_members
    return is_use and not (_is_of_another_type(case.target, case.use) or await _is_from_library_call(case))


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
    is_lacking = await _lacks(case, min(target.homes), target.owner, is_constant=is_constant)
    return is_lacking and not await case.evidence.is_extended(name)


async def no_binding_left(case: Case) -> bool | None:
    """Yes if nothing in the file binds the name any more: no definition, import, wildcard or inherited member."""
    evidence, file, use = case.evidence, case.file, case.use
    path, outline = file.path, await evidence.exports.outline("head", file.path)
    is_unbound = outline is not None and (outline.complete or outline.is_scoped) and not _offers(outline, use.name)
    bound = file.defines(use.name, ("import", "definition"))
    if outline is None or not is_unbound or bound or use.name in evidence.language.ambient:
        return False
    if _is_in_an_import(outline, use.line) or await _is_imported_inside(case, outline):
        return False
    if evidence.language.open_classes:  # a file loaded earlier may define the name
        return not await evidence.names.is_defined(use.name)
    if await _may_be_inherited(case, outline):
        return False
    if outline.stars or outline.borrows:
        return await _is_nowhere(case, use.name)
    return not await evidence.exports.elsewhere(path, use.name)


REMOVED = (
    too_loose_for_a_proof,
    may_be_of_another,
    no_longer_exported,
    not_removed,
    unique_name_removed,
    member_removed,
    no_binding_left,
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
    name, evidence = case.use.name, case.evidence
    is_known = evidence.language.declared_members or case.is_unique
    if not case.is_former_name or not (is_known or not await _accepts_any_member(case)):
        return False
    if case.file.defines(name) or not await _is_home_known(case):
        return False
    return not (await evidence.names.is_defined(name) or await _has_member_still(case))


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
    name, evidence = case.use.name, case.evidence
    is_rare = evidence.language.declared_members and is_specific(name)
    is_its_own = case.is_former_name and (is_rare or case.is_named_like_its_class)
    return None if is_its_own and not await evidence.names.is_defined(name) else False


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
    if not is_undefined and not await _is_from_library(case):
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
    is_near = await _is_connected(case) if is_specific(use.name) else evidence.imports_target(case.file.path, target)
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
    is_library = is_call and await _is_from_library_call(case)
    return False if is_library else None


async def rare_member(_: Case) -> bool | None:
    """Nothing in the tree has this rare member any more, and the file is connected to its class."""
    return True


PROBABLY_REMOVED = (
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
    return await _has_member_still(case)


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


STILL_THERE = (another_name, embedded_member, exported_from_elsewhere, bound_in_the_head)


# --- What the rules look up ---


def _is_of_another_type(target: UseTarget, use: Use) -> bool:
    """Return whether a static member is accessed on another type: `Path.GetTempPath()`, not `Helpers.GetTempPath()`."""
    last = use.receiver.rpartition(".")[2]
    is_static = target.before is not None and target.before.kind == "function" and bool(target.owner)
    return is_static and last[:1].isupper() and last != target.owner


def _is_in_block(before: str) -> bool:
    """Return whether an open brace before a position passes a block to a call: `build {`, but not `if (x) {`."""
    depth = 0
    for line in reversed(before.splitlines()):
        for at in range(len(line) - 1, -1, -1):
            depth += (line[at] == "}") - (line[at] == "{")
            if depth < 0:
                depth = 0
                head = line[:at]
                if PASSES.search(head) and (ASSIGNED.search(head) or not BODY.search(head)):
                    return True
    return False


async def _is_connected(case: Case) -> bool:
    """Return whether a file sees the target, is next to it, or shares an import with it.

    Imports count in both directions.
    """
    evidence, path, target = case.evidence, case.file.path, case.target
    if is_beside(path, target):
        return True
    backwards = {item.target for home in target.homes for item in await evidence.exports.links(home)}
    between = {item.target for item in await evidence.exports.links(path)}
    return path in backwards or not between.isdisjoint(backwards) or await evidence.sees(path, target)


async def _is_from_library_call(case: Case) -> bool:
    """Return whether the receiver comes from a call of a library, through any variables: `r = http.open()`."""
    target, use, file = case.target, case.use, case.file
    # a library creates instances of the class: `Check.objects.create()`
    if target.owner in use.origin.classes:
        return False
    if not file.external.isdisjoint(use.origin.roots):
        return True
    unknown = any([not await case.evidence.names.is_defined(word) for word in use.origin.called])
    # a call may import: `require("./posts")`
    return unknown and use.receiver not in await _modules_of(case)


async def _is_from_library(case: Case) -> bool:
    """Return whether the lines above bind the receiver to something from an external package."""
    rules, use = case.evidence.language, case.use
    if not rules.embeds_types:
        return False
    package = rules.receiver_package(await case.evidence.tree.read(case.file.path) or b"", use.receiver, use.line)
    return bool(package) and package not in await _modules_of(case)


async def _modules_of(case: Case) -> set[str]:
    """Return the local names of modules in the tree that a file imports whole."""
    return {
        here for item in await case.evidence.exports.links(case.file.path) for name, here in item.aliases if name == "*"
    }


async def _has_member_still(case: Case) -> bool:
    """Return whether a target's class still has a member, such as a field moved to a base."""
    target, exports = case.target, case.evidence.exports
    homes = sorted(target.homes) if target.owner else ()
    return any([await exports.has_member(home, target.owner, case.use.name) for home in homes])


async def _is_home_known(case: Case) -> bool:
    """Return whether the place that had the name is fully known, including every base of a class."""
    target, evidence = case.target, case.evidence
    rules, former = evidence.language, sorted(target.former_names)
    if not target.owner:
        home = target.before.path if target.before is not None else next(iter(target.homes), "")
        if rules.loader and home not in await evidence.tree.entries():
            return all([await evidence.names.is_in_few_files(name, FEW_FILES) for name in former])
        texts = await evidence.tree.read_many(sorted(target.homes))
        either = "|".join(map(re.escape, former))
        word_pattern = re.compile(rf"(?<![\w$])(?:{either})(?![\w$])".encode())
        return not rules.scope.unwritten_names and not any(map(word_pattern.search, texts.values()))
    outlines = [await evidence.exports.outline("head", home) for home in sorted(target.homes)]
    is_dynamic = any(o is not None and (not o.complete or has_member(o, "__getattr__")) for o in outlines)
    if is_dynamic and rules.scope.unwritten_names:
        return False
    lines = [await evidence.exports.ancestry(home, target.owner) for home in sorted(target.homes)]
    line = next((one for one in lines if one.classes), None)
    is_distinct = all(map(is_specific, former))  # an unknown base hardly has such a specific member
    beyond = line.names_beyond - ROOTS - (UNNAMED if is_distinct else frozenset()) if line is not None else frozenset()
    words = [last_word(base) for base in sorted(beyond)]
    return line is not None and all([word.isidentifier() and await evidence.names.is_defined(word) for word in words])


async def _is_imported_inside(case: Case, outline: Outline) -> bool:
    """Return whether a module or function in the file imports the name from elsewhere: `use crate::cart::Cart;`."""
    path = case.file.path
    inner = (item for item in outline.imports if item.inside or not item.hands_on)
    lines = {item.line for item in inner if any(name.here == case.use.name for name in item.names)}
    return bool(lines) and not lines <= {
        link.line for link in await case.evidence.exports.links(path) if link.target == path
    }


async def _may_be_inherited(case: Case, outline: Outline) -> bool:
    """Return whether a bare name may be an inherited member, such as a field moved to a base."""
    if not case.evidence.language.receivers.bare_members:
        return False
    around = case.use.function.split(".")
    classes = [name for name, bases in outline.bases if bases and (name in around or not case.use.function)]
    return any([not await _lacks(case, case.file.path, name) for name in classes])


async def _is_nowhere(case: Case, name: str) -> bool:
    """Return whether a wildcard import of a file provided the name, and none does any more.

    A header may declare what any file defines.
    """
    evidence = case.evidence
    is_gone = name in await evidence.exports.gone_names(case.file.path, with_borrows=True)
    return is_gone and not (evidence.language.has_headers and await evidence.names.is_defined(name))


async def _lacks(case: Case, path: str, owner: str, *, is_constant: bool = False) -> bool:
    """Return whether a class and all its bases are known, and none has the member."""
    evidence, name = case.evidence, case.use.name
    rules, line = evidence.language, await evidence.exports.ancestry(path, owner)
    bases = {(home, base) for (home, _), base in line.beyond if base not in ROOTS}
    beyond = {base for home, base in bases if not (rules.adds_nothing(base, name) or _is_plain(base, home))}
    is_alone = len(line.classes) == 1
    if is_constant and is_alone and beyond <= UNNAMED_BASE and not await evidence.names.is_defined(name):
        beyond = set()
    elif rules.open_classes:  # any file may add to the class
        return False
    # In compiled languages, a class may be spread over files.
    is_whole = is_alone or rules.scope.unwritten_names or rules.embeds_types
    if not line.classes or beyond or not is_whole or name in rules.ambient:
        return False
    is_family = bool(line.beyond) or not is_alone
    return not any([await _may_have(case, *one, is_family=is_family) for one in line.classes])


async def _may_have(case: Case, path: str, owner: str, *, is_family: bool) -> bool:
    """Return whether a known class may have a member, from its file or its namespace."""
    evidence, name = case.evidence, case.use.name
    outline, source = await evidence.exports.outline("head", path), await evidence.tree.read(path)
    if outline is None or source is None or not outline.complete:
        return True
    # `self.name = ...`
    is_set = any(use.is_assigned for use in resolving.uses(path, source, {name}))
    if is_set or any(has_member(outline, other) for other in (name, "__getattr__")):
        return True
    language = evidence.language
    written = rf"(?<![\w$])(?:NAME|{language.dynamic_members})(?![\w$])"
    if is_family and language.scope.unwritten_names and says(written, name, source.decode("utf-8", "replace")):
        return True
    return await evidence.exports.elsewhere(path, f"{owner}.{name}")


async def _accepts_any_member(case: Case) -> bool:
    """Return whether the class accepts unwritten names: a base is "*", or is new."""
    target, evidence = case.target, case.evidence
    now, before = [
        {
            base
            for home in sorted(target.homes if target.owner else ())
            if (outline := await evidence.exports.outline(side, home)) is not None
            for base in dict(outline.bases).get(target.owner, ())
        }
        for side in SIDES
    ]
    return "*" in now or not now <= before or await _is_type_alias(case)


async def _is_type_alias(case: Case) -> bool:
    """Return whether the class is an alias of a type defined elsewhere: `typealias Cart = shop.Cart`."""
    target = case.target
    pattern = rf"\b(?:typealias|type|using)\s+{re.escape(target.owner)}\b[^=\n{{]{{0,200}}=(?!\s*\{{)"
    texts = await case.evidence.tree.read_many(sorted(target.homes)) if target.owner else {}
    return any(re.search(pattern.encode(), text) for text in texts.values())


def has_member(outline: Outline, name: str) -> bool:
    """Return whether a file defines anything with that name."""
    return any(symbol.short == name for symbol in outline.definitions)


def _is_plain(base: str, path: str) -> bool:
    """Return whether a base adds nothing, and a compiler checks each access."""
    # imported here because grammars load with the first searched file
    from deeprepo.impact.language import language_of

    language = language_of(path)
    return language is not None and base in language.types.plain_bases and bool(language.broken_use)


def _offers(outline: Outline, name: str) -> bool:
    """Return whether an exported name is also bound in the file; `exports.name = other` binds nothing."""
    here = dict(outline.exports).get(name)
    return here is not None and (not here or (here == name and any(item.name == name for item in outline.definitions)))


def _is_in_an_import(outline: Outline, line: int) -> bool:
    """Return whether a line is part of an import, whose names are looked up where it leads: `use crate::shop::{cart::Cart};`."""
    return any(
        item.line <= line <= max((item.line, *(name.line for name in item.names)), default=0)
        for item in outline.imports
    )
