"""What the languages share when they write a package."""

from collections.abc import Iterable

from benchmarks.refactorings.model import Alias, Import, Item, Package, Parameter, Record, Use, User

ROOT = "shopkit"  # the name of the whole package: the judges give each change another one


def camel(name: str) -> str:
    """Return `load_price` as `loadPrice`."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def pascal(name: str) -> str:
    """Return `load_price` as `LoadPrice`."""
    return "".join(word.capitalize() for word in name.split("_"))


def upper(name: str) -> str:
    """Return `dark_red` as `DARK_RED`."""
    return name.upper()


def unique(lines: Iterable[str]) -> list[str]:
    """Return the lines without repetitions, in their order."""
    return list(dict.fromkeys(lines))


def style(one: Import, styles: Iterable[str]) -> str:
    """Return the style of an import; one without a style gets the first."""
    return one.style or next(iter(styles))


def owners(user: User) -> list[str]:
    """Return the records of which a user is given an object."""
    return unique(use.owner for use in user.uses if use.what in ("method", "field"))


def meant(package: Package, name: str) -> Item | None:
    """Return the item that a name means or meant, under whatever alias."""
    items = (item for module in package.modules for item in module.items if item.name == name)
    found = next(items, package.gone.get(name))
    return found.item if isinstance(found, Alias) else found


def fields_of(package: Package, record: Record) -> list[Parameter]:
    """Return all that has to be given to make a record: its fields, or those of its base."""
    base = next((item for module in package.modules for item in module.items if item.name == record.base), None)
    inherited = fields_of(package, base) if isinstance(base, Record) else []
    return [*inherited, *record.fields]


def value(kind: str, number: int = 1) -> str:
    """Return a literal that all six languages write in the same way."""
    return str(number) if kind == "int" else f'"{chr(96 + number % 26 + 1)}"'


def literals(use: Use) -> list[tuple[str, str]]:
    """Return name and literal of each argument; the name is empty where it is given by position."""
    plain = len(use.arguments) - len(use.keywords)
    names = ["" for _ in range(plain)] + use.keywords
    return [(name, value(kind, at + 1)) for at, (name, kind) in enumerate(zip(names, use.arguments, strict=True))]
