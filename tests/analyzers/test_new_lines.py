"""New lines that use names missing from the repository, checked over real commits."""

import pytest
from fakes import Repository

import deeprepo

SHOP = {"shop/__init__.py": "", "shop/pay.py": "from shop.made import price\n\n\ndef pay():\n    return price()\n"}
CART = "from shop.made import price\n\n\ndef cart():\n    return price()\n"


@pytest.mark.parametrize(
    ("base", "change", "found"),
    [
        (SHOP, {"shop/cart.py": CART}, False),
        ({"shop/__init__.py": "", "shop/mode.py": ""}, {"shop/cart.py": CART}, True),
        ({**SHOP, "shop/made.py": "def price():\n    return 1\n"}, {"shop/cart.py": CART, "shop/made.py": None}, True),
    ],
)
def test_missing_module_is_reported_only_if_removed_or_similarly_named(
    repository: Repository, base: dict[str, str | bytes | None], change: dict[str, str | bytes | None], *, found: bool
) -> None:
    """A missing module is reported if the change deletes it, or if another one has a similar name."""
    repository.commit(base, "before")
    repository.commit(change, "after")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")

    assert ("shop/cart.py" in {finding.path for finding in review.findings}) is found


PACKAGE = "package com.shop.net\n\nclass Channel(val id: Int)\n"
IMPORT = "package com.shop.page\n\nimport com.shop.net.%s\n\nclass Page(val one: %s)\n"


@pytest.mark.parametrize(("base", "name", "found"), [(PACKAGE, "VoipSpec", False), (PACKAGE, "Chanel", True), (f"{PACKAGE}\nclass VoipSpec\n", "VoipSpec", True)])  # fmt: skip
def test_unknown_import_is_reported_only_if_removed_or_similarly_named(
    repository: Repository, base: str, name: str, *, found: bool
) -> None:
    """A new import is reported only if the package had that class or has one with a similar name."""
    repository.commit({"com/shop/net/Channel.kt": base}, "before")
    page = IMPORT % (name, name)
    repository.commit({"com/shop/net/Channel.kt": PACKAGE, "com/shop/page/Page.kt": page}, "after")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")

    assert ("com/shop/page/Page.kt" in {finding.path for finding in review.findings}) is found


def test_commented_out_assignment_is_not_an_attribute(repository: Repository) -> None:
    """An edit next to a commented-out assignment doesn't count as removing an attribute."""
    text = "class Task {\n  constructor() {\n    this.size = 1;\n    // this.answer = undefined\n  }\n  run() {\n    return 1;\n  }\n}\nexport { Task };\n"
    use = "export function show(state) {\n  return state.answer;\n}\n"
    repository.commit({"task.js": text, "show.js": use}, "before")
    repository.commit({"task.js": text.replace("return 1", "return 2")}, "after")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")

    assert not [row for row in review.relying if "answer" in row]
