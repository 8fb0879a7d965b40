"""What a caller hands on under a name of its own leads to who asks for that name, with the references that the product itself finds."""

import pytest
from beside import Files, beside
from fakes import Repository

PY = {"a.py": "def rate_of(x):\n    return x * 2\n"}
PY_AFTER = {"a.py": "def rate_of(x):\n    return x * 3 if x else None\n"}
JS = {"lib/a.js": "function rateOf(x) {\n  return x * 2;\n}\n\nmodule.exports = { rateOf };\n"}
JS_AFTER = {"lib/a.js": JS["lib/a.js"].replace("x * 2", "x ? x * 3 : null")}
GO = {"shop/a.go": "package shop\n\nfunc RateOf(x int) int {\n\treturn x * 2\n}\n"}
GO_AFTER = {"shop/a.go": GO["shop/a.go"].replace("x * 2", "x * 3")}
CS = {
    "Shop/RateBook.cs": "namespace Shop;\n\npublic static class RateBook\n{\n    public static int RateOf(int x)\n    {\n        return x * 2;\n    }\n}\n"
}
CS_AFTER = {"Shop/RateBook.cs": CS["Shop/RateBook.cs"].replace("x * 2", "x * 3")}
RB = {"lib/rate_book.rb": "module RateBook\n  def self.rate_of(x)\n    x * 2\n  end\nend\n"}
RB_AFTER = {"lib/rate_book.rb": RB["lib/rate_book.rb"].replace("* 2", "* 3")}

WAYS = {
    "a property": (
        PY, PY_AFTER,
        {"line.py": "from a import rate_of\n\n\nclass OrderLine:\n    @property\n    def fee(self):\n        return rate_of(self.x)\n"},
        {"page.py": "from line import OrderLine\n\n\ndef page(x):\n    return OrderLine(x).fee.bit_length()\n"},
    ),
    "an attribute": (
        PY, PY_AFTER,
        {"line.py": "from a import rate_of\n\n\nclass OrderLine:\n    def __init__(self, x):\n        self.fee = rate_of(x)\n"},
        {"page.py": "from line import OrderLine\n\n\ndef page(x):\n    line = OrderLine(x)\n    return line.fee + 1\n"},
    ),
    "a variable and a key": (
        PY, PY_AFTER,
        {"line.py": "from a import rate_of\n\n\ndef order_line(x):\n    fee = rate_of(x)\n    log(x)\n    return {'x': x, 'fee': fee}\n"},
        {"page.py": "from line import order_line\n\n\ndef page(x):\n    return order_line(x)['fee'] + 1\n"},
    ),
    "a generator": (
        PY, PY_AFTER,
        {"line.py": "from a import rate_of\n\n\nclass OrderLine:\n    def parts(self):\n        yield from rate_of(self.x)\n"},
        {"page.py": "from line import OrderLine\n\n\ndef page(x):\n    return dict(OrderLine(x).parts())\n"},
    ),
    "a member of the exports": (
        JS, JS_AFTER,
        {"lib/order-line.js": 'const { rateOf } = require("./a");\n\nexports.fee = function (x) {\n  return rateOf(x);\n};\n'},
        {"lib/page.js": 'const line = require("./order-line");\n\nmodule.exports = (x) => line.fee(x).toFixed(2);\n'},
    ),
    "a field of a struct": (
        GO, GO_AFTER,
        {"shop/line.go": "package shop\n\ntype OrderLine struct {\n\tFee int\n}\n\nfunc NewOrderLine(x int) *OrderLine {\n\treturn &OrderLine{\n\t\tFee: RateOf(x),\n\t}\n}\n"},
        {"shop/page.go": "package shop\n\nfunc Page(line *OrderLine) int {\n\treturn 100 / line.Fee\n}\n"},
    ),
    "a property that is one expression": (
        CS, CS_AFTER,
        {"Shop/OrderLine.cs": "namespace Shop;\n\npublic class OrderLine\n{\n    public int Fee => RateBook.RateOf(1);\n}\n"},
        {"Page/Page.cs": "namespace Page;\n\npublic class Page\n{\n    public int Total(OrderLine line)\n    {\n        return 100 / line.Fee;\n    }\n}\n"},
    ),
    "an instance variable and its reader": (
        RB, RB_AFTER,
        {"lib/order_line.rb": "require_relative 'rate_book'\n\nclass OrderLine\n  attr_reader :fee\n\n  def initialize(x)\n    @fee = RateBook.rate_of(x)\n  end\nend\n"},
        {"lib/page.rb": "require_relative 'order_line'\n\ndef page(x)\n  100 / OrderLine.new(x).fee\nend\n"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_who_asks_for_what_a_caller_hands_on_is_shown(repository: Repository, way: str) -> None:
    """Under whatever name and in whatever form the caller hands it on."""
    before, after, caller, user = WAYS[way]
    assert {*user} <= {
        one.path for one in beside(repository, {**before, **caller, **user}, {**after}, next(iter(after)))
    }


def test_an_everyday_field_of_another_thing_is_not_shown(repository: Repository) -> None:
    """A field counts only in a file that names its owner or imports its file."""
    _, _, caller, user = WAYS["an attribute"]
    other: Files = {"other.py": "def other(line):\n    return line.fee - 1\n"}
    found = {one.path for one in beside(repository, {**PY, **caller, **user, **other}, {**PY_AFTER}, "a.py")}
    assert "page.py" in found
    assert "other.py" not in found


def test_of_two_functions_of_one_name_the_nearer_one_is_called(repository: Repository) -> None:
    """Who calls a namesake in its own file, or beside itself, does not call the one that hands the change on."""
    caller: Files = {"shop/bill.py": "from a import rate_of\n\n\ndef bill_total(x):\n    return rate_of(x)\n"}
    users: Files = {
        "shop/page.py": "from shop.bill import bill_total\n\n\ndef page(x):\n    return bill_total(x) + 1\n",
        "bank/bill.py": "def bill_total(x):\n    return 3\n",
        "bank/page.py": "from bank.bill import bill_total\n\n\ndef page(x):\n    return bill_total(x) + 1\n",
    }
    found = {one.path for one in beside(repository, {**PY, **caller, **users}, {**PY_AFTER}, "a.py")}
    assert "shop/page.py" in found
    assert "bank/page.py" not in found
