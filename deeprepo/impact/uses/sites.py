"""Decide what a search looks for, and which identifiers of a file refer to it. The first rule that answers wins.

It looks for changed definitions, and for names that files no longer export.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar

from deeprepo.impact.changes import ChangedSymbol, Connection, Contract, Reference, TargetState, UsePlace
from deeprepo.impact.everyday import METHODS, is_specific
from deeprepo.impact.language import rules_of
from deeprepo.impact.resolving.calls import misfit
from deeprepo.impact.structs import Struct, replace
from deeprepo.impact.text.paths import is_test, is_test_scope
from deeprepo.impact.uses.importing import Bindings, Importers, Local, Meaning, Scene
from deeprepo.impact.uses.steps import record
from deeprepo.impact.values import Definition, Import, Outline, Use

RUN = re.compile(r"_*(?:test|set_?up|tear_?down|before|after|it|should|spec|given|when|then)(?![a-z])", re.IGNORECASE)
WHOLE_MODULE = "default"  # the name of a module that is exported as a whole
LOST = frozenset({"removed", "renamed"})  # contract changes that also break imports
LONG = 4  # letters required for a resemblance
PATHS = ("::", "\\")  # separators after which a name is never that of a variable: `tax::total`


class UseTarget(Struct, frozen=True):
    """A changed name as users can write it."""

    key: str  # as in `Reference.symbol`
    exports: tuple[Meaning, ...]  # its files, with each name under which one exports the definition or its class
    shorts: frozenset[str]  # the definition's own name, before and after
    homes: frozenset[str]  # the files that contained it or contain it
    symbol: ChangedSymbol | None = None
    within: str = ""  # the class or object of a member, qualified: "Outer.Inner"
    is_gone: bool = False  # its file no longer has the old name
    is_apart: bool = False  # a member whose class is in another file
    whole_homes: frozenset[str] = frozenset()  # the homes that export themselves as the default

    @property
    def owner(self) -> str:
        """The class or object of a member, without those around it."""
        return self.within.rpartition(".")[2]

    @property
    def before(self) -> Definition | None:
        """The definition before the change."""
        return self.symbol.before if self.symbol is not None else None

    @property
    def after(self) -> Definition | None:
        """The definition after the change."""
        return self.symbol.after if self.symbol is not None else None

    @property
    def kind(self) -> str:
        """The kind of the definition; "" for a name without one."""
        return self.symbol.symbol.kind if self.symbol is not None else ""

    @property
    def is_static(self) -> bool:
        """Whether it is called on its class, which passes no object."""
        return self.symbol is not None and all(one.static for one in (self.before, self.after) if one is not None)

    @property
    def contract(self) -> tuple[Contract, ...]:
        """The changes that concern its users; a name no longer exported is removed for them."""
        if self.symbol is not None:
            return self.symbol.contract
        return ("removed",) if self.is_gone and not all(is_test(home) for home in self.homes) else ()

    @property
    def has_new_signature(self) -> bool:
        """Whether its signature changed."""
        return self.symbol is not None and self.symbol.change == "signature"

    @property
    def former_names(self) -> frozenset[str]:
        """The removed names; for a renamed definition, only the old one."""
        return frozenset({self.before.short}) if self.before is not None else self.shorts

    @property
    def is_macro(self) -> bool:
        """Whether it is a macro that its whole package can call without an import."""
        is_macro = self.kind == "macro" and not self.owner
        return is_macro and any(rules_of(home).shared_macros for home in self.homes)

    @property
    def is_method_of_a_value(self) -> bool:
        """Whether it is a function on a value whose class is never written."""
        head = self.before.head if self.before is not None and self.before.signature is not None else ""
        return any(re.search(rules_of(home).loose_methods, head) for home in self.homes)

    @property
    def is_extension(self) -> bool:
        """Whether it extends a type defined elsewhere, on either side, and has not only moved."""
        was, now = self.before, self.after
        is_same = was is not None and now is not None and (was.short, was.extends) == (now.short, now.extends)
        is_moved = is_same and self.contract == ("renamed",)
        return not is_moved and any(side is not None and side.extends for side in (was, now))

    def extends(self, use: Use) -> bool:
        """Return whether a use is a member of a value whose written type the definition extends."""
        extended = self.before.extends if self.before is not None else ""
        is_of_it = bool(extended) and any(written.rpartition(".")[2] == extended for written in use.types)
        return is_of_it and self.is_extension and use.form == "member" and use.name in self.shorts

    @property
    def constructor(self) -> bool:
        """Whether calling the class calls it."""
        return bool(self.owner) and all(any(map(rules_of(home).is_constructor, self.shorts)) for home in self.homes)

    @property
    def reached_by_name(self) -> bool:
        """Whether it can be reached through an object without an import: a member, or a function stored in one."""
        # test runners call test methods; other tests call helpers
        if all(is_test(home) for home in self.homes):
            return self.is_gone and bool(self.owner) and all(is_specific(s) and not RUN.match(s) for s in self.shorts)
        return (
            bool(self.owner)
            or self.is_macro
            or self.is_method_of_a_value
            or (self.is_gone and self.symbol is not None and bool(self.exports))
        )

    def accepted(self, use: Use) -> bool:
        """Return whether a call fitted the definition before the change; a call that didn't means an overload."""
        before, signature = self.before, self.before.signature if self.before is not None else None
        if use.arguments is None or before is None or signature is None or signature.opaque:
            return True
        rules = rules_of(before.path)
        return any(misfit(rules, use.arguments, form) is None for form in signature.forms)

    def is_visible(self, path: str) -> bool:
        """Return whether a file could use it before the change."""
        one = self.before or self.after
        return one is None or path in self.homes or one.is_visible(path)

    def is_in_space(self, name: str) -> bool:
        """Return whether a namespace of this name is around the definition, on either side."""
        return any(name in side.namespaces for side in (self.before, self.after) if side is not None)

    def in_namespace(self, use: Use) -> Use:
        """Return the reference, not guarded if it names the namespace around the definition: `shop::total`."""
        one = self.before or self.after
        if use.form != "name" or not use.receiver or one is None:
            return use
        is_named = use.receiver.rpartition("::")[2] in one.namespaces
        return replace(use, is_guarded=False) if is_named else use

    def is_own_line(self, use: Use, path: str) -> bool:
        """Return whether a reference is the definition's own head.

        A reference to a private member through a receiver in another file counts, too.
        """
        before = self.before or self.after
        is_private = before is not None and before.visible == "self" and path not in self.homes
        is_head = self.after is not None and self.after.path == path and use.form == "definition"
        return is_head or (is_private and use.receiver not in ("", "self"))

    def is_provided_for(self, use: Use) -> bool:
        """Return whether the code around a reference handles the missing name.

        Example: `if hasattr(store, "load"): store.load()`.
        """
        return use.is_guarded and self.is_gone and use.name in self.former_names

    def is_member_apart(self, use: Use) -> bool:
        """Return whether a reference is a member of a type with the class's name, defined in another file."""
        is_of_type = any(written.rpartition(".")[2] == self.owner for written in use.types)
        return self.is_apart and use.form == "member" and use.name in self.shorts and is_of_type


