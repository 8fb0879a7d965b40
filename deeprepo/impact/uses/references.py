"""Decide which identifiers of a file refer to a changed definition, and how surely. The first rule that answers wins.

| connection | the reference is assumed to mean the definition because of |
|---|---|
| "bound" | the imports of the file, its namespace, or the written class of the receiver |
| "probable" | a name that nothing else in the tree gives, or a receiver that probably is of the class |
| "name" | the name, and nothing else |

Only with "bound", a comparison with the definition proves a break.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from deeprepo.impact.changes import Connection, Reference, TargetState, UsePlace
from deeprepo.impact.everyday import METHODS, is_specific
from deeprepo.impact.filetypes import module_name
from deeprepo.impact.language import Language, rules_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct, replace
from deeprepo.impact.text.paths import is_test, is_test_scope
from deeprepo.impact.uses.breaks import misfit
from deeprepo.impact.uses.exports import Exports
from deeprepo.impact.uses.importing import classes_of, local_names, searched_names
from deeprepo.impact.uses.names import Names
from deeprepo.impact.uses.steps import first_answer, record
from deeprepo.impact.uses.targets import WHOLE_MODULE, Bindings, Local, Match, UseTarget, last_word, names_class
from deeprepo.impact.values import Link, Use

LONG = 4  # letters required for a resemblance
FIELD = re.compile(r"[a-z_][\w]{0,60}\.")  # the chain begins with a value, so its root is no class
PATHS = ("::", "\\")  # separators after which a name is never that of a variable: `tax::total`
# roots that are never imports
OWN = frozenset({"self", "Self", "this", "super", "crate", "cls", "parent", "static"})


class SearchedFile(Struct, frozen=True):
    """One file and what its own lines say."""

    path: str
    source: bytes
    uses: Sequence[Use]
    bound: Bindings
    external: frozenset[str]  # receivers from outside the tree, whose members are unknown

    def binds(self, name: str, *forms: str) -> bool:
        """Return whether the file binds a name in one of these forms."""
        return any(other.name == name and other.form in forms for other in self.uses)

    def redefines(self, name: str, use: Use, *, but_top: bool = False, imports: Collection[int] = ()) -> bool:
        """Return whether a definition, or an import in a function, gives a bare name another meaning there.

        Variables of other functions don't count. `but_top`: neither does the top of the file, where
        `const load = require("./load")` is a definition. `imports`: the lines whose imports don't count.
        """
        others = [one for one in self.uses if one.name == name and self._gives(one, imports)]
        return any(self._is_seen(one, use) for one in others if one.span is not None or not but_top)

    def _gives(self, one: Use, imports: Collection[int]) -> bool:
        """Return whether an identifier is a definition, or an import in a function."""
        if one.form == "import":
            return one.span is not None and one.line not in imports
        is_bare = rules_of(self.path).sees_own_members or not one.receiver  # `self.total = 1`
        return one.form == "definition" and is_bare

    def _is_seen(self, definition: Use, use: Use) -> bool:
        """Return whether the names of a definition are seen there: those of a class may only be seen directly in it."""
        if definition.span is None or not definition.is_in_class_body or rules_of(self.path).sees_own_members:
            return definition.span is None or _is_within(use, definition.span)
        return use.span == definition.span


class Evidence(Struct):
    """What the decisions about the references of one language depend on."""

    tree: Tree
    language: Language
    exports: Exports
    names: Names
    importers: Mapping[str, Sequence[Link]]
    behind: Mapping[str, frozenset[str] | set[str]]
    # pairs of a file and a removed module that it imports, and whether that certainly has no replacement
    lost_imports: Mapping[tuple[str, str], bool]
    alone: frozenset[str]  # names that only changed definitions have
    names_after: frozenset[str]  # names of changed definitions after the change

    def imports_target(self, path: str, target: UseTarget) -> bool:
        """Return whether a file imports one of the target's files, directly or through a re-export."""
        return any(not target.homes.isdisjoint(self.behind.get(i.target, ())) for i in self.importers.get(path, ()))


