"""Java, judged by javac."""

from benchmarks.refactorings import writing
from benchmarks.refactorings.model import Alias, Choice, Files, Function, Interface, Module, Package, Record, Use, User
from benchmarks.refactorings.writing import ROOT, camel, pascal, unique, upper

NAME = "Java"
STYLES = ("name", "star", "qualified", "static")
FUNCTION_ALIASES = ("delegate", "inherited static")
RECORD_ALIASES = ("heir",)
CHOICE_ALIASES: tuple[str, ...] = ()
MODULE_FORMS = ("heirs", "delegates")
FUNCTION_FORMS = ("overload", "varargs overload", "generic", "inherited static")
GIVEN_FORMS = ("default method", "abstract base", "nested base")
HAS_BASES = True
HAS_DEFAULTS = HAS_KEYWORDS = False
NAMES_FIELDS = 0.0
KINDS = {"int": "int", "text": "String"}


def render(package: Package) -> Files:
    """Return the files of a package."""
    files: Files = {}
    for module in package.modules:
        folder = f"src/{'/'.join((ROOT, *module.path))}"
        if module.form:
            _hand_on(package, module, folder, files)
            continue
        tool = pascal(module.path[-1])
        parts: list[str] = []
        parent = ""
        for item in module.items:
            if isinstance(item, Function):
                if item.form == "inherited static":
                    files[f"{folder}/{tool}Base.java"] = _file(
                        package, module, f"public class {tool}Base {{\n{_static(item)}\n}}"
                    )
                    parent = f" extends {tool}Base"
                else:
                    parts.append(_static(item))
            elif isinstance(item, User):
                parts.append(_user(package, module, item))
            elif isinstance(item, Alias):
                now = ".".join((ROOT, *item.of, ""))
                if isinstance(item.item, Function) and item.form == "inherited static" and item.of != module.path:
                    parent = f" extends {now}{pascal(item.of[-1])}"
                elif isinstance(item.item, Function):
                    parts.append(_delegate(item.name, item.item, f"{now}{pascal(item.of[-1])}"))
                elif isinstance(item.item, Record):
                    files[f"{folder}/{pascal(item.name)}.java"] = _heir(package, module, item.name, item.item, item.of)
            else:
                files[f"{folder}/{pascal(item.name)}.java"] = _file(package, module, _type(package, module, item))
        if parts or parent:
            files[f"{folder}/{tool}.java"] = _file(
                package, module, f"public class {tool}{parent} {{\n" + "\n\n".join(parts) + "\n}"
            )
    return files


def _hand_on(package: Package, module: Module, folder: str, files: Files) -> None:
    home, there = package.module(module.of), ".".join((ROOT, *module.of, ""))
    new, old = f"{there}{pascal(module.of[-1])}", pascal(module.path[-1])
    functions = [item for item in home.items if isinstance(item, Function)]
    if module.form == "heirs":
        files[f"{folder}/{old}.java"] = _file(package, module, f"public class {old} extends {new} {{\n}}")
    else:
        own = "\n\n".join(_delegate(one.name, one, new) for one in functions)
        files[f"{folder}/{old}.java"] = _file(package, module, f"public class {old} {{\n{own}\n}}")
    for item in home.items:
        if isinstance(item, Record):
            files[f"{folder}/{pascal(item.name)}.java"] = _heir(package, module, item.name, item, module.of)
        elif isinstance(item, Interface):
            text = f"public interface {pascal(item.name)} extends {there}{pascal(item.name)} {{\n}}"
            files[f"{folder}/{pascal(item.name)}.java"] = _file(package, module, text)


def _heir(package: Package, module: Module, name: str, item: Record, of: tuple[str, ...]) -> str:
    fields = writing.fields_of(package, item)
    given = ", ".join(f"{KINDS[one.kind]} {camel(one.name)}" for one in fields)
    names = ", ".join(camel(one.name) for one in fields)
    there = ".".join((ROOT, *of, pascal(item.name)))
    text = f"public class {pascal(name)} extends {there} {{\n    public {pascal(name)}({given}) {{\n        super({names});\n    }}\n}}"
    return _file(package, module, text)


def _delegate(name: str, one: Function, new: str) -> str:
    names = ", ".join(camel(p.name) for p in one.parameters)
    return f"    public static {KINDS[one.returns]} {camel(name)}({_parameters(one)}) {{\n        return {new}.{camel(one.name)}({names});\n    }}"


def _file(package: Package, module: Module, text: str) -> str:
    heads = []
    for one in module.imports:
        style, item = writing.style(one, STYLES), writing.meant(package, one.name)
        path = ".".join((ROOT, *one.of))
        word = pascal(one.of[-1]) if isinstance(item, Function) else pascal(one.name)
        if style == "star":
            heads.append(f"import {path}.*;")
        elif style == "static" and isinstance(item, Function):
            heads.append(f"import static {path}.{word}.{camel(one.name)};")
        elif style != "qualified":
            heads.append(f"import {path}.{word};")
    block = "\n".join(unique(heads)) + "\n\n" if heads else ""
    return f"package {'.'.join((ROOT, *module.path))};\n\n{block}{text}\n"


