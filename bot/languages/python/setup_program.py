"""What the arguments of `setup(...)` say in a setup.py, which is a program: what is written out in it is read, nothing is run."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from bot.languages.lexical import manifest_text
from bot.languages.python.tables import table

MOST, LONGEST = 2_000, 1_000  # entries of a list, characters of a text that a program puts together
FINDER = re.compile(r"find_(?:\w{1,20}_)?packages")
FINDER_ARGUMENTS = ("where", "exclude", "include")  # in the order of the function
FOUND = "packages that are found"  # beside the arguments of `setup`: those of each finder
SPREAD = frozenset({"", "name"})  # the arguments without which the name is computed
CHANGES = frozenset({"append", "extend", "update"})


def setup_arguments(source: bytes) -> dict[str, object]:
    """Return what the arguments of `setup(...)` say; nothing is executed. What is not known is None, also in a list."""
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        module = ast.parse(manifest_text(source))
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and _called(node) == "setup":
                values = _Values(_assigned(module), _changes(module))
                words = {word.arg: values.of(word.value) for word in node.keywords if word.arg}
                for spread in (word.value for word in node.keywords if word.arg is None):
                    words |= {str(key): value for key, value in table(values.of(spread)).items()} or {"": None}
                finders = [
                    _finder(one, values) for one in ast.walk(module) if isinstance(one, ast.Call) and _finds(one)
                ]
                return {**words, FOUND: finders} if finders else words
    return {}


def _called(node: ast.Call) -> str:
    return str(getattr(node.func, "id", "") or getattr(node.func, "attr", ""))


def _finds(node: ast.Call) -> bool:
    return FINDER.fullmatch(_called(node)) is not None


def _finder(node: ast.Call, values: "_Values") -> dict[str, object]:
    """The arguments of a function of setuptools that looks for packages."""
    words = dict(zip(FINDER_ARGUMENTS, node.args, strict=False))
    words |= {word.arg: word.value for word in node.keywords if word.arg}
    return {name: values.of(word) for name, word in words.items()}


def _assigned(module: ast.Module) -> dict[str, ast.expr]:
    """The names that statements of a module set once; of one that is set again nobody knows which value it has."""
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(module):
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            if isinstance(target, ast.Name) and isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                values.setdefault(target.id, []).append(node.value)
    return {name: rows[0] for name, rows in values.items() if len(rows) == 1}


def _changes(module: ast.Module) -> dict[str, list[ast.expr]]:
    """What statements add to the lists and tables of a module, each as a list or a table of its own."""
    added: dict[str, list[ast.expr]] = {}
    for node in ast.walk(module):
        match node:
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                added.setdefault(name, []).append(value)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=key)], value=value):
                added.setdefault(name, []).append(ast.Dict([key], [value]))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=verb), args=[value]) if verb in CHANGES:
                added.setdefault(name, []).append(ast.List([value]) if verb == "append" else value)
    return added


@dataclass(slots=True)
class _Values:
    """What expressions certainly hold: of a list those entries that are written out, and None for the others."""

    names: Mapping[str, ast.expr]
    changes: Mapping[str, Sequence[ast.expr]]
    results: dict[str, object] = field(default_factory=dict)  # each name is read once, one that means itself is nothing

    def of(self, node: ast.expr) -> object:
        """The value of an expression; None of one that has to be executed."""
        match node:
            case ast.Constant():
                return node.value
            case ast.Name(id=name) if name in self.names:
                if name not in self.results:
                    self.results[name] = None
                    self.results[name] = self._changed(name, self.of(self.names[name]))
                return self.results[name]
            case ast.BinOp(op=ast.Add(), left=first, right=second) | ast.IfExp(body=first, orelse=second):
                return self._sum(self.of(first), self.of(second), is_sum=isinstance(node, ast.BinOp))
            case ast.List() | ast.Tuple() | ast.Set():
                return self._list(node.elts)
            case ast.Dict():
                return self._table(node)
        return self._result(node) if isinstance(node, ast.Call) else None

    @staticmethod
    def _sum(first: object, second: object, *, is_sum: bool) -> object:
        """Two texts or two lists as one; of a choice between two lists everything that either has."""
        if isinstance(first, str) and isinstance(second, str):
            return f"{first}{second}"[:LONGEST] if is_sum else None
        return [*_entries(first), *_entries(second)][:MOST]

    def _result(self, node: ast.Call) -> object:
        """What a call gives back, if that is what it was given."""
        match node:
            case ast.Call(func=ast.Name(id="list" | "tuple" | "sorted" | "set" | "dict"), args=[inner], keywords=[]):
                return self.of(inner)
            case ast.Call(func=ast.Name(id="dict"), args=[], keywords=words):
                return {word.arg: self.of(word.value) for word in words[:MOST] if word.arg}
        return [] if _finds(node) else None  # what a finder finds is told beside the arguments

    def _changed(self, name: str, value: object) -> object:
        """A list or a table with what statements add to it."""
        for node in self.changes.get(name, ())[:MOST]:
            added = self.of(node)
            if isinstance(value, dict):
                value = {**value, **(added if isinstance(added, dict) else {None: None})}
            elif isinstance(value, list):
                value = [*value, *_entries(added)][:MOST]
        return value

    def _list(self, parts: Sequence[ast.expr]) -> list[object]:
        entries: list[object] = []
        for part in parts[:MOST]:
            value = self.of(part.value if isinstance(part, ast.Starred) else part)
            entries += _entries(value) if isinstance(part, ast.Starred) else [value]
            if len(entries) >= MOST:
                break
        return entries

    def _table(self, node: ast.Dict) -> dict[object, object]:
        rows: dict[object, object] = {}
        for key, one in list(zip(node.keys, node.values, strict=True))[:MOST]:
            value = self.of(one)
            if isinstance(key, ast.Constant):
                rows[key.value] = value
            elif key is None and isinstance(value, dict) and len(rows) < MOST:
                rows.update(value)
            else:
                rows[None] = None
        return rows


def _entries(value: object) -> list[object]:
    """The entries of a list; one that is not known, if it is no list that is known."""
    return [*value] if isinstance(value, list | tuple) else [None]


def is_known(value: object) -> bool:
    """Return whether a text, a list of texts or a table of such was written out to the end."""
    if isinstance(value, dict):
        return None not in value and all(is_known(one) for one in value.values())
    return isinstance(value, str) or (isinstance(value, list | tuple) and all(isinstance(one, str) for one in value))


def literals(source: bytes) -> Iterator[str]:
    """Yield the texts of a program but those that explain it; what is put into one while it runs is `*`."""
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        module = ast.parse(manifest_text(source))
        nodes = list(ast.walk(module))
        others = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        others |= {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in others:
                yield node.value.replace("*", " ")
            elif isinstance(node, ast.JoinedStr):
                yield "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values)
