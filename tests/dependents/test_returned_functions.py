"""Functions that another function returns, as in hooks, composables, stores and factories."""

import pytest
from dependents_scene import find
from fakes import Repository

from bot.review import coverage

DECLARED = "export function useCart(shop) {\n  function add(x) {\n    show(x);\n  }\n  return { add };\n}\n"
STORE = 'export const useCart = defineStore("cart", () => {\n  const rows = ref([]);\n  const add = (x) => {\n    rows.push(x);\n  };\n  return { rows, add };\n});\n'
FACTORY = "module.exports = function makeCart(db) {\n  function add(x) {\n    db(x);\n  }\n  return { add };\n};\n"
AT_ONCE = "export const cart = (function () {\n  function add(x) {\n    show(x);\n  }\n  return { add };\n})();\n"
MADE = "export function useCart() {\n  const add = useCallback((x) => {\n    show(x);\n  }, []);\n  return %s;\n}\n"
FROM = 'import { useCart } from "./lib.js";\n'
APART = f"{FROM}const {{ add }} = useCart({{ a: (1) }});\nadd(1);\n"
OWNED = f"{FROM}const cart = useCart();\ncart.add(1);\n"
X = ("(x)", "(shop, x)")
# case -> (the file's text, the replacement in it, the code that uses it, the line that is open)
OPEN = {
    "a declaration, taken apart": (DECLARED, X, APART, 3),
    "a declaration, as a member": (DECLARED, X, OWNED, 3),
    "taken apart under another name": (DECLARED, X, f"{FROM}const {{ add: plus }} = useCart();\nplus(1);\n", 2),
    "that has to be awaited": (DECLARED, ("function add", "async function add"), APART, 3),
    "that throws": (DECLARED, ("show(x)", 'throw new Error("x")'), APART, 3),
    "of a callback": (MADE % "{ add }", X, APART, 3),
    "a store": (STORE, X, OWNED, 3),
    "a factory of CommonJS": (FACTORY, X, 'const makeCart = require("./lib");\nconst cart = makeCart(1);\ncart.add(1);\n', 3),
    "a function that is called at once": (AT_ONCE, X, 'import { cart } from "./lib.js";\ncart.add(1);\n', 2),
}  # fmt: skip
SILENT = {
    "another function's result": (DECLARED, X, f'{FROM}import {{ other }} from "./other.js";\nconst cart = other();\ncart.add(1);\nconst {{ add }} = other();\nadd(1);\n'),
    "a set of the user's own": (DECLARED, X, f"{FROM}const rows = new Set();\nrows.add(useCart());\n"),
    "a function that is not returned": (DECLARED.replace("{ add }", "{ put: () => add(1) }"), X, f"{FROM}useCart().put();\n"),
    "a parameter that may be left out": (DECLARED, ("(x)", "(x, shop = 1)"), APART),
}  # fmt: skip


@pytest.mark.parametrize("what", OPEN)
def test_call_of_a_changed_returned_function_is_listed(repository: Repository, what: str) -> None:
    """A call of a changed inner function is listed, however the returned object reaches it."""
    text, change, code, line = OPEN[what]
    found = find(repository.change({"lib.js": text, "pay.js": code}, {"lib.js": text.replace(*change)}))
    assert {(use.path, use.line) for use in coverage.obliged_uses((), found)} == {("pay.js", line)}


@pytest.mark.parametrize("what", SILENT)
def test_call_on_an_unknown_object_is_not_listed(repository: Repository, what: str) -> None:
    """A call is not listed if its receiver isn't known to be the returned object."""
    text, change, code = SILENT[what]
    found = find(repository.change({"lib.js": text, "pay.js": code}, {"lib.js": text.replace(*change)}))
    assert not coverage.obliged_uses((), found)
