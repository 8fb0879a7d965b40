"""Deleted files whose import may now resolve to a published package of the same name."""

import pytest
from contract_findings import look, open_uses
from fakes import Repository

Files = dict[str, str | None]
CRATE = '[package]\nname = "app"\nversion = "0.1.0"\n%s'
TOTAL = "def total(x):\n    return x\n"
RUST: Files = {
    "Cargo.toml": CRATE % "",
    "src/main.rs": "mod args;\nmod atty;\nfn main() { args::run(); }\n",
    "src/args.rs": "use atty;\npub fn run() { atty::is(); }\n",
    "src/atty.rs": "pub fn is() {}\n",
}
NEW_RUST: Files = {
    "Cargo.toml": CRATE % '[dependencies]\natty = "0.2"\n',
    "src/main.rs": "extern crate atty;\nmod args;\nfn main() { args::run(); }\n",
    "src/atty.rs": None,
}
PYTHON: Files = {"requirements.txt": "", "six.py": TOTAL, "app.py": "from six import total\n\nprint(total(1))\n"}
JAVASCRIPT: Files = {
    "package.json": '{"workspaces": ["packages/*"]}\n',
    "packages/app/package.json": '{"name": "@shop/app", "dependencies": {"@shop/cart": "workspace:*"}}\n',
    "packages/app/index.js": "import { total } from '@shop/cart'\nconsole.log(total)\n",
    "packages/cart/package.json": '{"name": "@shop/cart", "main": "index.js"}\n',
    "packages/cart/index.js": "export const total = 1\n",
}
NEW_JAVASCRIPT: Files = {
    "packages/app/package.json": '{"name": "@shop/app", "dependencies": {"@shop/cart": "^1.0.0"}}\n',
    "packages/cart/package.json": None,
    "packages/cart/index.js": None,
}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (RUST, NEW_RUST),
        (PYTHON, {"requirements.txt": "six>=1.17\n", "six.py": None}),
    ],
)  # fmt: skip
def test_import_that_a_package_may_provide_is_left_open(repository: Repository, before: Files, after: Files) -> None:
    """If a manifest's package may replace the deleted module, its import is open instead of broken."""
    pull = repository.change(before, after)

    assert not [finding for finding in look(pull) if finding.rule == "removed-module"]
    assert open_uses(pull)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (RUST, {**NEW_RUST, "src/main.rs": "mod args;\nmod atty;\nfn main() {}\n"}),
        ({"requirements.txt": "six\n", "shop/__init__.py": "", "shop/six.py": TOTAL, "app.py": "from shop.six import total\n\ntotal(1)\n"},
         {"shop/six.py": None}),
        ({"package.json": "{}\n", "src/cart.js": "export const total = 1\n", "src/app.js": "import { total } from './cart'\nconsole.log(total)\n"},
         {"package.json": '{"dependencies": {"cart": "^1.0.0"}}\n', "src/cart.js": None}),
        (JAVASCRIPT, {**NEW_JAVASCRIPT, "packages/app/package.json": '{"name": "@shop/app"}\n'}),
        (PYTHON, {"requirements.txt": "requests\n", "six.py": None}),
    ],
)  # fmt: skip
def test_import_that_no_package_can_provide_is_reported(repository: Repository, before: Files, after: Files) -> None:
    """An import that can only mean the deleted file, or that no listed package matches, is reported."""
    assert "removed-module" in {finding.rule for finding in look(repository.change(before, after))}
