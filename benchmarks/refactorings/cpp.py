"""C++, judged by g++."""

from benchmarks.refactorings import writing
from benchmarks.refactorings.model import Alias, Choice, Files, Function, Interface, Module, Package, Record, Use, User
from benchmarks.refactorings.writing import ROOT, pascal, unique

NAME = "C++"
STYLES = ("qualified", "using", "namespace", "alias")
FUNCTION_ALIASES = ("using", "wrapper", "reference", "inline namespace")
RECORD_ALIASES = ("using", "typedef", "heir", "using type")
CHOICE_ALIASES = ("using", "using type")
MODULE_FORMS = ("namespace alias", "using namespace")
FUNCTION_FORMS = ("template", "lambda", "function object", "overload", "macro", "auto")
GIVEN_FORMS = ("private base with using", "base", "template base", "macro", "defined outside")
HAS_BASES = HAS_DEFAULTS = True
HAS_KEYWORDS = False
NAMES_FIELDS = 0.0
KINDS = {"int": "int", "text": "const char*"}
DEFAULTS = {"int": "0", "text": '""'}


def render(package: Package) -> Files:
    """Return the files of a package."""
    files: Files = {}
    for module in package.modules:
        path = "/".join((ROOT, *module.path))
        if module.form:
            files[f"{path}.h"] = _forward(module)
            continue
        heads, bodies, users = list[str](), list[str](), list[str]()
        for one in module.imports:
            heads.append(f'#include "{"/".join((ROOT, *one.of))}.h"')
        sources = list[str]()
        for item in module.items:
            if isinstance(item, Function):
                head, source = _function(item)
                bodies.append(head)
                sources += [source] if source else []
            elif isinstance(item, Record):
                bodies.append(_record(package, module, item))
            elif isinstance(item, Interface):
                lines = "\n".join(
                    f"    virtual {KINDS[one.returns]} {one.name}({_parameters(one)}) const "
                    + ("= 0;" if one.form != "default" else f"{{ return {_body(one)}; }}")
                    for one in item.methods
                )
                bodies.append(
                    f"class {pascal(item.name)} {{\npublic:\n    virtual ~{pascal(item.name)}() = default;\n{lines}\n}};"
                )
            elif isinstance(item, Choice):
                lines = "".join(f"    {pascal(one)},\n" for one in item.members)
                bodies.append(f"enum class {pascal(item.name)} {{\n{lines}}};")
            elif isinstance(item, User):
                users.append(_user(package, module, item))
            else:
                if item.of != module.path:
                    heads.append(f'#include "{"/".join((ROOT, *item.of))}.h"')
                bodies.append(_alias(module, item))
        space = "::".join((ROOT, *module.path))
        if bodies:
            files[f"{path}.h"] = (
                "#pragma once\n\n"
                + "".join(f"{one}\n" for one in unique(heads))
                + f"\nnamespace {space} {{\n\n"
                + "\n\n".join(bodies)
                + f"\n\n}}  // namespace {space}\n"
            )
            own = f'#include "{path}.h"\n'
        else:
            own = "".join(f"{one}\n" for one in unique(heads))
        if sources or users:
            files[f"{path}.cc"] = (
                f"{own}\nnamespace {space} {{\n\n"
                + "\n\n".join([*sources, *_usings(package, module), *users])
                + f"\n\n}}  // namespace {space}\n"
            )
    return files


def _forward(module: Module) -> str:
    old, new = "::".join((ROOT, *module.path[:-1])), "::".join(("", ROOT, *module.of))
    if module.form == "namespace alias":
        text = f"namespace {old} {{\n\nnamespace {module.path[-1]} = {new};\n\n}}"
    else:
        text = f"namespace {old}::{module.path[-1]} {{\n\nusing namespace {new};\n\n}}"
    return f'#pragma once\n\n#include "{"/".join((ROOT, *module.of))}.h"\n\n{text}\n'


def _word(package: Package, name: str) -> str:
    return name if isinstance(writing.meant(package, name), Function) else pascal(name)