async def use_targets(scene: Scene, importers: Importers) -> list[UseTarget]:
    """Return targets for changed definitions and for names no longer exported."""
    targets = [await _target(scene, item) for item in scene.every_symbol if item.change != "added"]
    plain_targets = [target for target in targets if not target.owner]
    covered_names = {meaning for target in plain_targets for meaning in target.exports}
    for path, origins in sorted(importers.behind.items()):
        known_names = {name for origin, name in covered_names if origin in {path, *origins}}
        gone_names = await scene.exports.gone_names(path)
        targets += [_lost(path, name) for name in sorted(gone_names - known_names)]
    return targets


def _lost(path: str, name: str) -> UseTarget:
    """Return the target for a name that a file no longer exports."""
    return UseTarget(f"{path}:{name}", ((path, name),), frozenset({name}), frozenset({path}), is_gone=True)


async def _target(scene: Scene, item: ChangedSymbol) -> UseTarget:
    sides = [side for side in (item.before, item.after) if side is not None]
    owner = sides[0].name.rpartition(".")[0]
    exports, homes, whole_homes = set[Meaning](), set[str](), set[str]()
    is_apart = bool(owner) and scene.head.language.members_apart
    for side in sides:
        for path in (side.path, *sorted(scene.declarations.get((item.symbol.path, side.name), ()))):
            outline = await scene.exports.outline(side.side, path)
            exported_names = exported_as(outline, side.name, is_visible=bool(scene.head.visible_files(path)))
            is_apart = is_apart and outline is not None and all(symbol.name != owner for symbol in outline.definitions)
            exports.update((path, name) for name in exported_names)
            homes.add(path)
            whole_homes.update([path] if outline is not None and outline.is_whole else [])
    return UseTarget(
        key=item.key,
        exports=tuple(sorted(exports)),
        shorts=frozenset(side.short for side in sides),
        homes=frozenset(homes),
        symbol=item,
        within=owner,
        is_gone=item.change in LOST and item.symbol.kind != "implementation" and not _may_be_there(scene, item),
        is_apart=is_apart,
        whole_homes=frozenset(whole_homes),
    )


