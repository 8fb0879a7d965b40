import pytest

from deeprepo.impact import resolving
from deeprepo.impact.language import leading

RUST = leading("rust")

PATHS = [
    "src/lib.rs", "src/main.rs", "src/a.rs", "src/a/b.rs", "src/c/mod.rs", "src/bin/tool.rs", "tests/it.rs", "tests/common/mod.rs",
    "core/cli.rs", "core/args.rs", "src/odd/place.rs",
]  # fmt: skip
CONFIG = b'[package]\nname = "my-shop"\n\n[[bin]]\nname = "cli"\npath = "core/cli.rs"\n'


@pytest.mark.parametrize(
    ("path", "code", "found"),
    [
        ("src/lib.rs", "mod a;", [("src/a.rs", ["*"], (("*", "a"),))]),
        ("src/a.rs", "mod b;", [("src/a/b.rs", ["*"], (("*", "b"),))]),
        ("src/a.rs", '#[path = "odd/place.rs"]\nmod x;', [("src/odd/place.rs", ["*"], (("*", "x"),))]),
        ("src/c/mod.rs", "use crate::a::{self, b::X as Y, Z};", [("src/a.rs", ["*"], (("*", "a"),)), ("src/a/b.rs", ["X"], (("X", "Y"),)), ("src/a.rs", ["Z"], ())]),
        ("src/a/b.rs", "use super::f;", [("src/a.rs", ["f"], ())]),
        ("src/a/b.rs", "use super::super::f;", [("src/lib.rs", ["f"], ())]),
        ("src/a.rs", "use self::b::*;", [("src/a/b.rs", ["*"], ())]),
        ("src/a.rs", "fn f() { crate::c::g::<u8>(1) }", [("src/c/mod.rs", ["g"], (("g", "crate.c.g"),))]),
        ("tests/it.rs", "mod common;\nuse my_shop::a::F;", [("tests/common/mod.rs", ["*"], (("*", "common"),)), ("src/a.rs", ["F"], ())]),
        ("core/cli.rs", "mod args;", [("core/args.rs", ["*"], (("*", "args"),))]),
        ("src/a.rs", 'use serde::b; // use crate::c::x;\n/* mod b; */ fn f() { "crate::c::x"; }', []),
    ],
)  # fmt: skip
def test_path_resolves_to_the_last_module_with_a_file(path: str, code: str, found: list[object]) -> None:
    """A path resolves to the last module with a file, and the rest of it is the imported name."""
    imports = resolving.project(RUST, PATHS, {"Cargo.toml": CONFIG}).links(path, code.encode())

    assert [(item.target, sorted(item.names), item.aliases) for item in imports] == found


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
def test_outline_with_an_item_macro_is_incomplete(code: str, complete: bool, stars: int) -> None:
    """An item macro makes the outline incomplete, and wildcard imports are counted."""
    outline = resolving.outline("a.rs", code.encode(), "head")

    assert (outline.complete, outline.stars) == (complete, stars)
