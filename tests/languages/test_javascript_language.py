import pytest

from bot.languages import javascript


def signature(code: str, name: str = "f", path: str = "a.ts") -> str:
    """The parameters of a function as a short text, with `~` where they are unreliable."""
    symbol = next(s for s in javascript.outline(path, code.encode(), "head").symbols if s.name == name)
    assert symbol.signature is not None
    told = " ".join(
        f"{'*' if p.kind == 'varargs' else ''}{p.name}{'' if p.is_required or p.kind == 'varargs' else '?'}"
        for p in symbol.signature.parameters
    )
    return f"~{told}" if symbol.signature.opaque else told


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("function f(a, b = 1, ...c) {}", "a b? *c"),
        ("const f = (a: number, b?: string, c: X | undefined) => 1", "a b? c?"),
        ("const f = a => a", "a"),
        ("export const f = async function ({ a }: P, [b]: Q = []) {}", "{} {}?"),
        ("function f(this: Window, a: number) {}", "a"),
        ("function f(a) { return arguments.length }", "~a"),
        ("function f(a: string): void\nfunction f(a: any) {}", "~a"),
    ],
)
def test_signatures_tell_what_a_caller_has_to_know(code: str, told: str) -> None:
    """Defaults, optional and rest parameters, patterns, `this`; overloads and `arguments` make them unreliable."""
    assert signature(code) == told


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("export function a() {}\nfunction hidden() {}", {"a"}),
        ("export const a = 1, { b, c: d } = x", {"a", "b", "d"}),
        ("export default class A {}", {"default"}),
        ("const a = 1\nexport { a as b, a as default }", {"b", "default"}),
        ("export { a as b } from './x'\nexport * as c from './y'", {"b", "c"}),
        ("export interface A {}\nexport type B = 1\nexport enum C {}", {"A", "B", "C"}),
        ("module.exports = { a, b: 1, c() {} }", {"a", "b", "c"}),
        ("exports = module.exports = { a, b() {} }\nexports.c = 1", {"a", "b", "c"}),
        ("module.exports = exports = { a, b() {} }", {"a", "b"}),
        ("exports.a = 1\nmodule.exports.b = function () {}", {"a", "b"}),
        ("function f() {}\nmodule.exports = f\nmodule.exports.a = a\nf.b = 1", {"default", "a", "b"}),
        ("module.exports = class A { static make() {} }", {"default", "make"}),
        ("module.exports = (x) => x\nmodule.exports.a = 1", {"default", "a"}),
        ("Object.assign(module.exports, { a, b() {} })\nexports.c = 1", {"a", "b", "c"}),
        ("const api = module.exports = { a }\napi.b = b", {"a", "b"}),
        ("const api = { a, b: 1 }\nmodule.exports = api\napi.c = c", {"default", "a", "b", "c"}),
        ("exports.a = exports.b = f", {"a", "b"}),
        ('Object.defineProperty(exports, "a", { get() { return x.a } })\nexports.b = 1', {"a", "b"}),
        ("export default { a, b }", {"default"}),
        ("function f() {}\nexport = f", {"default"}),
        ("export = { a, b }", {"a", "b"}),
    ],
)
def test_exports_of_both_module_systems_are_listed(code: str, names: set[str]) -> None:
    """What importers can ask of a file, under the names that they write."""
    outline = javascript.outline("a.ts", code.encode(), "head")

    assert (outline.names, outline.complete) == (names, True)


@pytest.mark.parametrize(
    "code",
    [
        "module.exports = { ...other }",
        "module.exports = make()",
        "const x = make()\nmodule.exports = x",
        "function f() {}\nObject.assign(f, other)\nmodule.exports = f",
        "function f() {}\nfor (const k of keys) f[k] = other[k]\nmodule.exports = f",
        "module.exports = class A extends B {}",
        "Object.assign(exports, x)",
        "exports[name] = 1",
        "export = x",
        "export function (",
    ],
)
def test_a_file_whose_exports_are_computed_says_so(code: str) -> None:
    """Then nothing is known to be missing."""
    assert not javascript.outline("a.ts", code.encode(), "head").complete


def test_flow_types_do_not_hide_definitions() -> None:
    """A JavaScript file with types is read with a grammar that knows types."""
    code = "export function f(nodes: Array<Object>, b?: number): boolean {\n  return true;\n}\n"
    outline = javascript.outline("a.js", code.encode(), "head")

    assert [(s.name, s.kind) for s in outline.symbols] == [("f", "function")]
    assert outline.complete