def _ref(package: Package, module: Module, name: str) -> str:
    one, is_function = module.import_of(name), isinstance(writing.meant(package, name), Function)
    style = writing.style(one, STYLES) if one is not None else ""
    word = camel(name) if is_function else pascal(name)
    if one is None or (style == "static" and is_function):
        return word
    tool = f"{pascal(one.of[-1])}." if is_function else ""
    start = f"{'.'.join((ROOT, *one.of))}." if style == "qualified" else ""
    return f"{start}{tool}{word}"


def _parameters(function: Function) -> str:
    return ", ".join(f"{KINDS[one.kind]} {camel(one.name)}" for one in function.parameters)


def _body(function: Function) -> str:
    total = [camel(one.name) for one in function.parameters if one.kind == function.returns]
    return " + ".join([*total, writing.value(function.returns)])


def _static(one: Function) -> str:
    kind, name, given = KINDS[one.returns], camel(one.name), _parameters(one)
    plain = f"    public static {kind} {name}({given}) {{\n        return {_body(one)};\n    }}"
    comma = ", " if one.parameters else ""
    if one.form == "overload":
        return f"{plain}\n\n    public static {kind} {name}({given}{comma}boolean more) {{\n        return {_body(one)};\n    }}"
    if one.form == "varargs overload":
        return f"    public static {kind} {name}({given}{comma}Object... more) {{\n        return {_body(one)};\n    }}"
    if one.form == "generic":
        wide = ", ".join(f"{'T' if p.kind == 'text' else 'int'} {camel(p.name)}" for p in one.parameters)
        return f"    public static <T extends CharSequence> {kind} {name}({wide}) {{\n        return {writing.value(one.returns)};\n    }}"
    return plain


def _method(one: Function, mark: str = "public ") -> str:
    return (
        f"    {mark}{KINDS[one.returns]} {camel(one.name)}({_parameters(one)}) {{\n        return {_body(one)};\n    }}"
    )


def _type(package: Package, module: Module, item: object) -> str:
    if isinstance(item, Choice):
        return f"public enum {pascal(item.name)} {{\n    {', '.join(map(upper, item.members))}\n}}"
    if isinstance(item, Interface):
        lines = "\n\n".join(
            _method(one, "default ")
            if one.form == "default"
            else f"    {KINDS[one.returns]} {camel(one.name)}({_parameters(one)});"
            for one in item.methods
        )
        return f"public interface {pascal(item.name)} {{\n{lines}\n}}"
    return _record(package, module, item) if isinstance(item, Record) else ""


def _record(package: Package, module: Module, item: Record) -> str:
    name, after = pascal(item.name), ""
    base = _ref(package, module, item.base) if item.base else ""
    faces = [_ref(package, module, item.implements)] if item.implements else []
    found = writing.meant(package, item.base) if item.base else None
    inherited = writing.fields_of(package, found) if isinstance(found, Record) else []
    parts = [f"    public {KINDS[one.kind]} {camel(one.name)};" for one in item.fields]
    all_fields = [*inherited, *item.fields]
    if all_fields:
        given = ", ".join(f"{KINDS[one.kind]} {camel(one.name)}" for one in all_fields)
        lines = [f"        super({', '.join(camel(one.name) for one in inherited)});"] if inherited else []
        lines += [f"        this.{camel(one.name)} = {camel(one.name)};" for one in item.fields]
        parts.append(f"    public {name}({given}) {{\n" + "\n".join(lines) + "\n    }")
    mark = "@Override\n    public " if item.implements else "public "
    parts += [_method(one, mark) for one in item.methods]
    for one in item.given:
        if item.form == "default method":
            after += f"\n\ninterface {name}Extra {{\n{_method(one, 'default ')}\n}}"
            faces.append(f"{name}Extra")
        elif not base:
            after += f"\n\nabstract class {name}Base {{\n{_method(one)}\n}}"
            base = f"{name}Base"
    heir = f" extends {base}" if base else ""
    face = f" implements {', '.join(faces)}" if faces else ""
    return f"public class {name}{heir}{face} {{\n" + "\n\n".join(parts) + f"\n}}{after}"


def _user(package: Package, module: Module, item: User) -> str:
    given = ", ".join(f"{_ref(package, module, owner)} {camel(owner)}" for owner in writing.owners(item))
    lines = [
        f"    public static int {camel(item.name)}({given}) {{",
        "        int count = 0;",
        '        String words = "";',
    ]
    for at, use in enumerate(item.uses):
        target = {"int": "count +=", "text": "words +=", "": f"Object kept{at} ="}[use.result]
        if use.result == "text":  # `words += 1` would be fine
            target = "words ="
        lines.append(f"        {target} {_expression(package, module, use)};")
    return "\n".join([*lines, "        return count + words.length();", "    }"])


def _expression(package: Package, module: Module, use: Use) -> str:
    arguments = ", ".join(text for _, text in writing.literals(use))
    if use.what == "call":
        return f"{_ref(package, module, use.name)}({arguments})"
    if use.what == "new":
        return f"new {_ref(package, module, use.owner)}({arguments})"
    if use.what == "member":
        return f"{_ref(package, module, use.owner)}.{upper(use.name)}"
    return f"{camel(use.owner)}.{camel(use.name)}" + (f"({arguments})" if use.what == "method" else "")
