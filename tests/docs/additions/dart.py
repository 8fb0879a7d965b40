"""Dart for `test_additions`: free functions, found by the lines that announce them; each file imports others by their names."""

import re
from collections.abc import Collection, Mapping

from bot.ports import LanguageTraits
from bot.values import Call, Clues, Import, Outline, Parameter, Side, Signature, Symbol, Use

TRAITS = LanguageTraits()
AMBIENT: frozenset[str] = frozenset()
FUNCTION = re.compile(r"^func (\w+)\((.*?)\)")
IMPORT = re.compile(r"^import (\w+)")


class Modules:
    """A module is a file of the top folder."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = frozenset(paths)

    def clues(self, path: str) -> Clues:
        """What a file that imports `path` must contain."""
        stem = path.removesuffix(".dart")
        return Clues(frozenset({stem}), far=(rf"^import {stem}\b",))

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Import, ...]:
        """The imports of a file that land in the tree."""
        del path, words
        found = [(line, match[1]) for line, text in _rows(source) if (match := IMPORT.match(text))]
        return tuple(
            Import(f"{name}.dart", frozenset({"*"}), line) for line, name in found if f"{name}.dart" in self._paths
        )


def project(paths: Collection[str], configs: Mapping[str, bytes]) -> Modules:
    """The resolver of one side's tree."""
    del configs
    return Modules(paths)


def outline(path: str, source: bytes, side: Side) -> Outline:
    """The functions of a file."""
    symbols = [
        Symbol(path, match[1], "function", line, line, side, Signature(tuple(_parameters(match[2])), text))
        for line, text in _rows(source)
        if (match := FUNCTION.match(text))
    ]
    return Outline(tuple(symbols), tuple((symbol.name, symbol.name) for symbol in symbols))


def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The calls of these names."""
    del path
    return tuple(
        Use(name, line, "name", call=Call(len([one for one in match[1].split(",") if one.strip()])))
        for line, text in _rows(source)
        for name in names
        if not text.startswith(("func ", "//")) and (match := re.search(rf"\b{name}\((.*?)\)", text))
    )


def _parameters(text: str) -> list[Parameter]:
    return [Parameter(one.partition(":")[0].strip()) for one in text.split(",") if one.strip()]


def _rows(source: bytes) -> list[tuple[int, str]]:
    return list(enumerate(source.decode("utf-8", "replace").split("\n"), 1))
