"""Find names that only one branch of a function binds, and that are read without a check."""

import ast
import warnings
from collections.abc import Collection, Iterator, Sequence

from deeprepo.impact.structs import Struct
from deeprepo.impact.values import HalfBound

SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")  # fields of a statement that contain statements
DYNAMIC = frozenset({"locals", "exec", "eval", "vars"})


class _Place(Struct, frozen=True):
    """A name with its enclosing statements, outermost first, and the field that leads to the next one."""

    name: ast.Name
    way: tuple[tuple[ast.AST, str], ...]


def half_bound(source: bytes, lines: Collection[int] | None) -> tuple[HalfBound, ...]:
    """Return names that are read after the only branch that binds them, in functions around these lines (None: all)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    functions = [one for one in _functions(tree) if lines is None or _is_at(one, lines)]
    found = {(row.name, row.line): row for function in functions for row in _of_function(function)}
    return tuple(sorted(found.values(), key=lambda row: (row.line, row.name)))


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the functions of a file; only statements are searched, since expressions contain none."""
    left: list[ast.AST] = [tree]
    while left:
        one = left.pop()
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield one
        for key in BLOCKS:
            left += getattr(one, key, ())


def _is_at(function: ast.FunctionDef | ast.AsyncFunctionDef, lines: Collection[int]) -> bool:
    return any(function.lineno <= line <= (function.end_lineno or 0) for line in lines)


def _of_function(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[HalfBound]:
    inner = [one for one in ast.walk(function) if one is not function]
    if not any(isinstance(one, ast.If) for one in inner):
        return
    if any(isinstance(one, (ast.Global, ast.Nonlocal, ast.Delete)) for one in inner):
        return
    if any(isinstance(one, ast.Name) and one.id in DYNAMIC for one in inner):
        return
    names = [*_names(function.body, ((function, "body"),))]
    others = _other_bindings(function)
    stores: dict[str, list[_Place]] = {}
    for place in names:
        if isinstance(place.name.ctx, ast.Store):
            stores.setdefault(place.name.id, []).append(place)
    for name, bindings in stores.items():
        branch = _branch(bindings) if name not in others else None
        if branch is None or _is_asked(function, branch, name):
            continue
        for place in names:
            is_read = place.name.id == name and isinstance(place.name.ctx, ast.Load)
            if is_read and _may_lack(place, branch):
                yield HalfBound(name, place.name.lineno, bindings[0].name.lineno)


def _names(parts: Sequence[ast.AST], way: tuple[tuple[ast.AST, str], ...]) -> Iterator[_Place]:
    """Yield the names in a function's own scope, with their enclosing statements."""
    for part in parts:
        if isinstance(part, ast.Name):
            yield _Place(part, way)
        elif not isinstance(part, SCOPES):
            is_statement = isinstance(part, (ast.stmt, ast.excepthandler, ast.match_case))
            for key, value in ast.iter_fields(part):
                rows = [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, ast.AST)]
                yield from _names(rows, (*way, (part, key)) if is_statement else way)


def _other_bindings(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Return names that are bound other than by assignments, or that another scope sees."""
    arguments = function.args
    found = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    found |= {one.arg for one in (arguments.vararg, arguments.kwarg) if one is not None}
    for one in ast.walk(function):
        if isinstance(one, SCOPES) and one is not function:
            found |= {
                name.id for name in ast.walk(one) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
            }
            found.add(getattr(one, "name", ""))
        elif isinstance(one, (ast.Import, ast.ImportFrom)):
            found |= {(name.asname or name.name).partition(".")[0] for name in one.names}
        elif isinstance(one, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
            found.add(one.name or "")
        elif isinstance(one, ast.NamedExpr):
            found.add(one.target.id)
    return found


def _branch(bindings: Sequence[_Place]) -> tuple[ast.If, str] | None:
    """Return the only branch that binds a name, if its assignments are only in branches."""
    found: set[tuple[ast.If, str]] = set()
    for place in bindings:
        *around, (statement, _) = place.way
        inner = around[1:]
        ifs = [(one, key) for one, key in inner if isinstance(one, ast.If)]
        is_plain = isinstance(statement, (ast.Assign, ast.AnnAssign)) and len(ifs) == len(inner)
        if not is_plain or not ifs:
            return None
        found.add(ifs[0])
    return found.pop() if len(found) == 1 else None


def _is_asked(function: ast.AST, branch: tuple[ast.If, str], name: str) -> bool:
    """Return whether another test checks the name, the branch's condition, or something else that the branch sets."""
    tests = [branch[0].test]
    for one in ast.walk(branch[0]):
        tests += [one.test] if isinstance(one, ast.If) else []
    body = branch[0].body if branch[1] == "body" else branch[0].orelse
    words = {name} | {word for test in tests for word in _words(test)}
    words |= {
        one.id
        for part in body
        for one in ast.walk(part)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    own = {id(test) for test in tests}
    for one in ast.walk(function):
        test = getattr(one, "test", None) or (one.subject if isinstance(one, ast.Match) else None)
        asked = [test] if isinstance(test, ast.AST) else [one] if isinstance(one, ast.BoolOp) else []
        if any(id(part) not in own and not words.isdisjoint(_words(part)) for part in asked) and not _is_in(
            one, own, tests
        ):
            return True
    return False


def _is_in(one: ast.AST, own: set[int], tests: Sequence[ast.AST]) -> bool:
    """Return whether a node is part of the branch's own test."""
    return id(one) in own or any(one is part for test in tests for part in ast.walk(test))


def _words(test: ast.AST) -> set[str]:
    """Return the names and attributes in a test."""
    called = {id(one.func) for one in ast.walk(test) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)}
    inner = {id(one.value) for one in ast.walk(test) if isinstance(one, ast.Attribute)}
    parts = [
        one for one in ast.walk(test) if isinstance(one, (ast.Name, ast.Attribute)) and id(one) not in called | inner
    ]
    return {ast.unparse(one) for one in parts}


def _may_lack(place: _Place, branch: tuple[ast.If, str]) -> bool:
    """Return whether code may reach a name without completing the branch."""
    around = [one for one, _ in place.way]
    owner = next((at for at, (one, _) in enumerate(place.way) if one is branch[0]), None)
    if owner is not None or any(isinstance(one, (ast.Try, ast.ExceptHandler)) for one in around):
        return False
    for at, (one, key) in enumerate(place.way[:-1]):
        block = getattr(one, key)
        if isinstance(block, list) and any(part is branch[0] for part in block):
            after = (
                block[block.index(branch[0]) + 1 : block.index(place.way[at + 1][0])]
                if place.way[at + 1][0] in block
                else None
            )
            if after is None or branch[0] not in block[: block.index(place.way[at + 1][0])]:
                return False
            other = branch[0].orelse if branch[1] == "body" else branch[0].body
            return not _ends(other) and not any(_ends([part]) for part in after)
    return False


def _ends(block: Sequence[ast.stmt]) -> bool:
    """Return whether a block may not reach its end: it leaves, or calls something that may."""
    if not block:
        return False
    last = block[-1]
    if isinstance(last, (*ENDS, ast.Assert)) or (
        isinstance(last, ast.Expr) and isinstance(last.value, (ast.Call, ast.Await))
    ):
        return True
    if isinstance(last, ast.If):
        return _ends(last.body) and _ends(last.orelse)
    return isinstance(last, (ast.With, ast.AsyncWith, ast.Try, ast.While, ast.Match))
