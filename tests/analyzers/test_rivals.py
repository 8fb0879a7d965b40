"""A variable in another function that has the same name as a changed function."""

import pytest
from contract_findings import look, open_uses
from fakes import Repository

Files = dict[str, str | bytes | None]
Scene = tuple[Files, Files, Files]  # the files, the change that breaks a caller, and more files
PYTHON: Files = {"cart.py": "def total(a):\n    return a\n", "use.py": "from cart import total\n\nprint(total(1))\n"}
BROKEN: Files = {"cart.py": "def total(a, b):\n    return a + b\n"}
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


def behind(files: Files, path: str, text: str) -> Files:
    """Return the scene's file with the text appended."""
    return {path: f"{files[path]}{text}"}


BESIDE: dict[str, Scene] = {
    "Python: a parameter": (PYTHON, BROKEN, behind(PYTHON, "use.py", "\ndef g(total):\n    return total\n")),
    "Python: a variable": (PYTHON, BROKEN, behind(PYTHON, "use.py", "\ndef g():\n    total = 1\n    return total\n")),
    "Go: a variable": (GO, BROKEN_GO, behind(GO, "a/b.go", "\nfunc g() { Total := 1; _ = Total }\n")),
    "Rust: a parameter": (RUST, BROKEN_RUST, behind(RUST, "src/user.rs", "fn g(total: i32) -> i32 { total }\n")),
}


@pytest.mark.parametrize("name", BESIDE)
def test_local_variable_of_the_same_name_does_not_weaken_the_proof(repository: Repository, name: str) -> None:
    """The call outside that function is proven broken, and the variable's references are not open."""
    files, broken, others = BESIDE[name]
    pull = repository.change({**files, **others}, broken)

    assert (len(look(pull)), open_uses(pull)) == (1, ())