def _usings(package: Package, module: Module) -> list[str]:
    lines = []
    for one in module.imports:
        style, space = writing.style(one, STYLES), "::".join((ROOT, *one.of))
        if style == "using":
            lines.append(f"using {space}::{_word(package, one.name)};")
        elif style == "namespace":
            lines.append(f"using namespace {space};")
        elif style == "alias":
            lines.append(f"namespace other_{one.of[-1]} = {space};")
    return ["\n".join(unique(lines))] if lines else []


def _ref(package: Package, module: Module, name: str, *, is_header: bool = False) -> str:
    word, one = _word(package, name), module.import_of(name)
    if one is None:
        return word
    style = "qualified" if is_header else writing.style(one, STYLES)
    if style == "alias":
        return f"other_{one.of[-1]}::{word}"
    return f"{'::'.join((ROOT, *one.of))}::{word}" if style == "qualified" else word


def _parameters(function: Function, *, defaults: bool = True) -> str:
    return ", ".join(
        f"{KINDS[one.kind]} {one.name}{f' = {DEFAULTS[one.kind]}' if one.has_default and defaults else ''}"
        for one in function.parameters
    )


def _body(function: Function) -> str:
    if function.returns == "text":
        return next((one.name for one in function.parameters if one.kind == "text"), '"a"')
    return " + ".join([*(one.name for one in function.parameters if one.kind == "int"), "1"])


def _function(one: Function) -> tuple[str, str]:
    """The part in the header, and that in the source."""
    kind, head = KINDS[one.returns], f"{KINDS[one.returns]} {one.name}({_parameters(one)})"
    comma = ", " if one.parameters else ""
    if one.form == "template":
        return f"template <typename T = int>\n{head} {{\n    return {_body(one)};\n}}", ""
    if one.form == "lambda":
        return f"inline const auto {one.name} = []({_parameters(one)}) -> {kind} {{ return {_body(one)}; }};", ""
    if one.form == "function object":
        own = f"struct {pascal(one.name)}Call {{\n    {kind} operator()({_parameters(one)}) const {{ return {_body(one)}; }}\n}};"
        return f"{own}\n\ninline constexpr {pascal(one.name)}Call {one.name}{{}};", ""
    if one.form == "overload":
        more = f"inline {kind} {one.name}({_parameters(one, defaults=False)}{comma}bool more) {{\n    return {_body(one)};\n}}"
        return f"inline {head} {{\n    return {_body(one)};\n}}\n\n{more}", ""
    if one.form == "macro":
        return (
            f"#define DEFINE_{one.name.upper()}(name) inline {kind} name({_parameters(one)}) {{ return {_body(one)}; }}\n\nDEFINE_{one.name.upper()}({one.name})",
            "",
        )
    if one.form == "auto":
        return f"inline auto {one.name}({_parameters(one)}) -> {kind} {{\n    return {_body(one)};\n}}", ""
    return f"{head};", f"{kind} {one.name}({_parameters(one, defaults=False)}) {{\n    return {_body(one)};\n}}"


def _method(one: Function, *, virtual: str = "virtual ", end: str = "") -> str:
    return f"    {virtual}{KINDS[one.returns]} {one.name}({_parameters(one)}) const{end} {{ return {_body(one)}; }}"