def _may_be_there(scene: Scene, item: ChangedSymbol) -> bool:
    """Return whether a file does not parse and still contains the name, which it may define."""
    from deeprepo.impact.language import language_of  # grammars load with the first search
    from deeprepo.impact.reading.syntax import has_errors

    if (was := item.before) is None:
        return False
    name = re.compile(rf"(?<![\w$]){re.escape(was.short)}(?![\w$])".encode())
    for source in scene.sources:
        if source.file.old_path == was.path and name.search(source.after):
            language = language_of(source.file.path)
            return language is not None and has_errors(language, source.after) is not False
    return False


def exported_as(outline: Outline | None, name: str, *, is_visible: bool) -> frozenset[str]:
    """Return the names under which a file exports a definition or a class around it.

    `is_visible`: whether other files see the file's definitions without an import.
    """
    around = {name, *(name[:at] for at, letter in enumerate(name) if letter == ".")}
    found = frozenset(there for there, local in (outline.exports if outline is not None else ()) if local in around)
    return found or frozenset({name.partition(".")[0]} if is_visible else ())


def searched_names(targets: Iterable[UseTarget], bound: Bindings) -> frozenset[str]:
    """Return the words that may refer to one of the targets in a file."""
    found = set[str]()
    for target in targets:
        found.update(target.shorts, (name for _, name in target.exports))
        for home, _ in target.exports:
            # also the module before a name, which a parameter may hide
            found.update(here.partition(".")[0] for here, _ in bound.modules.get(home, ()))
        for one in local_names(target, bound):
            found.update((one.here.rpartition(".")[2], one.there))
    return frozenset(found)


def local_names(target: UseTarget, bound: Bindings) -> Iterator[Local]:
    """Yield the local names that a file's imports give the target."""
    for meaning in target.exports:
        yield from bound.locals.get(meaning, ())


def is_imported(target: UseTarget, bound: Bindings) -> bool:
    """Return whether a file imports what it needs to write the target."""
    is_whole = any(home in bound.modules or home in bound.stars for home in target.homes)
    return is_whole or any(meaning in bound.locals for meaning in target.exports)


def classes_of(target: UseTarget, bound: Bindings, path: str) -> dict[str, str]:
    """Return the ways in which a file can write a member's class, with the imported file of each."""
    class_names = {target.owner: "", target.within: ""} if path in target.homes else {}
    outer, _, rest = target.within.partition(".")
    for home, name in target.exports:
        below = f".{rest}" if rest and name == outer else ""
        modules = bound.modules.get(home, ())
        qualified_names = {f"{here}.{name}" for here, _ in modules}
        for way, file in dict(bound.writings(home, name)).items():
            class_names[way if way in qualified_names else f"{way}{below}"] = file
        if home in bound.stars:
            class_names[name] = bound.starred_file(home)
        if name == WHOLE_MODULE and home in target.whole_homes and not rest:
            class_names |= dict(modules)
    return class_names


# --- Which identifiers refer to a target? ---


def last_word(receiver: str) -> str:
    """Return the last part of a receiver: `Cart` for `shop.Cart` and `Shop::Cart`."""
    return receiver.rpartition(".")[2].rpartition("::")[2]


def names_class(receiver: str) -> bool:
    """Return whether a receiver is written like a class: `shop.Cart`, not `shop.Make()`."""
    return last_word(receiver).lstrip("_")[:1].isupper() and receiver[-1:] not in (")", "]")


def resembles(receiver: str, owner: str) -> bool:
    """Return whether a receiver is named after a class.

    Examples: `self._client_protocol` after `H2ClientProtocol`, `crawler` after `CrawlerProcess`. Words in the middle
    don't count: `files` may be anything that a `SourceFilesCache` has.
    """
    last, name = last_word(receiver).replace("_", "").lower(), owner.lower()
    return len(last) >= LONG and (name.startswith(last) or name.endswith(last))


