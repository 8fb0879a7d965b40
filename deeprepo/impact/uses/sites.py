"""Decide how users can write a changed name, and which identifiers of a file refer to it by the file's imports."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from deeprepo.impact.changes import ChangedSymbol, Connection, Contract, Reference, TargetState
from deeprepo.impact.everyday import METHODS, is_specific
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.language import rules_of
from deeprepo.impact.structs import Struct, replace
from deeprepo.impact.text.paths import is_test, is_test_scope
from deeprepo.impact.uses.importing import Bindings, Local
from deeprepo.impact.values import MODULE, SPACE, Arguments, Definition, Import, Use

RUN = re.compile(r"_*(?:test|set_?up|tear_?down|before|after|it|should|spec|given|when|then)(?![a-z])", re.IGNORECASE)
EXTENSION = "extension "  # prefix of the mark of an extension function
RESULT = "()"  # suffix of a function's name for the object that it returns
LONG = 4  # letters required for a resemblance
WHOLE_MODULE = "default"  # the name under which CommonJS exports a whole module


class UseTarget(Struct, frozen=True):
    """A changed name as users can write it."""

    key: str  # as in `Reference.symbol`
    # pairs of a file and the names under which it exports the definition or its class
    exporting_files: tuple[tuple[str, frozenset[str]], ...]
    shorts: frozenset[str]  # the definition's own name, before and after
    homes: frozenset[str]  # the files that contained it or contain it
    symbol: ChangedSymbol | None = None
    owner: str = ""  # the class or object of a member
    within: str = ""  # the qualified class: "Outer.Inner"
    is_gone: bool = False  # its file no longer has the old name
    # an attribute that a class no longer sets; other code may set it, so nothing is proven
    is_attribute: bool = False
    is_apart: bool = False  # a member whose class is in another file
    whole_homes: frozenset[str] = frozenset()  # the homes that export themselves as the default
    is_loaded: bool = False  # it only concerns code that loads the file by a call

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
        before = self.symbol.before if self.symbol is not None else None
        return frozenset({before.short}) if before is not None else self.shorts

    @property
    def is_macro(self) -> bool:
        """Whether it is a macro that its whole package can call without an import."""
        is_macro = self.symbol is not None and self.symbol.symbol.kind == "macro" and not self.owner
        return is_macro and any(rules_of(home).shared_macros for home in self.homes)

    @property
    def is_method_of_a_value(self) -> bool:
        """Whether it is a function on a value whose class is never written."""
        before = self.symbol.before if self.symbol is not None else None
        head = before.head if before is not None and before.signature is not None else ""
        return any(re.search(rules_of(home).loose_methods, head) for home in self.homes)

    @property
    def is_extension(self) -> bool:
        """Whether it extends a type defined elsewhere, on either side, and has not only moved."""
        item = self.symbol
        if item is not None and item.before and item.after and item.contract == ("renamed",):
            was, now = item.before, item.after
            if (was.short, was.marks) == (now.short, now.marks):
                return False
        return item is not None and any(side is not None and is_extension(side) for side in (item.before, item.after))

    def extends(self, use: Use) -> bool:
        """Return whether a use is a member of a value whose written type the definition extends."""
        before = self.symbol.before if self.symbol is not None else None
        types = {one.rpartition(".")[2] for one in use.types}
        is_of_it = before is not None and any(mark.removeprefix(EXTENSION) in types for mark in before.marks)
        return is_of_it and self.is_extension and use.form == "member" and use.name in self.shorts

    @property
    def constructor(self) -> bool:
        """Whether calling the class calls it."""
        return bool(self.owner) and all(
            not self.shorts.isdisjoint(filetype(home).inheritance.constructors) for home in self.homes
        )

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
            or (
                self.is_gone
                and self.symbol is not None
                and any(exported_names for _, exported_names in self.exporting_files)
            )
        )

    def accepted(self, use: Use) -> bool:
        """Return whether a call fitted the definition before the change; a call that didn't means an overload."""
        before = self.symbol.before if self.symbol is not None else None
        signature = before.signature if before is not None else None
        if use.arguments is None or before is None or signature is None or signature.opaque:
            return True
        rules, is_ordered = filetype(before.path).arguments, rules_of(before.path).ordered_arguments
        return any(use.arguments.misfit(form, rules, is_ordered=is_ordered) is None for form in signature.forms)

    def is_visible(self, path: str) -> bool:
        """Return whether a file could use it before the change."""
        before = self.symbol.before or self.symbol.after if self.symbol is not None else None
        return before is None or path in self.homes or before.is_visible(path)

    def is_in_space(self, name: str) -> bool:
        """Return whether a namespace of this name is the innermost one around the definition, on either side."""
        sides = (self.symbol.before, self.symbol.after) if self.symbol is not None else ()
        return any(f"{SPACE}{name}" in side.marks for side in sides if side is not None)

    def in_namespace(self, use: Use) -> Use:
        """Return the reference, not guarded if it names the namespace around the definition: `shop::total`."""
        if use.form != "name" or not use.receiver or self.symbol is None:
            return use
        is_named = f"{SPACE}{use.receiver.rpartition('::')[2]}" in (self.symbol.before or self.symbol.symbol).marks
        return replace(use, is_guarded=False) if is_named else use

    def is_own_line(self, use: Use, path: str) -> bool:
        """Return whether a reference is the definition's own head.

        A reference to a private member through a receiver in another file counts, too.
        """
        after = self.symbol.after if self.symbol is not None else None
        before = self.symbol.before or after if self.symbol is not None else None
        is_private = before is not None and before.visible == "self" and path not in self.homes
        is_head = after is not None and after.path == path and use.form == "definition"
        return is_head or (is_private and use.receiver not in ("", "self"))

    def is_provided_for(self, use: Use) -> bool:
        """Return whether the code around a reference handles the missing name.

        Example: `if hasattr(store, "load"): store.load()`.
        """
        return use.is_guarded and self.is_gone and not self.is_loaded and use.name in self.former_names

    def is_member_apart(self, use: Use) -> bool:
        """Return whether a reference is a member of a type with the class's name, defined in another file."""
        is_of_type = any(one.rpartition(".")[2] == self.owner for one in use.types)
        return self.is_apart and use.form == "member" and use.name in self.shorts and is_of_type


