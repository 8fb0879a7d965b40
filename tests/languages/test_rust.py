import pytest
from families import few

from bot.languages import rust
from bot.values import Symbol

PATHS = [
    "src/lib.rs", "src/main.rs", "src/a.rs", "src/a/b.rs", "src/c/mod.rs", "src/bin/tool.rs", "tests/it.rs", "tests/common/mod.rs",
    "core/cli.rs", "core/args.rs", "src/odd/place.rs",
]  # fmt: skip
CONFIG = b'[package]\nname = "my-shop"\n\n[[bin]]\nname = "cli"\npath = "core/cli.rs"\n'


@pytest.mark.parametrize(
    ("path", "code", "found"),
    [
        ("src/lib.rs", "mod a;", [("src/a.rs", ["*"], (("*", "a"),))]),
        ("src/lib.rs", "mod c;", [("src/c/mod.rs", ["*"], (("*", "c"),))]),
        ("src/a.rs", "mod b;", [("src/a/b.rs", ["*"], (("*", "b"),))]),
        ("src/a.rs", '#[path = "odd/place.rs"]\nmod x;', [("src/odd/place.rs", ["*"], (("*", "x"),))]),
        ("src/c/mod.rs", "use crate::a::{self, b::X as Y, Z};", [("src/a.rs", ["*"], (("*", "a"),)), ("src/a/b.rs", ["X"], (("X", "Y"),)), ("src/a.rs", ["Z"], ())]),
        ("src/a/b.rs", "use super::f;", [("src/a.rs", ["f"], ())]),
        ("src/a/b.rs", "use super::super::f;", [("src/lib.rs", ["f"], ())]),
        ("src/a.rs", "use self::b::*;", [("src/a/b.rs", ["*"], ())]),
        ("src/a.rs", "use b::E::Variant;", [("src/a/b.rs", ["E"], (("E", ""),))]),
        ("src/a.rs", "mod inner {\n    use super::super::c::f;\n}", [("src/c/mod.rs", ["f"], ())]),
        ("src/a.rs", "fn f() { crate::c::g::<u8>(1) }", [("src/c/mod.rs", ["g"], (("g", "crate.c.g"),))]),
        ("src/a.rs", "macro_rules! m { () => { $crate::c::g() } }", [("src/c/mod.rs", ["g"], (("g", "crate.c.g"),))]),
        ("tests/it.rs", "mod common;\nuse my_shop::a::F;", [("tests/common/mod.rs", ["*"], (("*", "common"),)), ("src/a.rs", ["F"], ())]),
        ("tests/it.rs", "extern crate my_shop as shop;", [("src/lib.rs", ["*"], (("*", "shop"),))]),
        ("src/bin/tool.rs", "use my_shop::f;", [("src/lib.rs", ["f"], ())]),
        ("core/cli.rs", "mod args;", [("core/args.rs", ["*"], (("*", "args"),))]),
        ("core/args.rs", "use crate::main_thing;", [("core/cli.rs", ["main_thing"], ())]),
        ("src/a.rs", 'use serde::b; // use crate::c::x;\n/* mod b; */ fn f() { "crate::c::x"; }', []),
    ],
)  # fmt: skip
def test_a_path_leads_to_the_last_module_that_has_a_file(path: str, code: str, found: list[object]) -> None:
    """What is left of the path is the name that is taken from it."""
    imports = rust.project(PATHS, {"Cargo.toml": CONFIG}).imports(path, code.encode())

    assert [(item.target, sorted(item.names), item.aliases) for item in imports] == found


def outlined(code: str) -> dict[str, Symbol]:
    return {symbol.name: symbol for symbol in rust.outline("a.rs", code.encode(), "head").symbols}


@pytest.mark.parametrize(
    ("code", "name", "told"),
    [
        ("fn f(a: u8, mut b: &str, (c, d): P) {}", "f", "a b _"),
        ("pub(crate) async unsafe fn f<T: A>(a: impl Fn(u8, u8)) -> u8 where T: B { 1 }", "f", "a"),
        ("impl<T> S<T> { fn m(&self, a: T) {} }", "S.m", "a"),
        ("impl S { fn m(self: Box<Self>, a: T) {} }", "S.m", "a"),
        ("impl S { fn make() -> S { S } }", "S.make", ""),
        ("trait T { fn m(&self, a: u8); }", "T.m", "a"),
        ("mod inner { pub fn f(a: u8) {} }", "inner.f", "a"),
        ('extern "C" { fn f(a: u8, ...); }', "f", "a *..."),
        ("impl T for S { fn m(&self, a: u8) {} }", "S.m", "~a"),
        ("#[handler]\nfn f(a: u8) {}", "f", "~a"),
        ("#[inline]\n/// text\n#[must_use]\nfn f(a: u8) {}", "f", "a"),
        ("fn f(#[cfg(x)] a: u8) {}", "f", "~a"),
        ("cfg_rt! {\n    fn f(a: u8) {}\n}", "f", "a"),
    ],
)
def test_a_signature_has_no_self(code: str, name: str, told: str) -> None:
    """Every parameter counts once, patterns too; attributes that may rewrite it make it unreliable."""
    signature = outlined(code)[name].signature
    assert signature is not None
    words = " ".join(f"{'*' if item.kind == 'varargs' else ''}{item.name}" for item in signature.parameters)

    assert f"{'~' if signature.opaque else ''}{words}" == told


