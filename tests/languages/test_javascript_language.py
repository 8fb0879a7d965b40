import pytest

from deeprepo.impact import resolving
from deeprepo.impact.language import leading

JAVASCRIPT = leading("javascript")


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("export function a() {}\nfunction hidden() {}", {"a"}),
        ("export const a = 1, { b, c: d } = x", {"a", "b", "d"}),
        ("export default class A {}", {"default"}),
        ("const a = 1\nexport { a as b, a as default }", {"b", "default"}),
        ("export interface A {}\nexport type B = 1\nexport enum C {}", {"A", "B", "C"}),
        ("module.exports = { a, b: 1, c() {} }", {"a", "b", "c"}),
        ("module.exports = exports = { a, b() {} }", {"a", "b"}),
        ("function f() {}\nmodule.exports = f\nmodule.exports.a = a\nf.b = 1", {"default", "a", "b"}),
        ("module.exports = class A { static make() {} }", {"default", "make"}),
        ("Object.assign(module.exports, { a, b() {} })\nexports.c = 1", {"a", "b", "c"}),
        ("const api = { a, b: 1 }\nmodule.exports = api\napi.c = c", {"default", "a", "b", "c"}),
        ('Object.defineProperty(exports, "a", { get() { return x.a } })\nexports.b = 1', {"a", "b"}),
        ("function f() {}\nexport = f", {"default"}),
    ],
)
def test_exports_of_both_module_systems_are_listed(code: str, names: set[str]) -> None:
    """The outline lists a file's exported names, for ES modules and CommonJS."""
    outline = resolving.outline("a.ts", code.encode(), "head")

    assert (outline.names, outline.complete) == (names, True)


@pytest.mark.parametrize(
    "code",
    [
        "module.exports = { ...other }",
        "module.exports = make()",
        "function f() {}\nObject.assign(f, other)\nmodule.exports = f",
        "function f() {}\nfor (const k of keys) f[k] = other[k]\nmodule.exports = f",
        "module.exports = class A extends B {}",
        "exports[name] = 1",
        "export function (",
    ],
)
def test_outline_with_computed_exports_is_incomplete(code: str) -> None:
    """The outline of a file with computed exports is incomplete, so no name counts as missing."""
    assert not resolving.outline("a.ts", code.encode(), "head").complete


def test_invalid_configuration_is_ignored() -> None:
    """Broken or unusual configuration files only lose their own aliases."""
    configs = {
        "package.json": b"[1, 2]",
        "a/package.json": b'{"name": 5, "exports": "./x.js"}',
        "b/package.json": b'{"name": "b", "exports": {"./x": [null, {"import": "./x.js"}]}, "main": 3}',
        "tsconfig.json": b'{"compilerOptions": {"paths": {"~/*": "src/*", "@/*": [1, "./src/*"]}}',
        "c/tsconfig.json": b"{" * 3000,
    }
    project = resolving.project(JAVASCRIPT, {"src/a.ts", "b/x.js", "app.ts"}, configs)

    assert [item.target for item in project.links("app.ts", b"import x from 'b/x'\nimport y from '~/a'\n")] == [
        "b/x.js"
    ]
    assert project.clues("src/a.ts").far
