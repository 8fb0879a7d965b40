"""Go: packages that are folders, modules and workspaces."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache

from tree_sitter import Language as Grammar

from bot.languages import nesting, syntax
from bot.languages.go.modules import GoPackages, called, specs
from bot.languages.go.outline import outline_of
from bot.languages.go.uses import SHAPE, fields
from bot.languages.unreadable import finds, outlines
from bot.values import Outline, Side, Use

NAME = "go"
SUFFIXES = (".go",)
CONFIGS = ("go.mod", "go.work")
# The predeclared names of the language, and the package that stands for C.
DECLARED = (
    "any append bool byte cap clear close comparable complex complex128 complex64 copy delete error false float32 "
    "float64 imag int int16 int32 int64 int8 iota len make max min new nil panic print println real recover rune "
    "string true uint uint16 uint32 uint64 uint8 uintptr C"
)
AMBIENT = frozenset(DECLARED.split())


@lru_cache(maxsize=1)
def _grammar() -> Grammar:
    import tree_sitter_go

    return Grammar(tree_sitter_go.language())


def project(paths: Collection[str], configs: Mapping[str, bytes]) -> GoPackages:
    """The resolver of one side's tree."""
    return GoPackages(paths, configs)


@outlines
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file and what its package gains by them."""
    nesting.check(source)
    return outline_of(path, syntax.parse(_grammar(), source), side)


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The identifiers of a file that are spelt like one of the names; an imported package counts by its likely name."""
    del path  # one grammar reads every file
    wanted = frozenset(names)
    if not syntax.any_of(wanted).search(source):
        return ()
    nesting.check(source)
    imported = [
        Use(name, line, "import")
        for given, spec, line in specs(source)
        for name in (called(spec) if not given else ())
        if name in wanted
    ]
    root = syntax.parse(_grammar(), source)
    found = syntax.uses(root, source, wanted, SHAPE)
    types = fields(root, source, wanted) if any(use.form == "key" for use in found) else {}
    return type(found)((*imported, *(_set(use, types.get((use.line, use.name), "")) for use in found)))


def _set(use: Use, owner: str) -> Use:
    """A key of a struct's literal is a member of the struct."""
    return replace(use, form="member", receiver=owner, types=(owner,)) if use.form == "key" and owner else use
