"""A name that a file defines in any syntax of its language is found; an undefined one is reported."""

import time

import pytest
from trees import messages

PYTHON = (
    "for A in x: pass", "for i, (A, b) in x: pass", "with x as A: pass", "with x as (A, b): pass", "with (open(x) as A, y): pass",
    "if (A := x): pass", "print(A := 3)", "try:\n    from a import A\nexcept ImportError:\n    A = None", "try:\n    pass\nexcept E as A:\n    pass",
    "a, (A, b) = x", "[A, b] = x", "*A, b = x", "a = A = x", "A += 1", "A: int", "type A = int", "type A[T] = list[T]", "import q.A as A",
    "match x:\n    case A: pass", "match x:\n    case {'q': A}: pass", "match x:\n    case {**A}: pass", "match x:\n    case [1, *A]: pass",
    "match x:\n    case C() as A: pass", "match x:\n    case C(a=A): pass", "def f():\n    global A\n    A = 1", "@dec\ndef A(): pass",
    "async def A(): pass", "class A[T]: pass", "while True:\n    A = 1", "if TYPE_CHECKING:\n    from z import A",
)  # fmt: skip
TYPESCRIPT = (
    "export type A = { a: number } & B;", "export type A<T> = { a: T } & {};", "export type A = { a: 1 } | { b: 1 };", "export type A = B & { a: 1 };",
    "export type A = { a: B }['a'];", "export type A = { a: B }[];", "export type A<T> = { a: T } extends { a: infer U } ? U : never;",
    "export type A = { [K in Keys]: string };", "export type A = `a${string}`;", "export type A = new () => B;", "export type A =\n  // c\n  { a: 1 } & B;",
    "export const A = require('./b').B;", "export const A = await import('./b');", "export const A = import('./b').then(m => m.B);",
    "export let A;", "export function* A() {}", "export async function A() {}", "export abstract class A {}", "export declare const A: number;",
    "export declare function A(): void;", "export namespace A { export const b = 1 }", "export const enum A { B }", "export import A = B.C;",
    "export * as A from './b';", "const a = 1; export { a as A };", "export { B as A } from './b';", "export const { A } = x;",
    "export const { q: A = 3, ...rest } = x;", "export const { q: { A } } = x;", "export const { q: [A] } = x;", "export const [, [A]] = x;",
    "export var C = 2, A = 2;", "export const A = class {};", "@dec()\nexport class A {}", "export const A = <T,>(x: T) => x;",
)  # fmt: skip
RUST = (
    "pub struct A(pub i32);", "pub union A { x: i32 }", "pub trait A {}", "pub type A = i32;", "pub static mut A: i32 = 1;", "pub mod A {}",
    "pub use b::{Z as A};", "macro_rules! A { () => {} }\npub(crate) use A;", "pub const fn A() {}", 'extern "C" { pub fn A(); }',
    "thread_local! { pub static A: i32 = 1; }", "lazy_static! { pub static ref A: i32 = 1; }", "make!(A);", "pub(in crate) fn A() {}",
    "cfg_if! { if #[cfg(x)] { pub fn A() {} } }",
)  # fmt: skip


@pytest.mark.parametrize("form", PYTHON)
def test_python_definition_is_found_in_every_form(form: str) -> None:
    files = {"p/__init__.py": "", "p/m.py": f"{form}\n", "p/u.py": "from p import m\nfrom p.m import A, Gone\nm.A\n"}
    assert messages(files, "p/u.py") == ["2 missing-name Gone"]


@pytest.mark.parametrize("form", TYPESCRIPT)
def test_typescript_definition_is_found_in_every_form(form: str) -> None:
    module = f"import {{ B }} from './b';\n{form}\nexport const z = 1;\n"
    files = {
        "src/m.ts": module,
        "src/b.ts": "export type B = 1;\n",
        "src/u.ts": "import { A } from './m';\nimport { Gone } from './b';\n",
    }
    assert messages(files, "src/u.ts") == ["2 missing-name Gone"]


@pytest.mark.parametrize("form", RUST)
def test_rust_definition_is_found_in_every_form(form: str) -> None:
    files = {
        "Cargo.toml": "[package]\nname = 'x'\nedition = '2021'\n",
        "src/lib.rs": "mod m;\nmod b;\nmod u;\n",
        "src/m.rs": f"{form}\n",
        "src/b.rs": "pub struct Z;\n",
        "src/u.rs": "use crate::m::A;\nuse crate::b::Gone;\n",
    }
    assert messages(files, "src/u.rs") == ["2 missing-name Gone"]