@pytest.mark.parametrize(
    ("code", "names", "aliases"),
    [
        ("import a from './x'", {"default"}, {("default", "a")}),
        ("import a, { b as c, type D } from './x'", {"default", "b", "D"}, {("default", "a"), ("b", "c")}),
        ("import * as ns from './x'", {"*"}, {("*", "ns")}),
        ("import type { A } from './x'", {"A"}, set()),
        ("export { a as b } from './x'", {"a"}, {("a", "b")}),
        ("export * from './x'", {"*"}, set()),
        ("import './x'", set(), set()),
        ("const { a, b: c } = require('./x')", {"a", "b"}, {("b", "c")}),
        ("const ns = require('./x')", {"*"}, {("*", "ns")}),
        ("const a = require('./x').b", {"b"}, {("b", "a")}),
        ("const { a } = await import('./x')", {"a"}, set()),
        ("import {\n  a, // the first\n  b,\n} from './x'", {"a", "b"}, set()),
    ],
)
def test_import_statements_tell_what_they_take(code: str, names: set[str], aliases: set[tuple[str, str]]) -> None:
    """Names of the module, and what they are called here where that differs."""
    (item,) = javascript.project({"x.ts", "a.ts"}, {}).imports("a.ts", code.encode())

    assert (item.target, set(item.names), set(item.aliases)) == ("x.ts", names, aliases)


@pytest.mark.parametrize(
    ("code", "types"),
    [
        ("const x = new Box(); x.m()", ("Box",)),
        ("let x: Box = make(); x.m()", ("Box",)),
        ("new ns.Box().m()", ("ns.Box",)),
        ("this.m()", ("K", "Base")),
        ("super.m()", ("Base",)),
        ("this.box.m()", ("Box",)),
        ("given.m()", ("Given",)),
        ("const x = make(); x.m()", ()),
    ],
)
def test_a_receivers_class_is_known_where_it_is_written(code: str, types: tuple[str, ...]) -> None:
    """`new`, annotations, fields, parameters, `this` and `super`."""
    source = f"class K extends Base {{\n  private box: Box;\n  f(given: Given) {{ {code} }}\n}}\n"
    (use,) = javascript.uses("a.ts", source.encode(), {"m"})

    assert use.types == types


def test_the_form_of_every_use_is_told() -> None:
    """Imports, calls, members, keys, definitions; strings, comments and templates' text hold none."""
    code = """import { m } from './x'
// m()
'm'; `m`
m(1, ...a)
x.m
f({ m: 1 }, { m })
const { m: n } = require('./x')
function g(m) {}
export { m } from './x'
"""
    uses = javascript.uses("a.ts", code.encode(), {"m"})

    assert [(use.line, use.form) for use in uses] == [
        (1, "import"),
        (4, "name"),
        (5, "member"),
        (6, "key"),
        (6, "name"),
        (7, "import"),
        (8, "definition"),
        (9, "import"),
    ]


def test_configuration_that_is_no_json_is_ignored() -> None:
    """Broken, deep or odd configuration files cost aliases, never the review."""
    configs = {
        "package.json": b"[1, 2]",
        "a/package.json": b'{"name": 5, "exports": "./x.js"}',
        "b/package.json": b'{"name": "b", "exports": {"./x": [null, {"import": "./x.js"}]}, "main": 3}',
        "tsconfig.json": b'{"compilerOptions": {"paths": {"~/*": "src/*", "@/*": [1, "./src/*"]}}',
        "c/tsconfig.json": b"{" * 3000,
    }
    project = javascript.project({"src/a.ts", "b/x.js", "app.ts"}, configs)

    assert [item.target for item in project.imports("app.ts", b"import x from 'b/x'\nimport y from '~/a'\n")] == [
        "b/x.js"
    ]
    assert project.clues("src/a.ts").far


@pytest.mark.parametrize(
    "code",
    [
        "{" * 5000 + "f()" + "}" * 5000,
        "f" + "()" * 5000,
        "module.exports = " * 3000 + "f",
        "export const a = " + "{b:" * 3000 + "f" + "}" * 3000,
    ],
)
def test_nesting_that_no_person_writes_gives_less(code: str) -> None:
    """Neither the stack nor the clock is spent on it; nothing is then known to be missing."""
    outline = javascript.outline("a.js", code.encode(), "head")

    assert outline.symbols == () or not outline.complete
    assert len(javascript.uses("a.js", code.encode(), {"f"})) < 1000
