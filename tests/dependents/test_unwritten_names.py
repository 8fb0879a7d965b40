"""Names that are never written out: `switch` constants, global PHP functions."""

import pytest
from dependents_scene import find
from fakes import Repository

KIND = "package com.shop;\npublic enum Kind { OPEN, CLOSED }\n"
SWITCH = (
    "package com.shop.ui;\nimport com.shop.Kind;\nclass Use {\n  int text(Kind k) {\n    switch (k) {\n      case CLOSED: return 1;\n      default:\n    }\n"
    "    return switch (k) {\n      case OPEN -> 1;\n      case CLOSED -> 2;\n    };\n  }\n}\n"
)
HELPERS = "<?php\nfunction plain_money($n) { return $n; }\n"
CALLS = {
    "app/A/Show.php": "<?php\nnamespace App\\A;\nclass Show {\n  function show() { return plain_money(3); }\n}\n",
    "web/index.php": "<?php\necho plain_money(1);\n",
    "app/B/Own.php": "<?php\nnamespace App\\B;\nfunction show() { return $this->plain_money(3) + Tax::plain_money(4) + new plain_money(5); }\n",
    "app/C/Other.php": "<?php\nnamespace App\\C;\nuse function Lib\\plain_money;\nfunction show() { return plain_money(3); }\n",
}


@pytest.mark.parametrize(
    ("files", "change", "broken"),
    [
        ({"com/shop/Kind.java": KIND, "com/shop/ui/Use.java": SWITCH}, ("com/shop/Kind.java", "CLOSED", "DONE"), ["com/shop/ui/Use.java:11", "com/shop/ui/Use.java:6"]),
        ({"app/helpers.php": HELPERS, **CALLS}, ("app/helpers.php", "plain_money", "bare_money"), ["app/A/Show.php:4", "web/index.php:2"]),
    ],
)  # fmt: skip
def test_references_to_a_name_that_is_never_spelled_out_are_found(
    repository: Repository, files: dict[str, str], change: tuple[str, str, str], broken: list[str]
) -> None:
    """References to a removed name are found, although it is neither imported nor written out."""
    path, old, new = change
    found = find(repository.change({**files}, {path: files[path].replace(old, new)}))

    assert sorted({f"{row.path}:{row.line}" for row in found.references if row.missing}) == broken