def test_kotlin_companion_extension_needs_an_import_or_the_same_package() -> None:
    """An extension of a Kotlin companion is found only through an import or the same package."""
    top = "src/main/kotlin/com/shop"
    owner = "package com.shop.a\n\ndata class D(val x: Int) {\n    companion object\n}\n"
    extending = "import com.shop.a.D\n\nfun D.Companion.made() = D(2)\n"
    for space, brings in (
        ("b", "import com.shop.b.made\n"),
        ("b", "import com.shop.b.*\n"),
        ("c", ""),
        ("own", extending.partition("\n\n")[2]),
    ):
        user = f"package com.shop.c\n\nimport com.shop.a.D\n{brings}\nfun f() {{\n    D.made()\n    D.gone()\n}}\n"
        files = {
            f"{top}/a/D.kt": owner,
            f"{top}/{space}/E.kt": f"package com.shop.{space}\n\n{extending}",
            f"{top}/c/U.kt": user,
        }
        assert [row.partition(" ")[2] for row in messages(files, f"{top}/c/U.kt")] == ["missing-member D.gone"]


def test_inherited_member_hides_a_class_of_the_same_name() -> None:
    """In C#, a controller's inherited `User` property hides the class `User` from another namespace."""
    user = "using Shop;\n\nnamespace Web;\n\npublic class Home{0}\n{{\n    void Show() {{ User.Find(1); }}\n}}\n"
    files = {
        "Shop.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>',
        "User.cs": "namespace Shop;\n\npublic static class User\n{\n    public static int Count() => 1;\n}\n",
        "Base.cs": "namespace Shop;\n\npublic abstract class Signed\n{\n    protected Caller User => null;\n}\n",
    }
    for base, told in (("", ["7 missing-member User.Find"]), (" : Signed", []), (" : ControllerBase", [])):
        assert messages({**files, "Web/Home.cs": user.format(base)}, "Web/Home.cs") == told


def test_enclosing_namespace_hides_a_class_of_the_same_name() -> None:
    files = {
        "Library/Utility/Shop.Library.Utility.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>',
        "Library/Utility/Utility.cs": "namespace Shop.Library.Utility\n{\n    public static class Utility\n    {\n        public static int Count() => 1;\n    }\n}\n",
        "Library/Web/Shop.Library.Web.csproj": '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup><ProjectReference Include="..\\Utility\\Shop.Library.Utility.csproj" /></ItemGroup></Project>',
        "Library/Web/Web.cs": "using System;\nusing Shop.Library.Utility;\n\nnamespace {0}\n{{\n    public static class Web\n    {{\n        static int F() => Utility.Utility.Count();\n    }}\n}}\n",
    }
    for space, told in (("Shop.Library.Web", []), ("Web", ["8 missing-member Utility.Utility"])):
        text = files["Library/Web/Web.cs"].format(space)
        assert messages({**files, "Library/Web/Web.cs": text}, "Library/Web/Web.cs") == told


def test_name_that_is_both_defined_and_reexported_may_be_either() -> None:
    """A name that a file both defines and re-exports, depending on `cfg`, may be either."""
    held = '#[cfg(all(test, not(feature = "sim")))]\npub enum Action {\n    Move(u8),\n}\n'
    handed = '\n#[cfg(feature = "sim")]\npub use crate::b::Action;\n'
    files = {
        "Cargo.toml": "[package]\nname = 'x'\nedition = '2021'\n",
        "src/lib.rs": "mod m;\nmod b;\nmod u;\n",
        "src/b.rs": "pub enum Action {\n    Move(u8),\n    Leave(u8),\n}\n",
        "src/u.rs": "use crate::m::Action;\n\nfn f() -> Action {\n    Action::Leave(1)\n}\n",
    }
    assert messages({**files, "src/m.rs": held + handed}, "src/u.rs") == []
    assert messages({**files, "src/m.rs": held}, "src/u.rs") == ["4 missing-member Action.Leave"]


