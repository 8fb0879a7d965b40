"""Elixir: the file that defines a module, the arguments of a call, and where nothing is proven."""

import pytest
from fakes import Repository

import deeprepo
from bot.values import Arguments
from deeprepo.impact import resolving
from deeprepo.impact.language import leading

ELIXIR = leading("elixir")
PATHS = (
    "lib/shop/cart.ex",
    "lib/shop_web/views/cart_view.ex",
    "lib/shop/http_client.ex",
    "lib/rates.ex",
    "apps/one/lib/tax.ex",
    "apps/two/lib/tax.ex",
)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("alias Shop.Cart\nCart.total(1)\n", {("lib/shop/cart.ex", "Cart")}),
        (
            "alias Shop.Cart, as: Basket\nBasket.total(1)\n",
            {("lib/shop/cart.ex", "Basket")},
        ),
        (
            "alias Shop.{Cart, HTTPClient}\nHTTPClient.get()\n",
            {("lib/shop/http_client.ex", "HTTPClient"), ("lib/shop/cart.ex", "Cart")},
        ),
        ("ShopWeb.CartView.render()\n", {("lib/shop_web/views/cart_view.ex", "ShopWeb.CartView")}),
        ("defmodule Shop.Till do\n  def till, do: Rates.total(1)\nend\n", {("lib/rates.ex", "Rates")}),
        ("# Shop.Cart.total(1)\n", set()),
        ("Tax.rate()\n", set()),  # two files match
    ],
)
def test_module_is_found_by_its_file_name(code: str, expected: set[tuple[str, str]]) -> None:
    """A module is found by its file name, also through aliases and acronyms, unless two files match."""
    imports = resolving.project(ELIXIR, PATHS, {}).links("lib/shop/user.ex", code.encode())
    found = {(item.target, here) for item in imports for _, here in item.aliases}
    assert found >= expected if expected else not found
    assert {target for target, _ in found} == {target for target, _ in expected}


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("Cart.total(1, 2)", Arguments(2)),
        ("rows |> Cart.total(2)", Arguments(2)),
        ("rows |> Cart.total()", Arguments(1)),
        ("&Cart.total/3", Arguments(3)),
        ("Cart.total(1, tax: 2, limit: 3)", Arguments(2)),
        ("Cart.total 1 do\n  2\nend", Arguments(2)),
        ("Cart.total", Arguments(0)),
    ],
)
def test_call_arguments_are_counted_in_every_notation(code: str, call: Arguments) -> None:
    """Pipes, `do` blocks, keywords and captures are counted as arguments of the call."""
    source = f"defmodule A do\n  def run(rows) do\n    {code}\n  end\nend\n".encode()
    use = next(use for use in resolving.uses("a.ex", source, {"total"}))
    assert (use.form, use.receiver, use.arguments) == ("member", "Cart", call)


@pytest.mark.parametrize(
    "line", ["use Shop.Helpers", "def unquote(name)(x), do: x", "@before_compile Shop.Hooks", "Code.eval_string(code)"]
)
def test_module_with_macros_or_evaluated_code_is_incomplete(line: str) -> None:
    """A module with a project's macro or evaluated code is incomplete; one with GenServer is complete."""
    outline = resolving.outline("lib/shop/cart.ex", f"defmodule Shop.Cart do\n  {line}\nend\n".encode(), "head")
    assert not outline.complete
    assert resolving.outline("lib/a.ex", b"defmodule A do\n  use GenServer\nend\n", "head").complete


SHOP = b"""defmodule Shop.Cart do
  use GenServer
  defstruct [:rows, tax: 1]

  def total(tax \\\\ 1, %{rows: rows}, _extra) when is_list(rows), do: helper(rows)
  defp helper(rows), do: rows
  defdelegate price(cart), to: Tax
  defdelegate gross(cart), to: Tax, as: :net

  defmodule Row do
    def label(row), do: row
  end
end
"""


def test_only_functions_in_nested_modules_are_qualified() -> None:
    """Functions in a nested module are qualified with its name, those in the first module are not."""
    outline = resolving.outline("lib/shop/cart.ex", SHOP, "head")
    told = {one.name: one for one in outline.definitions}
    assert set(told) == {"Cart.rows", "Cart.tax", "total", "helper", "price", "gross", "Row", "Row.label"}
    total = told["total"]
    assert [(one.name, one.is_required) for one in total.parameters] == [("{}", True), ("_extra", True), ("tax", False)]
    assert total.head == "def total(tax \\\\ 1, %{rows: rows}, _extra) when is_list(rows)"
    assert not told["helper"].is_visible("lib/shop/tax.ex")
    exports = dict(outline.exports)
    assert {"total", "price", "gross", "Row"} == set(exports)


@pytest.mark.parametrize(("name", "line"), [("price", 7), ("net", 8)])
def test_defdelegate_is_a_reference_to_the_target_function(name: str, line: int) -> None:
    """`defdelegate` is a reference to the target module's function, or to the one in `as:`."""
    (use,) = resolving.uses("lib/shop/cart.ex", SHOP, {name})
    assert (use.line, use.form, use.receiver, use.types, use.arguments) == (
        line,
        "member",
        "Tax",
        ("Tax",),
        Arguments(1),
    )


@pytest.mark.parametrize(
    ("code", "is_guarded"),
    [
        ("if Code.ensure_loaded?(Tax), do: Tax.net(1)", True),
        ("if function_exported?(Tax, :net, 1) do\n      Tax.net(1)\n    end", True),
        ("try do\n      Tax.net(1)\n    rescue\n      UndefinedFunctionError -> 0\n    end", True),
        ("try do\n      Tax.net(1)\n    rescue\n      ArgumentError -> 0\n    end", False),
    ],
)
def test_function_existence_check_guards_the_call(code: str, is_guarded: bool) -> None:
    """A check that the function exists, or rescuing UndefinedFunctionError, makes the call guarded."""
    source = f"defmodule A do\n  def run do\n    {code}\n  end\nend\n".encode()
    assert [use.is_guarded for use in resolving.uses("a.ex", source, {"net"})] == [is_guarded]


@pytest.mark.parametrize(("dependency", "is_broken"), [('{:plug, "~> 1.15"}', True)])
def test_module_replaced_by_a_package_is_not_missing(repository: Repository, dependency: str, is_broken: bool) -> None:
    """A deleted module is not missing if mix.exs now depends on a package of that name."""
    mix = "defmodule Shop.MixProject do\n  defp deps, do: [{}]\nend\n"
    repository.commit(
        {
            "mix.exs": mix.format('{:shipkit, path: "shipkit"}'),
            "shipkit/lib/ship_kit/port.ex": "defmodule ShipKit.Port do\n  def send(row), do: row\nend\n",
            "lib/shop.ex": "defmodule Shop do\n  def run(row), do: ShipKit.Port.send(row)\nend\n",
        },
        "before",
    )
    repository.git("checkout", "-q", "-b", "change")
    repository.commit({"mix.exs": mix.format(dependency), "shipkit/lib/ship_kit/port.ex": None}, "change")
    found = deeprepo.analyze(repository.folder, "main..change")
    assert any(one.proven for one in found.broken) == is_broken
