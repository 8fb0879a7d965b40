"""Imports in added lines that lead nowhere, or take a name that the imported file doesn't offer."""

import pytest
from trees import messages, verdicts

PYTHON = {"shop/__init__.py": "", "shop/tax.py": "def total(a):\n    return a\n"}
SCRIPT = {"package.json": "{}\n", "src/tax.ts": "export function total() {}\n"}
GO = {"go.mod": "module example.com/shop\n", "tax/tax.go": "package tax\n\nfunc Total() int { return 1 }\n"}
RUST = {
    "Cargo.toml": '[package]\nname = "shop"\nedition = "2021"\n',
    "src/lib.rs": "pub mod tax;\npub mod user;\n",
    "src/tax.rs": "pub fn total() {}\n",
}
RUBY = {"lib/money.rb": "module Money\nend\n"}
OPEN = {"shop/__init__.py": "", "shop/tax.py": "def __getattr__(name):\n    return 1\n"}


@pytest.mark.parametrize(
    ("files", "path", "text", "found"),
    [
        (PYTHON, "app.py", "from shop.tax import total\n", []),
        (PYTHON, "app.py", "from shop.taxes import total\n", ["1 missing-module shop.taxes: shop.tax"]),
        (PYTHON, "app.py", "from shop.tax import totel\n", ["1 missing-name totel: total"]),
        (PYTHON, "app.py", "try:\n    from shop.tax import fast\nexcept ImportError:\n    fast = None\n", []),
        (PYTHON, "app.py", "from flask import total\n", []),
        (OPEN, "app.py", "from shop.tax import total\n", []),
        (SCRIPT, "src/app.ts", 'import { total } from "./tax"\n', []),
        (SCRIPT, "src/app.ts", 'import { totel } from "./tax"\n', ["1 missing-name totel: total"]),
        (SCRIPT, "src/app.ts", 'import { total } from "./taxs"\n', ["1 missing-module ./taxs: ./tax"]),
        (GO, "main.go", 'package main\n\nimport "example.com/shop/taxs"\n', ["3 missing-module example.com/shop/taxs: example.com/shop/tax"]),
        (GO, "main.go", 'package main\n\nimport "example.com/shop/tax"\n\nvar one = tax.Totel()\n', ["5 missing-name Totel: Total"]),
        (GO, "main.go", 'package main\n\nimport t "example.com/shop/tax"\n\nvar one t.Totel\n', ["5 missing-name Totel: Total"]),
        (GO, "main.go", 'package main\n\nimport "example.com/shop/tax"\n\nfunc f(tax Other) int { return tax.Totel() }\n', []),
        (GO | {"tax/gen.go": "package tax\n\n//go:generate stringer -type=Kind\n"}, "main.go", 'package main\n\nimport "example.com/shop/tax"\n\nvar one = tax.Totel()\n', []),
        (GO | {"tax/tax_linux.go": "package tax\n\nfunc Totel() int { return 1 }\n"}, "main.go", 'package main\n\nimport "example.com/shop/tax"\n\nvar one = tax.Totel()\n', []),
        (RUBY, "lib/till.rb", "require_relative 'monies'\n", ["1 missing-module monies: money"]),
        (RUBY, "lib/till.rb", "require_relative 'money'\nrequire 'monies'\n", []),
        (RUBY, "lib/till.rb", "begin\n  require_relative 'monies'\nrescue LoadError\n  nil\nend\n", []),
        (RUBY | {"lib/monies.y": "class Monies\n"}, "lib/till.rb", "require_relative 'monies'\n", []),
        (RUBY | {"ext/monies/extconf.rb": "\n"}, "lib/till.rb", "require_relative 'monies'\n", []),
        (RUST, "src/user.rs", "use crate::tax::totel;\n", ["1 missing-name totel: total"]),
        (RUST, "src/user.rs", "use tax::totel;\n", []),
        (RUST | {"Cargo.toml": '[package]\nname = "shop"\n'}, "src/user.rs", "use tax::totel;\n", ["1 missing-name totel: total"]),
    ],
)  # fmt: skip
def test_import_that_leads_nowhere_is_found(files: dict[str, str], path: str, text: str, found: list[str]) -> None:
    """An import is only reported if the tree must have the file or name."""
    assert messages({**files, path: text}, path) == found


def test_only_a_path_that_led_to_a_file_is_proven() -> None:
    """A path that never led to a file, or a missing name, may have an explanation that the code doesn't show."""
    user = "from shop.tax import total\nfrom shop.carts import pay\n"
    assert verdicts(PYTHON, {"shop/__init__.py": "", "shop/cart.py": "", "app.py": user}, "app.py") == [
        "1 shop.tax proven",
        "2 shop.carts likely",
    ]
