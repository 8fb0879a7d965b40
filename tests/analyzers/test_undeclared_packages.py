"""New imports of packages that nothing in the repository declares."""

import re

import pytest
import step
from fakes import Repository

from bot.analyzers import ANALYZERS
from bot.checkout import Checkout
from bot.values import Dependents, Finding, PullRequest

Files = dict[str, str | bytes | None]
PYTHON: Files = {
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["requests>=2", "PyYAML", "scikit-learn"]\n',
    "shop/__init__.py": "",
    "shop/cart.py": "import json\n\nimport requests\nimport yaml\n\nfrom shop import rates\n",
    "shop/rates.py": "RATE = 1\n",
}
NODE: Files = {
    "package.json": '{"name": "shop", "dependencies": {"axios": "^1"}, "devDependencies": {"@types/estree": "1"}}',
    "src/cart.js": 'import fs from "fs";\nimport axios from "axios";\nimport { rate } from "./rates";\n',
    "src/rates.js": "export const rate = 1;\n",
}
GO: Files = {
    "go.mod": "module example.com/shop\n\ngo 1.22\n\nrequire github.com/acme/rates v1.2.0\n",
    "cart/cart.go": 'package cart\n\nimport (\n\t"fmt"\n\n\t"github.com/acme/rates/eur"\n)\n\nvar _ = fmt.Sprint(eur.Rate)\n',
}
RUST: Files = {
    "Cargo.toml": '[package]\nname = "shop"\n\n[dependencies]\nserde_json = "1"\ntui = { package = "ratatui", version = "1" }\n',
    "src/lib.rs": "mod rates;\nuse serde_json::Value;\nuse rates::rate;\npub fn a(_: Value) { rate() }\n",
    "src/rates.rs": "pub fn rate() {}\n",
}


def look(pull: PullRequest) -> list[tuple[str, str | None, int]]:
    """The titles of what is said of undeclared packages, with their places."""

    async def run(tree: Checkout, files: step.Files) -> list[Finding]:
        check = ANALYZERS["references"]({})
        return list((await check.check(tree, [file for file in files if check.wants(file)], Dependents())).findings)

    found = [one for one in step.over(pull, run) if one.rule == "undeclared-package"]
    return [(one.title.split("`")[1], one.path, one.start) for one in found]


@pytest.mark.parametrize(
    ("base", "path", "text", "package"),
    [
        (PYTHON, "shop/pay.py", "import httpx\n", "httpx"),
        (PYTHON, "shop/pay.py", "from sqlalchemy.orm import Session\n", "sqlalchemy"),
        (NODE, "src/pay.js", 'const got = require("got");\n', "got"),
        (NODE, "src/pay.js", 'import got from "got";\n', "got"),
        (NODE, "src/pay.ts", 'import { z } from "zod/v4";\n', "zod"),
        (NODE, "src/pay.js", 'import { a } from "@acme/a/b";\n', "@acme/a"),
        (
            GO,
            "cart/pay.go",
            'package cart\n\nimport "github.com/acme/money"\n\nvar _ = money.Zero\n',
            "github.com/acme/money",
        ),
        (RUST, "src/pay.rs", "use rust_decimal::Decimal;\npub fn pay(_: Decimal) {}\n", "rust_decimal"),
    ],
)
def test_a_package_that_nothing_declares(
    repository: Repository, base: Files, path: str, text: str, package: str
) -> None:
    """An installation of the declared packages cannot run the line."""
    lines = text.splitlines()
    needle = package.partition("/")[2] or package
    line = next(at for at, one in enumerate(lines, 1) if needle in one and re.search(r"use |import|def |\"", one))
    assert look(repository.change(base, {path: text})) == [(package, path, line)]


@pytest.mark.parametrize(
    ("base", "change"),
    [
        (PYTHON, {"shop/pay.py": "import httpx\n", "requirements/dev.txt": "httpx==1\n"}),
        (PYTHON, {"shop/pay.py": "import httpx\n", "Dockerfile": "FROM a:1\nRUN pip install httpx\n"}),
        (PYTHON, {"shop/pay.py": "try:\n    import httpx\nexcept ImportError:\n    httpx = None\n"}),
        (PYTHON, {"shop/pay.py": "import sklearn\nimport tomllib\nfrom shop import rates\nimport __main__\n"}),
        (PYTHON, {"examples/pay.py": "import httpx\n"}),
        (PYTHON | {"uv.lock": '[[package]]\nname = "httpx"\nversion = "1"\n'}, {"shop/pay.py": "import httpx\n"}),
        (PYTHON | {"shop/old.py": "import httpx\n"}, {"shop/pay.py": "import httpx\n"}),
        (
            PYTHON | {"shop/old.py": "import numpy\n"},
            {"shop/pay.py": "import httpx\n"},
        ),  # what the base does it understands
        # what code calls a package that comes with the change nobody knows
        (PYTHON, {"shop/pay.py": "import fitz\n", "requirements.txt": "PyMuPDF\n"}),
        (RUST, {"src/pay.rs": "use md5::compute;\n", "Cargo.toml": f'{RUST["Cargo.toml"]}md-5 = "1"\n'}),
        (PYTHON | {"pyproject.toml": None}, {"shop/pay.py": "import httpx\n"}),
        (
            NODE,
            {"src/pay.ts": 'import type { Node } from "estree";\nimport x from "node:path";\nimport y from "~/a";\n'},
        ),
        (
            NODE | {"vite.config.js": 'export default { resolve: { alias: { "got": "./src" } } };\n'},
            {"src/pay.js": 'import got from "got";\n'},
        ),
        (
            NODE,
            {
                "src/pay.js": 'import got from "got";\n',
                "package.json": '{"name": "shop", "dependencies": {"axios": "1", "got": "1"}}',
            },
        ),
        (GO, {"cart/pay.go": 'package cart\n\nimport (\n\t"example.com/shop/cart"\n\t"net/http"\n)\n'}),
        (
            RUST,
            {
                "src/pay.rs": "use std::io;\nuse tui::Frame;\nuse crate::rates::rate;\nmod own { pub fn f() {} }\nuse own::f;\n"
            },
        ),
    ],
)
def test_what_something_declares_is_silent(repository: Repository, base: Files, change: Files) -> None:
    """A manifest, a lock file, a script, or the tree before the change, which imports it too or is not understood."""
    files = {path: text for path, text in base.items() if text is not None}
    assert look(repository.change(files, change)) == []
