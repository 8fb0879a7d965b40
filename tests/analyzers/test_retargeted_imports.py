"""Imports that mean another file, or no file, although nobody has touched their lines. Each control is the same change made in the open."""

import shutil

import pytest
from contract_findings import look, open_uses
from fakes import Repository

from bot.values import PullRequest

Files = dict[str, str | bytes | None]
LINK = "link to "
MODULE = "160000 submodule"
COMMIT = "1" * 40
TOTAL = "def total(x):\n    return x\n"
PYTHON: Files = {
    "shop/__init__.py": "",
    "shop/cart.py": TOTAL,
    "other/__init__.py": "x = 1\n",
    "app.py": "from shop.cart import total\n\nprint(total(1))\n",
}
BEHIND: Files = {
    "lib": f"{LINK}src",
    "src/__init__.py": "",
    "src/cart.py": TOTAL,
    "else/cart.py": "",
    "app.py": "from lib.cart import total\n\nprint(total(1))\n",
}
SCRIPT = "export function total(x) {\n  return x\n}\n"
ROUTER = "import { total } from '%s'\nconsole.log(total(1))\n"
GO: Files = {
    "go.mod": "module shop\n\ngo 1.22\n",
    "cart/cart.go": "package cart\n\nfunc Total() {}\n",
    "app/app.go": 'package app\n\nimport "shop/cart"\n\nfunc Run() { cart.Total() }\n',
}
RUST: Files = {
    "Cargo.toml": '[workspace]\nmembers = ["app", "cart", "till"]\n',
    "app/Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\n[dependencies]\ncart = { path = "../cart" }\n',
    "app/src/main.rs": "use cart::total;\nfn main() { total(1); }\n",
    "cart/Cargo.toml": '[package]\nname = "cart"\nversion = "0.1.0"\n',
    "cart/src/lib.rs": "pub fn total(x: i32) -> i32 { x }\n",
    "till/Cargo.toml": '[package]\nname = "cart"\nversion = "0.1.0"\n',
    "till/src/lib.rs": "pub fn sums(x: i32) -> i32 { x }\n",
}


def change(repository: Repository, before: Files, after: Files) -> PullRequest:
    """A change whose trees may hold links and submodules."""
    return repository.pull(_commit(repository, before), _commit(repository, after))


def _commit(repository: Repository, files: Files) -> str:
    modules = [path for path, content in files.items() if content == MODULE]
    for path, content in files.items():
        place = repository.folder / path
        if content is None and not place.exists() and not place.is_symlink():
            repository.git("rm", "-q", "--cached", path)
        if place.is_symlink() or (content is None and place.is_file()):
            place.unlink()
        elif content is None and place.is_dir():
            shutil.rmtree(place)
        if isinstance(content, str) and content.startswith(LINK):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.unlink(missing_ok=True)
            place.symlink_to(content.removeprefix(LINK))
        elif content is not None and content != MODULE:
            repository.write({path: content})
    repository.git("add", "--all")
    for path in modules:
        repository.git("update-index", "--add", "--cacheinfo", f"160000,{COMMIT},{path}")
    repository.git("commit", "-qm", "x", "--allow-empty")
    return repository.git("rev-parse", "HEAD")


@pytest.mark.parametrize(
    ("before", "after", "path"),
    [
        (PYTHON, {"shop/cart/__init__.py": ""}, "shop/cart/__init__.py"),
        (PYTHON, {"shop/cart/__init__.py": b"\0\1\2"}, "shop/cart/__init__.py"),
        ({"a/cart/index.js": SCRIPT, "a/app.js": ROUTER % "./cart"}, {"a/cart.ts": ""}, "a/cart.ts"),
        ({"a/cart/index.js": SCRIPT, "a/app.js": ROUTER % "./cart"}, {"a/cart.json": "{}\n"}, "a/cart.json"),
        ({"inc/cart.h": "int f(int);\n", "src/app.c": '#include "cart.h"\n'}, {"src/cart.h": ""}, "src/cart.h"),
        (PYTHON, {"shop/cart": f"{LINK}../other"}, "other/__init__.py"),
        (PYTHON, {"shop/cart.py": f"{LINK}../other/__init__.py"}, "other/__init__.py"),
        (PYTHON, {"shop/cart": MODULE}, "shop/cart"),
        (PYTHON, {"shop/cart": f"{LINK}/usr/lib/cart"}, "shop/cart"),
        (BEHIND, {"lib": f"{LINK}else"}, "else/cart.py"),
    ],
)
def test_a_path_that_comes_and_stands_before_another_leaves_the_imports_open(
    repository: Repository, before: Files, after: Files, path: str
) -> None:
    """Whatever is in it: nothing, bytes, data, a link to a folder or to a file, a submodule."""
    uses = open_uses(change(repository, before, after))

    assert {use.says for use in uses} >= {f"this import means {path} now"}


@pytest.mark.parametrize(
    ("path", "importer", "code"),
    [
        ("shop/cart.py", "app.py", "import shop.cart\n"),
        ("src/cart.js", "src/app.js", "import './cart'\n"),
        ("src/cart.css", "src/app.js", "import './cart.css'\n"),
        ("inc/cart.h", "src/app.c", '#include "../inc/cart.h"\n'),
        ("src/cart.rs", "src/lib.rs", "mod cart;\n"),
        ("lib/cart.rb", "app.rb", "require_relative 'lib/cart'\n"),
        ("lib/cart.php", "app.php", "<?php\nrequire __DIR__.'/lib/cart.php';\n"),
    ],
)
def test_an_import_of_an_empty_file_that_is_gone_is_a_finding(
    repository: Repository, path: str, importer: str, code: str
) -> None:
    """It breaks as one of any other file does; so does one of a type that the language does not read."""
    found = look(change(repository, {path: "", importer: code, "Cargo.toml": "[package]\nname = 'a'\n"}, {path: None}))

    assert [(finding.rule, finding.path) for finding in found] == [("removed-module", importer)]


