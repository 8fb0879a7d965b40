"""Members of JavaScript and TypeScript that lose their setter and keep their getter."""

import pytest
from dependents_scene import find
from fakes import Repository

from bot.review import coverage

GETTER = "  get total() {\n    return n;\n  }\n"
SETTER = "  set total(v) {\n    n = v;\n  }\n"
CLASS = f"let n = 1;\nexport class Cart {{\n{GETTER}{SETTER}}}\n"
OBJECT = f"let n = 1;\nexport const cart = {{\n{GETTER[:-1]},\n{SETTER[:-1]},\n}};\n"
TYPED = CLASS.replace("total(v)", "total(v: number)")
FROM = 'import { Cart } from "./lib.js";\nconst c = new Cart();\n'
# what -> (the file and its text, the line that goes, who uses it, the lines that are open)
WRITTEN = {
    "assigned to": ("lib.js", CLASS, SETTER, f"{FROM}c.total = 3;\nshow(c.total);\n", {3}),
    "added to": ("lib.js", CLASS, SETTER, f"{FROM}c.total += 3;\n", {3}),
    "counted up": ("lib.js", CLASS, SETTER, f"{FROM}c.total++;\n", {3}),
    "of an object": ("lib.js", OBJECT, f"{SETTER[:-1]},\n", 'import { cart } from "./lib.js";\ncart.total = 3;\n', {2}),
    "of a class itself": ("lib.js", CLASS.replace("  get", "  static get").replace("  set", "  static set"), SETTER.replace("  set", "  static set"), 'import { Cart } from "./lib.js";\nCart.total = 3;\n', {2}),
    "of TypeScript": ("lib.ts", TYPED, SETTER.replace("(v)", "(v: number)"), 'import { Cart } from "./lib";\nexport function pay(c: Cart) {\n  c.total = 3;\n}\n', {3}),
    "read": ("lib.js", CLASS, SETTER, f"{FROM}show(c.total + 1);\n", set()),
    "a member of another class": ("lib.js", CLASS, SETTER, f"{FROM}const d = new Map();\nd.total = 3;\n", set()),
}  # fmt: skip


@pytest.mark.parametrize("what", WRITTEN)
def test_a_setter_that_goes_concerns_who_assigns(repository: Repository, what: str) -> None:
    """Who reads the member gets what it got before."""
    path, text, setter, code, lines = WRITTEN[what]
    reader = "pay.ts" if path.endswith(".ts") else "pay.js"
    found = find(repository.change({path: text, reader: code}, {path: text.replace(setter, "")}))
    assert {use.line for use in coverage.obliged_uses((), found)} == lines