class Match(Struct, frozen=True):
    """A reference and the imported file that connects it; "" in the definition's own file."""

    use: Use
    is_bound: bool  # an import, a namespace or a written class leads to the definition
    imported_file: str = ""
    name: str = ""  # the name that the imported file must export
    star: bool = False  # imported with a wildcard
    is_on_class: bool = False  # a class used instead of an instance, so its first argument may be the receiver
    is_extension: bool = False  # a member with the name of an extension that the file can call
    is_inherited: bool = False  # a member inherited by the class around it, or by its receiver's class


Finding = Callable[["_Matcher", Use], Match | None]
Refuting = Callable[["_Matcher", Match], bool]


def match(
    target: UseTarget, uses: Sequence[Use], bound: Bindings, path: str, imports: Sequence[Import] = ()
) -> list[Match]:
    """Return the references in a file that mean or may mean the target.

    `imports`: the file's imports, if several of them bind the same name.
    """
    matcher, rules = _Matcher(target, uses, bound, path, imports), rules_of(path)
    words = searched_names([target], bound) | {written.rpartition(".")[2] for written in matcher.classes}
    # a path may end in any of these
    candidates = (use for use in uses if use.name in words or not use.name.isidentifier())
    if rules.library_space and not target.is_in_space(rules.library_space):
        candidates = (use for use in candidates if use.receiver.partition("::")[0] != rules.library_space)
    return matcher.matches(map(target.in_namespace, candidates))