def test_examples_folder_named_like_a_library_does_not_shadow_it() -> None:
    files = {"examples/pydantic/__init__.py": "", "examples/pydantic/tasks.py": "from pydantic import BaseModel\n"}
    assert (
        messages(
            {**files, "pyproject.toml": "[project]\ndependencies = ['pydantic>=2']\n"}, "examples/pydantic/tasks.py"
        )
        == []
    )
    assert messages({**files, "pyproject.toml": ""}, "examples/pydantic/tasks.py") == ["1 missing-name BaseModel"]


def test_require_parameter_is_not_the_module_loader() -> None:
    bundle = 'define("ace/mode", ["require"], function(require) {\n  var oop = require("../lib/oop");\n});\n'
    assert messages({"web/ace.js": bundle}, "web/ace.js") == []
    assert messages({"web/ace.js": 'var oop = require("../lib/oop");\n'}, "web/ace.js") == [
        "1 missing-module ../lib/oop"
    ]


def test_typed_field_is_called_by_its_declared_type() -> None:
    held = "export class API {\n  static set: Setter = (state, done) => {};\n  static put = (state, done) => {};\n}\n"
    files = {"src/api.ts": held, "src/u.ts": "import { API } from './api';\nAPI.set(1);\nAPI.put(1);\n"}
    assert messages(files, "src/u.ts") == ["3 arguments API.put: is missing 'done'"]


def test_positional_argument_may_follow_a_named_one() -> None:
    """In C#, a positional argument may follow a named one that is in its position."""
    project = '<Project Sdk="Microsoft.NET.Sdk"></Project>'
    files = {
        "Shop.csproj": project,
        "Card.cs": "namespace Shop;\n\npublic static class Card\n{\n    public static int Of(int a, int b, int c) => a;\n}\n",
        "Use.cs": "namespace Shop;\n\nclass Use\n{\n    int X = Card.Of(1, b: 2, 3);\n    int Y = Card.Of(1, b: 2, 3, 4);\n}\n",
    }
    assert messages(files, "Use.cs") == ["6 arguments Card.Of: takes 3 arguments, not 4"]


def test_callback_name_is_not_visible_in_the_whole_file() -> None:
    text = "describe('x', () => {\n  it('a', () => {\n    const fail = () => 1;\n    fail();\n  });\n  it('b', () => {\n    fail('no');\n  });\n});\n"
    assert messages({"src/u.spec.ts": text}, "src/u.spec.ts") == []
    assert messages({"src/u.spec.ts": text + "function stop() {}\nstop(1);\n"}, "src/u.spec.ts") == [
        "11 arguments stop: takes 0 arguments, not 1"
    ]


@pytest.mark.parametrize(
    "form", ["import {{ {} }} from './b';", "export {{ {} }} from './b';", "const {{ {} }} = require('./b');"]
)
def test_statement_with_thousands_of_names_is_checked_quickly(form: str) -> None:
    """A statement with 4,000 names, as in icon files, is checked in linear time."""
    names = ",\n".join(f"Icon{number}" for number in range(4_000))
    files = {"src/b.js": "export const Icon1 = 1;\n", "src/u.js": form.format(names) + "\n"}
    start = time.process_time()
    assert len(messages(files, "src/u.js")) == 3_999
    assert time.process_time() - start < 20


@pytest.mark.parametrize("form", ["object F {{ {} }}", "class F(a: Int, b: Int) {{ companion object {{ {} }} }}"])
def test_kotlin_call_of_a_class_may_call_its_invoke_operator(form: str) -> None:
    """A Kotlin call `F(1)` may call the `invoke` operator of an object or companion object."""
    user = "package com.shop.b\n\nimport com.shop.a.F\n\nval made = F(1)\n"
    for member, told in (("operator fun invoke(a: Int) = 1", False), ("fun other(a: Int) = 1", True)):
        files = {
            "src/main/kotlin/com/shop/a/F.kt": f"package com.shop.a\n\n{form.format(member)}\n",
            "src/main/kotlin/com/shop/b/U.kt": user,
        }
        assert bool(messages(files, "src/main/kotlin/com/shop/b/U.kt")) == told


