import pytest
from fakes import Repository
from told import Row, Tree, rows

CARGO = '[package]\nname = "my-shop"\nversion = "0.1.0"\n'
ROOT = "pub mod cart;\npub mod till;\n"
CART = (
    "pub struct Cart {\n    pub items: u32,\n}\n\nimpl Cart {\n    pub fn new_for(owner: &str) -> Self {\n        todo!()\n    }\n\n"
    "    pub fn add_item(&mut self, name: &str) {}\n}\n\npub fn open_shop(name: &str, at: u32) -> u32 {\n    1\n}\n\n"
    "pub const MAX_ITEMS: u32 = 3;\n\npub enum Kind {\n    BigOne,\n    Small(u32),\n}\n"
)
TILL = "use crate::cart::{self, open_shop, Cart, Kind, MAX_ITEMS};\n\nfn pay(c: &mut Cart) {\n    STATEMENT\n}\n"
OPEN = "pub fn open_shop(name: &str, at: u32) -> u32 {\n    1\n}\n"
ADD = "    pub fn add_item(&mut self, name: &str) {}\n"
WIDER = CART.replace("at: u32)", "at: u32, by: u32)")


def tree(statement: str = "open_shop(a, 1);", **more: str) -> Tree:
    """Return a crate with a module and another module that uses it."""
    files: Tree = {
        "Cargo.toml": CARGO,
        "src/lib.rs": ROOT,
        "src/cart.rs": CART,
        "src/till.rs": TILL.replace("STATEMENT", statement),
    }
    return files | {name.replace("__", "/") + ".rs": text for name, text in more.items()}


def without(text: str) -> Tree:
    """Return the change that removes this text from the module and keeps the import of it."""
    return {"src/cart.rs": CART.replace(text, "")}


def other(code: str) -> Tree:
    """Return a tree whose only caller is a module without imports."""
    return tree("let _ = c;", src__other=code) | {"src/lib.rs": f"{ROOT}mod other;\n"}