def _record(package: Package, module: Module, item: Record) -> str:
    name, before, after = pascal(item.name), "", ""
    bases = [f"public {_ref(package, module, one, is_header=True)}" for one in (item.base, item.implements) if one]
    found = writing.meant(package, item.base) if item.base else None
    inherited = writing.fields_of(package, found) if isinstance(found, Record) else []
    parts = []
    fields = [*inherited, *item.fields]
    if fields:
        given = ", ".join(
            f"{KINDS[f.kind]} {f.name}{f' = {DEFAULTS[f.kind]}' if f.has_default else ''}" for f in fields
        )
        start = (
            [f"{_ref(package, module, item.base, is_header=True)}({', '.join(f.name for f in inherited)})"]
            if inherited
            else []
        )
        start += [f"{f.name}({f.name})" for f in item.fields]
        parts.append(f"    {name}({given}) : {', '.join(start)} {{}}")
    parts += [_method(one, virtual="", end=" override") if item.implements else _method(one) for one in item.methods]
    for one in item.given:
        if item.form in ("base", "private base with using"):
            before = f"class {name}Base {{\npublic:\n{_method(one)}\n}};\n\n"
            bases.append(f"{'public' if item.form == 'base' else 'private'} {name}Base")
            parts += [f"    using {name}Base::{one.name};"] if item.form != "base" else []
        elif item.form == "template base":
            before = f"template <typename T>\nclass {name}Base {{\npublic:\n{_method(one)}\n}};\n\n"
            bases.append(f"public {name}Base<{name}>")
        elif item.form == "macro":
            before = f"#define {name.upper()}_METHODS(name) {KINDS[one.returns]} name({_parameters(one)}) const {{ return {_body(one)}; }}\n\n"
            parts.append(f"    {name.upper()}_METHODS({one.name})")
        else:
            parts.append(f"    {KINDS[one.returns]} {one.name}({_parameters(one)}) const;")
            after = f"\n\ninline {KINDS[one.returns]} {name}::{one.name}({_parameters(one, defaults=False)}) const {{\n    return {_body(one)};\n}}"
    parts += [f"    {KINDS[one.kind]} {one.name};" for one in item.fields]
    heir = f" : {', '.join(bases)}" if bases else ""
    made = ", ".join(writing.value(f.kind) for f in fields)
    if item.implements:
        after += f"\n\ninline {name} made_{item.name}() {{\n    return {name}({made});\n}}"
    return f"{before}class {name}{heir} {{\npublic:\n" + "\n".join(parts) + f"\n}};{after}"


def _alias(module: Module, item: Alias) -> str:
    is_function = isinstance(item.item, Function)
    now, old = (n if is_function else pascal(n) for n in (item.item.name, item.name))
    there = now if item.of == module.path else f"::{'::'.join((ROOT, *item.of))}::{now}"
    if isinstance(item.item, Function):
        if item.form == "wrapper" or (old != now and item.form in ("using", "inline namespace")):
            names = ", ".join(p.name for p in item.item.parameters)
            return f"inline {KINDS[item.item.returns]} {old}({_parameters(item.item)}) {{\n    return {there}({names});\n}}"
        if item.form == "reference":
            return f"inline constexpr auto& {old} = {there};"
        if item.form == "inline namespace":
            return f"inline namespace newer {{\nusing {there};\n}}"
        return f"using {there};"
    if item.form == "typedef":
        return f"typedef {there} {old};"
    if item.form == "heir":
        return f"class {old} : public {there} {{\npublic:\n    using {there}::{now};\n}};"
    if item.form == "using" and old == now:
        return f"using {there};"
    return f"using {old} = {there};"


def _user(package: Package, module: Module, item: User) -> str:
    given = ", ".join(f"const {_ref(package, module, owner)}& {owner}" for owner in writing.owners(item))
    lines = [f"int {item.name}({given}) {{", "    int count = 0;", '    const char* words = "";']
    for at, use in enumerate(item.uses):
        target = {"int": "count +=", "text": "words =", "": f"[[maybe_unused]] auto kept_{at} ="}[use.result]
        lines.append(f"    {target} {_expression(package, module, use)};")
    return "\n".join([*lines, "    return count + (words ? 1 : 0);", "}"])


def _expression(package: Package, module: Module, use: Use) -> str:
    arguments = ", ".join(text for _, text in writing.literals(use))
    if use.what == "call":
        return f"{_ref(package, module, use.name)}({arguments})"
    if use.what == "new":
        return f"{_ref(package, module, use.owner)}({arguments})"
    if use.what == "member":
        return f"{_ref(package, module, use.owner)}::{pascal(use.name)}"
    return f"{use.owner}.{use.name}" + (f"({arguments})" if use.what == "method" else "")