class _Matcher:
    """Finds the identifiers of one file that refer to a target, by the rules in the lists at the end of the class."""

    def __init__(
        self, target: UseTarget, uses: Sequence[Use], bound: Bindings, path: str, imports: Sequence[Import]
    ) -> None:
        self._target, self._uses, self._bound, self._path, self._imports = target, uses, bound, path, imports
        with_members = rules_of(path).sees_own_members
        self._definitions = tuple(
            use
            for use in uses
            if use.form == "definition"
            and (with_members or not use.receiver)  # `self.total = 1`
            and (use.name, use.line) not in bound.assignments
        )
        self._imported_names = frozenset(use.name for use in uses if use.form == "import")
        # each way to write the class of a member -> the file that it is imported from
        self.classes = classes_of(target, bound, path) if target.owner else {}
        self._is_macro = target.is_macro
        self._of_other_imports: Sequence[Match] = ()  # set when all matches are known

    def matches(self, candidates: Iterable[Use]) -> list[Match]:
        """Return the references among some identifiers."""
        hits = [hit for use in candidates if (hit := self._match(use)) is not None]
        self._of_other_imports = _of_other_imports(self._target, hits, self._bound)
        return [hit for hit in map(self._checked, hits) if hit is not None]

    def _match(self, use: Use) -> Match | None:
        """Return the reference, if the identifier may be one; the first rule that answers counts."""
        if self._is_macro and use.form == "member":
            rules = self.OF_MACROS
        else:
            rules = self.OF_MEMBERS if self._target.owner else self.OF_EXPORTS
        if self.own_line(use):
            record(self._place(use), "reference", "none", self.own_line)
            return None
        for rule in rules:
            hit = rule(self, use)
            if hit is not None:
                record(self._place(use), "reference", "bound" if hit.is_bound else "possible", rule)
                return hit
        if use.name.isidentifier() or use.name in self._target.shorts:
            record(self._place(use), "reference", "none", self.unrelated)
        return None

    def _checked(self, hit: Match) -> Match | None:
        """Return a reference, less certain if another meaning is possible; None if it has another meaning."""
        for rule in self.DISMISSING:
            if rule(self, hit):
                record(self._place(hit.use), "reference", "none", rule)
                return None
        for rule in self.DOUBTING if hit.is_bound else ():
            if rule(self, hit):
                record(self._place(hit.use), "reference", "possible", rule)
                return replace(hit, is_bound=False)
        return hit

    def _place(self, use: Use) -> UsePlace:
        return self._target.key, self._path, use.line

    # --- Which rule finds the reference? ---

    def calls_macro(self, use: Use) -> Match | None:
        """A macro is called in its package, or by its import or path, and the file does not redefine it."""
        if use.name not in self._target.shorts:
            return None
        mine, homes = [one for one in self._uses if one.name == use.name], self._target.homes
        is_near = any(self._path.startswith(home.rpartition("src/")[0]) for home in homes)
        is_reached = is_near or any(one.form == "import" for one in mine) or bool(use.receiver.partition("::")[2])
        is_it = self._path in homes or (is_reached and all(one.form != "key" for one in mine))
        return Match(use, is_bound=False) if is_it else None

    def imported(self, use: Use) -> Match | None:
        """An import of the file binds the name, or the module before it, to the definition."""
        for home, name in self._target.exports:
            hit = self._imported(use, home, name)
            if hit is None and name == WHOLE_MODULE and home in self._target.whole_homes:
                hit = self._whole(use, home)
            if hit is not None:
                return hit
        return None

    def in_its_own_file(self, use: Use) -> Match | None:
        """The name is written in the file of the definition."""
        is_it = self._path in self._target.homes and use.form == "name" and use.name in self._target.shorts
        return Match(use, is_bound=True, name=use.name) if is_it else None

    def of_extended_type(self, use: Use) -> Match | None:
        """The receiver's written class is the type that the definition extends."""
        return Match(use, is_bound=True, is_extension=True) if self._target.extends(use) else None

    def extension_in_sight(self, use: Use) -> Match | None:
        """The file contains or imports an extension with the name of this member."""
        target = self._target
        is_it = use.form == "member" and use.name in target.shorts and target.is_extension and self._is_in_sight()
        return Match(use, is_bound=False, is_extension=True) if is_it else None

    def bare_call_in_sight(self, use: Use) -> Match | None:
        """A bare call may reach the definition, or a member inherited from an unknown class."""
        is_call = use.arguments is not None and _is_bare(use) and use.name in self._target.shorts
        return Match(use, is_bound=False, name=use.name, is_inherited=True) if is_call and self._is_in_sight() else None

    def constructed(self, use: Use) -> Match | None:
        """A call of the class calls its constructor."""
        if use.form not in ("name", "member") or use.arguments is None:
            return None
        target, dotted_name = self._target, f"{use.receiver}.{use.name}" if use.receiver else use.name
        is_it = dotted_name in self.classes and target.constructor and (not target.is_gone or target.accepted(use))
        return Match(use, is_bound=True, imported_file=self.classes[dotted_name]) if is_it else None

    def of_written_class(self, use: Use) -> Match | None:
        """The file writes that the receiver has the class of the member, or is that class."""
        if use.form != "member" or use.name not in self._target.shorts:
            return None
        type_files = [self.classes[written] for written in use.types if written in self.classes]
        if type_files:
            return Match(use, is_bound=True, imported_file=type_files[0])
        if use.receiver not in self.classes:
            return None
        is_on_class = self._target.kind == "method" and not self._target.is_static
        return Match(use, is_bound=True, imported_file=self.classes[use.receiver], is_on_class=is_on_class)

    def imported_without_class(self, use: Use) -> Match | None:
        """The file imports the member itself: `import static shop.Cart.total;`."""
        target, bound, is_bare = self._target, self._bound, _is_bare(use)
        for home, name in target.exports if is_bare or use.form in ("name", "import") else ():
            if name not in target.shorts:
                continue
            if is_bare and use.name == name and home in bound.stars:
                file = bound.starred_file(home)
                return Match(use, is_bound=False, imported_file=file, name=name, star=True, is_inherited=True)
            hit = self._imported(use, home, name)
            if hit is not None:
                return hit
        return None

    def by_name(self, use: Use) -> Match | None:
        """Only the name of the member matches."""
        target = self._target
        is_it = use.form == "member" and use.name in target.shorts and target.reached_by_name
        return Match(use, is_bound=False, is_extension=target.is_member_apart(use)) if is_it else None

    def unrelated(self, _: Use) -> None:
        """No import, namespace, class or name connects the identifier with the definition."""

    def own_line(self, use: Use) -> bool:
        """It is the definition itself."""
        return self._target.is_own_line(use, self._path)

    # --- Which rule says that it is none? ---

    def named_in_another_import(self, hit: Match) -> bool:
        """It is the same word in an import of another file."""
        return hit in self._of_other_imports

    def imported_elsewhere(self, hit: Match) -> bool:
        """The file imports the name from elsewhere: `import static java.lang.Math.abs` decides what `abs(x)` is."""
        use = hit.use
        if use.receiver or use.form == "import" or (hit.imported_file and not hit.star):
            return False
        if use.name not in self._imported_names or rules_of(self._path).whole_files:
            return False
        return not any((home, use.name) in self._bound.locals for home in self._target.homes)

    def handled(self, hit: Match) -> bool:
        """The code around the reference handles that the name is missing."""
        return self._target.is_provided_for(hit.use) and not rules_of(self._path).scope.conditional_build

    def called(self, hit: Match) -> bool:
        """It is a call, which means a method: `order.total()` where `total` is a field with a number."""
        before, use = self._target.before, hit.use
        if before is None or before.kind != "variable" or not self._target.owner:
            return False
        is_call = use.form == "member" and use.arguments is not None and not names_class(use.receiver)
        return is_call and re.search(rules_of(before.path).calls.uncalled_fields, before.head) is not None

    # --- Which rule says that it may be none? ---

    def redefined(self, hit: Match) -> bool:
        """The function or the file also gives the name, or the module before it, another meaning.

        Variables of other functions don't count.
        """
        use = hit.use
        name = use.receiver.partition(".")[0] or use.name
        is_module = any(here == name for pairs in self._bound.modules.values() for here, _ in pairs)
        is_hidden = is_module and rules_of(self._path).scope.separator not in PATHS
        is_imported = hit.imported_file or hit.star
        if not is_imported or not (is_hidden if use.receiver else use.form == "name"):
            return False
        # `const load = require("./load")` is a definition, too
        others = (
            symbol for symbol in self._definitions if symbol.name == name and not (is_module and symbol.span is None)
        )
        return any(self._is_seen(one, use) for one in others)

    def imported_in_another_function(self, hit: Match) -> bool:
        """The imports that bind the name, or the module before it, are all in other functions."""
        use = hit.use
        name = use.receiver.partition(".")[0] or use.name
        lines = {one.line for one in local_names(self._target, self._bound) if one.here == name}
        imports = [one for one in self._uses if one.form == "import"]
        spans = [one.span for one in imports if one.line in lines or one.name == name]
        return bool(spans) and all(span is not None and not _is_within(use, span) for span in spans)

    def imported_nearer(self, hit: Match) -> bool:
        """An import of another file, nearer above the reference, binds the same name.

        An import in another function doesn't count.
        """
        use = hit.use
        if use.form != "name" or use.receiver:
            return False
        spans = {one.line: one.span for one in self._uses if one.form == "import"}
        statements = {name.line: item.line for item in self._imports for name in item.names if name.here == use.name}
        near = (line for line in statements if (span := spans.get(line)) is None or _is_within(use, span))
        nearest = max((line for line in near if line <= use.line), default=0)
        own = {local.line for local in local_names(self._target, self._bound) if local.here == use.name}
        return bool(nearest and own) and statements[nearest] not in own

    OF_MACROS: ClassVar[tuple[Finding, ...]] = (calls_macro,)
    OF_MEMBERS: ClassVar[tuple[Finding, ...]] = (
        constructed,
        of_written_class,
        imported_without_class,
        of_extended_type,
        by_name,
    )
    OF_EXPORTS: ClassVar[tuple[Finding, ...]] = (
        imported,
        in_its_own_file,
        of_extended_type,
        extension_in_sight,
        bare_call_in_sight,
        by_name,
    )
    DISMISSING: ClassVar[tuple[Refuting, ...]] = (named_in_another_import, imported_elsewhere, handled, called)
    DOUBTING: ClassVar[tuple[Refuting, ...]] = (redefined, imported_nearer, imported_in_another_function)

    def _is_in_sight(self) -> bool:
        """Return whether the file contains the definition, or imports it under its own name."""
        target, bound = self._target, self._bound
        if self._path in target.homes:
            return True
        is_by_wildcard = target.shorts.isdisjoint(METHODS) and any(home in bound.stars for home in target.homes)
        return is_by_wildcard or any(local.here in target.shorts for local in local_names(target, bound))

    def _imported(self, use: Use, origin: str, name: str) -> Match | None:
        """Return a reference to something imported under this name."""
        bound = self._bound
        own, modules = bound.locals.get((origin, name), ()), bound.modules.get(origin, ())
        if use.form == "member":
            imported_file = _imported_file(modules, use.receiver) if use.name == name else ""
            return Match(use, is_bound=True, imported_file=imported_file, name=name) if imported_file else None
        if name == WHOLE_MODULE and use.form == "name" and use.arguments is not None:
            # `const load = require("./load")` and `load()`
            imported_file = _imported_file(modules, use.name)
            if imported_file:
                return Match(use, is_bound=True, imported_file=imported_file, name=name)
        hit = _first(use, (one for one in own if _means(use, one)))
        if hit is None and use.form == "name" and use.name == name and origin in bound.stars:
            hit = Match(use, is_bound=True, imported_file=bound.starred_file(origin), name=name, star=True)
        return hit

    def _whole(self, use: Use, origin: str) -> Match | None:
        """Return a reference to a whole file that is its own default export.

        Example: `const guard = require("./guard")` and `app.use(guard)`.
        """
        if use.form != "name" or use.is_receiver:
            return None
        imported_file = _imported_file(self._bound.modules.get(origin, ()), use.name)
        is_shadowed = any(
            symbol.name == use.name and symbol.span is not None and _is_within(use, symbol.span)
            for symbol in self._definitions
        )
        is_it = imported_file and not is_shadowed
        return Match(use, is_bound=True, imported_file=imported_file, name=WHOLE_MODULE) if is_it else None

    def _is_seen(self, definition: Use, use: Use) -> bool:
        """Return whether a definition binds the bare names around a use: those of a class may only be seen directly in it."""
        if definition.span is None or not definition.is_in_class_body or rules_of(self._path).sees_own_members:
            return definition.span is None or _is_within(use, definition.span)
        return use.span == definition.span