def is_extension(definition: Definition) -> bool:
    """Return whether a definition extends a type defined elsewhere."""
    return any(one.startswith(EXTENSION) for one in definition.marks)


def extended_type(definition: Definition) -> str:
    """Return the name of the type that a definition extends, without its namespace; "" if it extends none."""
    marks = (one.removeprefix(EXTENSION) for one in definition.marks if one.startswith(EXTENSION))
    return next(marks, "").rpartition(".")[2]


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


def names(targets: Iterable[UseTarget], bound: Bindings) -> frozenset[str]:
    """Return the words that may refer to one of the targets in a file."""
    names_found: set[str] = set()
    for target in targets:
        names_found |= target.shorts
        for origin, exported_names in target.exporting_files:
            for name in exported_names:
                names_found.add(name)
                if name == WHOLE_MODULE:
                    names_found.update(here for here, _ in bound.modules.get(origin, ()))
                for one in bound.locals.get((origin, name), ()):
                    names_found.update((one.here.rpartition(".")[2], one.there))
    return frozenset(names_found)


class Match(Struct, frozen=True):
    """A reference and the imported file that connects it; "" in the definition's own file."""

    use: Use
    sure: bool
    imported_file: str = ""
    name: str = ""  # the name that the imported file must export
    star: bool = False  # imported with a wildcard
    unbound: bool = False  # a class used instead of an instance, so its first argument may be the receiver
    is_extension: bool = False  # a member with the name of an extension that the file can call
    is_inherited: bool = False  # a member inherited by the class around it, or by its receiver's class


