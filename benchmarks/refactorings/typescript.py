"""TypeScript, judged by tsc."""

import posixpath

from benchmarks.refactorings import writing
from benchmarks.refactorings.model import Alias, Choice, Files, Function, Interface, Module, Package, Record, Use, User
from benchmarks.refactorings.writing import camel, pascal, unique

NAME = "TypeScript"
STYLES = ("name", "as", "namespace", "path ending", "type or name")
FUNCTION_ALIASES = ("from", "star", "constant", "import and export")
RECORD_ALIASES = ("from", "star", "heir", "constant and type", "import and export")
CHOICE_ALIASES = ("from", "star", "constant and type", "import and export")
MODULE_FORMS = ("star file", "names file", "index file")
FUNCTION_FORMS = ("arrow", "bound", "overloads", "rest", "generic", "wrapper call", "destructured")
GIVEN_FORMS = ("merged interface", "arrow property", "mixin", "getter")
HAS_BASES = HAS_DEFAULTS = True
HAS_KEYWORDS = False
NAMES_FIELDS = 0.0
KINDS = {"int": "number", "text": "string"}
DEFAULTS = {"int": "0", "text": '""'}


def render(package: Package) -> Files:
    """Return the files of a package."""
    files: Files = {
        "package.json": '{"name": "shopkit", "private": true}\n',
        "tsconfig.json": '{"compilerOptions": {"strict": true}}\n',
    }
    for module in package.modules:
        at = f"src/{'/'.join(module.path)}" + ("/index.ts" if module.form == "index file" else ".ts")
        files[at] = _module(package, module)
    return files


def _spec(module: Module, of: tuple[str, ...]) -> str:
    """How a module imports another one."""
    folder = "/".join(module.path if module.form == "index file" else module.path[:-1])
    spec = posixpath.relpath("/".join(of), folder or ".")
    return spec if spec.startswith(".") else f"./{spec}"


def _word(package: Package, name: str) -> str:
    return camel(name) if isinstance(writing.meant(package, name), Function) else pascal(name)


def _module(package: Package, module: Module) -> str:
    if module.form == "names file":
        home = package.module(module.of)
        names = ", ".join(
            _word(package, item.name) for item in home.items if isinstance(item, Function | Record | Choice)
        )
        types = ", ".join(pascal(item.name) for item in home.items if isinstance(item, Interface))
        offers = [f'export {{ {names} }} from "{_spec(module, module.of)}";']
        offers += [f'export type {{ {types} }} from "{_spec(module, module.of)}";'] if types else []
        return "\n".join(offers) + "\n"
    if module.form:
        return f'export * from "{_spec(module, module.of)}";\n'
    heads, bodies = list[str](), list[str]()
    for one in module.imports:
        heads.append(_import(package, module, one.of, one.name, writing.style(one, STYLES)))
    for item in module.items:
        if isinstance(item, Function):
            bodies.append(_function(item))
        elif isinstance(item, Record):
            bodies.append(_record(package, module, item))
        elif isinstance(item, Interface):
            asked = "\n".join(f"  {_head(one)};" for one in item.methods if one.form != "default")
            optional = "\n".join(
                f"  {camel(one.name)}?({_parameters(one)}): {KINDS[one.returns]};"
                for one in item.methods
                if one.form == "default"
            )
            bodies.append(f"export interface {pascal(item.name)} {{\n{asked}\n{optional}}}")
        elif isinstance(item, Choice):
            lines = "".join(f'  {pascal(name)} = "{name}",\n' for name in item.members)
            bodies.append(f"export enum {pascal(item.name)} {{\n{lines}}}")
        elif isinstance(item, User):
            bodies.append(_user(package, module, item))
        else:
            bodies.append(_alias(module, item))
    return "\n".join([*unique(heads), "", *bodies, ""])


def _import(package: Package, module: Module, of: tuple[str, ...], name: str, style: str) -> str:
    word, spec = _word(package, name), _spec(module, of)
    if style == "namespace":
        return f'import * as {of[-1]} from "{spec}";'
    if style == "as":
        return f'import {{ {word} as other{word} }} from "{spec}";'
    if style == "type or name" and isinstance(writing.meant(package, name), Interface):
        return f'import type {{ {word} }} from "{spec}";'
    return f'import {{ {word} }} from "{spec}";'


def _ref(package: Package, module: Module, name: str) -> str:
    word, one = _word(package, name), module.import_of(name)
    style = writing.style(one, STYLES) if one is not None else ""
    if one is not None and style == "namespace":
        return f"{one.of[-1]}.{word}"
    return f"other{word}" if style == "as" else word


def _parameters(function: Function) -> str:
    return ", ".join(
        f"{camel(one.name)}: {KINDS[one.kind]}{f' = {DEFAULTS[one.kind]}' if one.has_default else ''}"
        for one in function.parameters
    )


def _declared(function: Function) -> str:
    return ", ".join(
        f"{camel(one.name)}{'?' if one.has_default else ''}: {KINDS[one.kind]}" for one in function.parameters
    )


def _head(one: Function) -> str:
    return f"{camel(one.name)}({_declared(one)}): {KINDS[one.returns]}"


def _body(function: Function) -> str:
    total = [camel(one.name) for one in function.parameters if one.kind == function.returns]
    return " + ".join([*total, writing.value(function.returns)])


