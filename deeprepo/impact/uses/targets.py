"""The names that a search looks for: what changed, and the words with which a file's imports let it write that."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from deeprepo.impact.changes import ChangedSymbol, Contract
from deeprepo.impact.everyday import is_specific
from deeprepo.impact.language import rules_of
from deeprepo.impact.structs import Struct, field, replace
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.breaks import misfit
from deeprepo.impact.values import MODULE, Definition, Use

Meaning = tuple[str, str]  # a changed file and a name in it; "*" is the whole file
RUN = re.compile(r"_*(?:test|set_?up|tear_?down|before|after|it|should|spec|given|when|then)(?![a-z])", re.IGNORECASE)
WHOLE_MODULE = "default"  # the name of a module that is exported as a whole


class UseTarget(Struct, frozen=True):
    """A changed name as users can write it."""

    key: str  # as in `Reference.symbol`
    exports: tuple[Meaning, ...]  # its files, with each name under which one exports the definition or its class
    shorts: frozenset[str]  # the definition's own name, before and after
    homes: frozenset[str]  # the files that contained it or contain it
    symbol: ChangedSymbol | None = None
    within: str = ""  # the class or object of a member, qualified: "Outer.Inner"
    is_gone: bool = False  # its file no longer has the old name
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


class Local(Struct, frozen=True):
    """A local name for something imported."""

    here: str
    imported_file: str
    there: str  # its name in the imported file
    span: tuple[int, int] | None = None  # the lines in which it applies; None stands for all
    line: int = 0  # of the import


class Bindings(Struct):
    """What the imports of one file bind to names of changed files."""

    locals: dict[Meaning, set[Local]] = field(default_factory=lambda: defaultdict(set))
    # file -> pairs of local name and imported file
    modules: dict[str, set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))
    # file -> files imported with a wildcard
    stars: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    # name and line of the assignments that are followed
    assignments: set[tuple[str, int]] = field(default_factory=set)

    def starred_file(self, origin: str) -> str:
        """Return the file behind the wildcard import that provides a file's names: the file itself if possible."""
        files = self.stars.get(origin, ())
        return origin if origin in files else min(files, default="")

    def names_of(self, origin: str) -> Iterator[Local]:
        """Yield the local names of what a file gives."""
        yield from (one for (home, _), every in self.locals.items() if home == origin for one in every)

    def writings(self, origin: str, name: str) -> Iterator[tuple[str, str]]:
        """Yield each way to write a name of a file, with the imported file."""
        for one in self.locals.get((origin, name), ()):
            yield one.here, one.imported_file
        for here, imported_file in self.modules.get(origin, ()):
            yield f"{here}.{name}", imported_file

    def follow(self, uses: Iterable[Use]) -> frozenset[str]:
        """Add assignments that rename a bound name, such as `total = lib.total`, and return the new names."""
        assigned = [use for use in uses if use.alias and (use.alias, use.line) not in self.assignments]
        bound: dict[str, set[tuple[str, str, str]]] = defaultdict(set)  # by the way to write it
        for (origin, name), every in self.locals.items() if assigned else ():
            for local in every:
                bound[local.here].add((origin, name, local.imported_file))
        aliases = set[str]()
        for use in assigned:
            found = {*bound.get(f"{use.receiver}.{use.name}" if use.receiver else use.name, ())}
            for origin, pairs in self.modules.items() if use.receiver else ():
                found |= {(origin, use.name, file) for here, file in pairs if here == use.receiver}
            for origin, name, file in found:
                span = None if use.function == MODULE else use.span
                self.locals[origin, name].add(Local(use.alias, file, name, span=span))
                self.assignments.add((use.alias, use.line))
                aliases.add(use.alias)
        return frozenset(aliases)


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


def last_word(receiver: str) -> str:
    """Return the last part of a receiver: `Cart` for `shop.Cart` and `Shop::Cart`."""
    return receiver.rpartition(".")[2].rpartition("::")[2]


def names_class(receiver: str) -> bool:
    """Return whether a receiver is written like a class: `shop.Cart`, not `shop.Make()`."""
    return last_word(receiver).lstrip("_")[:1].isupper() and receiver[-1:] not in (")", "]")
