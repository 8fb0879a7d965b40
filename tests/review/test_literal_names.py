"""A name of one word that goes, and a text, a symbol or a page that still says it: the line is open. Data with such a key is not."""

from collections.abc import Mapping

import pytest

RUBY = (
    "lib/cart.rb",
    "class Cart\n  def first\n    1\n  end\n\n  def total\n    2\n  end\nend\n",
    "  def total\n    2\n  end\n",
    "lib/use.rb",
    'require "cart"\n%s\n',
)
RAILS = (
    "app/controllers/orders_controller.rb",
    "class OrdersController < ApplicationController\n  def index\n    1\n  end\n\n  def show\n    2\n  end\nend\n",
    "  def show\n    2\n  end\n",
    "config/routes.rb",
    "Rails.application.routes.draw do\n  %s\nend\n",
)
ERB = (*RUBY[:3], "app/views/show.html.erb", "%s\n")
PYTHON = (
    "shop/cart.py",
    "def fast(x):\n    return x\n\n\nclass Cart:\n    def first(self):\n        return 1\n\n    def total(self):\n        return 2\n",
    "\n    def total(self):\n        return 2\n",
    "shop/use.py",
    "from shop.cart import Cart\n%s\n",
)
FUNCTION = (PYTHON[0], PYTHON[1], "def fast(x):\n    return x\n\n\n", "shop/use.py", "from shop import cart\n%s\n")
JINJA = (*PYTHON[:3], "shop/templates/cart.html", "%s\n")
CLASS = "export class Cart {\n  first() { return 1 }\n  total() { return 2 }\n}\nexport function fast() { return 1 }\n"
SCRIPT = ("src/cart.js", CLASS, "  total() { return 2 }\n", "src/use.js", 'import { Cart } from "./cart.js"\n%s\n')
MODULE = ("src/cart.js", CLASS, "export function fast() { return 1 }\n", "src/use.js", "%s\n")
PHP = (
    "app/OrderController.php",
    "<?php\nnamespace App;\nclass OrderController\n{\n    public function index() { return 1; }\n    public function show() { return 2; }\n}\n",
    "    public function show() { return 2; }\n",
    "routes/web.php",
    "<?php\nuse App\\OrderController;\n%s\n",
)
JAVA = (
    "a/Cart.java",
    "package a;\npublic class Cart {\n    public int total() { return 2; }\n}\n",
    "    public int total() { return 2; }\n",
    "b/Use.java",
    "package b;\nimport a.Cart;\npublic class Use {\n    void go() throws Exception { %s; }\n}\n",
)
ELIXIR = (
    "lib/cart.ex",
    "defmodule Cart do\n  def first(c), do: c\n  def total(c), do: c\nend\n",
    "  def total(c), do: c\n",
    "lib/use.ex",
    "defmodule Use do\n  def go, do: %s\nend\n",
)
GO = (
    "shop/cart.go", "package shop\n\ntype Cart struct{}\n\nfunc (c Cart) Total() int { return 2 }\n", "\nfunc (c Cart) Total() int { return 2 }\n",
    "app/main.go", 'package app\n\nimport (\n\t"reflect"\n\t"x.io/s/shop"\n)\n\nfunc Go() { %s }\n',
)  # fmt: skip
SAID: Mapping[str, tuple[tuple[str, str, str, str, str], str]] = {
    "send": (RUBY, "Cart.new.send(:total)"),
    "a quoted name": (RUBY, 'Cart.new.public_send("total")'),
    "list of symbols": (RUBY, "%i[total first].map { |name| Cart.new.send(name) }"),
    "delegation": (RUBY, "class Shop\n  delegate :total, to: :cart\nend"),
    "callback": (RUBY, "class Shop < Cart\n  before_save :total\nend"),
    "route": (RAILS, 'get "/x", to: "orders#show"'),
    "resources": (RAILS, "resources :orders, only: [:show]"),
    "page of Ruby": (ERB, "<p><%= @cart.total %></p>"),
    "getattr": (PYTHON, 'print(getattr(Cart(), "total")())'),
    "getter": (PYTHON, 'import operator\n\nkey = operator.methodcaller("total")\nprint(key(Cart()))'),
    "list of an admin page": (PYTHON, 'class Admin:\n    model = Cart\n    list_display = [\n        "first",\n        "total",\n    ]'),
    "getattr of a module": (FUNCTION, 'print(getattr(cart, "fast", None))'),
    "names of a module": (FUNCTION, 'print(cart.__dict__["fast"](1), vars(cart)["fast"])'),
    "module that is loaded by name": (FUNCTION, 'import importlib\n\nimportlib.import_module("shop.cart").fast(1)'),
    "page of Jinja": (JINJA, "<p>{{ cart.total }}</p>"),
    "Reflect": (SCRIPT, 'Reflect.get(new Cart(), "total")()'),
    "prototype": (SCRIPT, 'Cart.prototype["total"].call(1)'),
    "in": (SCRIPT, 'if ("total" in new Cart()) console.log(1)'),
    "names of a module of JavaScript": (MODULE, 'import * as cart from "./cart.js"\ncart["fast"]()'),
    "import that ends later": (MODULE, 'import("./cart.js").then((m) => m.fast())'),
    "callable": (PHP, "Route::get('/x', [OrderController::class, 'show']);"),
    "callable as one text": (PHP, "Route::get('/x', 'OrderController@show');"),
    "method_exists": (PHP, "echo method_exists(OrderController::class, 'show');"),
    "reflection of Java": (JAVA, 'Cart.class.getMethod("total").invoke(new Cart())'),
    "apply": (ELIXIR, "apply(Cart, :total, [1])"),
    "a tuple that is called": (ELIXIR, "{Cart, :total, [1]}"),
    "reflection of Go": (GO, 'reflect.ValueOf(shop.Cart{}).MethodByName("Total").Call(nil)'),
}  # fmt: skip
QUIET: Mapping[str, tuple[tuple[str, str, str, str, str], str]] = {
    "key": (PYTHON, 'print({"total": 3, "x": Cart().first()})'),
    "item": (PYTHON, 'def f(d):\n    return d["total"] + d.get("total") + Cart().first()'),
    "comparison": (PYTHON, 'def f(d):\n    return d == "total" or Cart().first()'),
    "words": (PYTHON, 'print("the total is", Cart().first())'),
    "another file's": (("shop/cart.py", *PYTHON[1:4], "from shop.other import Basket\n%s\n"), 'print(getattr(Basket(), "total"))'),
    "key of Ruby": (RUBY, "def f(o)\n  { :total => Cart.new.first, a: o[:total], b: o.fetch(:total), total: 1 }\nend"),
    "another controller's": (RAILS, 'get "/x", to: "carts#show"'),
    "another page's": (JINJA, "<p>{{ basket.total }}</p>"),
}  # fmt: skip
ROWS = [
    pytest.param(*case, is_open, id=name)
    for cases, is_open in ((SAID, True), (QUIET, False))
    for name, case in cases.items()
]


