# ruff: noqa: ANN401, C901, PLR0911, RET504 - the parts of a parsed pattern have no types
"""All regular expressions in the package, and strings built to make a careless one slow.

Patterns are found as values in the imported modules, and as literals in calls of `re`, which covers those
inside functions and those built from names (an inserted name is replaced with a plain word).
"""

import ast
import importlib
import re
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import bot
from deeprepo import impact, rlm
from deeprepo.impact.structs import Struct

PACKAGES = (bot, impact, rlm)
APART = (
    "deeprepo_evals",
    "deeprepo_sandbox.github",
    "deeprepo_sandbox.providers",
    "deeprepo_sandbox.demo",
    "bot.storage.migrations",
    "bot.__main__",
)
CALLS = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
ANCHORED = {"match", "fullmatch"}
SIZE = 2_000  # characters in the first test; quadratic means millions of steps
TELLING = 0.0008  # seconds in the first test from which growth is measured
MOST = 32_000  # characters in the last test
SURE = 0.1  # seconds for a longer text that are not noise
SHARE = 9.0  # maximum time ratio for four times the text: linear is 4, quadratic 16
REPEATS = 2
FEW = 50  # repetitions up to this number count as bounded


@dataclass(frozen=True)
class Found:
    """A pattern, its location, and whether it is only tried at one position in a text."""

    where: str
    pattern: re.Pattern[Any]
    anchored: bool


def modules() -> Iterator[Any]:
    """Yield the modules that process external text and contain patterns."""
    for package in PACKAGES:
        root = Path(package.__file__).parent
        for file in sorted(root.rglob("*.py")):
            name = ".".join((package.__name__, *file.relative_to(root).with_suffix("").parts)).removesuffix(".__init__")
            if not name.startswith(APART) and b"import re\n" in file.read_bytes():
                yield importlib.import_module(name)


@cache
def collected() -> tuple[Found, ...]:
    """Return each pattern once."""
    seen: dict[tuple[Any, int], tuple[str, re.Pattern[Any], bool]] = {}
    loaded = list(modules())
    trees = {module: ast.parse(Path(module.__file__).read_text()) for module in loaded}
    used = _methods(trees)

    def keep(where: str, pattern: re.Pattern[Any], *, anchored: bool) -> None:
        key = (pattern.pattern, pattern.flags)
        known = seen.get(key)
        seen[key] = (where, pattern, anchored and (known is None or known[2]))

    for module in loaded:
        for name, value in list(vars(module).items()):
            for path, pattern in (*_held(value, name, 0), *_templates(value, name)):
                asked = used[module.__name__, name]
                keep(f"{module.__name__}.{path}", pattern, anchored=bool(asked) and asked <= ANCHORED)
    for module, tree in trees.items():
        for node in ast.walk(tree):
            for pattern, method in _written(node, module):
                if method == "compile" and (pattern.pattern, pattern.flags) in seen:
                    continue  # already found by name
                keep(f"{module.__name__}:{getattr(node, 'lineno', 0)}", pattern, anchored=method in ANCHORED)
    return tuple(Found(*row) for row in seen.values())


def _held(value: object, name: str, depth: int) -> Iterator[tuple[str, re.Pattern[Any]]]:
    if isinstance(value, re.Pattern):
        yield name, value
    elif depth < 4 and isinstance(value, dict):
        for key, inner in value.items():
            yield from _held(inner, f"{name}[{key!r}]", depth + 1)
    elif depth < 4 and isinstance(value, (list, tuple, set, frozenset)):
        for at, inner in enumerate(value):
            yield from _held(inner, f"{name}[{at}]", depth + 1)
    elif depth < 4 and (fields := _fields(value)):
        for field in fields:
            yield from _held(getattr(value, field, None), f"{name}.{field}", depth + 1)
    elif isinstance(value, type) and value.__module__.startswith("bot."):
        for field, inner in vars(value).items():
            if isinstance(inner, re.Pattern):
                yield f"{name}.{field}", inner


def _fields(value: object) -> Collection[str]:
    """Return the field names of a Struct or a dataclass; empty for other values."""
    return value.__struct_fields__ if isinstance(value, Struct) else getattr(type(value), "__dataclass_fields__", ())


