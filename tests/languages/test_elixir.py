"""Elixir: which file a module is in, what a pipe, a block and a capture pass, and where nothing is proven."""

import pytest

from bot.languages import LANGUAGES
from bot.values import Call

ELIXIR = LANGUAGES["elixir"]
PATHS = (
    "lib/shop/cart.ex",
    "lib/shop_web/views/cart_view.ex",
    "lib/shop/http_client.ex",
    "apps/one/lib/tax.ex",
    "apps/two/lib/tax.ex",
)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("alias Shop.Cart\nCart.total(1)\n", {("lib/shop/cart.ex", "Cart")}),
        (
            "alias Shop.Cart, as: Basket\nBasket.total(1)\n",
            {("lib/shop/cart.ex", "Basket"), ("lib/shop/cart.ex", "Shop.Cart")},
        ),
        (
            "alias Shop.{Cart, HTTPClient}\nHTTPClient.get()\n",
            {("lib/shop/http_client.ex", "HTTPClient"), ("lib/shop/cart.ex", "Cart")},
        ),
        ("ShopWeb.CartView.render()\n", {("lib/shop_web/views/cart_view.ex", "ShopWeb.CartView")}),
        ("# Shop.Cart.total(1)\n", set()),
        ("Tax.rate()\n", set()),  # two files could be meant
    ],
)
def test_a_module_is_in_the_file_that_is_called_like_it(code: str, expected: set[tuple[str, str]]) -> None:
    """Aliases, several at once, folders between, acronyms; a comment names nothing, and of two files none is taken."""
    imports = ELIXIR.project(PATHS, {}).imports("lib/shop/user.ex", code.encode())
    found = {(item.target, here) for item in imports for _, here in item.aliases}
    assert found >= expected if expected else not found
    assert {target for target, _ in found} == {target for target, _ in expected}


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("Cart.total(1, 2)", Call(2)),
        ("rows |> Cart.total(2)", Call(2)),
        ("rows |> Cart.total()", Call(1)),
        ("&Cart.total/3", Call(3)),
        ("Cart.total(1, tax: 2, limit: 3)", Call(2)),
        ("Cart.total 1 do\n  2\nend", Call(2)),
        ("Cart.total", Call(0)),
    ],
)
def test_a_call_gives_as_many_arguments_as_the_function_gets(code: str, call: Call) -> None:
    """A pipe hands in the first, a block and keywords are the last, a capture names how many."""
    source = f"defmodule A do\n  def run(rows) do\n    {code}\n  end\nend\n".encode()
    use = next(use for use in ELIXIR.uses("a.ex", source, {"total"}))
    assert (use.form, use.receiver, use.call) == ("member", "Cart", call)


@pytest.mark.parametrize(
    "line", ["use Shop.Helpers", "def unquote(name)(x), do: x", "@before_compile Shop.Hooks", "Code.eval_string(code)"]
)
def test_code_that_is_written_by_code_leaves_a_module_in_doubt(line: str) -> None:
    """What a macro of a project may define is not proven to be gone; Elixir's own behaviours define nothing that others call."""
    outline = ELIXIR.outline("lib/shop/cart.ex", f"defmodule Shop.Cart do\n  {line}\nend\n".encode(), "head")
    assert not outline.complete
    assert ELIXIR.outline("lib/a.ex", b"defmodule A do\n  use GenServer\nend\n", "head").complete