@pytest.mark.parametrize(("project", "said", "is_open"), ROWS)
def test_a_text_that_says_a_name_which_is_gone_is_open(
    places, project: tuple[str, str, str, str, str], said: str, is_open: bool  # noqa: ANN001
) -> None:  # fmt: skip
    """An argument, an element of a list, the key behind a module, a page's member; a key of data and a comparison are none of these."""
    home, source, gone, path, frame = project
    more = {
        "shop/__init__.py": "",
        "go.mod": "module x.io/s\n\ngo 1.22\n",
        "composer.json": '{"autoload": {"psr-4": {"App\\\\": "app/"}}}',
    }
    assert gone in source
    before = {**more, home: source, path: frame.replace("%s", said)}
    assert (path in places(before, {home: source.replace(gone, "")})) is is_open


FORESEEN = {
    "import": "try:\n    from shop.cart import fast\nexcept ImportError:\n    fast = None\n",
    "member": "from shop import cart\n\ntry:\n    cart.fast(1)\nexcept AttributeError:\n    pass\n",
    "question": 'from shop import cart\n\nif hasattr(cart, "fast"):\n    cart.fast(1)\n',
}


@pytest.mark.parametrize("user", FORESEEN.values(), ids=FORESEEN.keys())
def test_a_use_whose_failure_is_foreseen_is_open_and_no_proof(places, user: str) -> None:  # noqa: ANN001
    """What was there and is gone changes what such code does, though it does not fail."""
    home, source, gone, *_ = FUNCTION
    before = {"shop/__init__.py": "", home: source, "shop/use.py": user}
    assert "shop/use.py" in places(before, {home: source.replace(gone, "")})


