"""Which names a Python module uses and binds by nothing that is sure to bind them: a star, a loop, a condition, a `global`.

Ruff takes each of these for a definition, and its report of an undefined name goes. `for helper in ():` defines nothing. What counts here
is how a name was bound before the change; names that have always been bound like this are ordinary code.
"""

import ast
import builtins
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

IMPLICIT = frozenset(dir(builtins)) | {
    "__file__",
    "__path__",
    "__class__",
    "__builtins__",
    "__annotations__",
    "__cached__",
}
SWALLOWING = frozenset(
    {"suppress", "raises", "ignored", "assertRaises", "catch", "swallow"}
)  # leave a block early, unseen
# What is the names of a module as an object, beside `globals()`; what runs a text.
NAMESPACES, RUNS = frozenset({"f_globals", "__globals__", "__dict__"}), frozenset({"exec", "eval"})
WRITES = frozenset({"clear", "pop", "popitem", "update", "setdefault", "__delitem__", "__setitem__", "__delattr__"})
READS = frozenset(
    {"get", "keys", "__contains__", "__getitem__", "copy"}
)  # methods of a namespace that take no name away
ENDING = frozenset({"exit", "_exit", "quit", "abort", "skip", "SkipTest"})
Function = ast.FunctionDef | ast.AsyncFunctionDef
SCOPES = Function | ast.ClassDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Span = tuple[int, int]  # first and last line
Loop = ast.For | ast.AsyncFor | ast.While
BLOCKS = ast.With | ast.AsyncWith | ast.Try | ast.TryStar | ast.Match | Loop
Star = tuple[int, str]  # how many dots, and the module
Flow = tuple[set[str], bool]  # what is bound for sure, and whether nothing below is reached


@dataclass(slots=True)
class ModuleNames:
    """The names of one module."""

    certain: set[str] = field(default_factory=set)
    likely: set[str] = field(
        default_factory=set
    )  # in a `try`, a `with` or a program's own part: bound if nothing fails
    doubtful: dict[str, list[Span]] = field(
        default_factory=lambda: defaultdict(list)
    )  # -> where they are bound all the same
    stars: set[Star] = field(default_factory=set)
    uses: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))  # of the module's own names -> lines
    imports: set[str] = field(default_factory=set)
    accesses: Counter[str] = field(default_factory=Counter)  # what can take any name away, as it is written
    deletions: dict[ast.AST, set[str]] = field(default_factory=dict)  # node -> the module's names that go in it

    def note(self, names: Iterable[str], span: Span) -> None:
        """Names that are bound in these lines, if anywhere."""
        for name in names:
            self.doubtful[name].append(span)


def module_names(root: ast.Module) -> ModuleNames:
    """What a module binds and uses."""
    parents = _parents(root)
    globals_by_scope = _globals_by_scope(parents)
    names = ModuleNames(deletions=_deletions(parents, globals_by_scope))
    names.certain, _ = _flow(root.body, names)
    names.deletions.clear()  # they hold the whole tree
    for scope, global_names in globals_by_scope.items():
        if isinstance(scope, Function):
            names.note(global_names, _span(scope))
    _use(root.body, frozenset(), names.uses)
    names.accesses.update(map(ast.unparse, _accesses(parents)))
    return names


def _parents(root: ast.Module) -> dict[ast.AST, ast.AST]:
    """Each node of a tree but the root -> the one that holds it; a node comes behind those above it."""
    parents: dict[ast.AST, ast.AST] = {}
    nodes: list[ast.AST] = [root]
    for node in nodes:
        children = [*ast.iter_child_nodes(node)]
        parents |= dict.fromkeys(children, node)
        nodes += children
    return parents


def _globals_by_scope(parents: Mapping[ast.AST, ast.AST]) -> dict[ast.AST, set[str]]:
    """Function, lambda or class -> what `global` names anywhere in it."""
    names: dict[ast.AST, set[str]] = defaultdict(set)
    for node in parents:
        if isinstance(node, ast.Global):
            for above in _ancestors(node, parents):
                if isinstance(above, SCOPES):
                    names[above].update(node.names)
    return names


