"""What a module of CommonJS hands out becomes another thing: the uses of its importers are open. The same thing in other words is not."""

import pytest

CLASS = "class Cart {\n  total() { return 1; }\n}\n"
BUILT = 'const Cart = require("./a");\nconsole.log(new Cart().total());\n'
USED = 'const cart = require("./a");\nconsole.log(cart.total());\n'


@pytest.mark.parametrize(
    ("old", "new", "user", "is_open"),
    [
        ("module.exports = Cart;\n", "module.exports = new Cart();\n", BUILT, True),
        ("module.exports = new Cart();\n", "module.exports = Cart;\n", USED, True),
        ("module.exports = Cart;\n", "export default Cart;\n", BUILT, True),
        ("export default Cart;\n", "module.exports = Cart;\n", 'import Cart from "./a";\nnew Cart().total();\n', True),
        ("module.exports = Cart;\n", "\nmodule.exports = Cart;\n", BUILT, False),
        ("module.exports = Cart;\n", "exports = module.exports = Cart;\n", BUILT, False),
        ("module.exports = new Cart();\n", "\nmodule.exports = new Cart();\n", USED, False),
    ],
)
def test_a_module_that_hands_out_another_thing_has_open_uses(
    places, old: str, new: str, user: str, is_open: bool  # noqa: ANN001
) -> None:  # fmt: skip
    """A class for its instance, the module itself for one of its names: `require` gives what nobody there expects."""
    after = {"src/a.js": CLASS + new}
    assert ("src/b.js" in places({"src/a.js": CLASS + old, "src/b.js": user}, after)) is is_open
