"""Python, judged by ty and by running every user."""

from collections.abc import Iterator

from benchmarks.refactorings import writing
from benchmarks.refactorings.model import Alias, Choice, Files, Function, Interface, Module, Package, Record, Use, User
from benchmarks.refactorings.writing import ROOT, pascal, unique, upper

NAME = "Python"
STYLES = ("name", "module", "dotted", "as", "star", "relative")
FUNCTION_ALIASES = ("from", "star", "assignment", "__getattr__")
RECORD_ALIASES = ("from", "star", "assignment", "__getattr__", "heir")
CHOICE_ALIASES = ("from", "star", "assignment")
MODULE_FORMS = ("star file", "__init__", "sys.modules", "__getattr__ file", "package")
FUNCTION_FORMS = ("lambda", "partial", "callable object", "decorator", "any arguments")
GIVEN_FORMS = ("mixin", "__getattr__", "assigned attribute", "setattr", "property", "decorator")
HAS_BASES = HAS_DEFAULTS = HAS_KEYWORDS = True
NAMES_FIELDS = 0.3
KINDS = {"int": "int", "text": "str"}
DEFAULTS = {"int": "0", "text": '""'}


def render(package: Package) -> Files:
    """Return the files of a package."""
    files: Files = {f"{ROOT}/__init__.py": ""}
    starts: dict[str, list[str]] = {}
    for module in package.modules:
        for depth in range(1, len(module.path)):
            files.setdefault(f"{ROOT}/{'/'.join(module.path[:depth])}/__init__.py", "")
        path = f"{ROOT}/{'/'.join(module.path)}.py"
        if module.form in ("__init__", "sys.modules"):
            init = "/".join((ROOT, *module.path[:-1], "__init__.py"))
            here = f"from {_dotted(module.of[:-1])} import {module.of[-1]}"
            line = f"{here} as {module.path[-1]}"
            if module.form == "sys.modules":
                line = f'import sys\n\n{here}\n\nsys.modules[__name__ + ".{module.path[-1]}"] = {module.of[-1]}'
            starts.setdefault(init, []).append(line)
            continue
        if module.form == "package":
            path = f"{ROOT}/{'/'.join(module.path)}/__init__.py"
        files[path] = _module(package, module)
    for path, lines in starts.items():
        files[path] = "\n".join(lines) + "\n"
    return files


def driver(package: Package) -> Files:
    """Return a program that runs every user."""
    lines = ["import importlib", ""]
    for module in package.modules:
        name = _dotted(module.path)
        lines.append(f'm = importlib.import_module("{name}")')
        for user in module.users():
            made = [
                _made(package, item)
                for owner in writing.owners(user)
                if isinstance(item := writing.meant(package, owner), Record)
                and any(item in one.items for one in package.modules)
            ]
            lines.append(f"m.{user.name}({', '.join(made)})")
        lines += [_made(package, item) for item in module.items if isinstance(item, Record)]
    return {f"{ROOT}_main.py": "\n".join(lines) + "\n"}


def _made(package: Package, record: Record) -> str:
    home = next(module for module in package.modules if record in module.items)
    given = ", ".join(writing.value(one.kind) for one in writing.fields_of(package, record))
    return f'importlib.import_module("{_dotted(home.path)}").{pascal(record.name)}({given})'


def _dotted(path: tuple[str, ...]) -> str:
    return ".".join((ROOT, *path))