class Case(Struct):
    """One identifier, the target that it may mean, and the evidence about both."""

    evidence: Evidence
    target: UseTarget
    file: SearchedFile
    use: Use
    classes: Mapping[str, str]  # each way to write the class of a member -> the file that it is imported from
    match: Match = Match("name")
    connection: Connection = "name"

    @property
    def place(self) -> UsePlace:
        """The place under which `explain` finds the decisions."""
        return self.target.key, self.file.path, self.use.line

    @property
    def is_alone(self) -> bool:
        """Whether only changed definitions have the name; for a removed target, nothing at all."""
        is_again = self.target.is_gone and self.use.name in self.evidence.names_after
        return self.use.name in self.evidence.alone and not is_again

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
    def is_of_another_class(self) -> bool:
        """Whether the receiver is written like a class other than the target's. A field is none: `h.Options.total`."""
        receiver, target = self.use.receiver, self.target
        is_class = names_class(receiver) and last_word(receiver) not in (target.owner, *target.shorts)
        is_field = self.evidence.language.receivers.capital_members and bool(FIELD.match(receiver))
        return is_class and (self.is_external or not is_field)

    @property
    def is_named_like_its_class(self) -> bool:
        """Whether the receiver is named like the target's class: `cart.total` for a member of `Cart`.

        Words in the middle don't count: `files` may be anything that a `SourceFilesCache` has.
        """
        last, owner = last_word(self.use.receiver).replace("_", "").lower(), self.target.owner.lower()
        return len(last) >= LONG and (owner.startswith(last) or owner.endswith(last))


async def cases_of(evidence: Evidence, target: UseTarget, file: SearchedFile) -> list[Case]:
    """Return the references of a file that mean or may mean the target."""
    classes = classes_of(target, file.bound, file.path) if target.owner else {}
    words = searched_names([target], file.bound) | {written.rpartition(".")[2] for written in classes}
    # a path may end in any of these
    uses = (_in_namespace(target, use) for use in file.uses if use.name in words or not use.name.isidentifier())
    found = [case for use in uses if (case := Case(evidence, target, file, use, classes)) and _is_reference(case)]
    for case in found:
        case.connection = await first_answer("connection", CONNECTION, case, case.place)
    return found


def _in_namespace(target: UseTarget, use: Use) -> Use:
    """Return the reference, not guarded if it names the namespace around the definition: `shop::total`."""
    one = target.before or target.after
    if use.form != "name" or not use.receiver or one is None:
        return use
    is_named = use.receiver.rpartition("::")[2] in one.namespaces
    return replace(use, is_guarded=False) if is_named else use


# --- Does the identifier refer to the target? ---


def is_reached_by_name(target: UseTarget) -> bool:
    """Return whether it can be reached through an object without an import: a member, or a function stored in one."""
    if all(is_test(home) for home in target.homes):
        return target.is_gone and bool(target.owner) and all(map(is_specific, target.shorts))
    is_stored = target.is_gone and target.symbol is not None and bool(target.exports)
    return bool(target.owner) or target.is_method_of_a_value or is_stored


def _is_reference(case: Case) -> bool:
    """Return whether an identifier may refer to the target, and keep how it does."""
    for refuting in (own_line, foreseen):
        if refuting(case):
            record(case.place, "reference", "none", refuting)
            return False
    for rule in OF_MEMBERS if case.target.owner else OF_EXPORTS:
        match = rule(case)
        if match is not None:
            case.match = match
            record(case.place, "reference", match.connection, rule)
            return True
    if case.use.name.isidentifier() or case.use.name in case.target.shorts:
        record(case.place, "reference", "none", unrelated)
    return False