def _templates(value: object, name: str) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Yield the patterns that are built from a text with a NAME placeholder."""
    if isinstance(value, str) and name.isupper() and ("NAME" in value or "{0}" in value):
        with suppress(re.error, IndexError, KeyError, ValueError):
            yield name, re.compile(value if "NAME" in value else value.format("NAME"))
    elif isinstance(value, tuple) and name.isupper():
        for at, inner in enumerate(value):
            yield from _templates(inner, f"{name}[{at}]".upper())


def _methods(trees: Mapping[Any, ast.AST]) -> dict[tuple[str, str], set[str]]:
    """Return the methods that are called on each named pattern, by importers too; "?" if it is passed on."""
    used: dict[tuple[str, str], set[str]] = defaultdict(set)
    for module, tree in trees.items():
        homes = {
            alias.asname or alias.name: node.module
            for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
        }  # fmt: skip
        called = set()
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute):
                continue
            if isinstance(node.value, ast.Name):
                home, name = homes.get(node.value.id, module.__name__), node.value.id
            elif isinstance(node.value, ast.Attribute) and isinstance(node.value.value, ast.Name):
                package = homes.get(node.value.value.id, "")
                home, name = f"{package}.{node.value.value.id}", node.value.attr
            else:
                continue
            if node.attr in CALLS:
                used[home, name].add(node.attr)
                called.add(id(node.value))
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Name)
                and isinstance(node.ctx, ast.Load)
                and id(node) not in called
                and node.id.isupper()
            ):
                used[homes.get(node.id, module.__name__), node.id].add("?")
    return used


def _written(node: ast.AST, module: Any) -> Iterator[tuple[re.Pattern[Any], str]]:
    """Yield the pattern in a call of `re`, if its text is known."""
    if not (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CALLS and node.args
    ):
        return
    if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "re"):
        return
    text = _text(node.args[0], module)
    if text is None:
        return
    flags = 0
    for part in ast.walk(node):
        if (
            isinstance(part, ast.Attribute)
            and isinstance(part.value, ast.Name)
            and part.value.id == "re"
            and part.attr.isupper()
        ):
            flags |= getattr(re, part.attr)
    try:
        yield re.compile(text, flags), node.func.attr
    except re.error:
        return


def _text(node: ast.AST, module: Any) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part, module) or "NAME" for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return _text(node.value, module)
    if isinstance(node, ast.Name):
        held = getattr(module, node.id, None)
        return held if isinstance(held, (str, bytes)) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _text(node.left, module), _text(node.right, module)
        kind = bytes if isinstance(left, bytes) or isinstance(right, bytes) else str
        if left is None and right is None:
            return None
        word = b"NAME" if kind is bytes else "NAME"
        return (word if left is None else left) + (word if right is None else right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "replace":
        held = _text(node.func.value, module)
        return held
    return None


# Texts for a pattern.


def _category(name: Any) -> str:
    return {
        op.CATEGORY_DIGIT: "0", op.CATEGORY_SPACE: " \n", op.CATEGORY_WORD: "aA_0",
        op.CATEGORY_NOT_DIGIT: "a ", op.CATEGORY_NOT_SPACE: "a(", op.CATEGORY_NOT_WORD: " (",
    }[name]  # fmt: skip


def _letters(items: Any) -> str:
    """Return a few characters of a character class."""
    excluded: set[str] = set()
    chosen = ""
    negative = False
    for kind, value in items:
        if kind is op.NEGATE:
            negative = True
        elif kind is op.LITERAL:
            chosen += chr(value)
        elif kind is op.RANGE:
            chosen += chr(value[0])
        elif kind is op.CATEGORY:
            chosen += _category(value)
    if not negative:
        return chosen
    pattern = {*chosen} | ({"\t", "\n", " "} if " " in chosen else set())
    excluded |= pattern
    return "".join(letter for letter in "a ( \n=0" if letter not in excluded) or "\x02"


def _samples(tree: Any) -> str:
    """Return roughly the shortest text that the part matches."""
    return "".join(_sample(kind, value) for kind, value in tree)


def _sample(kind: Any, value: Any, times: int | None = None) -> str:
    if kind is op.LITERAL:
        return chr(value)
    if kind is op.NOT_LITERAL:
        return "a" if value != ord("a") else "b"
    if kind is op.ANY:
        return "a"
    if kind is op.IN:
        return _letters(value)[:1]
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        return _samples(value[2]) * min(max(value[0], 0 if times is None else times), 20)
    if kind is op.SUBPATTERN:
        return _samples(value[3])
    if kind is op.ATOMIC_GROUP:
        return _samples(value)
    if kind is op.BRANCH:
        return _samples(value[1][0])
    return ""


def _alphabet(tree: Any) -> dict[str, None]:
    found: dict[str, None] = {}
    for kind, value in tree:
        if kind is op.LITERAL or kind is op.NOT_LITERAL:
            found[chr(value)] = None
        elif kind is op.IN:
            found.update(dict.fromkeys(_letters(value)))
        else:
            for inner in _inner(kind, value):
                found.update(_alphabet(inner))
    return found


def _inner(kind: Any, value: Any) -> list[Any]:
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        return [value[2]]
    if kind is op.SUBPATTERN:
        return [value[3]]
    if kind is op.ATOMIC_GROUP:
        return [value]
    if kind is op.BRANCH:
        return list(value[1])
    if kind in (op.ASSERT, op.ASSERT_NOT):
        return [value[1]]
    return []


def _pumped(tree: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """Yield (text before it, repeated text) for each unbounded repetition in the pattern."""
    lead = before
    for kind, value in tree:
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT) and value[1] > 50:
            body = value[2]
            if len(body) == 1 and body[0][0] is op.IN:
                for letter in dict.fromkeys(_letters(body[0][1])):
                    yield lead, letter
            elif len(body) == 1 and body[0][0] is op.ANY:
                yield lead, "a"
                yield lead, " "
            else:
                yield lead, _samples(body)
        for inner in _inner(kind, value):
            yield from _pumped(inner, lead)
        lead += _sample(kind, value, 1)


Parts = tuple[str, str, str]  # start, repeated part and end of a text


def built(pattern: re.Pattern[Any], parts: Parts, size: int) -> Any:
    """Return a text with about this number of characters, as str or bytes like the pattern."""
    lead, unit, end = parts
    text = lead + unit * (size // len(unit)) + end
    return text if isinstance(pattern.pattern, str) else text.encode("utf-8", "replace")


def parsed(pattern: re.Pattern[Any]) -> Any:
    """Return the parsed pattern."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin1")
    return parser.parse(source, pattern.flags & ~re.DEBUG)


