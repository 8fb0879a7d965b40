"""Python: modules and packages wherever they start, `src` layouts included, without any configuration."""

import builtins
from collections.abc import Collection

from bot.languages import syntax
from bot.languages.constructions import with_constructions
from bot.languages.python.modules import PythonModules
from bot.languages.python.outline import outline_of
from bot.languages.python.uses import CLASSES, SHAPE, constructions
from bot.languages.unreadable import finds, outlines
from bot.ports import LanguageTraits
from bot.text.filetypes import PYTHON
from bot.values import (
    Outline,
    Side,
    Use,
)

TRAITS = LanguageTraits(
    unwritten_names=True,
)
project = PythonModules
AMBIENT = frozenset(dir(builtins)) | {
    "__file__",
    "__path__",
    "__builtins__",
    "reveal_type",
    "unicode",
    "basestring",
    "xrange",
}


@outlines
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file and what an importer can ask of it."""
    return outline_of(path, syntax.shallow_root(PYTHON, source), source, side)


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The identifiers of a file that are spelt like one of the names."""
    del path  # one grammar reads every file
    root = syntax.shallow_root(PYTHON, source)
    return with_constructions(root, syntax.uses(root, source, names, SHAPE), CLASSES, constructions)
