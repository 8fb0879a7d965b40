"""What the syntax of a Python file decides about a report. Words in comments and strings decide nothing: a change can write them."""

import ast
import re
import warnings
from collections.abc import Iterator
from functools import cached_property, lru_cache

from bot.analyzers.ruff_bindings import ModuleNames, module_names

COOKIE = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")  # PEP 263
SAME_BYTES = frozenset("utf-8 utf8 utf-8-sig utf8-sig u8 ascii us-ascii".split())  # noqa: SIM905
SUPERSET = re.compile(r"latin-?1|iso-?8859-\d{1,2}|(?:cp|windows-)?125\d|l1")  # of ASCII, byte by byte
RAISES = re.compile(r"raises|assertRaises\w*|warns|suppress|deprecated_call")
INDENTED = re.compile(rb"^(?= *\t)[ \t]+\S", re.MULTILINE), re.compile(rb"^ +\S", re.MULTILINE)

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def unreadable(source: bytes) -> str:
    """Why Python reads this file as another text than ruff does, or does not read it; empty if both read the same."""
    if b"\0" in source:
        return "it holds a NUL byte, which Python refuses"
    cookie = next(
        (match[1].decode("ascii", "replace") for line in source.split(b"\n")[:2] if (match := COOKIE.match(line))), ""
    )
    encoding = cookie.lower().replace("_", "-")
    if encoding and encoding not in SAME_BYTES and not (SUPERSET.fullmatch(encoding) and source.isascii()):
        return f"its first lines declare the encoding {cookie[:40]}, and ruff reads UTF-8 alone"
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return "it is not UTF-8"
    if all(each.search(source) for each in INDENTED):
        try:
            _parse(source)
        except TabError:
            return "it mixes tabs and spaces, which Python refuses"
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass  # for ruff to report
    return ""


class Syntax:
    """The syntax tree of a file that ruff could parse. `known` is False if this Python cannot: then nothing is decided."""

    def __init__(self, source: bytes) -> None:
        self.nodes: tuple[ast.AST, ...] = ()
        self.known = True
        try:
            self._root = _parse(source)
            self.nodes = tuple(ast.walk(self._root))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.known = False

    @cached_property
    def is_dynamic(self) -> bool:
        """Whether names can come from anywhere: the code runs a text, or writes into a namespace."""
        return any(self._opens(node) for node in self.nodes)

    def is_in_string(self, row: int, column: int) -> bool:
        """Whether a place, its column in bytes from 0, is inside a text, as an annotation in quotes is; a placeholder is not."""
        return any(start <= (row, column) < end for start, end in self._texts)

    def is_expected_to_raise(self, row: int) -> bool:
        """Whether a line is in a block or call that waits for an exception."""
        return any(first <= row <= last for first, last in self._waiting)

    def is_decorated(self, row: int) -> bool:
        """Whether the definition on this line has a decorator."""
        return row in self._decorators

    @cached_property
    def has_lazy_names(self) -> bool:
        """Whether the module makes names when they are asked for."""
        return any(
            isinstance(node, ast.FunctionDef) and node.name == "__getattr__" for node in _module_level(self._root)
        )

    @cached_property
    def _texts(self) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        formatted_parts = {
            id(part) for node in self.nodes if isinstance(node, ast.JoinedStr) for part in ast.walk(node)
        }
        return [
            ((node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0))
            for node in self.nodes
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in formatted_parts
        ]

    @cached_property
    def _waiting(self) -> list[tuple[int, int]]:
        spans = []
        for node in self.nodes:
            expressions: list[ast.AST] = []
            if isinstance(node, ast.With | ast.AsyncWith):
                expressions = [item.context_expr for item in node.items]
            elif isinstance(node, ast.Call):
                expressions = [node.func]
            elif isinstance(node, Definition):
                expressions = [*node.decorator_list]
            else:
                continue
            if any(RAISES.fullmatch(name) for each in expressions for name in _names(each)):
                spans.append((node.lineno, node.end_lineno or 0))
        return spans

    @cached_property
    def _decorators(self) -> frozenset[int]:
        return frozenset(node.lineno for node in self.nodes if isinstance(node, Definition) and node.decorator_list)

    @staticmethod
    def _opens(node: ast.AST) -> bool:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            first = node.args[0] if node.args else None
            writes = node.func.id == "setattr" and isinstance(first, ast.Name) and first.id == "builtins"
            return writes or node.func.id in {"globals", "exec"}
        targets = node.targets if isinstance(node, ast.Assign) else []
        return any(
            isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == "builtins"
            for each in targets
        )


@lru_cache(maxsize=8)
def syntax(source: bytes) -> Syntax:
    """The syntax of a file; of the last few it is kept."""
    return Syntax(source)


def _parse(source: bytes) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def _names(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Attribute):
            yield each.attr
        elif isinstance(each, ast.keyword):
            yield each.arg or ""


def _module_level(root: ast.Module) -> Iterator[ast.stmt]:
    left: list[ast.stmt] = [*root.body]
    while left:
        node = left.pop()
        yield node
        if isinstance(node, ast.If | ast.Try):
            left += [*node.body, *node.orelse, *(node.finalbody if isinstance(node, ast.Try) else ())]


@lru_cache(maxsize=8)
def names(source: bytes) -> ModuleNames | None:
    """What a module binds and uses, None if this Python cannot read it. Every changed file is asked for, so its tree is not kept."""
    try:
        return module_names(_parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