def own_line(case: Case) -> bool:
    """It is the definition itself, or a private member of another file's class."""
    target, use, path = case.target, case.use, case.file.path
    one = target.before or target.after
    is_private = one is not None and one.visible == "self" and path not in target.homes
    is_head = target.after is not None and target.after.path == path and use.form == "definition"
    return is_head or (is_private and use.receiver not in ("", "self"))


def foreseen(case: Case) -> bool:
    """The code around handles that the name is missing: `if hasattr(store, "load"): store.load()`."""
    is_optional = not rules_of(case.file.path).scope.conditional_build
    return is_optional and case.use.is_guarded and case.is_former_name


def imported(case: Case) -> Match | None:
    """An import, or the package that the file shares, binds the name or the module before it to the definition."""
    for home, name in case.target.exports:
        hit = _imported(case, home, name)
        if hit is None and name == WHOLE_MODULE and home in case.target.whole_homes:
            hit = _whole(case, home)
        if hit is not None:
            return hit
    return None


def in_its_own_file(case: Case) -> Match | None:
    """The name is written in the file of the definition."""
    is_it = case.file.path in case.target.homes and case.use.form == "name" and case.use.name in case.target.shorts
    return Match("bound", name=case.use.name) if is_it else None


def member_in_sight(case: Case) -> Match | None:
    """The file can call an extension of that name, or a function that a bare call means if no base has it."""
    target, use = case.target, case.use
    is_function = not target.owner and _is_bare(use) and use.arguments is not None
    is_it = use.form == "member" and use.name in target.shorts and (target.is_extension or is_function)
    return Match("probable") if is_it and (_is_extended(case) or _is_in_sight(case)) else None


def constructed(case: Case) -> Match | None:
    """A call of the class calls its constructor."""
    target, use = case.target, case.use
    if use.form not in ("name", "member") or use.arguments is None:
        return None
    dotted_name = f"{use.receiver}.{use.name}" if use.receiver else use.name
    is_it = dotted_name in case.classes and target.constructor and (not target.is_gone or _was_accepted(case))
    return Match("bound", case.classes[dotted_name]) if is_it else None


def of_written_class(case: Case) -> Match | None:
    """The file writes that the receiver has the class of the member, or is that class."""
    target, use = case.target, case.use
    if use.form != "member" or use.name not in target.shorts:
        return None
    files = [case.classes[written] for written in use.types if written in case.classes]
    if files:
        return Match("bound", files[0])
    if use.receiver not in case.classes:
        return None
    is_on_class = target.kind == "method" and not target.is_static
    return Match("bound", case.classes[use.receiver], is_on_class=is_on_class)


def imported_without_class(case: Case) -> Match | None:
    """The file imports the member itself: `import static shop.Cart.total;`."""
    target, use, bound = case.target, case.use, case.file.bound
    is_bare = _is_bare(use)
    for home, name in target.exports:
        if name not in target.shorts or not (is_bare or use.form in ("name", "import")):
            continue
        if is_bare and use.name == name and home in bound.stars:
            return Match("probable", bound.starred_file(home), name, star=True)
        hit = _imported(case, home, name)
        if hit is not None:
            return hit
    return None


def by_name(case: Case) -> Match | None:
    """Only the name of the member matches."""
    target, use = case.target, case.use
    is_it = use.form == "member" and use.name in target.shorts and is_reached_by_name(target)
    return Match("name") if is_it else None


def unrelated(_: Case) -> None:
    """No import, namespace, class or name connects the identifier with the definition."""


OF_MEMBERS = (constructed, of_written_class, imported_without_class, member_in_sight, by_name)
OF_EXPORTS = (imported, in_its_own_file, member_in_sight, by_name)


def _was_accepted(case: Case) -> bool:
    """Return whether a call fitted the definition before the change; a call that didn't means an overload."""
    before, arguments = case.target.before, case.use.arguments
    if arguments is None or before is None or before.signature is None or before.signature.opaque:
        return True
    return any(misfit(rules_of(before.path), arguments, form) is None for form in before.signature.forms)


