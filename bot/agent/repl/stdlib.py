"""Modules of the standard library that Monty lacks, function by function.

They run outside the sandbox, in a process with limits (`apart`), and each has a cap on what it takes.
"""

from collections.abc import Callable, Iterable
from importlib import import_module
from types import ModuleType
from typing import Any

from bot.agent.repl.host_process import Apart

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


def attributes(
    name: str, guard: Callable[[str, Callable[..., Any]], Callable[..., Any]], apart: Apart
) -> dict[str, Any]:
    """What one module offers in the REPL; `guard` is the boundary that every host call passes."""
    module, (cap, names) = import_module(name), OFFERED[name]
    return {part: _part(module, part, cap, guard, apart) for part in names}


def _part(
    module: ModuleType,
    name: str,
    cap: int,
    guard: Callable[[str, Callable[..., Any]], Callable[..., Any]],
    apart: Apart,
) -> object:
    member = getattr(module, name)
    if not callable(member):
        return member

    def capped_call(*arguments: Value, **keywords: Value) -> Value:
        if weight([*arguments, *keywords.values()]) > cap:
            raise ValueError(f"takes at most {cap:,} characters: cut the text first")
        return apart.call(module.__name__, name, arguments, keywords, as_list=name in LISTS)

    return guard(f"{module.__name__}.{name}", capped_call)


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
