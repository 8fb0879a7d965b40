"""Files that export a single function, class or value, such as `module.exports = function price(tax) {}`."""

import pytest
from dependents_scene import find
from fakes import Repository

from bot.review import coverage

FUNCTION = "module.exports = function price(tax, sum) {\n  return tax + sum;\n};\n"
CLASS = "module.exports = class Cart {\n  constructor(tax) {\n    this.tax = tax;\n  }\n  total(tax) {\n    return tax;\n  }\n};\n"
CALL = 'const cost = require("./lib");\nshow(cost(1, 2));\n'
NEW_PARAMETER = ("(tax, sum)", "(shop, tax, sum)")
OF_CLASS = ("constructor(tax)", "constructor(shop, tax)")
# case -> (the file and its text, the replacement in it, the file that uses it and its text)
OPEN = {
    "a function that has a name": (("lib.js", FUNCTION), NEW_PARAMETER, ("pay.js", CALL)),
    "an import of CommonJS": (("lib.cjs", FUNCTION), NEW_PARAMETER, ("pay.mjs", 'import cost from "./lib.cjs";\nshow(cost(1, 2));\n')),
    "a constant beside it": (("lib.js", f"const p = ({FUNCTION[:-2]});\n"), NEW_PARAMETER, ("pay.js", CALL)),
    "a value": (("lib.js", "module.exports = 5;\n"), ("5", '"5"'), ("pay.js", 'const rate = require("./lib");\nshow(rate + 1);\n')),
    "a constructor": (("lib.js", CLASS), OF_CLASS, ("pay.js", 'const Basket = require("./lib");\nshow(new Basket(1));\n')),
    "a method of a class": (("lib.js", CLASS.replace(" total", " static total")), ("total(tax)", "total(shop, tax)"), ("pay.js", 'const Basket = require("./lib");\nBasket.total(1);\n')),
    "a class of TypeScript": (
        ("lib.ts", "export = class Cart {\n  constructor(tax: number) {\n    show(tax);\n  }\n};\n"),
        ("(tax: number)", "(shop: string, tax: number)"),
        ("pay.ts", 'import Basket = require("./lib");\nshow(new Basket(1));\n'),
    ),
    "a default whose own name changes": (
        ("lib.js", FUNCTION.replace("module.exports =", "export default")),
        ("price(tax, sum)", "cost(shop, tax, sum)"),
        ("pay.js", 'import cost from "./lib.js";\nshow(cost(1, 2));\n'),
    ),
}  # fmt: skip
SILENT = {
    "its own name": (FUNCTION, ("price", "cost"), CALL),
    "that it has no name now": (FUNCTION, (" price", " "), CALL),
    "where it is offered": (FUNCTION, ("module.exports = ", "exports = module.exports = "), CALL),
    "a parameter that may be left out": (FUNCTION, ("sum)", "sum, fee = 0)"), CALL),
    "a parameter that is called so": (FUNCTION, NEW_PARAMETER, 'const cost = require("./lib");\nfunction go(cost) {\n  show(cost);\n}\n'),
    "another member of the class": (CLASS, (" total(tax)", " total(shop, tax)"), 'const Basket = require("./lib");\nBasket.make(1);\n'),
}  # fmt: skip


@pytest.mark.parametrize("what", OPEN)
def test_importer_of_a_whole_module_uses_its_exported_value(repository: Repository, what: str) -> None:
    """Users write their own name for the module, not the name that the function has in its file."""
    (path, text), change, (reader, code) = OPEN[what]
    found = find(repository.change({path: text, reader: code}, {path: text.replace(*change)}))
    assert {use.path for use in coverage.obliged_uses((), found)} == {reader}


@pytest.mark.parametrize("what", SILENT)
def test_unexported_change_does_not_affect_importers(repository: Repository, what: str) -> None:
    """A change to the function's own name or to another member doesn't affect those who import the module."""
    text, change, code = SILENT[what]
    found = find(repository.change({"lib.js": text, "pay.js": code}, {"lib.js": text.replace(*change)}))
    assert all(use.reference.target_state == "present" for use in coverage.obliged_uses((), found))