def test_a_definition_behind_a_linked_folder_is_compared_with_its_callers(repository: Repository) -> None:
    """The file that a caller's import means is the one that the link leads to."""
    found = look(change(repository, BEHIND, {"src/cart.py": "def total(x, y):\n    return x\n"}))

    assert [finding.path for finding in found] == ["app.py"]


@pytest.mark.parametrize("holds", [".", "../lib", "loop", "x" * 300, "../../etc", ""])
def test_links_that_lead_nowhere_end(repository: Repository, holds: str) -> None:
    """A circle, the tree itself and a place outside of it are followed a bounded way, and the caller beside them is reported."""
    after: Files = {"lib/loop": f"{LINK}{holds or 'lib/loop'}", "shop/cart.py": "def sums(x):\n    return x\n"}

    assert [finding.path for finding in look(change(repository, PYTHON, after))] == ["app.py"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BEHIND, {"lib": None}),
        ({**PYTHON, "shop/cart": MODULE}, {"shop/cart": None}),
        ({**PYTHON, "sub/app.py": "from .util import f\n", "sub/util.py": "f = 1\n"}, {"sub/app.py": None, "far/app.py": "from .util import f\n"}),
        (GO, {"cart/go.mod": "module till\n"}),
        (GO, {"go.mod": "module till\n\ngo 1.22\n"}),
        ({"composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}', "src/Cart.php": "<?php\nnamespace Shop;\nclass Cart {}\n",
          "app.php": "<?php\nuse Shop\\Cart;\nnew Cart();\n"}, {"composer.json": '{"autoload": {"psr-4": {"Till\\\\": "src/"}}}'}),
    ],
)  # fmt: skip
def test_an_import_that_means_a_file_no_longer_is_open(repository: Repository, before: Files, after: Files) -> None:
    """A link or a submodule goes, the importing file moves, a module or a namespace gets another name; the file meant is still there."""
    uses = open_uses(change(repository, before, after))

    assert uses
    assert all(use.says.endswith("no longer") for use in uses)


@pytest.mark.parametrize(
    ("before", "after", "path"),
    [
        ({"tsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}}', "src/cart.ts": SCRIPT,
          "else/cart.ts": "export const z = 1\n", "app.ts": ROUTER % "@/cart"},
         {"tsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["else/*"]}}}'}, "else/cart.ts"),
        ({"src/cart/package.json": '{"main": "index.js"}', "src/cart/index.js": SCRIPT, "src/cart/other.js": "export const z = 1\n",
          "src/app.js": ROUTER % "./cart"}, {"src/cart/package.json": '{"main": "other.js"}'}, "src/cart/other.js"),
        ({"package.json": '{"name": "p", "imports": {"#cart": "./cart.js"}}', "cart.js": SCRIPT, "other.js": "export const z = 1\n",
          "app.js": ROUTER % "#cart"}, {"package.json": '{"name": "p", "imports": {"#cart": "./other.js"}}'}, "other.js"),
        ({"packages/a/package.json": '{"name": "a", "exports": "./cart.js"}', "packages/a/cart.js": SCRIPT,
          "packages/a/other.js": "export const z = 1\n", "packages/b/app.js": ROUTER % "a"},
         {"packages/a/package.json": '{"name": "a", "exports": "./other.js"}'}, "packages/a/other.js"),
        (RUST, {"app/Cargo.toml": str(RUST["app/Cargo.toml"]).replace("../cart", "../till")}, "till/src/lib.rs"),
    ],
)  # fmt: skip
def test_what_a_configuration_file_lets_an_import_mean_is_open(
    repository: Repository, before: Files, after: Files, path: str
) -> None:
    """`paths`, `main`, `imports`, `exports`, a path dependency: no line of code changes, and every importer gets another file."""
    uses = open_uses(change(repository, before, after))

    assert {use.says for use in uses} == {f"this import means {path} now"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({**PYTHON, "package.json": '{"name": "p", "version": "1"}', "a.js": ROUTER % "./b", "b.js": SCRIPT}, {"package.json": '{"name": "p", "version": "2"}'}),
        (RUST, {"app/Cargo.toml": str(RUST["app/Cargo.toml"]).replace("0.1.0", "0.2.0") + 'log = "1"\n'}),
        (GO, {"go.mod": "module shop\n\ngo 1.23\n\nrequire example.com/x v1.0.0\n"}),
        (GO, {"cart/more.go": "package cart\n\nfunc More() {}\n"}),
        (PYTHON, {"shop/__init__.py": None, "shop/cart.py": None, "store/__init__.py": "", "store/cart.py": TOTAL, "app.py": "from store.cart import total\n"}),
        (PYTHON, {"docs/README.md": "cart\n", "logo.svg": "<svg/>\n", "shop/empty.py": ""}),
        ({**PYTHON, "vendor/lib": MODULE}, {"vendor/lib": MODULE, "b.txt": "x\n"}),
        ({**BEHIND, "lib2": f"{LINK}src"}, {"lib2": None}),
    ],
)  # fmt: skip
def test_what_lets_every_import_mean_the_same_leaves_nothing_open(
    repository: Repository, before: Files, after: Files
) -> None:
    """Versions and dependencies, a file more in a package, a folder that moves with its importers, files that nobody imports."""
    pull = change(repository, before, after)

    assert (look(pull), open_uses(pull)) == ([], ())
