"""Go, judged by go build."""

import re

from benchmarks.refactorings import writing
from benchmarks.refactorings.model import (
    Alias,
    Choice,
    Files,
    Function,
    Interface,
    Item,
    Module,
    Package,
    Record,
    Use,
    User,
)
from benchmarks.refactorings.writing import ROOT, camel, pascal, unique

NAME = "Go"
STYLES = ("module", "as", "dot")
FUNCTION_ALIASES = ("variable", "wrapper")
RECORD_ALIASES = ("type alias", "embedding type")
CHOICE_ALIASES = ("type alias",)
MODULE_FORMS = ("alias package",)
FUNCTION_FORMS = ("variable", "generic", "variadic")
GIVEN_FORMS = ("embedded struct", "embedded pointer", "embedded interface", "second file")
HAS_BASES = HAS_DEFAULTS = HAS_KEYWORDS = False
NAMES_FIELDS = 0.7
KINDS = {"int": "int", "text": "string"}


def render(package: Package) -> Files:
    """Return the files of a package."""
    files: Files = {"go.mod": f"module {ROOT}\n\ngo 1.19\n"}
    for module in package.modules:
        folder = "/".join(module.path)
        if module.form:
            files[f"{folder}/{module.path[-1]}.go"] = _alias_package(package, module)
            continue
        items = [item for item in module.items if not isinstance(item, User)]
        users = list(module.users())
        parts: dict[str, list[Item]] = {module.path[-1]: [*items], "users": [*users], "methods": []}
        for name, mine in parts.items():
            bodies = [_body_of(module, item) for item in mine]
            if name == "methods":
                bodies = [
                    _method(pascal(item.name), one)
                    for item in items
                    if isinstance(item, Record) and item.form == "second file"
                    for one in item.given
                ]
            if bodies:
                files[f"{folder}/{name}.go"] = _file(package, module, bodies)
    return files


def _file(package: Package, module: Module, bodies: list[str]) -> str:
    text = "\n\n".join(bodies)
    heads = []
    for one in module.imports:
        style, path = writing.style(one, STYLES), f'"{"/".join((ROOT, *one.of))}"'
        name = {"module": one.of[-1], "as": f"other{one.of[-1]}", "dot": "."}[style]
        found = writing.meant(package, one.name)
        members = "|".join(map(pascal, found.members)) if isinstance(found, Choice) else ""
        own = rf"(?<![\w.]){pascal(one.name)}(?:{members})?\b"
        if re.search(own if style == "dot" else rf"(?<![\w.]){name}\.", text):
            heads.append(f"\t{name} {path}" if style != "module" else f"\t{path}")
    heads += [
        f'\t"{"/".join((ROOT, *item.of))}"'
        for item in module.items
        if isinstance(item, Alias) and item.of != module.path and f"{item.of[-1]}." in text
    ]
    block = "import (\n" + "\n".join(unique(heads)) + "\n)\n\n" if heads else ""
    return f"package {module.path[-1]}\n\n{block}{text}\n"


def _ref(module: Module, name: str) -> str:
    word, one = pascal(name), module.import_of(name)
    style = writing.style(one, STYLES) if one is not None else ""
    if one is None or style == "dot":
        return word
    return f"{one.of[-1]}.{word}" if style == "module" else f"other{one.of[-1]}.{word}"


def _parameters(function: Function) -> str:
    return ", ".join(f"{camel(one.name)} {KINDS[one.kind]}" for one in function.parameters)


def _body(function: Function) -> str:
    total = [camel(one.name) for one in function.parameters if one.kind == function.returns]
    return " + ".join([*total, writing.value(function.returns)])


def _tail(one: Function) -> str:
    return f"({_parameters(one)}) {KINDS[one.returns]}"


def _method(owner: str, one: Function) -> str:
    return f"func (it {owner}) {pascal(one.name)}{_tail(one)} {{\n\treturn {_body(one)}\n}}"


def _body_of(module: Module, item: object) -> str:
    if isinstance(item, Function):
        return _function(item)
    if isinstance(item, Record):
        return _record(module, item)
    if isinstance(item, Interface):
        lines = "\n".join(f"\t{pascal(one.name)}{_tail(one)}" for one in item.methods)
        return f"type {pascal(item.name)} interface {{\n{lines}\n}}"
    if isinstance(item, Choice):
        name = pascal(item.name)
        lines = "\n".join(
            f"\t{name}{pascal(one)}{f' {name} = iota' if not at else ''}" for at, one in enumerate(item.members)
        )
        return f"type {name} int\n\nconst (\n{lines}\n)"
    if isinstance(item, User):
        return _user(module, item)
    return _alias(module, item) if isinstance(item, Alias) else ""