def match(
    target: UseTarget,
    uses: Sequence[Use],
    bound: Bindings,
    path: str,
) -> list[Match]:
    """Return the references in a file that mean or may mean the target."""
    matches = []
    definitions = tuple(
        use for use in uses if use.form == "definition" and (use.name, use.line) not in bound.assignments
    )
    classes = classes_of(target, bound, path) if target.owner else {}
    words = names([target], bound) | {written.rpartition(".")[2] for written in classes}
    # a path may end in any of these
    candidates = (use for use in uses if use.name in words or not use.name.isidentifier())
    if (library := rules_of(path).library_space) and not target.is_in_space(library):
        candidates = (use for use in candidates if use.receiver.partition("::")[0] != library)
    for use in map(target.in_namespace, candidates):
        hit = _member(target, use, classes) if target.owner else _plain(target, use, bound, path, definitions)
        if hit is None and target.owner:
            hit = _member_by_name(target, use, bound, definitions) or _member_of_result(target, use, uses, classes)
        if hit is None and use.form == "member" and use.name in target.shorts and target.reached_by_name:
            hit = Match(use, sure=False, is_extension=target.is_member_apart(use))
        if (hit is None or not hit.sure) and target.extends(use):
            hit = Match(use, sure=True, is_extension=True)
        if target.is_macro and use.form == "member":
            hit = (
                Match(use, sure=False) if use.name in target.shorts and _calls_macro(target, use, uses, path) else None
            )
        if hit is not None and (not target.is_loaded or (use.form == "import" and use.is_guarded)):
            matches.append(hit)
    return _of_own_lines(target, matches, bound)


def is_bound_nearer(
    target: UseTarget, use: Use, uses: Sequence[Use], imports: Sequence[Import], bound: Bindings
) -> bool:
    """Return whether an import of another file, nearer above a reference, binds the same name, as in its block.

    An import in another function doesn't count.
    """
    if use.form != "name" or use.receiver:
        return False
    spans = {one.line: one.span for one in uses if one.form == "import"}
    statements = {one.line: item.line for item in imports for one in item.names if one.here == use.name}
    near = (line for line in statements if (span := spans.get(line)) is None or span[0] <= use.line <= span[1])
    nearest = max((line for line in near if line <= use.line), default=0)
    ways = (
        one
        for origin, names in target.exporting_files
        for name in names
        for one in bound.locals.get((origin, name), ())
    )
    own = {one.line for one in ways if one.here == use.name}
    return bool(nearest and own) and statements[nearest] not in own


def _calls_macro(target: UseTarget, use: Use, uses: Sequence[Use], path: str) -> bool:
    """Return whether a macro call means this one: in its package, imported, or qualified, and not redefined."""
    mine = [one for one in uses if one.name == use.name]
    if path in target.homes:
        return True
    is_near = any(path.startswith(home.rpartition("src/")[0]) for home in target.homes)
    is_imported = any(one.form == "import" for one in mine)
    return (is_near or is_imported or bool(use.receiver.partition("::")[2])) and all(one.form != "key" for one in mine)


def _of_own_lines(target: UseTarget, matches: list[Match], bound: Bindings) -> list[Match]:
    """Return the matches without equal words in imports of other files.

    If a statement begins on an earlier line than the word, all matches are kept.
    """
    dropped: list[Match] = []
    for word in {hit.use.name for hit in matches if hit.use.form == "import"}:
        ways = (one for origin, _ in target.exporting_files for one in bound.locals.get((origin, word), ()))
        lines = {one.line for one in ways if one.line}
        words = [hit for hit in matches if hit.use.form == "import" and hit.use.name == word]
        others = [hit for hit in words if hit.use.line not in lines]
        is_dropped = len(others) < len(words) if word == WHOLE_MODULE else lines <= {hit.use.line for hit in words}
        dropped += others if is_dropped and lines else []
    return [hit for hit in matches if hit not in dropped]


def _plain(target: UseTarget, use: Use, bound: Bindings, path: str, definitions: Sequence[Use]) -> Match | None:
    for origin, exported_names in sorted(target.exporting_files):
        for name in sorted(exported_names):
            hit = _imported(use, origin, name, bound, definitions)
            if hit is None and name == WHOLE_MODULE and origin in target.whole_homes:
                hit = _whole(use, origin, bound, definitions)
            if hit is not None:
                return hit
    if path in target.homes and use.form == "name" and use.name in target.shorts:
        return Match(use, sure=True, name=use.name)
    if use.form == "member" and use.name in target.shorts and target.is_extension and _is_in_sight(target, bound, path):
        return Match(use, sure=False, is_extension=True)
    is_called = use.arguments is not None and use.name in target.shorts
    if is_called and _is_bare(use) and _is_in_sight(target, bound, path):
        return Match(use, sure=False, name=use.name, is_inherited=True)
    return None


def _is_bare(use: Use) -> bool:
    """Return whether a bare name may be a member inherited from an unknown class."""
    return use.form == "member" and not use.receiver and use.types == ("?",)


