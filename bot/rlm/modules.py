"""Modules of the standard library that Monty lacks and that are safe to run in the host, function by function.

They run outside the sandbox, so each has a cap on what it takes: difflib is quadratic.
"""

from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

Value = Any  # what crosses between a block and the host: None, numbers, text, bytes, lists, tuples, dicts, sets
SMALL, LARGE = 50_000, 500_000  # characters and items that a function takes
LISTS = {"unified_diff", "ndiff", "context_diff"}  # generators do not cross into the REPL

OFFERED: dict[str, tuple[int, tuple[str, ...]]] = {
    "textwrap": (SMALL, ("dedent", "indent", "fill", "wrap", "shorten")),
    "difflib": (SMALL, ("unified_diff", "context_diff", "ndiff", "get_close_matches")),
    "statistics": (SMALL, ("mean", "fmean", "median", "mode", "multimode", "stdev", "pstdev", "variance", "quantiles")),
    "string": (
        LARGE,
        (
            "ascii_letters",
            "ascii_lowercase",
            "ascii_uppercase",
            "digits",
            "hexdigits",
            "punctuation",
            "whitespace",
            "capwords",
        ),
    ),
    "fnmatch": (LARGE, ("fnmatch", "fnmatchcase", "filter")),
    "shlex": (SMALL, ("split", "quote", "join")),
    "html": (LARGE, ("escape", "unescape")),
}


def attributes(name: str, guard: Callable[[str, Callable[..., Any]], Callable[..., Any]]) -> dict[str, Any]:
    """What one module offers in the REPL; `guard` is the boundary that every host call passes."""
    module, (cap, names) = import_module(name), OFFERED[name]
    return {part: _part(module, part, cap, guard) for part in names}


def _part(
    module: ModuleType, name: str, cap: int, guard: Callable[[str, Callable[..., Any]], Callable[..., Any]]
) -> object:
    found = getattr(module, name)
    if not callable(found):
        return found
    return guard(f"{module.__name__}.{name}", partial(_capped, found, cap, as_list=name in LISTS))


def _capped(function: Callable[..., Any], cap: int, *arguments: Value, as_list: bool, **named: Value) -> Value:
    if weight([*arguments, *named.values()]) > cap:
        raise ValueError(f"takes at most {cap:,} characters: cut the text first")
    result = function(*arguments, **named)
    return list(result) if as_list else result


def weight(values: Iterable[Any]) -> int:
    """The characters and items in arguments, however deeply they are nested."""
    total, waiting = 0, list(values)
    while waiting:
        value = waiting.pop()
        if isinstance(value, (str, bytes)):
            total += len(value)
        elif isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, (list, tuple, set, frozenset)):
            waiting += value
        elif isinstance(value, int):
            total += value.bit_length() // 8
        total += 1
    return total