def _is_extended(case: Case) -> bool:
    """Return whether the receiver is written as a value of the type that the definition extends."""
    extended = case.target.before.extends if case.target.before is not None else ""
    is_of_it = bool(extended) and any(written.rpartition(".")[2] == extended for written in case.use.types)
    return is_of_it and case.target.is_extension


def _is_in_sight(case: Case) -> bool:
    """Return whether the file contains the definition, or imports it under its own name."""
    target, bound = case.target, case.file.bound
    if case.file.path in target.homes:
        return True
    is_by_wildcard = target.shorts.isdisjoint(METHODS) and any(home in bound.stars for home in target.homes)
    return is_by_wildcard or any(local.here in target.shorts for local in local_names(target, bound))


def _imported(case: Case, origin: str, name: str) -> Match | None:
    """Return how the file writes something that it imports under this name."""
    use, bound = case.use, case.file.bound
    modules = bound.modules.get(origin, ())
    if use.form == "member":
        imported_file = _imported_file(modules, use.receiver) if use.name == name else ""
        return Match("bound", imported_file, name) if imported_file else None
    if name == WHOLE_MODULE and use.form == "name" and use.arguments is not None:
        # `const load = require("./load")` and `load()`
        imported_file = _imported_file(modules, use.name)
        if imported_file:
            return Match("bound", imported_file, name)
    ways = [one for one in bound.locals.get((origin, name), ()) if _means(case, one)]
    if ways:
        local = min(ways, key=lambda one: (one.imported_file, one.there))
        return Match("bound", local.imported_file, local.there)
    is_by_wildcard = use.form == "name" and use.name == name and origin in bound.stars
    return Match("bound", bound.starred_file(origin), name, star=True) if is_by_wildcard else None


def _whole(case: Case, origin: str) -> Match | None:
    """Return how the file writes a whole file that is its own default export.

    Example: `const guard = require("./guard")` and `app.use(guard)`.
    """
    use = case.use
    if use.form != "name" or use.is_receiver:
        return None
    imported_file = _imported_file(case.file.bound.modules.get(origin, ()), use.name)
    is_it = imported_file and not case.file.redefines(use.name, use, but_top=True)
    return Match("bound", imported_file, WHOLE_MODULE) if is_it else None


def _means(case: Case, local: Local) -> bool:
    """Return whether a bare name is the local name of an import, or the name in the import itself.

    An equal word on the line of another import is none.
    """
    use = case.use
    if use.form == "import":
        words = {one.line for one in case.file.uses if one.name == use.name and one.form == "import"}
        ways = {one.line for one in local_names(case.target, case.file.bound) if one.there == use.name}
        return use.name == local.there and (use.line in ways or ways.isdisjoint(words))
    return use.form == "name" and use.name == local.here


def _is_bare(use: Use) -> bool:
    """Return whether a bare name may be a member inherited from an unknown class."""
    return use.form == "member" and not use.receiver and use.types == ("?",)


def _is_within(use: Use, span: tuple[int, int]) -> bool:
    return span[0] <= use.line <= span[1]


def _imported_file(modules: Iterable[tuple[str, str]], receiver: str) -> str:
    return min((imported_file for here, imported_file in modules if here == receiver), default="")


# --- How surely? ---


async def another_meaning(case: Case) -> Connection | None:
    """The file gives the name, or the module before it, another meaning, by a definition or by another import.

    Examples: `def load(): ...` above `load()`, and `import static java.lang.Math.abs` above `abs(x)`.
    """
    use, file, match, rules = case.use, case.file, case.match, rules_of(case.file.path)
    name = use.receiver.partition(".")[0] or use.name
    is_module = any(here == name for pairs in file.bound.modules.values() for here, _ in pairs)
    if use.form == "import" or (use.receiver and not (is_module and match.imported_file)):
        return None
    if use.receiver:
        return "name" if rules.scope.separator not in PATHS and file.redefines(name, use, but_top=True) else None
    own = {one.line for home in case.target.homes for one in file.bound.names_of(home) if one.here == name}
    is_by_name = bool(own) or (bool(match.imported_file) and not match.star)
    if not is_by_name and not rules.whole_files and file.binds(name, "import"):
        return "name"
    is_own = match.connection == "bound" and not (match.imported_file or match.star)
    return "name" if not is_own and file.redefines(name, use, but_top=is_module, imports=own) else None


