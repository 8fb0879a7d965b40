"""New files that their package does not include, and the lines of it that import them."""

import pytest
import step
from fakes import Repository

from bot.analyzers import ANALYZERS
from bot.checkout import Checkout
from bot.values import Dependents, Finding

Files = dict[str, str | bytes | None]
LISTED = 'from setuptools import setup\n\nsetup(name="shop", packages=["shop"])\n'
CODE: Files = {"shop/__init__.py": "", "shop/cart.py": "RATE = 1\n"}
PAY: Files = {"shop/cart.py": "from shop.pay import card\n\nRATE = card.RATE\n", "shop/pay/card.py": "RATE = 1\n"}
WHOLE: Files = {**PAY, "shop/pay/__init__.py": ""}
PROJECT = '[build-system]\nbuild-backend = "setuptools.build_meta"\n\n[tool.setuptools]\npackages = ["shop"]\n'
NODE = '{"name": "shop", "version": "1.0.0", "main": "lib/index.js", "files": ["lib"]SCRIPTS}'
LIB: Files = {"lib/index.js": "module.exports = {};\n"}
MORE: Files = {
    "lib/index.js": "const rate = require('../shared/rate');\nmodule.exports = { rate };\n",
    "shared/rate.js": "module.exports = 1;\n",
}


def look(repository: Repository, before: Files, after: Files) -> list[tuple[str, str | None, int]]:
    """The titles of what is said of files that a package leaves out, with their places."""

    async def run(tree: Checkout, files: step.Files) -> list[Finding]:
        check = ANALYZERS["references"]({})
        return list((await check.check(tree, [file for file in files if check.wants(file)], Dependents())).findings)

    found = [one for one in step.over(repository.change(before, after), run) if one.rule == "unshipped-file"]
    return [(one.title.split("`")[1], one.path, one.start) for one in found]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ({"setup.py": LISTED, **CODE}, WHOLE, ("shop/pay/card.py", "shop/cart.py", 1)),
        ({"pyproject.toml": PROJECT, **CODE}, WHOLE, ("shop/pay/card.py", "shop/cart.py", 1)),
        ({"setup.py": LISTED.replace('["shop"]', "find_packages()"), **CODE}, PAY, ("shop/pay/card.py", "shop/cart.py", 1)),
        ({"package.json": NODE.replace("SCRIPTS", ""), **LIB}, MORE, ("shared/rate.js", "lib/index.js", 1)),
    ],
)  # fmt: skip
def test_an_import_of_a_file_that_the_package_leaves_out(
    repository: Repository, before: Files, after: Files, found: tuple[str, str, int]
) -> None:
    """It works in the repository, and raises where the package is installed."""
    assert found in look(repository, before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"setup.py": LISTED, **CODE}, {**WHOLE, "setup.py": LISTED.replace('"shop"]', '"shop", "shop.pay"]')}),
        ({"setup.py": LISTED.replace('["shop"]', "find_packages()"), **CODE}, WHOLE),
        ({"setup.py": LISTED.replace('["shop"]', "packages()"), **CODE}, PAY),
        ({"setup.py": LISTED, **CODE, "shop/old/__init__.py": ""}, WHOLE),  # its own code was left out before
        ({"pyproject.toml": PROJECT.replace("setuptools.build_meta", "hatchling.build"), **CODE}, WHOLE),
        ({"setup.py": LISTED, **CODE}, {**WHOLE, "shop/cart.py": "try:\n    from shop.pay import card\nexcept ImportError:\n    card = None\n"}),
        ({"setup.py": LISTED, **CODE}, {**WHOLE, "shop/cart.py": None, "tests/test_cart.py": "from shop.pay import card\n"}),
        ({"package.json": NODE.replace("SCRIPTS", ', "scripts": {"build": "tsc"}'), **LIB}, MORE),
        ({"package.json": NODE.replace("SCRIPTS", ', "private": true'), **LIB}, MORE),
        ({"package.json": NODE.replace("SCRIPTS", ""), **LIB}, {**MORE, "package.json": NODE.replace("SCRIPTS", "").replace('"lib"]', '"lib", "shared"]')}),
        ({"package.json": NODE.replace("SCRIPTS", ""), **LIB}, {"tools/a.js": "require('./b');\n", "tools/b.js": "exports.b = 1;\n"}),
    ],
)  # fmt: skip
def test_what_the_package_may_have_is_silent(repository: Repository, before: Files, after: Files) -> None:
    """The list includes the file or cannot be read, a build makes the package, the import may fail, or the importer is not shipped."""
    assert look(repository, before, after) == []