def texts(pattern: re.Pattern[Any]) -> Iterator[Parts]:
    """Yield the parts of texts to try on a pattern."""
    tree = parsed(pattern)
    alphabet = [letter for letter in _alphabet(tree) if letter.isprintable() or letter in "\n\t"]
    units = [("", letter) for letter in dict.fromkeys([*" \n\ta0", *alphabet[:12]])]
    for lead, body in dict.fromkeys(_pumped(tree)):
        # `lead + body`: as many starts as possible
        units += [(lead, body), ("", body), ("", lead + body), ("", lead + body * 3 + " "), ("", lead)]
    whole = _samples(tree)
    units += [("", whole), ("", whole[:-1])]
    yield from ((lead, unit, "\x01") for lead, unit in dict.fromkeys(units) if unit)


def _run(found: Found) -> Callable[[Any], None]:
    def search(text: Any) -> None:
        for _ in found.pattern.finditer(text):
            pass

    def once(text: Any) -> None:
        found.pattern.match(text)
        found.pattern.fullmatch(text)

    return once if found.anchored else search


def seconds(act: Callable[[Any], None], text: Any, repeats: int = 1) -> float:
    """Return the shortest of several run times."""
    best = float("inf")
    for _ in range(repeats):
        start = time.thread_time()
        act(text)
        best = min(best, time.thread_time() - start)
    return best


def bounded(tree: Any) -> bool:
    """Return whether nothing repeats without a bound, so that each position has a constant cost."""
    for kind, value in tree:
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT) and value[1] > FEW:
            return False
        if kind is op.GROUPREF or not all(bounded(inner) for inner in _inner(kind, value)):
            return False
    return True


def _letter(kind: Any) -> bool:
    return kind in (op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY, op.AT)


def run_of_letters(tree: Any, *, anchored: bool) -> bool:
    """Return whether the pattern only has one run of single characters, which needs no backtracking."""
    repeats = [at for at, (kind, _) in enumerate(tree) if not _letter(kind)]
    if any(
        tree[at][0] not in (op.MAX_REPEAT, op.POSSESSIVE_REPEAT)
        or len(tree[at][1][2]) != 1
        or not _letter(tree[at][1][2][0][0])
        for at in repeats
    ):
        return False
    return repeats == [len(tree) - 1] or (len(repeats) == 1 and anchored)


def grows(found: Found) -> str:
    """Return the first text on which the time grows faster than linear, or ""."""
    act = _run(found)
    tree = parsed(found.pattern)
    if bounded(tree) or run_of_letters(tree, anchored=found.anchored):
        return ""
    for parts in texts(found.pattern):
        size, text = SIZE, built(found.pattern, parts, SIZE)
        if seconds(act, text) < TELLING or seconds(act, text) < TELLING:
            continue
        while True:
            longer = built(found.pattern, parts, size * 4)
            short, long = seconds(act, text, REPEATS), seconds(act, longer, REPEATS)
            if long <= short * SHARE:
                break
            if long > SURE or size * 4 >= MOST:
                short, long = seconds(act, text, 5), seconds(act, longer, 5)  # it may have been the machine
                if long <= short * SHARE:
                    break
                return f"{parts}: {short * 1000:.1f} ms at {size}, {long * 1000:.1f} ms at {size * 4}"
            size, text = size * 4, longer
    return ""