async def nearer_in_the_namespace(case: Case) -> Connection | None:
    """A namespace around the code has a class or definition of that name, which comes before others."""
    target, file, exports, language = case.target, case.file, case.evidence.exports, case.evidence.language
    root = (target.within or case.use.name).partition(".")[0]
    is_asked = language.files.shared_names == "namespace" and target.has_new_signature
    if not is_asked or case.match.connection != "bound" or file.path in target.homes or file.binds(root, "import"):
        return None
    here = await exports.outline("head", file.path)
    places = (await case.evidence.names.givers([root]))[root]
    others = {one.path for one in places if not one.owner} - target.homes
    spaces = {space for path in others if (one := await exports.outline("head", path)) for space in one.spaces}
    around = {*here.spaces} if here is not None else set[str]()
    if language.scope.relative_namespaces:
        around |= {space for space in spaces if any(inner.startswith(f"{space}.") for inner in around)}
    return None if spaces.isdisjoint(around) else "name"


async def replaced(case: Case) -> Connection | None:
    """An extension, an assignment or another part of the class may replace a definition with a new signature."""
    target, language = case.target, case.evidence.language
    if case.match.connection != "bound" or not target.has_new_signature:
        return None
    owners = {"", target.owner, *(module_name(home) for home in target.homes if not target.owner)}
    for one in (await case.evidence.names.givers([case.use.name]))[case.use.name]:
        owner = one.owner.rpartition(".")[2]
        is_ours = one.path in target.homes or (is_test(one.path) and not is_test(case.file.path))
        if not is_ours and owner in owners and (one.is_loose or (language.open_classes and owner)):
            return "probable"
    return None


async def resolved(case: Case) -> Connection | None:
    """An import, a namespace or the written class of the receiver leads to the target.

    It is only probable by a base class, or an extension that the file can call: `"a".shout()`.
    """
    return None if case.match.connection == "name" else case.match.connection


async def of_another_class(case: Case) -> Connection | None:
    """The receiver is written like another class: `Invoice.total` for a member of `Order`."""
    return "name" if case.is_of_another_class else None


async def alone(case: Case) -> Connection | None:
    """Only the target has this name in the whole tree.

    Example: `basket.apply_voucher()` where nothing else is called `apply_voucher`.
    """
    return "probable" if case.is_alone else None


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


CONNECTION = (
    another_meaning,
    nearer_in_the_namespace,
    replaced,
    resolved,
    of_another_class,
    alone,
    member_near_the_target,
    nothing_but_the_name,
)


def reference(case: Case, lines: Sequence[str], target_state: TargetState) -> Reference:
    """Return a case as a Reference."""
    use, match, path, arguments = case.use, case.match, case.file.path, case.use.arguments
    if arguments is not None and match.is_on_class:
        arguments = replace(arguments, spread=True)
    is_bound = match.connection == "bound"
    return Reference(
        symbol=case.target.key,
        name=use.name,
        path=path,
        line=use.line,
        text=lines[use.line - 1].rstrip("\r") if 0 < use.line <= len(lines) else "",
        function=use.function,
        span=use.span,
        connection=case.connection,
        target_state=target_state,
        test=is_test(path) or is_test_scope(use.function),
        arguments=arguments,
        is_handled=arguments is not None and use.is_guarded,
        form="import" if use.form == "import" else "call" if arguments else "mention",
        imported_from=match.imported_file if is_bound and match.name and not (match.star or case.target.owner) else "",
    )