def _function(one: Function) -> str:
    name = pascal(one.name)
    if one.form == "variable":
        return f"var {name} = func{_tail(one)} {{\n\treturn {_body(one)}\n}}"
    if one.form == "generic":
        given = ", ".join(f"{camel(p.name)} {'T' if p.kind == 'int' else 'string'}" for p in one.parameters)
        body = writing.value(one.returns)
        return f"func {name}[T ~int]({given}) {KINDS[one.returns]} {{\n\treturn {body}\n}}"
    if one.form == "variadic":
        given = f"{_parameters(one)}{', ' if one.parameters else ''}more ...string"
        return f"func {name}({given}) {KINDS[one.returns]} {{\n\treturn {_body(one)}\n}}"
    return f"func {name}{_tail(one)} {{\n\treturn {_body(one)}\n}}"


def _record(module: Module, item: Record) -> str:
    name, before, embedded = pascal(item.name), "", ""
    methods = [_method(name, one) for one in item.methods]
    for one in item.given:
        inner = f"{name}Inner"
        if item.form in ("embedded struct", "embedded pointer"):
            before = f"type {inner} struct{{}}\n\n{_method(inner, one)}\n\n"
            embedded = f"\t{'*' if item.form == 'embedded pointer' else ''}{inner}\n"
        elif item.form == "embedded interface":
            before = f"type {inner} interface {{\n\t{pascal(one.name)}{_tail(one)}\n}}\n\n"
            embedded = f"\t{inner}\n"
    fields = "".join(f"\t{pascal(one.name)} {KINDS[one.kind]}\n" for one in item.fields)
    check = f"\n\nvar _ {_ref(module, item.implements)} = {name}{{}}" if item.implements else ""
    return f"{before}type {name} struct {{\n{fields}{embedded}}}\n\n" + "\n\n".join(methods) + check


def _alias(module: Module, item: Alias) -> str:
    there = "" if item.of == module.path else f"{item.of[-1]}."
    now, old = pascal(item.item.name), pascal(item.name)
    if isinstance(item.item, Function):
        names = ", ".join(camel(p.name) for p in item.item.parameters)
        if item.form == "variable":
            return f"var {old} = {there}{now}"
        return f"func {old}{_tail(item.item)} {{\n\treturn {there}{now}({names})\n}}"
    if isinstance(item.item, Choice):
        lines = "\n".join(f"\t{old}{pascal(one)} = {there}{now}{pascal(one)}" for one in item.item.members)
        return f"type {old} = {there}{now}\n\nconst (\n{lines}\n)"
    return f"type {old} = {there}{now}" if item.form == "type alias" else f"type {old} struct {{\n\t{there}{now}\n}}"


def _alias_package(package: Package, module: Module) -> str:
    home = package.module(module.of)
    lines = []
    for item in home.items:
        if isinstance(item, Function):
            lines.append(f"var {pascal(item.name)} = {module.of[-1]}.{pascal(item.name)}")
        elif isinstance(item, Record | Interface):
            lines.append(f"type {pascal(item.name)} = {module.of[-1]}.{pascal(item.name)}")
        elif isinstance(item, Choice):
            lines.append(_alias(module, Alias(item.name, module.of, item, "type alias")))
    text = "\n\n".join(lines)
    return f'package {module.path[-1]}\n\nimport "{"/".join((ROOT, *module.of))}"\n\n{text}\n'


def _user(module: Module, item: User) -> str:
    given = ", ".join(f"{camel(owner)} {_ref(module, owner)}" for owner in writing.owners(item))
    lines = [f"func {pascal(item.name)}({given}) int {{", "\tcount := 0", '\twords := ""']
    for use in item.uses:
        target = {"int": "count +=", "text": "words +=", "": "_ ="}[use.result]
        lines.append(f"\t{target} {_expression(module, use)}")
    return "\n".join([*lines, "\treturn count + len(words)", "}"])


def _expression(module: Module, use: Use) -> str:
    given = writing.literals(use)
    arguments = ", ".join(text for _, text in given)
    if use.what == "call":
        return f"{_ref(module, use.name)}({arguments})"
    if use.what == "new":
        named = ", ".join(f"{pascal(name)}: {text}" if name else text for name, text in given)
        return f"{_ref(module, use.owner)}{{{named}}}"
    if use.what == "member":
        return f"{_ref(module, use.owner)}{pascal(use.name)}"
    return f"{camel(use.owner)}.{pascal(use.name)}" + (f"({arguments})" if use.what == "method" else "")