def test_files_reexporting_each_other_are_checked_once() -> None:
    """Twelve files that all re-export each other are checked without following every path."""
    many = range(12)
    held = {
        f"src/m{one}.rs": "".join(f"pub use crate::m{other}::*;\n" for other in many if other != one) for one in many
    }
    held["src/m7.rs"] += "pub fn there() {}\n"
    files = {
        "Cargo.toml": "[package]\nname = 'x'\nedition = '2021'\n",
        "src/lib.rs": "".join(f"pub mod m{one};\n" for one in many) + "mod u;\n",
        "src/u.rs": "use crate::m0::*;\n\nfn f() {\n    there(1);\n    gone();\n}\n",
    }
    start = time.process_time()
    assert messages({**files, **held}, "src/u.rs") == ["4 arguments there: takes 0 arguments, not 1"]
    assert time.process_time() - start < 20


MEMBERS = (
    "__slots__ = ('A',)", "def f(self): type(self).A = 1", "def f(self): self.__class__.A = 1", "def f(self): setattr(self, 'A', 1)",
    "def f(self, **k):\n        for n in k: setattr(self, n, 1)", "def f(self, **k): vars(self).update(k)", "def f(self): object.__setattr__(self, 'A', 1)",
    "def f(self): super().__setattr__('A', 1)", "def f(self):\n        x = self\n        x.A = 1", "def f(this): this.A = 1",
    "def f(self): self.x, self.A = 1, 2", "def f(self):\n        for self.A in x: pass", "def f(self):\n        with x as self.A: pass",
    "def f(self): self.A: int = 1", "def f(self): (self.x, (self.A, z)) = y", "@f.setter\n    def A(self, v): pass", "A: int", "for A in x: pass",
    "if x:\n        A = 1", "from q import A", "class A: pass",
)  # fmt: skip


@pytest.mark.parametrize("form", MEMBERS)
def test_python_member_is_found_in_every_form(form: str) -> None:
    module = f"class C:\n    {form}\n\n\nclass D:\n    def f(self): pass\n"
    files = {"p/__init__.py": "", "p/m.py": module, "p/u.py": "from p.m import C, D\nc = C()\nc.A\nd = D()\nd.A\n"}
    assert messages(files, "p/u.py") == ["5 missing-member d.A"]


@pytest.mark.parametrize(
    "form", ["public A: number", "readonly A: number", "private A: number", "protected override A: number"]
)
def test_parameter_property_is_a_member(form: str) -> None:
    files = {
        "src/m.ts": f"export class C {{ constructor({form}) {{}} }}\n",
        "src/u.ts": "import { C } from './m';\nconst c = new C(1);\nc.A;\nc.B;\n",
    }
    assert messages(files, "src/u.ts") == ["4 missing-member c.B"]


SHADOWED = {
    "a.py": "def total(n):\n    return n\ndef run(total):\n    return total(1, 2)\ndef other():\n    return total(1, 2)\n",
    "a.ts": "function total(n: number) { return n }\nconst run = (total: any) => {\n  total(1, 2)\n}\n\ntotal(1, 2)\n",
    "a.go": "package a\nfunc total(n int) int { return n }\nfunc run(total func(int, int) int) int { return total(1, 2) }\nfunc other() int {\n\n\treturn total(1, 2)\n}\n",
    "a.rs": "fn total(n: i32) -> i32 { n }\nfn run(total: F) -> i32 {\n  total(1, 2)\n}\n\nfn other() -> i32 { total(1, 2) }\n",
}


@pytest.mark.parametrize("path", SHADOWED)
def test_parameter_named_like_a_function_hides_it_only_in_its_own_function(path: str) -> None:
    assert messages({path: SHADOWED[path]}, path) == ["6 arguments total: takes 1 argument, not 2"]


WITHOUT_CONSTRUCTOR = {
    "A.java": "package a;\nclass Base { Base(int x) {} Base() {} }\nclass Sub extends Base {}\nclass Own { void f() { new Sub(); new Sub(1); new Base(1); } }\n",
    "a.kt": "package a\nopen class Base(n: Int = 1)\nclass Sub : Base(2)\nfun f() { Sub(); Sub(1); Base(1) }\n",
    "A.cs": "namespace A;\nclass Base { public Base(int x) {} public Base() {} }\nclass Sub : Base {}\nclass Own { void F() { new Sub(); new Sub(1); new Base(1); } }\n",
}


@pytest.mark.parametrize("path", WITHOUT_CONSTRUCTOR)
def test_class_without_a_constructor_takes_no_arguments(path: str) -> None:
    """Its base's constructors are not inherited."""
    assert messages({path: WITHOUT_CONSTRUCTOR[path]}, path) == ["4 arguments Sub: takes 0 arguments, not 1"]
