"""Other bindings and other overloads of a name, which a change adds so that a broken caller seems to mean them."""

import pytest
from contract_findings import look, open_uses
from fakes import Repository

Files = dict[str, str | bytes | None]
Attack = tuple[Files, Files, Files]  # the tree, the change that breaks a caller, and what it adds to that
PYTHON: Files = {"cart.py": "def total(a):\n    return a\n", "use.py": "from cart import total\n\nprint(total(1))\n"}
BROKEN: Files = {"cart.py": "def total(a, b):\n    return a + b\n"}
SCRIPT: Files = {
    "cart.ts": "export function total(a: number) { return a }\n", "use.ts": 'import { total } from "./cart"\nconsole.log(total(1))\n',
}  # fmt: skip
BROKEN_SCRIPT: Files = {"cart.ts": "export function total(a: number, b: number) { return a }\n"}
RUST: Files = {
    "Cargo.toml": '[package]\nname="m"\nversion="0.1.0"\n', "src/lib.rs": "pub mod cart;\npub mod user;\n",
    "src/cart.rs": "pub fn total(a: i32) -> i32 { a }\n", "src/user.rs": "use crate::cart::total;\n\npub fn f() -> i32 { total(1) }\n",
}  # fmt: skip
BROKEN_RUST: Files = {"src/cart.rs": "pub fn total(a: i32, b: i32) -> i32 { a }\n"}
GO: Files = {
    "go.mod": "module m\n", "a/a.go": "package a\n\nfunc Total(x int) int { return x }\n",
    "a/b.go": "package a\n\nfunc F() int { return Total(1) }\n",
}  # fmt: skip
BROKEN_GO: Files = {"a/a.go": "package a\n\nfunc Total(x, y int) int { return x }\n"}
CPP: Files = {
    "cart.h": "#pragma once\nint total(int a);\n",
    "use.cpp": '#include "cart.h"\nint f() { return total(1); }\n',
}
BROKEN_CPP: Files = {"cart.h": "#pragma once\nint total(int a, int b);\n"}
PHP: Files = {
    "cart.php": "<?php\nfunction total($a) { return $a; }\n", "use.php": '<?php\nrequire "cart.php";\necho total(1);\n',
}  # fmt: skip
BROKEN_PHP: Files = {"cart.php": "<?php\nfunction total($a, $b) { return $a; }\n"}
KOTLIN: Files = {
    "s/Cart.kt": "package s\n\nfun total(a: Int): Int = a\n", "u/Use.kt": "package u\n\nimport s.total\n\nfun f(): Int = total(1)\n",
}  # fmt: skip
BROKEN_KOTLIN: Files = {"s/Cart.kt": "package s\n\nfun total(a: Int, b: Int): Int = a\n"}
JAVA: Files = {
    "s/Cart.java": "package s;\n\npublic class Cart {\n    public static int total(int a) { return a; }\n}\n",
    "s/Use.java": "package s;\n\nclass Use {\n    int f() { return Cart.total(1); }\n}\n",
}
BROKEN_JAVA: Files = {
    "s/Cart.java": "package s;\n\npublic class Cart {\n    public static int total(int a, int b) { return a; }\n}\n"
}
SHARP: Files = {
    "Cart.cs": "namespace S;\n\npublic static class Cart {\n    public static int Total(int a) => a;\n}\n",
    "Use.cs": "namespace S;\n\nclass Use {\n    int F() => Cart.Total(1);\n}\n",
}
BROKEN_SHARP: Files = {
    "Cart.cs": "namespace S;\n\npublic static class Cart {\n    public static int Total(int a, int b) => a;\n}\n"
}


def behind(files: Files, path: str, text: str) -> Files:
    """A file of a scene with a text behind it."""
    return {path: f"{files[path]}{text}"}


def within(files: Files, path: str, text: str) -> Files:
    """A class of a scene with one more member."""
    whole = str(files[path])
    return {path: f"{whole[: whole.rindex('}')]}    {text}\n}}\n"}