def _is_in_sight(target: UseTarget, bound: Bindings, path: str) -> bool:
    """Return whether a file contains the definition, or imports it under its own name."""
    if path in target.homes:
        return True
    return any(
        (origin in bound.stars and target.shorts.isdisjoint(METHODS))
        or any(one.here in target.shorts for name in exported_names for one in bound.locals.get((origin, name), ()))
        for origin, exported_names in target.exporting_files
    )


def _imported(use: Use, origin: str, name: str, bound: Bindings, definitions: Sequence[Use]) -> Match | None:
    """Return a reference to something imported under this name."""
    own = bound.locals.get((origin, name), ())
    if use.form == "member":
        imported_file = _imported_file(bound.modules.get(origin, ()), use.receiver) if use.name == name else ""
        ways = sorted(
            (one for one in own if one.receiver and (use.receiver, use.name) == (one.receiver, one.here)),
            key=lambda one: (one.imported_file, one.there),
        )
        hit = (imported_file, name) if imported_file else (ways[0].imported_file, ways[0].there) if ways else None
        return Match(use, sure=True, imported_file=hit[0], name=hit[1]) if hit is not None else None
    if name == WHOLE_MODULE and use.form == "name" and use.arguments is not None:
        # `const load = require("./load")` and `load()`
        imported_file = _imported_file(bound.modules.get(origin, ()), use.name)
        if imported_file:
            return Match(use, sure=True, imported_file=imported_file, name=name)
    local = min((one for one in own if _means(use, one)), key=lambda one: (one.imported_file, one.there), default=None)
    if local is not None:
        hit_here = Match(use, sure=True, imported_file=local.imported_file, name=local.there)
        return hit_here if use.form == "import" else _beside(hit_here, definitions)
    if use.form == "name" and use.name == name and origin in bound.stars:
        starred = Match(use, sure=True, imported_file=bound.starred_file(origin), name=name, star=True)
        return _beside(starred, definitions)
    return None


def _whole(use: Use, origin: str, bound: Bindings, definitions: Sequence[Use]) -> Match | None:
    """Return a reference to a whole file that is its own default export.

    Example: `const guard = require("./guard")` and `app.use(guard)`.
    """
    imported_file = (
        _imported_file(bound.modules.get(origin, ()), use.name) if use.form == "name" and not use.is_receiver else ""
    )
    is_shadowed = any(
        one.name == use.name and one.span is not None and _is_within(use, one.span) for one in definitions
    )
    return (
        Match(use, sure=True, imported_file=imported_file, name=WHOLE_MODULE)
        if imported_file and not is_shadowed
        else None
    )


def _means(use: Use, local: Local) -> bool:
    """Return whether a bare reference is the local name of an import, or the name in the import itself."""
    if use.form == "import":
        return use.name == local.there
    is_inside = local.span is None or _is_within(use, local.span)
    return use.form == "name" and use.name == local.here and not local.receiver and is_inside


def _beside(hit: Match, definitions: Sequence[Use]) -> Match:
    """Make a match uncertain if its function or file also gives the name another meaning.

    Variables of other functions do not count.
    """
    use = hit.use
    rivals = [one for one in definitions if one.name == use.name and (one.span is None or _is_within(use, one.span))]
    if not rivals or use.receiver:
        return hit
    return replace(hit, sure=False)


def _is_within(use: Use, span: tuple[int, int]) -> bool:
    return span[0] <= use.line <= span[1]


def _imported_file(modules: Iterable[tuple[str, str]], receiver: str) -> str:
    return min((imported_file for here, imported_file in modules if here == receiver), default="")


def _member(target: UseTarget, use: Use, classes: Mapping[str, str]) -> Match | None:
    if use.form in ("name", "member") and use.arguments is not None:
        dotted_name = f"{use.receiver}.{use.name}" if use.receiver else use.name
        if dotted_name in classes and target.constructor and (not target.is_gone or target.accepted(use)):
            return Match(use, sure=True, imported_file=classes[dotted_name], name="")
    if use.form != "member" or use.name not in target.shorts:
        return None
    type_files = [classes[one] for one in use.types if one in classes]
    if type_files:
        return Match(use, sure=True, imported_file=type_files[0])
    if use.receiver in classes:
        before_or_after = target.symbol.symbol if target.symbol is not None else None
        unbound = before_or_after is not None and before_or_after.kind == "method"
        return Match(use, sure=True, imported_file=classes[use.receiver], unbound=unbound)
    return None