def _first(use: Use, ways: Iterable[Local]) -> Match | None:
    """Return the reference by the first of these local names; None without one."""
    local = min(ways, key=lambda one: (one.imported_file, one.there), default=None)
    return Match(use, is_bound=True, imported_file=local.imported_file, name=local.there) if local is not None else None


def _means(use: Use, local: Local) -> bool:
    """Return whether a bare reference is the local name of an import, or the name in the import itself."""
    if use.form == "import":
        return use.name == local.there
    is_inside = local.span is None or _is_within(use, local.span)
    return use.form == "name" and use.name == local.here and is_inside


def _is_bare(use: Use) -> bool:
    """Return whether a bare name may be a member inherited from an unknown class."""
    return use.form == "member" and not use.receiver and use.types == ("?",)


def _is_within(use: Use, span: tuple[int, int]) -> bool:
    return span[0] <= use.line <= span[1]


def _imported_file(modules: Iterable[tuple[str, str]], receiver: str) -> str:
    return min((imported_file for here, imported_file in modules if here == receiver), default="")


def _of_other_imports(target: UseTarget, matches: Sequence[Match], bound: Bindings) -> list[Match]:
    """Return the matches that are equal words in imports of other files.

    If a statement begins on an earlier line than the word, there are none.
    """
    found: list[Match] = []
    for word in {hit.use.name for hit in matches if hit.use.form == "import"}:
        ways = (one for home in target.homes for one in bound.locals.get((home, word), ()))
        lines = {one.line for one in ways if one.line}
        words = [hit for hit in matches if hit.use.form == "import" and hit.use.name == word]
        others = [hit for hit in words if hit.use.line not in lines]
        is_other = len(others) < len(words) if word == WHOLE_MODULE else lines <= {hit.use.line for hit in words}
        found += others if is_other and lines else []
    return found


def reference(
    target: UseTarget,
    hit: Match,
    path: str,
    lines: Sequence[str],
    connection: Connection = "name",
    target_state: TargetState = "unknown",
) -> Reference:
    """Return a match as a Reference."""
    use, arguments = hit.use, hit.use.arguments
    if arguments is not None and hit.is_on_class:
        arguments = replace(arguments, spread=True)
    return Reference(
        symbol=target.key,
        name=use.name,
        path=path,
        line=use.line,
        text=lines[use.line - 1].rstrip("\r") if 0 < use.line <= len(lines) else "",
        function=use.function,
        span=use.span,
        connection=connection,
        target_state=target_state,
        test=is_test(path) or is_test_scope(use.function),
        arguments=arguments,
        is_handled=arguments is not None and use.is_guarded,
        form="import" if use.form == "import" else "call" if arguments else "mention",
        imported_from=hit.imported_file if hit.is_bound and hit.name and not (hit.star or target.owner) else "",
    )
