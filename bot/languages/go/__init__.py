"""Go: packages that are folders, modules and workspaces."""

from collections.abc import Collection
from dataclasses import replace

from bot.languages import syntax
from bot.languages.go import receivers
from bot.languages.go.modules import GoModules, likely_names, specs
from bot.languages.go.outline import outline_of
from bot.languages.go.uses import SHAPE, fields
from bot.languages.unreadable import finds, outlines
from bot.ports import LanguageTraits
from bot.text.filetypes import GO
from bot.values import Outline, Side, Use

TRAITS = LanguageTraits(capital_members=True, receivers=receivers)
project = GoModules
# The predeclared names of the language, and the package that stands for C.
DECLARED = (
    "any append bool byte cap clear close comparable complex complex128 complex64 copy delete error false float32 float64 imag int int16 "
    "int32 int64 int8 iota len make max min new nil panic print println real recover rune string true uint uint16 uint32 uint64 uint8 uintptr C"
)
AMBIENT = frozenset(DECLARED.split())


@outlines
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file and what its package gains by them."""
    return outline_of(path, syntax.shallow_root(GO, source), side)


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The identifiers of a file that are spelt like one of the names; an imported package counts by its likely name."""
    del path  # one grammar reads every file
    wanted_names = frozenset(names)
    if not syntax.any_of(wanted_names).search(source):
        return ()
    import_uses = [
        Use(name, line, "import")
        for alias, spec, line in specs(source)
        for name in (likely_names(spec) if not alias else ())
        if name in wanted_names
    ]
    root = syntax.shallow_root(GO, source)
    code_uses = syntax.uses(root, source, wanted_names, SHAPE)
    types = fields(root, source, wanted_names) if any(use.form == "key" for use in code_uses) else {}
    return type(code_uses)((*import_uses, *(_set(use, types.get((use.line, use.name), "")) for use in code_uses)))


def _set(use: Use, owner: str) -> Use:
    """A key of a struct's literal is a member of the struct."""
    return replace(use, form="member", receiver=owner, types=(owner,)) if use.form == "key" and owner else use