def test_a_rescue_of_another_error_foresees_no_name_that_is_gone(places) -> None:  # noqa: ANN001
    """`rescue LoadError` is about a file, not about a constant of one that is there."""
    source = "module Shop\n  VERSION = 1\n  MAJOR = 8\nend\n"
    user = 'require "shop/version"\nbegin\n  fail "old" if 3 != Shop::MAJOR\nrescue LoadError\nend\n'
    before = {"lib/shop/version.rb": source, "lib/shop.rb": user}
    assert "lib/shop.rb" in places(before, {"lib/shop/version.rb": source.replace("MAJOR", "LARGEST")})


def test_a_call_that_begins_like_an_import_binds_no_name(places) -> None:  # noqa: ANN001
    """`use Shop::PriceCache` of Ruby uses the constant, and its file's `autoload` as well."""
    source = "module Shop\n  class PriceCache\n    def call\n      1\n    end\n  end\nend\n"
    user = (
        "module Shop\n  autoload :PriceCache, 'shop/price_cache'\n\n"
        "  def self.build\n    Builder.new do\n      use ::Shop::PriceCache, 1\n    end\n  end\nend\n"
    )
    before = {"lib/shop/price_cache.rb": source, "lib/shop.rb": user}
    assert "lib/shop.rb" in places(before, {"lib/shop/price_cache.rb": source.replace("PriceCache", "CostCache")})


ITEM = "class Item:\n    def weight(self, unit):\n        return 1\n\n    def first(self):\n        return 1\n"
LOOP = "from shop.item import Item\n\n\ndef f(items: list[Item]):\n    return sum(i.weight(%s) for i in items)\n"
IN_LOOPS = {
    "gone": (LOOP % "2", ITEM.replace("weight", "mass"), True),
    "other arguments": (LOOP % "2", ITEM.replace(", unit", ""), True),
    "another keyword": (LOOP % "unit=2", ITEM.replace("unit", "scale"), True),
    "arguments that fit": (LOOP % "2", ITEM.replace(", unit", ", unit, more=1"), False),
    "another class": (LOOP.replace("shop.item import Item", "shop.other import Item") % "2", ITEM.replace("weight", "mass"), False),
}  # fmt: skip


@pytest.mark.parametrize(("user", "after", "is_open"), IN_LOOPS.values(), ids=IN_LOOPS.keys())
def test_a_member_of_one_word_is_found_behind_a_variable_that_nothing_declares(
    places, user: str, after: str, is_open: bool  # noqa: ANN001
) -> None:  # fmt: skip
    """The file imports the class, and nothing tells what the variable of the loop is."""
    before = {"shop/__init__.py": "", "shop/item.py": ITEM, "shop/ship.py": user}
    assert ("shop/ship.py" in places(before, {"shop/item.py": after})) is is_open


@pytest.mark.parametrize(
    ("name", "said"), [("price.component.html", '<b (click)="save()">x</b>'), ("price.component.css", ".save {}")]
)
def test_a_page_beside_the_code_says_its_members_without_a_receiver(places, name: str, said: str) -> None:  # noqa: ANN001
    """Angular, XAML and pages like them; a style sheet has words of its own."""
    source = "export class PriceComponent {\n  save() { return 1; }\n  first() { return 2; }\n}\n"
    before = {"src/price.component.ts": source, f"src/{name}": f"{said}\n"}
    after = {"src/price.component.ts": source.replace("  save() { return 1; }\n", "")}
    assert (f"src/{name}" in places(before, after)) is name.endswith(".html")
