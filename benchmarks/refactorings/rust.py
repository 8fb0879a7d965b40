"""Rust, judged by rustc."""

from benchmarks.refactorings import writing
from benchmarks.refactorings.model import Alias, Choice, Files, Function, Interface, Module, Package, Record, Use, User
from benchmarks.refactorings.writing import pascal, unique

NAME = "Rust"
STYLES = ("name", "module", "path", "as", "star", "super", "braces")
FUNCTION_ALIASES = ("use", "star", "wrapper", "constant")
RECORD_ALIASES = ("use", "star", "type")
CHOICE_ALIASES = ("use", "star", "type")
MODULE_FORMS = ("use", "inline star", "inline names", "star file", "path attribute")
FUNCTION_FORMS = ("generic", "impl trait", "constant", "const fn", "unused generic")
GIVEN_FORMS = ("Deref", "trait", "macro", "second impl")
HAS_BASES = HAS_DEFAULTS = HAS_KEYWORDS = False
NAMES_FIELDS = 1.0
KINDS = {"int": "i64", "text": "&'static str"}


def render(package: Package) -> Files:
    """Return the files of a package."""
    files: Files = {"Cargo.toml": '[package]\nname = "shopkit"\nversion = "0.1.0"\nedition = "2021"\n'}
    parents: dict[tuple[str, ...], list[str]] = {(): []}
    hidden = {module.of for module in package.modules if module.form == "path attribute"}
    for module in package.modules:
        for depth in range(1, len(module.path)):
            above = parents.setdefault(module.path[: depth - 1], [])
            above.append(f"pub mod {module.path[depth - 1]};")
            parents.setdefault(module.path[:depth], [])
        lines = parents[module.path[:-1]]
        name, of = module.path[-1], "::".join(("crate", *module.of))
        if module.form == "use":
            lines.append(f"pub use {of}{'' if module.of[-1] == name else f' as {name}'};")
        elif module.form == "inline star":
            lines.append(f"pub mod {name} {{\n    pub use {of}::*;\n}}")
        elif module.form == "inline names":
            names = ", ".join(_word(package, item.name) for item in package.module(module.of).items)
            lines.append(f"pub mod {name} {{\n    pub use {of}::{{{names}}};\n}}")
        elif module.form == "path attribute":
            up = "../" * (len(module.path) - 1)
            lines.append(f'#[path = "{up}{"/".join(module.of)}.rs"]\npub mod {name};')
        else:
            files[f"src/{'/'.join(module.path)}.rs"] = _module(package, module)
            lines += [f"pub mod {name};"] if module.path not in hidden else []
    for path, lines in parents.items():
        files["src/lib.rs" if not path else f"src/{'/'.join(path)}/mod.rs"] = "\n".join(unique(lines)) + "\n"
    return files


def _word(package: Package, name: str) -> str:
    item = writing.meant(package, name)
    return name if isinstance(item, Function | User) else pascal(name)


def _module(package: Package, module: Module) -> str:
    if module.form:
        return f"pub use crate::{'::'.join(module.of)}::*;\n"
    heads, bodies = list[str](), list[str]()
    for one in module.imports:
        heads += _import(package, module, one.of, one.name, writing.style(one, STYLES))
    for item in module.items:
        if isinstance(item, Function):
            bodies.append(_function(item))
        elif isinstance(item, Record):
            bodies.append(_record(package, module, item))
        elif isinstance(item, Interface):
            lines = "\n".join(
                f"    {_head(one)} {{\n        {_body(one)}\n    }}" if one.form == "default" else f"    {_head(one)};"
                for one in item.methods
            )
            bodies.append(f"pub trait {pascal(item.name)} {{\n{lines}\n}}")
        elif isinstance(item, Choice):
            lines = "".join(f"    {pascal(name)},\n" for name in item.members)
            bodies.append(f"pub enum {pascal(item.name)} {{\n{lines}}}")
        elif isinstance(item, User):
            bodies.append(_user(package, module, item))
        else:
            bodies.append(_alias(module, item))
    return "\n".join(unique(heads)) + ("\n\n" if heads else "") + "\n\n".join(bodies) + "\n"


def _import(package: Package, module: Module, of: tuple[str, ...], name: str, style: str) -> list[str]:
    word, path = _word(package, name), "::".join(("crate", *of))
    if style == "module":
        return [f"use {path};"]
    if style == "path":
        return []
    if style == "as":
        return (
            [f"use {path}::{word} as Other{pascal(name)};"]
            if word[:1].isupper()
            else [f"use {path}::{word} as other_{word};"]
        )
    if style == "star":
        return [f"use {path}::*;"]
    if style == "super":
        return [f"use {'::'.join(['super'] * len(module.path))}::{'::'.join(of)}::{word};"]
    if style == "braces":
        return [f"use {'::'.join(('crate', *of[:-1]))}::{{{of[-1]}::{{{word}}}}};"]
    return [f"use {path}::{word};"]


def _ref(package: Package, module: Module, name: str) -> str:
    word, one = _word(package, name), module.import_of(name)
    style = writing.style(one, STYLES) if one is not None else ""
    if one is not None and style == "module":
        return f"{one.of[-1]}::{word}"
    if one is not None and style == "path":
        return f"crate::{'::'.join(one.of)}::{word}"
    if style == "as":
        return f"Other{pascal(name)}" if word[:1].isupper() else f"other_{word}"
    return word


def _parameters(function: Function) -> str:
    return ", ".join(f"{one.name}: {KINDS[one.kind]}" for one in function.parameters)


def _body(function: Function) -> str:
    if function.returns == "text":
        return next((one.name for one in function.parameters if one.kind == "text"), '"a"')
    total = [one.name for one in function.parameters if one.kind == "int"]
    return " + ".join([*total, "1"])