def _module(package: Package, module: Module) -> str:
    if module.form in ("star file", "package"):
        return f"from {_dotted(module.of)} import *\n"
    if module.form == "__getattr__ file":
        here = f"from {_dotted(module.of[:-1])} import {module.of[-1]}"
        return f"{here}\n\n\ndef __getattr__(name):\n    return getattr({module.of[-1]}, name)\n"
    heads, bodies, lasts = ["import abc", "import enum", "import functools"], list[str](), list[str]()
    for one in module.imports:
        heads += _import(package, module, one.of, one.name, writing.style(one, STYLES))
    for item in module.items:
        if isinstance(item, Function):
            bodies.append(_function(item))
        elif isinstance(item, Record):
            bodies.append(_record(package, module, item))
        elif isinstance(item, Interface):
            lines = "\n\n".join(_method(one, is_abstract=one.form != "default") for one in item.methods)
            bodies.append(f"class {pascal(item.name)}(abc.ABC):\n{lines}")
        elif isinstance(item, Choice):
            lines = "\n".join(f"    {upper(name)} = {at}" for at, name in enumerate(item.members))
            bodies.append(f"class {pascal(item.name)}(enum.Enum):\n{lines}")
        elif isinstance(item, User):
            bodies.append(_user(package, module, item))
        else:
            head, last = _alias(module, item)
            heads += head
            lasts += last
    return "\n".join(unique(heads)) + "\n\n\n" + "\n\n\n".join([*bodies, *lasts]) + "\n"


def _written(package: Package, name: str) -> str:
    return name if isinstance(writing.meant(package, name), Function) else pascal(name)


def _import(package: Package, module: Module, of: tuple[str, ...], name: str, style: str) -> list[str]:
    word = _written(package, name)
    if style == "module":
        return [f"from {_dotted(of[:-1])} import {of[-1]}"]
    if style == "dotted":
        return [f"import {_dotted(of)}"]
    if style == "as":
        return [f"from {_dotted(of)} import {word} as other_{word}"]
    if style == "star":
        return [f"from {_dotted(of)} import *"]
    if style == "relative":
        return [f"from {'.' * len(module.path)}{'.'.join(of)} import {word}"]
    return [f"from {_dotted(of)} import {word}"]


def _ref(package: Package, module: Module, name: str) -> str:
    word, one = _written(package, name), module.import_of(name)
    style = writing.style(one, STYLES) if one is not None else ""
    if one is None or style in ("name", "star", "relative"):
        return word
    return {"module": f"{one.of[-1]}.{word}", "dotted": f"{_dotted(one.of)}.{word}", "as": f"other_{word}"}[style]


def _parameters(function: Function) -> str:
    return ", ".join(
        f"{one.name}: {KINDS[one.kind]}{f' = {DEFAULTS[one.kind]}' if one.has_default else ''}"
        for one in function.parameters
    )


def _body(function: Function) -> str:
    total = [one.name for one in function.parameters if one.kind == function.returns]
    return " + ".join([*total, writing.value(function.returns)])


def _function(one: Function) -> str:
    name = one.name
    plain = f"def {name}({_parameters(one)}) -> {KINDS[one.returns]}:\n    return {_body(one)}"
    inner = plain.replace(f"def {name}", f"def _{name}", 1)
    if one.form == "lambda":
        given = ", ".join(f"{p.name}={DEFAULTS[p.kind]}" if p.has_default else p.name for p in one.parameters)
        return f"{name} = lambda {given}: {_body(one)}"
    if one.form == "partial":
        return f"{inner}\n\n\n{name} = functools.partial(_{name})"
    if one.form == "callable object":
        own = plain.replace(f"def {name}(", "def __call__(self, ", 1).replace("\n", "\n    ")
        return f"class _{pascal(name)}:\n    {own}\n\n\n{name} = _{pascal(name)}()"
    if one.form == "decorator":
        return f"@functools.cache\n{plain}"
    if one.form == "any arguments":
        return f"{inner}\n\n\ndef {name}(*args, **kwargs):\n    return _{name}(*args, **kwargs)"
    return plain


def _method(one: Function, *, is_abstract: bool = False) -> str:
    given = f", {_parameters(one)}" if one.parameters else ""
    mark = "    @abc.abstractmethod\n" if is_abstract else ""
    return f"{mark}    def {one.name}(self{given}) -> {KINDS[one.returns]}:\n        return {_body(one)}"