ATTACKS: dict[str, Attack] = {
    **{
        f"Python: {name}": (PYTHON, BROKEN, behind(PYTHON, "use.py", text))
        for name, text in {
            "a parameter": "\ndef g(total):\n    return total\n",
            "a parameter in brackets": "\ndef g(\n    total,\n):\n    return total\n",
            "a variable": "\ndef g():\n    total = 1\n    return total\n",
            "a variable that is never set": "\nif 0:\n    total = None\n",
            "an attribute": "\nclass A:\n    total = 1\n",
            "a lambda": "\ng = lambda total: total\n",
            "an except": "\ntry:\n    pass\nexcept OSError as total:\n    pass\n",
        }.items()
    },
    "Python: everything of another module": (PYTHON, {"cart.py": "from new import *\n", "new.py": BROKEN["cart.py"]}, {}),
    "TypeScript: a parameter": (SCRIPT, BROKEN_SCRIPT, behind(SCRIPT, "use.ts", "function g(total: any) { return total }\n")),
    "TypeScript: a block": (SCRIPT, BROKEN_SCRIPT, behind(SCRIPT, "use.ts", "{ let total = 1 }\n")),
    "TypeScript: declare": (SCRIPT, BROKEN_SCRIPT, behind(SCRIPT, "use.ts", "declare var total: any\n")),
    "TypeScript: everything of another module": (
        SCRIPT, {"cart.ts": 'export * from "./new"\n', "new.ts": BROKEN_SCRIPT["cart.ts"]}, {},
    ),
    "TypeScript: another module itself": (SCRIPT, {"cart.ts": 'export * as total from "./new"\n', "new.ts": ""}, {}),
    "Rust: a variable": (RUST, BROKEN_RUST, behind(RUST, "src/user.rs", "fn g() { let total = 1; }\n")),
    "Rust: a parameter": (RUST, BROKEN_RUST, behind(RUST, "src/user.rs", "fn g(total: i32) -> i32 { total }\n")),
    "Rust: a module": (RUST, BROKEN_RUST, behind(RUST, "src/user.rs", "mod q { fn total(a: i32) -> i32 { a } }\n")),
    "Rust: everything of another module": (
        RUST, {"src/cart.rs": "mod new;\npub use new::*;\n", "src/cart/new.rs": BROKEN_RUST["src/cart.rs"]}, {},
    ),
    "Go: a parameter": (GO, BROKEN_GO, behind(GO, "a/b.go", "\nfunc g(Total int) int { return Total }\n")),
    "Go: a variable": (GO, BROKEN_GO, behind(GO, "a/b.go", "\nfunc g() { Total := 1; _ = Total }\n")),
    "C++: a variable": (CPP, BROKEN_CPP, behind(CPP, "use.cpp", "int g() { int total = 1; return total; }\n")),
    "C++: a member": (CPP, BROKEN_CPP, behind(CPP, "use.cpp", "struct Q { int total(int a); };\n")),
    "C++: an overload": (CPP, BROKEN_CPP, behind(CPP, "use.cpp", "static int total(const char* a) { return 1; }\n")),
    "PHP: a method": (PHP, BROKEN_PHP, behind(PHP, "use.php", "class Z { function total($a) {} }\n")),
    "Kotlin: a parameter": (KOTLIN, BROKEN_KOTLIN, behind(KOTLIN, "u/Use.kt", "fun h(total: Int) = total\n")),
    "Kotlin: a method": (KOTLIN, BROKEN_KOTLIN, behind(KOTLIN, "u/Use.kt", "class T { fun total(a: Int) = a }\n")),
    **{
        f"Kotlin: {name}": (KOTLIN, BROKEN_KOTLIN, behind(BROKEN_KOTLIN, "s/Cart.kt", text))
        for name, text in {
            "a private overload": "private fun total(a: Int): Int = a\n",
            "a hidden overload": '@Deprecated("", level = DeprecationLevel.HIDDEN)\nfun total(a: Int): Int = a\n',
            "an overload for texts": "fun total(a: String): Int = 1\n",
        }.items()
    },
    **{
        f"Java: {name}": (JAVA, BROKEN_JAVA, within(BROKEN_JAVA, "s/Cart.java", text))
        for name, text in {
            "a private overload": "private static int total(int a) { return a; }",
            "a protected overload": "protected static int total(int a) { return a; }",
            "an overload for texts": "public static int total(String a) { return 1; }",
        }.items()
    },
    **{
        f"C#: {name}": (SHARP, BROKEN_SHARP, within(BROKEN_SHARP, "Cart.cs", text))
        for name, text in {
            "a private overload": "private static int Total(int a) => a;",
            "an obsolete overload": '[System.Obsolete("", true)] public static int Total(int a) => a;',
            "an overload for texts": "public static int Total(string a) => 1;",
            "an overload for types": "public static int Total<T>(T a) where T : class => 1;",
        }.items()
    },
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
def test_a_caller_stays_named_beside_what_else_bears_the_name(repository: Repository, name: str) -> None:
    """It is a finding or open."""
    files, broken, decoy = ATTACKS[name]
    pull = repository.change(files, {**broken, **decoy})

    assert look(pull) or open_uses(pull)


@pytest.mark.parametrize("name", ["Python: a parameter", "Python: a variable", "Go: a variable", "Rust: a parameter"])
def test_a_variable_of_another_function_takes_no_proof_away(repository: Repository, name: str) -> None:
    """The call outside of that function is proven broken, and what is done with the variable obliges nobody."""
    files, broken, decoy = ATTACKS[name]
    pull = repository.change({**files, **decoy}, broken)

    assert (len(look(pull)), open_uses(pull)) == (1, ())


@pytest.mark.parametrize(
    ("files", "path", "text"),
    [
        (JAVA, "s/Cart.java", "public static int total(int a, int b) { return a; }"),
        (SHARP, "Cart.cs", "public static int Total(int a, int b) => a;"),
    ],
    ids=["Java", "C#"],
)
def test_one_more_overload_obliges_nobody(repository: Repository, files: Files, path: str, text: str) -> None:
    """The one that was there still takes the call, whichever of them comes first."""
    whole = str(files[path])
    at = whole.index("{\n") + 2
    for now in (within(files, path, text), {path: f"{whole[:at]}    {text}\n{whole[at:]}"}):
        pull = repository.change(files, now)
        assert (look(pull), open_uses(pull)) == ([], ())
