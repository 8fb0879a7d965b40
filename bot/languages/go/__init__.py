"""Go: packages that are folders, modules and workspaces."""

from collections.abc import Collection

from bot.languages import queried
from bot.languages.go import receivers
from bot.languages.go.modules import GO, GoModules, likely_names
from bot.languages.modules import statements
from bot.values import Use

project = GoModules
outline = queried.outline
__all__ = ["outline", "project", "receivers", "uses"]


def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The identifiers of a file that are spelt like one of the names; an imported package counts by its likely name."""
    wanted_names = frozenset(names)
    import_uses = [
        Use(name, item.line, "import")
        for item in statements(GO, source)
        for name in (likely_names(item.spec) if not item.whole and not item.star else ())
        if name in wanted_names
    ]
    code_uses = queried.uses(path, source, wanted_names)
    return type(code_uses)((*import_uses, *code_uses))