def _member_by_name(target: UseTarget, use: Use, bound: Bindings, definitions: Sequence[Use]) -> Match | None:
    """Return a reference to a member that is imported without its class: `import static shop.Cart.total;`."""
    is_bare = _is_bare(use)
    for origin, exported_names in sorted(target.exporting_files) if is_bare or use.form in ("name", "import") else ():
        for name in sorted(exported_names & target.shorts):
            if is_bare and use.name == name and origin in bound.stars:
                file = bound.starred_file(origin)
                return Match(use, sure=False, imported_file=file, name=name, star=True, is_inherited=True)
            hit = _imported(use, origin, name, bound, definitions)
            if hit is not None:
                return hit
    return None


def _member_of_result(target: UseTarget, use: Use, uses: Sequence[Use], classes: Mapping[str, str]) -> Match | None:
    """Return a reference to a member of a function's result, through a variable or by destructuring."""
    # The line of a value gives little evidence.
    is_function = target.symbol is not None and target.symbol.symbol.kind == "method"
    if not (target.owner.endswith(RESULT) and is_function) or use.name not in target.shorts or use.form == "definition":
        return None
    takers = [use] if use.form != "name" else [one for one in uses if one.form == "definition" and one.name == use.name]
    is_imported_type = any(
        one.result_of
        and f"{one.result_of}{RESULT}" in classes
        and (one is use or one.span is None or _is_within(use, one.span))
        for one in takers
    )
    return Match(use, sure=False, is_inherited=True) if is_imported_type else None


def classes_of(target: UseTarget, bound: Bindings, path: str) -> dict[str, str]:
    """Return the ways in which a file can write a member's class, with the imported file of each."""
    class_names = {target.owner: "", target.within: ""} if path in target.homes else {}
    class_names |= {f"{home}:{target.within}": "" for home in target.homes}  # for results of functions
    outer, _, rest = target.within.partition(".")
    result = RESULT if outer.endswith(RESULT) and not rest else ""
    for origin, exported_names in target.exporting_files:
        for name in exported_names:
            below = f".{rest}" if rest and name == outer else result
            ways = dict(bound.writings(origin, name))
            qualified_names = {f"{here}.{name}" for here, _ in bound.modules.get(origin, ())}
            class_names.update(
                {
                    way if way in qualified_names and not result else f"{way}{below}": imported_file
                    for way, imported_file in ways.items()
                }
            )
            if origin in bound.stars:
                class_names[f"{name}{result}"] = bound.starred_file(origin)
            if name == WHOLE_MODULE and origin in target.whole_homes and not rest:
                class_names.update(
                    {f"{here}{result}": imported_file for here, imported_file in bound.modules.get(origin, ())}
                )
    return class_names


def is_imported(target: UseTarget, bound: Bindings) -> bool:
    """Return whether a file imports what it needs to write the target."""
    return any(
        origin in bound.modules
        or origin in bound.stars
        or any((origin, name) in bound.locals for name in exported_names)
        for origin, exported_names in target.exporting_files
    )


def is_imported_elsewhere(target: UseTarget, hit: Match, imported_names: Collection[str], bound: Bindings) -> bool:
    """Return whether the file imports the name from elsewhere.

    For example, `import static java.lang.Math.abs` decides what `abs(x)` is. `imported_names`: the names in
    the file's import statements.
    """
    use = hit.use
    if use.receiver or use.form == "import" or (hit.imported_file and not hit.star) or use.name not in imported_names:
        return False
    return not any((origin, use.name) in bound.locals for origin, _ in target.exporting_files)


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
    if arguments is not None and use.is_guarded:  # nothing is known if a failure is handled
        arguments = Arguments(arguments.positional, spread=True)
    elif arguments is not None and hit.unbound:
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
        form="import" if use.form == "import" else "call" if arguments else "mention",
    )


def mention(symbol: str, name: str, path: str, line: int, text: str, *, unique: bool = True) -> Reference:
    """Return a reference found by name only.

    `unique`: the name is specific enough to hardly mean anything else.
    """
    connection: Connection = "probable" if unique else "name"
    return Reference(symbol, name, path, line, text, MODULE, None, connection, test=is_test(path))