def _function(one: Function) -> str:
    name, kind = camel(one.name), KINDS[one.returns]
    inner = f"function {name}Inner({_parameters(one)}): {kind} {{\n  return {_body(one)};\n}}"
    if one.form == "arrow":
        return f"export const {name} = ({_parameters(one)}): {kind} => {_body(one)};"
    if one.form == "bound":
        return f"{inner}\n\nexport const {name} = {name}Inner.bind(null);"
    if one.form == "wrapper call":
        return f"{inner}\n\nconst {name}Wrap = <T>(it: T): T => it;\n\nexport const {name} = {name}Wrap({name}Inner);"
    if one.form == "overloads":
        more = f"{_declared(one)}{', ' if one.parameters else ''}more?: boolean"
        full = f"{_parameters(one)}{', ' if one.parameters else ''}more = false"
        return (
            f"export function {name}({_declared(one)}): {kind};\nexport function {name}({more}): {kind};\n"
            f"export function {name}({full}): {kind} {{\n  return {_body(one)};\n}}"
        )
    if one.form == "rest":
        return f"{inner}\n\nexport function {name}(...given: Parameters<typeof {name}Inner>): {kind} {{\n  return {name}Inner(...given);\n}}"
    if one.form == "generic":
        return f"export function {name}<T = unknown>({_parameters(one)}): {kind} {{\n  return {_body(one)};\n}}"
    if one.form == "destructured":
        return f"{inner}\n\nexport const {{ {name} }} = {{ {name}: {name}Inner }};"
    return f"export function {name}({_parameters(one)}): {kind} {{\n  return {_body(one)};\n}}"


def _method(one: Function) -> str:
    return f"  {camel(one.name)}({_parameters(one)}): {KINDS[one.returns]} {{\n    return {_body(one)};\n  }}"


def _record(package: Package, module: Module, item: Record) -> str:
    name, parts, before, after = pascal(item.name), list[str](), "", ""
    base = _ref(package, module, item.base) if item.base else ""
    if item.fields:
        given = ", ".join(
            f"public {camel(f.name)}: {KINDS[f.kind]}{f' = {DEFAULTS[f.kind]}' if f.has_default else ''}"
            for f in item.fields
        )
        parts.append(f"  constructor({given}) {{{' super(); ' if base or item.form == 'mixin' else ''}}}")
    parts += [_method(one) for one in item.methods]
    for one in item.given:
        if item.form == "merged interface":
            before += f"export interface {name} {{\n  {_head(one)};\n}}\n\n"
            after += f"\n\n{name}.prototype.{camel(one.name)} = function ({_parameters(one)}) {{\n  return {_body(one)};\n}};"
        elif item.form == "arrow property":
            parts.append(f"  {camel(one.name)} = ({_parameters(one)}): {KINDS[one.returns]} => {_body(one)};")
        elif item.form == "getter":
            parts.append(
                f"  get {camel(one.name)}(): ({_declared(one)}) => {KINDS[one.returns]} {{\n    return ({_parameters(one)}) => {_body(one)};\n  }}"
            )
        elif item.form == "mixin":
            before += f"function With{name}<T extends new (...args: any[]) => object>(inner: T) {{\n  return class extends inner {{\n  {_method(one)}\n  }};\n}}\n\n"
            base = f"With{name}({base or 'Object'})"
    heir = f" extends {base}" if base else ""
    face = f" implements {_ref(package, module, item.implements)}" if item.implements else ""
    return f"{before}export class {name}{heir}{face} {{\n" + "\n".join(parts) + f"\n}}{after}"


def _alias(module: Module, item: Alias) -> str:
    is_function = isinstance(item.item, Function)
    now, old = (camel(n) if is_function else pascal(n) for n in (item.item.name, item.name))
    is_here, spec = item.of == module.path, _spec(module, item.of)
    there = now if is_here else f"new{now}"
    head = "" if is_here else f'import {{ {now} as {there} }} from "{spec}";\n'
    if item.form == "heir":
        return f"{head}export class {old} extends {there} {{}}"
    if item.form == "constant":
        return f"{head}export const {old} = {there};"
    if item.form == "constant and type":
        return f"{head}export const {old} = {there};\nexport type {old} = {there};"
    if is_here:
        return f"export {{ {now} as {old} }};"
    if item.form == "import and export":
        return f"{head}export {{ {there} as {old} }};"
    return (
        f'export * from "{spec}";'
        if item.form == "star"
        else f'export {{ {now} as {old} }} from "{spec}";'.replace(f"{old} as {old}", old)
    )


def _user(package: Package, module: Module, item: User) -> str:
    given = ", ".join(f"{camel(owner)}: {_ref(package, module, owner)}" for owner in writing.owners(item))
    lines = [f"export function {camel(item.name)}({given}): number {{", "  let count = 0;", '  let words = "";']
    for at, use in enumerate(item.uses):
        target = {"int": "count +=", "text": "words =", "": f"const kept{at} ="}[use.result]
        lines.append(f"  {target} {_expression(package, module, use)};")
    return "\n".join([*lines, "  return count + words.length;", "}"])


def _expression(package: Package, module: Module, use: Use) -> str:
    arguments = ", ".join(text for _, text in writing.literals(use))
    if use.what == "call":
        return f"{_ref(package, module, use.name)}({arguments})"
    if use.what == "new":
        return f"new {_ref(package, module, use.owner)}({arguments})"
    if use.what == "member":
        return f"{_ref(package, module, use.owner)}.{pascal(use.name)}"
    return f"{camel(use.owner)}.{camel(use.name)}" + (f"({arguments})" if use.what == "method" else "")
