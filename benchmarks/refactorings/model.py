"""A small package without a language: modules with functions, records, interfaces and enumerations, and functions that use them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

Path = tuple[str, ...]
Kind = Literal["int", "text"]


@dataclass(slots=True)
class Parameter:
    """A parameter, or a field of a record."""

    name: str
    kind: Kind = "int"
    has_default: bool = False


@dataclass(slots=True)
class Function:
    """A function of a module, or a method of a record or an interface."""

    name: str
    parameters: list[Parameter]
    returns: Kind = "int"
    form: str = ""  # how the language writes it; "" is the usual form


@dataclass(slots=True)
class Record:
    """A class with fields and methods. `given` are methods that it gets in another way, which `form` names."""

    name: str
    fields: list[Parameter]
    methods: list[Function]
    base: str = ""
    implements: str = ""
    given: list[Function] = field(default_factory=list)
    form: str = ""


@dataclass(slots=True)
class Interface:
    """An interface; methods with the form "default" have a body."""

    name: str
    methods: list[Function]


@dataclass(slots=True)
class Choice:
    """An enumeration."""

    name: str
    members: list[str]


@dataclass(slots=True)
class Alias:
    """A name that stands for an item of another module, or of the same one, in a way that `form` names."""

    name: str
    of: Path
    item: "Function | Record | Choice"
    form: str


@dataclass(slots=True)
class Use:
    """One expression of a user. `owner` is a record or an enumeration."""

    what: Literal["call", "new", "method", "field", "member"]
    name: str
    owner: str = ""
    arguments: list[Kind] = field(default_factory=list)
    keywords: list[str] = field(default_factory=list)  # names of the last arguments, where a language has them
    result: Kind | Literal[""] = ""  # what the user takes it for; "" if it only keeps the value


@dataclass(slots=True)
class User:
    """A function that uses items of other modules. It returns their sum."""

    name: str
    uses: list[Use]


Item = Function | Record | Interface | Choice | Alias | User


@dataclass(slots=True)
class Import:
    """What a module takes from another one, in a style of the language."""

    of: Path
    name: str
    style: str


@dataclass(slots=True)
class Module:
    """A file, or a package in languages whose packages are folders. `form` names how its old place hands on the module `of`."""

    path: Path
    items: list[Item] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    form: str = ""
    of: Path = ()

    def users(self) -> Iterator[User]:
        """Return its functions that use others."""
        return (item for item in self.items if isinstance(item, User))

    def import_of(self, name: str) -> Import | None:
        """Return the import that gives a name."""
        return next((item for item in self.imports if item.name == name), None)


@dataclass(slots=True)
class Package:
    """All modules, and what the change removed or renamed, by its former name: a user that is left still writes it."""

    modules: list[Module]
    gone: dict[str, "Item"] = field(default_factory=dict)

    def module(self, path: Path) -> Module:
        """Return the module at a path."""
        return next(module for module in self.modules if module.path == path)

    def home(self, name: str) -> Module:
        """Return the module that defines a name."""
        return next(module for module in self.modules if any(named(item) == name for item in module.items))

    def importers(self, name: str) -> list[Module]:
        """Return the modules that import a name."""
        return [module for module in self.modules if module.import_of(name) is not None]


def named(item: Item) -> str:
    """Return the name of an item."""
    return item.name


Files = dict[str, str]
Render = Callable[[Package], Files]
