"""Determine the arguments of generated constructors: dataclasses, named tuples and pydantic models.

If a class writes, inherits or is given anything that may change its constructor, the result is unknown.
"""

import ast
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from deeprepo.impact.structs import Struct, field

if TYPE_CHECKING:
    from deeprepo.impact.index import Index

DEPTH = 6  # levels of bases
MODELS = {("pydantic", "BaseModel"), ("sqlmodel", "SQLModel")}
PLAIN = {"object", "ABC", "Generic", "Protocol"}
WRITES_ITS_OWN = frozenset(
    ("__init__", "__new__", "__get_validators__", "__init_subclass__", "__pydantic_init_subclass__")
)
NO_FIELD = re.compile(r"\b(?:ClassVar|KW_ONLY)\b")
MAY_BE_LEFT_OUT = re.compile(r"\b(?:Optional|None|Any|Annotated)\b")
DECIDES = re.compile(
    r"alias|model_validator\((?!mode='after')|root_validator|table=True|metaclass|dataclass\([^)]{0,300}\binit=False"
)
EXTRA = re.compile(r"\bextra'? ?[=:] ?(?:\w+\.)*'?(\w+)")


class Taken(Struct, frozen=True):
    """The fields of a class in order, and whether each is required."""

    required: Mapping[str, bool] = field(default_factory=dict)
    by_place: bool = True  # positional arguments are accepted, in order
    strict: bool = True  # unknown names are errors
    raises: str = "TypeError"

    def lacks(self, positional: int, keywords: Sequence[str]) -> str:
        """Return the first required field that a call omits, or ""."""
        left = [*self.required][positional if self.by_place else 0 :]
        return next((name for name in left if self.required[name] and name not in keywords), "")

    def is_fit(self, positional: int, keywords: Sequence[str]) -> bool:
        """Return whether a call passes all required fields and no unknown ones."""
        is_known = not self.strict or set(keywords) <= self.required.keys()
        fits_places = not positional or (self.by_place and positional <= len(self.required))
        return is_known and fits_places and not self.lacks(positional, keywords)


def taken(index: "Index", path: str, name: str, depth: int = DEPTH) -> Taken | None:
    """Return the constructor fields of a class in the tree; None if unknown."""
    facts = index.facts(path)
    node = _class(index.sources.get(path, b""), name)
    if facts is None or node is None or not depth or name in facts.open_owners:
        return None
    written = ast.unparse(node)
    if DECIDES.search(written) or any(getattr(one, "name", "") in WRITES_ITS_OWN for one in node.body):
        return None
    decorators = [ast.unparse(one).partition("(")[0].rpartition(".")[2] for one in node.decorator_list]
    if decorators not in ([], ["dataclass"]):
        return None
    above = [_base(index, path, base, depth) for base in node.bases]
    if any(one is None for one in above) or not (decorators or node.bases):
        return None
    models = [one for one in above if one is not None and one.raises != "TypeError"]
    required: dict[str, bool] = {}
    for one in reversed(above):
        required |= one.required if one is not None else {}
    for each, must in _fields(node):
        required[each] = must and required.get(each, True)
    if models:
        extra = EXTRA.search(written)
        is_strict = extra[1] == "forbid" if extra is not None else any(one.strict for one in models)
        return Taken(required, by_place=False, strict=is_strict, raises=models[0].raises)
    is_made = bool(decorators) or any(ast.unparse(base).endswith("NamedTuple") for base in node.bases)
    return Taken(required, by_place="kw_only" not in written.lower()) if is_made else None


def musts(source: bytes, name: str) -> frozenset[str]:
    """Return the required fields that a class writes itself."""
    node = _class(source, name)
    return frozenset(each for each, must in _fields(node) if must) if node is not None else frozenset()


def _base(index: "Index", path: str, base: ast.expr, depth: int) -> Taken | None:
    """Return what a base contributes: fields, or rules for passing them."""
    said = ast.unparse(base)
    name = said.partition("[")[0]
    from deeprepo.impact.resolve import named

    facts = index.facts(path)
    rows = named(index, path, name).definitions
    if len(rows) == 1:
        return taken(index, rows[0][0], rows[0][1].name, depth - 1)
    imports = facts.imports if facts is not None else ()
    origins = {(item.spec, bound.there) for item in imports for bound in item.names if bound.here == name}
    origins |= {(item.spec, name.rpartition(".")[2]) for item in imports if item.whole == name.rpartition(".")[0] != ""}
    if origins & MODELS:
        return Taken(strict=False, by_place=False, raises="ValidationError")
    is_plain = name.rpartition(".")[2] in PLAIN and {spec for spec, _ in origins} <= {
        "abc",
        "typing",
        "typing_extensions",
    }
    return Taken() if is_plain or ("typing", "NamedTuple") in origins else None


def _class(source: bytes, name: str) -> ast.ClassDef | None:
    """Return the only class of this name in a file that this Python version can parse."""
    found = [one for one in _classes(source) if one.name == name]
    return found[0] if len(found) == 1 else None


@lru_cache(maxsize=32)
def _classes(source: bytes) -> tuple[ast.ClassDef, ...]:
    """Return the classes of a file; cached, because several constructions ask for them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(one for one in tree.body if isinstance(one, ast.ClassDef))


def _fields(node: ast.ClassDef) -> Iterator[tuple[str, bool]]:
    """Yield the fields that a class writes, and whether each is required."""
    for one in node.body:
        if isinstance(one, ast.Assign):
            yield from (
                (each.id, False)
                for each in one.targets
                if isinstance(each, ast.Name) and each.id[0] != "_" and each.id != "model_config"
            )
        if not isinstance(one, ast.AnnAssign) or not isinstance(one.target, ast.Name) or one.target.id.startswith("_"):
            continue
        kind = ast.unparse(one.annotation)
        if not NO_FIELD.search(kind) and not _is_inner(one.value):
            yield one.target.id, _must(one.value) and not MAY_BE_LEFT_OUT.search(kind)


def _is_inner(value: ast.expr | None) -> bool:
    """Return whether a field is not passed to the constructor: `field(init=False)`."""
    given = value.keywords if isinstance(value, ast.Call) else ()
    return any(one.arg == "init" and ast.unparse(one.value) == "False" for one in given)


def _must(value: ast.expr | None) -> bool:
    """Return whether a field's value gives it no default."""
    if value is None or (isinstance(value, ast.Constant) and value.value is ...):
        return True
    if not isinstance(value, ast.Call) or ast.unparse(value.func).rpartition(".")[2] not in ("Field", "field"):
        return False
    gives = {one.arg for one in value.keywords} & {None, "default", "default_factory", "factory", "init"}
    first = value.args[0] if value.args else None
    return not gives and (first is None or (isinstance(first, ast.Constant) and first.value is ...))
