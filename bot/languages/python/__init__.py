"""Python: modules and packages wherever they start, `src` layouts included, without any configuration."""

import builtins
from collections.abc import Collection, Mapping
from functools import lru_cache

from tree_sitter import Language as Grammar
from tree_sitter import Node

from bot.languages import nesting, syntax
from bot.languages.python.modules import PythonModules
from bot.languages.python.outline import outline_of
from bot.languages.python.uses import SHAPE
from bot.languages.unreadable import finds, outlines
from bot.values import Outline, Side, Use

NAME = "python"
SUFFIXES = (".py", ".pyi")
CONFIGS: tuple[str, ...] = ()
AMBIENT = frozenset(dir(builtins)) | {
    "__file__",
    "__path__",
    "__builtins__",
    "reveal_type",
    "unicode",
    "basestring",
    "xrange",
}


@lru_cache(maxsize=1)
def _grammar() -> Grammar:
    import tree_sitter_python

    return Grammar(tree_sitter_python.language())


def project(paths: Collection[str], configs: Mapping[str, bytes]) -> PythonModules:
    """The resolver of one side's tree."""
    del configs  # the paths alone say what a module name means
    return PythonModules(paths)


def _root(source: bytes) -> Node:
    nesting.check(source)
    return syntax.parse(_grammar(), source)


@outlines
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file and what an importer can ask of it."""
    return outline_of(path, _root(source), source, side, _root)


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The identifiers of a file that are spelt like one of the names."""
    del path  # one grammar reads every file
    nesting.check(source)
    return syntax.uses(syntax.parse(_grammar(), source), source, names, SHAPE)