def test_every_item_is_found() -> None:
    """Types with their fields and variants, constants, statics, aliases and macros."""
    found = outlined(
        "pub struct S { pub a: u8 }\nenum E { A, B(u8) }\nunion U { x: u8 }\ntrait T { const K: u8; type O; }\n"
        "const C: u8 = 1;\nstatic D: u8 = 2;\ntype L = u8;\nmacro_rules! mac { () => {} }\nimpl S { const Q: u8 = 1; }\n"
    )

    assert [(s.name, s.kind) for s in found.values()] == [
        ("S", "class"), ("S.a", "variable"), ("E", "class"), ("E.A", "variable"), ("E.B", "variable"), ("U", "class"),
        ("U.x", "variable"), ("T", "class"), ("T.K", "variable"), ("T.O", "type"), ("C", "variable"), ("D", "variable"),
        ("L", "type"), ("mac", "macro"), ("S.Q", "variable"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "complete", "stars"),
    [
        ("use a::{b, c as d};", True, 0),
        ("use a::*;\nuse b::{c::*, d};", True, 2),
        ("mod tests { use super::*; }", True, 0),
        ("lazy_static! { static ref A: u8 = 1; }", True, 0),
        ("make!(A);", False, 0),
        ("fn f( {", False, 0),
    ],
)
def test_what_a_module_offers_is_known_or_not(code: str, complete: bool, stars: int) -> None:
    """A macro among the items may define anything; a star may bring anything."""
    outline = rust.outline("a.rs", code.encode(), "head")

    assert (outline.complete, outline.stars) == (complete, stars)


@pytest.mark.parametrize(
    ("code", "form", "receiver", "types"),
    [
        ("impl S { fn f(&self) { self.go() } }", "member", "self", ("S",)),
        ("impl S { fn f() { Self::go() } }", "member", "S", ("S",)),
        ("fn f(x: &mut S<u8>) { x.go() }", "member", "x", ("S",)),
        ("fn f() { let x: p::S = y(); x.go() }", "member", "x", ("p.S",)),
        ("fn f() { let mut x = S { a: 1 }; x.go() }", "member", "x", ("S",)),
        ("struct S { t: T }\nimpl S { fn f(&self) { self.t.go() } }", "member", "self.t", ("T",)),
        ("fn f() { let x = p::S::new(1); x.go() }", "member", "x", ("p.S",)),
        ("fn f() { let x = make(); x.go() }", "member", "x", ("?",)),
        ("fn f(x: S) { let x = 1; x.go() }", "member", "x", ("?",)),
        ("fn f() { crate::a::go(1) }", "member", "crate.a", ("?",)),
        ("fn f() { S::<u8>::go(1) }", "member", "S", ("?",)),
        ("fn f() { m!(x.go(1)) }", "member", "x", ("?",)),
        ("fn f() { m!(crate::a::go(1)) }", "member", "crate.a", ("?",)),
        ("fn f() { m!(go(1)) }", "name", "", ()),
        ("fn f() { m!(go = 1) }", "key", "", ()),
        ("fn f() { go!(1) }", "member", "go", ("?",)),
        ("fn f() { let go = 1; }", "definition", "", ()),
        ("fn f() { match x { Some(go) => 1 } }", "definition", "", ()),
        ("fn f() { |go| 1 }", "definition", "", ()),
        ("fn f() { S { go: 1 } }", "key", "", ()),
        ("use a::{b::go};", "import", "", ()),
    ],
)
def test_a_use_is_told_by_its_place(code: str, form: str, receiver: str, types: tuple[str, ...]) -> None:
    """Calls, members, patterns, keys and the tokens of macros."""
    (use,) = rust.uses("a.rs", code.encode(), ["go"])

    assert (use.form, use.receiver, use.types) == (form, receiver, types)


@pytest.mark.parametrize("config", [b"lib = 3", b"package = []", b"[lib]\npath = 3\n[package]\nname = 1", b"bin = [1, {path = 2}]", b"dependencies = 1", b"[target]\nx = 1", b"patch = 1", b"x = " + b"[" * 5_000])  # fmt: skip
def test_a_manifest_that_is_none_says_nothing(config: bytes) -> None:
    """Wrong types and broken syntax leave the conventions."""
    project = rust.project(["src/lib.rs", "src/a.rs"], {"Cargo.toml": config})

    assert [item.target for item in project.imports("src/lib.rs", b"mod a;")] == ["src/a.rs"]


LONG = [b"use a\n" * 800_000, b"use a::{b," * 400_000, b'r#"' * 1_500_000, b"/*" * 2_500_000, b"a::" * 1_500_000, b"mod x{" * 800_000, b"mod x {\n" * 600_000, b"'" * 5_000_000]  # fmt: skip
DEEP = [
    b"fn f() { " + b"(" * 1_000_000,
    b"fn f() { " + b"a." * 5_000,
    b"fn f() { " + b"!" * 5_000 + b"a",
    b"a::" * 5_000,
]


@pytest.mark.parametrize("source", few(LONG, 3), ids=range(len(LONG)))
def test_the_paths_of_a_long_source_are_read(source: bytes) -> None:
    """Five megabytes cost a moment, whatever they hold."""
    assert len(rust.project(["src/lib.rs", "src/a.rs"], {}).imports("src/lib.rs", source)) <= 2


@pytest.mark.parametrize("source", DEEP, ids=range(len(DEEP)))
def test_a_deep_tree_ends(source: bytes) -> None:
    """Nesting that no person writes is looked at only so far."""
    rust.outline("a.rs", source, "head")
    rust.uses("a.rs", source, ["a"])