def _record(package: Package, module: Module, item: Record) -> str:
    name, parts, before, after = pascal(item.name), list[str](), "", ""
    bases = [_ref(package, module, one) for one in (item.base, item.implements) if one]
    if item.fields:
        given = ", ".join(
            f"{f.name}: {KINDS[f.kind]}{f' = {DEFAULTS[f.kind]}' if f.has_default else ''}" for f in item.fields
        )
        lines = "\n".join(f"        self.{one.name} = {one.name}" for one in item.fields)
        parts.append(f"    def __init__(self, {given}) -> None:\n{lines}")
    parts += [_method(one) for one in item.methods]
    for one in item.given:
        given = f", {_parameters(one)}" if one.parameters else ""
        body = f"(self{given}):\n    return {_body(one)}"
        if item.form == "mixin":
            before = f"class {name}Extra:\n{_method(one)}\n\n\n"
            bases.insert(0, f"{name}Extra")
        elif item.form == "__getattr__":
            before = f"class {name}Inner:\n{_method(one)}\n\n\n"
            parts.append(f"    def __getattr__(self, name):\n        return getattr({name}Inner(), name)")
        elif item.form == "assigned attribute":
            before = f"def _{one.name}{body}\n\n\n"
            parts.append(f"    {one.name} = _{one.name}")
        elif item.form == "setattr":
            after = f'\n\n\ndef _{one.name}{body}\n\n\nsetattr({name}, "{one.name}", _{one.name})'
        elif item.form == "property":
            before = f"def _{one.name}{body}\n\n\n"
            parts.append(
                f"    @property\n    def {one.name}(self):\n        return functools.partial(_{one.name}, self)"
            )
        elif item.form == "decorator":
            before = f"def _with_{one.name}(cls):\n    def {one.name}{body.replace(chr(10), chr(10) + '    ')}\n\n    cls.{one.name} = {one.name}\n    return cls\n\n\n@_with_{one.name}\n"
    head = f"class {name}({', '.join(bases)}):" if bases else f"class {name}:"
    return before + head + "\n" + ("\n\n".join(parts) or "    pass") + after


def _alias(module: Module, item: Alias) -> tuple[list[str], list[str]]:
    now = item.item.name if isinstance(item.item, Function) else pascal(item.item.name)
    old = item.name if isinstance(item.item, Function) else pascal(item.name)
    is_here = item.of == module.path
    if item.form == "heir":
        return ([] if is_here else [f"from {_dotted(item.of)} import {now} as New{now}"]), [
            f"class {old}({now if is_here else f'New{now}'}):\n    pass"
        ]
    if item.form == "__getattr__":
        heads = [] if is_here else [f"from {_dotted(item.of[:-1])} import {item.of[-1]}"]
        there = now if is_here else f"{item.of[-1]}.{now}"
        return heads, [
            f'def __getattr__(name):\n    if name == "{old}":\n        return {there}\n    raise AttributeError(name)'
        ]
    if is_here:
        return [], [f"{old} = {now}"]
    if item.form == "star":
        return [f"from {_dotted(item.of)} import *"], []
    if item.form == "assignment":
        return [f"from {_dotted(item.of[:-1])} import {item.of[-1]}"], [f"{old} = {item.of[-1]}.{now}"]
    return [f"from {_dotted(item.of)} import {now}" + (f" as {old}" if old != now else "")], []


def _user(package: Package, module: Module, item: User) -> str:
    given = ", ".join(f"{owner}: {_ref(package, module, owner)}" for owner in writing.owners(item))
    lines = [f"def {item.name}({given}) -> int:", "    number = 0", '    words = ""']
    lines += _statements(package, module, item.uses)
    return "\n".join([*lines, "    return number + len(words)"])


def _statements(package: Package, module: Module, uses: list[Use]) -> Iterator[str]:
    for at, use in enumerate(uses):
        arguments = ", ".join(f"{name}={text}" if name else text for name, text in writing.literals(use))
        if use.what == "call":
            made = f"{_ref(package, module, use.name)}({arguments})"
        elif use.what == "new":
            made = f"{_ref(package, module, use.owner)}({arguments})"
        elif use.what == "member":
            made = f"{_ref(package, module, use.owner)}.{upper(use.name)}"
        else:
            made = f"{use.owner}.{use.name}" + (f"({arguments})" if use.what == "method" else "")
        target = {"int": "number +=", "text": "words +=", "": f"kept_{at} ="}[use.result]
        yield f"    {target} {made}"
