"""Modules of the standard library that Monty lacks, function by function.

They run outside the sandbox, in the REPL's thread: each takes so little that no call can cost much time or memory.
"""

from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

Value = Any  # what crosses between a block and the host: None, numbers, text, bytes, lists, tuples, dicts, sets
Guard = Callable[[str, Callable[..., Any]], Callable[..., Any]]  # the boundary that every host call passes
SMALL, LARGE = 10_000, 500_000  # characters and items that a function takes; no number is larger
LISTS = {"unified_diff", "ndiff", "context_diff"}  # generators do not cross into the REPL

OFFERED: dict[str, tuple[int, str]] = {
    "textwrap": (SMALL, "dedent indent fill wrap shorten"),
    "difflib": (SMALL, "unified_diff context_diff ndiff get_close_matches"),
    "statistics": (SMALL, "mean fmean median mode multimode stdev pstdev variance quantiles"),
    "string": (LARGE, "ascii_letters ascii_lowercase ascii_uppercase digits hexdigits punctuation whitespace capwords"),
    "fnmatch": (LARGE, "fnmatch fnmatchcase filter"),
    "shlex": (SMALL, "split quote join"),
    "html": (LARGE, "escape unescape"),
}


def attributes(name: str, guard: Guard) -> dict[str, Any]:
    """What one module offers in the REPL."""
    module, (cap, names) = import_module(name), OFFERED[name]
    members = {part: getattr(module, part) for part in names.split()}
    return {
        part: guard(f"{name}.{part}", partial(_call, module, part, cap)) if callable(member) else member
        for part, member in members.items()
    }


def _call(module: ModuleType, name: str, cap: int, *arguments: Value, **keywords: Value) -> Value:
    values = [*arguments, *keywords.values()]
    if weight(values) > cap:
        raise ValueError(f"takes at most {cap:,} characters: cut the text first")
    if any(isinstance(value, (int, float)) and not abs(value) <= cap for value in values):
        raise ValueError(f"takes no number above {cap:,}")
    result = getattr(module, name)(*arguments, **keywords)
    return list(result) if name in LISTS else result


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