def _ancestors(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> Iterator[ast.AST]:
    """A node and what holds it, the innermost first."""
    above: ast.AST | None = node
    while above is not None:
        yield above
        above = parents.get(above)


def may_be_unsure(head: ModuleNames) -> bool:
    """Whether `unsure` can give anything at all, whatever the base is."""
    unbound = head.uses.keys() - head.certain - IMPLICIT
    return bool(head.accesses or unbound & (head.doubtful.keys() | head.likely) or (unbound and head.stars))


def unsure(head: ModuleNames, base: ModuleNames) -> Iterator[tuple[str, int, frozenset[Star]]]:
    """(name, line, stars) of what the change leaves unbound, as far as the module itself tells. `stars`: those that may bind it."""
    fresh_stars = frozenset(head.stars - base.stars)
    if head.accesses - base.accesses:
        for name in sorted(head.imports & head.certain & head.uses.keys()):
            yield name, head.uses[name][0], frozenset()
    for name, lines in sorted(head.uses.items(), key=lambda item: item[1][0]):
        if name in head.certain or name in IMPLICIT:
            continue
        was_certain, is_new = name in base.certain, name not in base.uses and name not in base.doubtful
        is_bound = name in head.doubtful or name in head.likely
        spans = head.doubtful.get(name, [])
        line = next((line for line in lines if not any(first <= line <= last for first, last in spans)), 0)
        if not is_bound and (stars := frozenset(head.stars) if was_certain else fresh_stars if is_new else frozenset()):
            yield name, lines[0], stars
        elif is_bound and line and (was_certain or (is_new and name not in head.likely)):
            yield name, line, frozenset()


def _flow(body: Sequence[ast.stmt], module: ModuleNames) -> Flow:
    """What statements bind for sure. What they bind in some cases alone is noted."""
    certain = set[str]()
    for at, node in enumerate(body):
        certain |= _walrus(node, module)
        deleted = module.deletions.get(node, set())
        certain -= deleted
        module.note(deleted, (0, 0))
        ends = _is_end(node)
        if isinstance(node, ast.If):
            names, ends = _of_if(node, module)
            certain |= names
        elif not ends:
            certain |= _of_block(node, module) if isinstance(node, BLOCKS) else _of_statement(node, module)
        if ends:
            rest = body[at + 1 :]
            module.note(_bound(rest), (rest[0].lineno, rest[-1].end_lineno or 0) if rest else (0, 0))
            return certain, True
    return certain, False


def _deletions(
    parents: Mapping[ast.AST, ast.AST], globals_by_scope: Mapping[ast.AST, set[str]]
) -> dict[ast.AST, set[str]]:
    """Node -> the module's names that are deleted in it, in any of its blocks or by a function that it defines."""
    deletions: dict[ast.AST, set[str]] = defaultdict(set)
    for node in parents:
        names = {node.id} if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del) else set[str]()
        if isinstance(node, ast.ExceptHandler) and node.name:
            names = {node.name}
        by_text, in_scope = _deleted_by_text(node), False
        for above in _ancestors(node, parents) if names or by_text else ():
            if isinstance(above, SCOPES) and not in_scope:
                names, in_scope = names & globals_by_scope.get(above, set()), True
            deletions[above] |= names | by_text
    return deletions


def _deleted_by_text(node: ast.AST) -> set[str]:
    """The name of `del globals()["name"]`, `globals().pop("name")`, `delattr(module, "name")`."""
    text: ast.expr | None = None
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Del):
        text = node.slice if _is_namespace(node.value) else None
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        text = node.args[0] if node.func.attr in ("pop", "__delitem__") and _is_namespace(node.func.value) else None
    elif isinstance(node, ast.Call) and _last(node.func) == "delattr" and len(node.args) > 1:
        text = node.args[1]
    return {text.value} if isinstance(text, ast.Constant) and isinstance(text.value, str) else set()