TRUE: list[tuple[str, Tree, Tree, list[Row]]] = [
    ("a function is gone", other("fn f() {\n    crate::cart::open_shop(a, 1);\n}\n") | {"src/till.rs": ""}, without(OPEN), [("src/other.rs", 2, "removed-symbol")]),
    ("a function wants more", tree(), {"src/cart.rs": WIDER}, [("src/till.rs", 4, "required-parameter")]),
    ("a function wants less", tree(), {"src/cart.rs": CART.replace(", at: u32", "")}, [("src/till.rs", 4, "arity")]),
    ("an associated function", tree('Cart::new_for("a");'), {"src/cart.rs": CART.replace("owner: &str", "owner: &str, n: u8")}, [("src/till.rs", 4, "required-parameter")]),
    ("a method of a parameter", tree('c.add_item("a");'), {"src/cart.rs": CART.replace("name: &str) {}", "name: &str, n: u8) {}")}, [("src/till.rs", 4, "required-parameter")]),
    ("a method is gone", tree('c.add_item("a");'), without(ADD), [("src/till.rs", 4, "removed-symbol")]),
    ("a variant is gone", tree("let k = Kind::BigOne;"), without("    BigOne,\n"), [("src/till.rs", 4, "removed-symbol")]),
    ("only the import is left", tree("let _ = c;"), without("pub const MAX_ITEMS: u32 = 3;\n"), [("src/till.rs", 1, "removed-symbol")]),
    ("a call inside a macro", tree("assert_eq!(open_shop(a, 1), 1);"), without(OPEN), [("src/till.rs", 4, "removed-symbol")]),
    ("the file itself uses it", tree("let _ = c;") | {"src/till.rs": "", "src/cart.rs": f"{CART}\nfn again() {{\n    open_shop(1, 2);\n}}\n"}, {"src/cart.rs": CART.replace(OPEN, "") + "\nfn again() {\n    open_shop(1, 2);\n}\n"}, [("src/cart.rs", 22, "removed-symbol")]),
    ("a module is gone", tree() | {"src/till.rs": ""}, {"src/cart.rs": None}, [("src/lib.rs", 1, "removed-module")]),
    ("a child sees its parent by super", {**other(""), "src/cart/deep.rs": "use super::open_shop;\nfn f() {\n    open_shop(1, 2);\n}\n"}, {"src/cart.rs": WIDER}, [("src/cart/deep.rs", 3, "required-parameter")]),
    ("a root hands it on", tree("let _ = c;", tests__it="use my_shop::open_shop;\n\n#[test]\nfn it() {\n    open_shop(a, 1);\n}\n") | {"src/lib.rs": f"{ROOT}pub use cart::open_shop;\n"}, {"src/cart.rs": WIDER}, [("tests/it.rs", 5, "required-parameter")]),
    ("the tests of the file", other("") | {"src/cart.rs": f"{CART}\n#[cfg(test)]\nmod tests {{\n    use super::*;\n    fn it() {{\n        open_shop(1, 2);\n    }}\n}}\n"}, {"src/cart.rs": f"{WIDER}\n#[cfg(test)]\nmod tests {{\n    use super::*;\n    fn it() {{\n        open_shop(1, 2);\n    }}\n}}\n"}, [("src/cart.rs", 28, "required-parameter")]),
]  # fmt: skip
MEMBER: Tree = {
    "Cargo.toml": '[workspace]\nmembers = ["*"]\n\n[workspace.dependencies]\nmy-shop = { path = "shop" }\n',
    "shop/Cargo.toml": CARGO,
    "shop/src/lib.rs": "pub fn open_shop(a: u8) {}\n",
    "app/src/main.rs": "fn main() {\n    my_shop::open_shop(1);\n}\n",
}
APP = '[package]\nname = "app"\n\n[dependencies]\n'
SHARED: list[tuple[str, str, bool]] = [
    ("by its path", 'my-shop = { path = "../shop" }', True),
    ("of the workspace", "my-shop = { workspace = true }", True),
    ("under another name", 'my_shop = { path = "../shop", package = "my-shop" }', True),
    ("the published one", 'my-shop = "1.0"', False),
]
FALSE: list[tuple[str, Tree, Tree]] = [
    ("it is handed on from where it moved", tree(), {"src/cart.rs": f"pub use super::opening::open_shop;\n{CART.replace(OPEN, '')}", "src/opening.rs": OPEN, "src/lib.rs": f"{ROOT}mod opening;\n"}),
    ("a star may hand it on", tree(), {"src/cart.rs": f"pub use outside::*;\n{CART.replace(OPEN, '')}"}),
    ("a macro may define it", tree(), {"src/cart.rs": f"make_shop!(open);\n{CART.replace(OPEN, '')}"}),
    ("a macro that wraps it", tree(), {"src/cart.rs": CART.replace(OPEN, f"cfg_rt! {{\n{OPEN}}}\n")}),
    ("an alternative is left", tree() | {"src/cart.rs": f"#[cfg(unix)]\n{OPEN}{CART.replace(OPEN, f'#[cfg(windows)]{chr(10)}{OPEN}')}"}, {"src/cart.rs": f"#[cfg(unix)]\n{OPEN}{CART.replace(OPEN, '')}"}),
    ("the use has a condition", tree('#[cfg(feature = "old")]\n    open_shop(a, 1);'), {"src/cart.rs": WIDER.replace("pub fn open_shop", "fn open_shop") + "fn open_shop() {}\n"}),
    ("an attribute changes the function", tree() | {"src/cart.rs": CART.replace("pub fn open_shop", "#[component]\npub fn open_shop")}, {"src/cart.rs": WIDER.replace("pub fn open_shop", "#[component]\npub fn open_shop")}),
    ("a variable bears the name", tree("let open_shop = f;\n    open_shop(1);"), {"src/cart.rs": WIDER}),
    ("a trait's method may be left", tree("c.add_item(1);") | {"src/cart.rs": f"{CART.replace(ADD, '')}impl Items for Cart {{\n{ADD}}}\n"}, {"src/cart.rs": f"{CART.replace(ADD, '')}impl Items for Cart {{}}\n"}),
    ("nobody knows the receiver", tree("find().add_item(1);"), without(ADD)),
    ("a file moved into its folder", tree(), {"src/cart.rs": None, "src/cart/mod.rs": CART}),
    ("comments and strings", tree('let a = "open_shop(1)"; // open_shop(1)\n    /* crate::cart::open_shop(1) */'), {"src/cart.rs": WIDER}),
    ("the text of a macro", other("macro_rules! m {\n    () => { $crate::cart::open_shop(1) };\n}\n"), {"src/cart.rs": WIDER}),
]  # fmt: skip


@pytest.mark.parametrize(("case", "before", "after", "told"), TRUE, ids=[row[0] for row in TRUE])
def test_broken_reference_is_reported_where_it_is_used(
    repository: Repository, case: str, before: Tree, after: Tree, told: list[Row]
) -> None:
    """A reference that no longer compiles is reported at a line that contains it."""
    found = rows(repository.change(before, after))

    assert set(told) <= set(found), case
    assert {path for path, _, _ in found} == {path for path, _, _ in told}, case


@pytest.mark.parametrize(("case", "before", "after"), FALSE, ids=[row[0] for row in FALSE])
def test_code_that_may_still_compile_is_not_reported(
    repository: Repository, case: str, before: Tree, after: Tree
) -> None:
    """Wildcards, macros, conditions, traits, shadowed names and unknown receivers prove nothing."""
    assert rows(repository.change(before, after)) == [], case


@pytest.mark.parametrize(("case", "dependency", "heard"), SHARED, ids=[row[0] for row in SHARED])
def test_dependency_resolves_to_a_local_crate_only_with_a_path(
    repository: Repository, case: str, dependency: str, heard: bool
) -> None:
    """A dependency means the repository's crate only if it has a path, not just a version."""
    before = MEMBER | {"app/Cargo.toml": f"{APP}{dependency}\n"}
    told = rows(repository.change(before, {"shop/src/lib.rs": "pub fn open_shop(a: u8, b: u8) {}\n"}))

    assert told == ([("app/src/main.rs", 2, "required-parameter")] if heard else []), case
