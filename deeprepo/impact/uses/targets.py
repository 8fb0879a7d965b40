"""The shapes of what a search looks for: what changed, and what the imports of a file bind to it."""

import re
from collections import defaultdict
from collections.abc import Iterator

from deeprepo.impact.changes import ChangedSymbol, Connection, Contract
from deeprepo.impact.language import rules_of
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.values import Definition

Meaning = tuple[str, str]  # a changed file and a name in it; "*" is the whole file
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
    def may_break(self) -> bool:
        """Whether the change may break a use. In tests, contracts are not compared."""
        is_helper = self.has_new_signature and all(map(is_test, self.homes))
        return self.is_gone or bool(self.contract) or is_helper

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

    @property
    def constructor(self) -> bool:
        """Whether calling the class calls it."""
        return bool(self.owner) and all(any(map(rules_of(home).is_constructor, self.shorts)) for home in self.homes)


class Local(Struct, frozen=True):
    """A local name for something imported."""

    here: str
    imported_file: str
    there: str  # its name in the imported file
    line: int = 0  # of the import


class Bindings(Struct):
    """What the imports of one file bind to names of changed files."""

    locals: dict[Meaning, set[Local]] = field(default_factory=lambda: defaultdict(set))
    # file -> pairs of local name and imported file
    modules: dict[str, set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))
    # file -> files imported with a wildcard
    stars: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

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


class Match(Struct, frozen=True):
    """How a file writes a target, and the imported file that connects both; "" in the definition's own file."""

    connection: Connection  # the best that can be said of it
    imported_file: str = ""
    name: str = ""  # the name that the imported file must export
    star: bool = False  # imported with a wildcard
    is_on_class: bool = False  # a class used instead of an instance, so its first argument may be the receiver


def last_word(receiver: str) -> str:
    """Return the last part of a receiver: `Cart` for `shop.Cart` and `Shop::Cart`."""
    return receiver.rpartition(".")[2].rpartition("::")[2]


def names_class(receiver: str) -> bool:
    """Return whether a receiver is written like a class: `shop.Cart`, not `shop.Make()`."""
    return last_word(receiver).lstrip("_")[:1].isupper() and receiver[-1:] not in (")", "]")