def _is_namespace(node: ast.expr) -> bool:
    """Whether an expression is the module's own names: `globals()`, `vars()`, `module.__dict__`."""
    return _last(node.func if isinstance(node, ast.Call) else node) in ("globals", "vars", "locals", "__dict__")


def _accesses(parents: Mapping[ast.AST, ast.AST]) -> Iterator[ast.expr]:
    """The expressions that can take any name of the module away: its namespace as an object, unless one key is read; a text that is run.

    A text that is run in a namespace of its own, which is written out, reaches no name of the module.
    """
    for node, parent in parents.items():
        if not isinstance(node, ast.expr):
            continue
        if _last(node) in RUNS and (isinstance(node, ast.Name) or _last(node.value) in ("builtins", "__builtins__")):  # type: ignore[attr-defined]
            arguments = [*parent.args[1:2], *(one.value for one in parent.keywords)] if _calls(parent, node) else []
            if not any(isinstance(one, ast.Dict) for one in arguments):
                yield parent if isinstance(parent, ast.Call) else node
        elif _is_module(node, parents) and not _is_read(node, parents):
            yield parent if isinstance(parent, ast.expr) else node


def _calls(node: ast.AST | None, function: ast.expr) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and node.func is function


def _is_module(node: ast.expr, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether an expression is the module itself or its names: `globals()`, `vars()`, `sys.modules[__name__]`, `__dict__` of it."""
    if isinstance(node, ast.Call):
        name, own = _last(node.func), [one for one in node.args if isinstance(one, ast.Name) and one.id == "__name__"]
        return (
            (name in ("globals", "vars") and not node.args)
            or (name == "locals" and not _is_in_function(node, parents))
            or (name in ("import_module", "__import__") and bool(own))
        )
    if isinstance(node, ast.Subscript):
        return _last(node.value) == "modules" and _last(node.slice) == "__name__"
    return isinstance(node, ast.Attribute) and node.attr in NAMESPACES - {"__dict__"}


def _is_in_function(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> bool:
    while above := parents.get(node):
        if isinstance(above, SCOPES):
            return True
        node = above
    return False


def _is_read(node: ast.expr, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether one key that is written out is read, or set, or asked for: no name goes by that."""
    parent = parents.get(node)
    if isinstance(parent, ast.Attribute):
        if parent.attr == "__dict__":
            return _is_read(parent, parents)
        above = parents.get(parent)
        if _calls(above, parent):
            return parent.attr in READS or _is_named(above.args[:1])
        return not isinstance(parent.ctx, ast.Del) and parent.attr not in WRITES
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return _is_named([parent.slice])
    if isinstance(parent, ast.Call) and _last(parent.func) in ("getattr", "hasattr", "setattr", "delattr"):
        return _is_named(parent.args[1:2])
    return isinstance(parent, ast.Compare | ast.Expr)


def _is_named(expressions: Sequence[ast.expr]) -> bool:
    """Whether the key is written out. One that goes is noted by its name (`_deleted_by_text`)."""
    return all(isinstance(one, ast.Constant) for one in expressions) and bool(expressions)


def _is_end(node: ast.stmt) -> bool:
    """Whether nothing below a statement is reached."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return _last(node.value.func) in ENDING
    return isinstance(node, ast.Raise | ast.Return | ast.Continue | ast.Break)


def _of_statement(node: ast.stmt, module: ModuleNames) -> set[str]:
    if isinstance(node, Function | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return _imports(node, module)
    if isinstance(node, ast.Assign):
        return _stored(node.targets)
    if isinstance(node, ast.AugAssign) or (isinstance(node, ast.AnnAssign) and node.value is not None):
        return _stored([node.target])
    return _stored(ast.iter_child_nodes(node)) if type(node).__name__ == "TypeAlias" else set()


def _of_block(node: ast.stmt, module: ModuleNames) -> set[str]:
    if isinstance(node, ast.With | ast.AsyncWith):
        return _of_with(node, module)
    if isinstance(node, ast.Try | ast.TryStar):
        return _of_try(node, module)
    if isinstance(node, ast.Match):
        return _of_match(node, module)
    return _of_loop(node, module) if isinstance(node, Loop) else set()


def _of_if(node: ast.If, module: ModuleNames) -> Flow:
    (yes, yes_ends), (no, no_ends) = _flow(node.body, module), _flow(node.orelse, module)
    if isinstance(node.test, ast.Constant):
        sure, ends = (yes, yes_ends) if node.test.value else (no, no_ends)
    else:
        sure = no if yes_ends else yes if no_ends else yes & no
        ends = yes_ends and no_ends
    if "__main__" in {part.value for part in ast.walk(node.test) if isinstance(part, ast.Constant)}:
        module.likely |= yes | no
    module.note(yes - sure, (node.lineno, node.body[-1].end_lineno or 0))
    module.note(no - sure, (node.orelse[0].lineno if node.orelse else 0, node.end_lineno or 0))
    return sure, ends


def _of_loop(node: ast.For | ast.AsyncFor | ast.While, module: ModuleNames) -> set[str]:
    names, _ = _flow(node.body, module)
    if isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value:
        return names
    if not isinstance(node, ast.While):
        names |= _stored([node.target])
    module.note(names, _span(node))
    other, _ = _flow(node.orelse, module)
    module.note(other, _span(node))
    return set()


def _of_with(node: ast.With | ast.AsyncWith, module: ModuleNames) -> set[str]:
    names, _ = _flow(node.body, module)
    targets = _stored([item.optional_vars for item in node.items if item.optional_vars is not None])
    words = {_last(part) for item in node.items for part in ast.walk(item.context_expr)}
    if words.isdisjoint(SWALLOWING):
        module.likely |= names
    module.note(names, _span(node))
    return targets


def _of_try(node: ast.Try | ast.TryStar, module: ModuleNames) -> set[str]:
    body_names, ends = _flow([*node.body, *node.orelse], module)
    sure = set(body_names)
    for handler in node.handlers:
        names, handler_ends = _flow(handler.body, module)
        module.note({*names, *([handler.name] if handler.name else [])}, _span(handler))
        sure = sure if handler_ends else names if ends else sure & names
        ends = ends and handler_ends
    last, _ = _flow(node.finalbody, module)
    module.likely |= body_names - sure
    module.note(body_names - sure, (node.lineno, node.body[-1].end_lineno or 0))
    return sure | last


def _of_match(node: ast.Match, module: ModuleNames) -> set[str]:
    sets, is_whole = [], False
    for case in node.cases:
        names, ends = _flow(case.body, module)
        names |= _captured(case.pattern)
        module.note(names, (case.pattern.lineno, case.body[-1].end_lineno or 0))
        sets += [] if ends else [names]
        is_whole = isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.guard is None
    return set.intersection(*sets) if is_whole and sets else set()


def _captured(pattern: ast.pattern) -> set[str]:
    names = {getattr(part, "name", None) or getattr(part, "rest", None) for part in ast.walk(pattern)}
    return {name for name in names if isinstance(name, str)}


def _imports(node: ast.Import | ast.ImportFrom, module: ModuleNames) -> set[str]:
    if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
        module.stars.add((node.level, node.module or ""))
        return set()
    names = {(part.asname or part.name).partition(".")[0] for part in node.names}
    module.imports |= names
    return names


def _walrus(node: ast.stmt, module: ModuleNames) -> set[str]:
    """What the expressions of a statement bind by `:=`, those of its inner statements not among them."""
    certain = set[str]()
    stack: list[tuple[ast.AST, bool]] = [
        (part, True) for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)
    ]
    while stack:
        part, is_sure = stack.pop()
        if isinstance(part, ast.Lambda):
            continue
        if isinstance(part, ast.NamedExpr):
            if is_sure:
                certain.add(part.target.id)
            else:
                module.note([part.target.id], _span(part))
        is_sure = is_sure and not isinstance(part, ast.IfExp | Comprehension)
        for at, child in enumerate(ast.iter_child_nodes(part)):
            # `and` and `or` come to their first operand alone; their first child is the operator
            stack.append((child, is_sure and not (isinstance(part, ast.BoolOp) and at > 1)))
    return certain


def _stored(targets: Iterable[ast.AST]) -> set[str]:
    return {
        part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }  # fmt: skip


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _span(node: ast.stmt | ast.expr | ast.excepthandler) -> Span:
    return node.lineno, node.end_lineno or node.lineno


def _use(body: Iterable[ast.AST], local: frozenset[str], uses: dict[str, list[int]]) -> None:
    """Note the names that are read while the program runs and that no scope in between binds."""
    stack: list[tuple[ast.AST, frozenset[str]]] = [(node, local) for node in body]
    while stack:
        node, inside = stack.pop()
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load) and node.id not in inside:
                uses[node.id].append(node.lineno)
        else:
            stack += _parts(node, inside)
    for lines in uses.values():
        lines.sort()


def _parts(node: ast.AST, inside: frozenset[str]) -> Iterator[tuple[ast.AST, frozenset[str]]]:
    """What of a node is run, each part with the names that the scopes around it bind. Annotations need not be."""
    if isinstance(node, Function | ast.Lambda):
        yield from _of_function(node, inside)
    elif isinstance(node, ast.ClassDef):
        yield from _of_class(node, inside)
    elif isinstance(node, Comprehension):
        own = inside | _stored(generator.target for generator in node.generators)
        yield from ((part, own) for part in ast.iter_child_nodes(node))
    elif isinstance(node, ast.AnnAssign):
        yield from ((part, inside) for part in (node.target, node.value) if part is not None)
    elif isinstance(node, ast.Try) and any(map(_foresees, node.handlers)):
        yield from ((part, inside) for part in (*node.handlers, *node.orelse, *node.finalbody))
    elif type(node).__name__ != "TypeAlias":
        yield from ((part, inside) for part in ast.iter_child_nodes(node))


def _foresees(handler: ast.ExceptHandler) -> bool:
    return handler.type is not None and any(_last(part) == "NameError" for part in ast.walk(handler.type))


def _of_function(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, inside: frozenset[str]
) -> Iterator[tuple[ast.AST, frozenset[str]]]:
    outside = [*node.args.defaults, *(one for one in node.args.kw_defaults if one is not None)]
    outside += node.decorator_list if isinstance(node, Function) else []
    yield from ((part, inside) for part in outside)
    own = inside | _locals(node)
    yield from ((part, own) for part in (node.body if isinstance(node, Function) else [node.body]))


def _of_class(node: ast.ClassDef, inside: frozenset[str]) -> Iterator[tuple[ast.AST, frozenset[str]]]:
    """The statements of a class: its names are seen by them and by no function in it."""
    yield from ((part, inside) for part in (*node.bases, *node.decorator_list, *node.keywords))
    own = inside | _bound(node.body) | _type_parameters(node)
    for part in node.body:
        yield part, inside | _type_parameters(node) if isinstance(part, Function) else own


def _locals(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    names = frozenset(one.arg for one in every if one is not None)
    return names | _bound(node.body if isinstance(node, Function) else [node.body]) | _type_parameters(node)


def _type_parameters(node: ast.AST) -> frozenset[str]:
    return frozenset(one.name for one in getattr(node, "type_params", ()))


def _bound(body: Iterable[ast.AST]) -> frozenset[str]:
    """The names that a scope binds itself, those of scopes in it not among them."""
    names, outer = set[str](), set[str]()
    stack = [*body]
    while stack:
        node = stack.pop()
        if isinstance(node, Function | ast.ClassDef):
            names.add(node.name)
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.Global):
            outer.update(node.names)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update((part.asname or part.name).partition(".")[0] for part in node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.pattern):
            names |= _captured(node)
        elif isinstance(node, ast.Nonlocal):
            names.update(node.names)
        stack += ast.iter_child_nodes(node)
    return frozenset(names - outer)