def _head(one: Function) -> str:
    given = f", {_parameters(one)}" if one.parameters else ""
    return f"fn {one.name}(&self{given}) -> {KINDS[one.returns]}"


def _function(one: Function) -> str:
    kind, inner = (
        KINDS[one.returns],
        f"fn inner_{one.name}({_parameters(one)}) -> {KINDS[one.returns]} {{\n    {_body(one)}\n}}",
    )
    if one.form in ("generic", "impl trait"):
        wide = [f"{p.name}: {'impl Into<i64>' if p.kind == 'int' else KINDS[p.kind]}" for p in one.parameters]
        names = ", ".join(f"{p.name}.into()" if p.kind == "int" else p.name for p in one.parameters)
        return f"{inner}\n\npub fn {one.name}({', '.join(wide)}) -> {kind} {{\n    inner_{one.name}({names})\n}}"
    if one.form == "constant":
        kinds = ", ".join(KINDS[p.kind] for p in one.parameters)
        return f"{inner}\n\n#[allow(non_upper_case_globals)]\npub const {one.name}: fn({kinds}) -> {kind} = inner_{one.name};"
    if one.form == "const fn":
        return f"pub const fn {one.name}({_parameters(one)}) -> {kind} {{\n    {_body(one)}\n}}"
    if one.form == "unused generic":
        return f"pub fn {one.name}<'a>({_parameters(one)}) -> {kind} {{\n    {_body(one)}\n}}"
    return f"pub fn {one.name}({_parameters(one)}) -> {kind} {{\n    {_body(one)}\n}}"


def _record(package: Package, module: Module, item: Record) -> str:
    name, before, after = pascal(item.name), "", ""
    fields = "".join(f"    pub {one.name}: {KINDS[one.kind]},\n" for one in item.fields)
    methods = [f"    pub {_head(one)} {{\n        {_body(one)}\n    }}" for one in item.methods]
    for one in item.given:
        own = f"    pub {_head(one)} {{\n        {_body(one)}\n    }}"
        if item.form == "Deref":
            after = (
                f"\n\npub struct {name}Inner;\n\nimpl {name}Inner {{\n{own}\n}}\n\nimpl std::ops::Deref for {name} {{\n    type Target = {name}Inner;\n"
                f"    fn deref(&self) -> &{name}Inner {{\n        &{name}Inner\n    }}\n}}"
            )
        elif item.form == "trait":
            after = f"\n\npub trait {name}Extra {{\n    {_head(one)} {{\n        {_body(one)}\n    }}\n}}\n\nimpl {name}Extra for {name} {{}}"
        elif item.form == "macro":
            before = f"macro_rules! {item.name}_methods {{\n    ($name:ident) => {{\n        pub {_head(one).replace(f'fn {one.name}', 'fn $name')} {{\n            {_body(one)}\n        }}\n    }};\n}}\n\n"
            methods.append(f"    {item.name}_methods!({one.name});")
        else:
            after = f"\n\nimpl {name} {{\n{own}\n}}"
    text = f"{before}pub struct {name} {{\n{fields}}}"
    if item.implements:
        lines = "\n".join(own.replace("    pub fn", "    fn") for own in methods)
        text += f"\n\nimpl {_ref(package, module, item.implements)} for {name} {{\n{lines}\n}}"
    elif methods:
        text += f"\n\nimpl {name} {{\n" + "\n\n".join(methods) + "\n}"
    return text + after


def _alias(module: Module, item: Alias) -> str:
    is_function = isinstance(item.item, Function)
    now, old = (n if is_function else pascal(n) for n in (item.item.name, item.name))
    path = "self" if item.of == module.path else "::".join(("crate", *item.of))
    if item.form == "star":
        return f"pub use {path}::*;"
    if item.form == "type":
        return f"pub type {old} = {path}::{now};"
    if isinstance(item.item, Function) and item.form == "wrapper":
        names = ", ".join(one.name for one in item.item.parameters)
        return (
            f"pub fn {old}({_parameters(item.item)}) -> {KINDS[item.item.returns]} {{\n    {path}::{now}({names})\n}}"
        )
    if isinstance(item.item, Function) and item.form == "constant":
        kinds = ", ".join(KINDS[p.kind] for p in item.item.parameters)
        return f"#[allow(non_upper_case_globals)]\npub const {old}: fn({kinds}) -> {KINDS[item.item.returns]} = {path}::{now};"
    return f"pub use {path}::{now}" + (f" as {old};" if old != now else ";")


def _user(package: Package, module: Module, item: User) -> str:
    given = ", ".join(f"{owner}: &{_ref(package, module, owner)}" for owner in writing.owners(item))
    lines = [
        f"pub fn {item.name}({given}) -> i64 {{",
        "    let mut count: i64 = 0;",
        '    let mut words: &\'static str = "";',
    ]
    for at, use in enumerate(item.uses):
        target = {"int": "count +=", "text": "words =", "": f"let _kept_{at} ="}[use.result]
        lines.append(f"    {target} {_expression(package, module, use)};")
    return "\n".join([*lines, "    count + words.len() as i64", "}"])


def _expression(package: Package, module: Module, use: Use) -> str:
    given = writing.literals(use)
    arguments = ", ".join(text for _, text in given)
    if use.what == "call":
        return f"{_ref(package, module, use.name)}({arguments})"
    if use.what == "new":
        return f"{_ref(package, module, use.owner)} {{ {', '.join(f'{name}: {text}' for name, text in given)} }}"
    if use.what == "member":
        return f"{_ref(package, module, use.owner)}::{pascal(use.name)}"
    return f"{use.owner}.{use.name}" + (f"({arguments})" if use.what == "method" else "")
