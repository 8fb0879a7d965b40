"""What a caller hands on under a name of its own leads to who asks for that name, with the references that the product itself finds."""

import pytest
from beside import Files, beside
from fakes import Repository

PY = {"a.py": "def rate_of(x):\n    return x * 2\n"}
PY_AFTER = {"a.py": "def rate_of(x):\n    return x * 3 if x else None\n"}
JS = {"lib/a.js": "function rateOf(x) {\n  return x * 2;\n}\n\nmodule.exports = { rateOf };\n"}
JS_AFTER = {"lib/a.js": JS["lib/a.js"].replace("x * 2", "x ? x * 3 : null")}
TS = {"lib/a.ts": "export function rateOf(x: number) {\n  return x * 2;\n}\n"}
TS_AFTER = {"lib/a.ts": TS["lib/a.ts"].replace("x * 2", "x ? x * 3 : null")}
GO = {"shop/a.go": "package shop\n\nfunc RateOf(x int) int {\n\treturn x * 2\n}\n"}
GO_AFTER = {"shop/a.go": GO["shop/a.go"].replace("x * 2", "x * 3")}
JAVA = {
    "src/shop/RateBook.java": "package shop;\n\nclass RateBook {\n    static int rateOf(int x) {\n        return x * 2;\n    }\n}\n"
}
JAVA_AFTER = {"src/shop/RateBook.java": JAVA["src/shop/RateBook.java"].replace("x * 2", "x * 3")}
CS = {
    "Shop/RateBook.cs": "namespace Shop;\n\npublic static class RateBook\n{\n    public static int RateOf(int x)\n    {\n        return x * 2;\n    }\n}\n"
}
CS_AFTER = {"Shop/RateBook.cs": CS["Shop/RateBook.cs"].replace("x * 2", "x * 3")}
PHP = {
    "composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}\n',
    "src/RateBook.php": "<?php\n\nnamespace Shop;\n\nclass RateBook\n{\n    public static function rateOf(int $x): int\n    {\n        return $x * 2;\n    }\n}\n",
}
PHP_AFTER = {"src/RateBook.php": PHP["src/RateBook.php"].replace("* 2", "* 3")}
RB = {"lib/rate_book.rb": "module RateBook\n  def self.rate_of(x)\n    x * 2\n  end\nend\n"}
RB_AFTER = {"lib/rate_book.rb": RB["lib/rate_book.rb"].replace("* 2", "* 3")}
RS = {
    "src/rate_book.rs": "pub fn rate_of(x: u32) -> u32 {\n    x * 2\n}\n",
    "src/lib.rs": "mod order_line;\nmod page;\nmod rate_book;\n",
}
RS_AFTER = {"src/rate_book.rs": RS["src/rate_book.rs"].replace("x * 2", "x * 3")}
KT = {"src/shop/RateBook.kt": "package shop\n\nfun rateOf(x: Int): Int {\n    return x * 2\n}\n"}
KT_AFTER = {"src/shop/RateBook.kt": KT["src/shop/RateBook.kt"].replace("x * 2", "x * 3")}

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
    "an attribute and a method that returns it": (
        PY, PY_AFTER,
        {"line.py": "from a import rate_of\n\n\nclass OrderLine:\n    def __init__(self, x):\n        self._fee = rate_of(x)\n\n    def due(self):\n        return self._fee\n"},
        {"page.py": "from line import OrderLine\n\n\ndef page(x):\n    return OrderLine(x).due() + 1\n"},
    ),
    "a variable and a key": (
        PY, PY_AFTER,
        {"line.py": "from a import rate_of\n\n\ndef order_line(x):\n    fee = rate_of(x)\n    log(x)\n    return {'x': x, 'fee': fee}\n"},
        {"page.py": "from line import order_line\n\n\ndef page(x):\n    return order_line(x)['fee'] + 1\n"},
    ),
    "an argument of a class": (
        PY, PY_AFTER,
        {"line.py": "from a import rate_of\nfrom kinds import OrderLine\n\n\ndef lined(x):\n    log(x)\n    check(x)\n    return OrderLine(x, fee=rate_of(x))\n"},
        {"page.py": "from kinds import OrderLine\n\n\ndef page(line: OrderLine):\n    return line.fee + 1\n"},
    ),
    "a variable of a module": (
        PY, PY_AFTER,
        {"line.py": "from a import rate_of\n\nDEFAULT_FEE = rate_of(7)\n"},
        {"page.py": "from line import DEFAULT_FEE\n\n\ndef page(x):\n    return x + DEFAULT_FEE\n"},
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
    "a getter": (
        JS, JS_AFTER,
        {"lib/order-line.js": 'const { rateOf } = require("./a");\n\nclass OrderLine {\n  get fee() {\n    return rateOf(this.x);\n  }\n}\n\nmodule.exports = { OrderLine };\n'},
        {"lib/page.js": 'const { OrderLine } = require("./order-line");\n\nmodule.exports = (x) => new OrderLine(x).fee.toFixed(2);\n'},
    ),
    "a key that is taken apart": (
        TS, TS_AFTER,
        {"lib/order-line.ts": "import { rateOf } from './a';\n\nexport const orderLine = (x: number) => ({ x, fee: rateOf(x) });\n"},
        {"lib/page.ts": "import { orderLine } from './order-line';\n\nexport function page(x: number) {\n  const { fee } = orderLine(x);\n  return fee.toFixed(2);\n}\n"},
    ),
    "a key that has the name of a variable": (
        TS, TS_AFTER,
        {"lib/order-line.ts": "import { rateOf } from './a';\n\nexport function orderLine(x: number) {\n  const fee = rateOf(x);\n  console.log(x);\n  return { x, fee };\n}\n"},
        {"lib/page.ts": "import { orderLine } from './order-line';\n\nexport const page = (x: number) => orderLine(x).fee.toFixed(2);\n"},
    ),
    "a service whose file has two endings": (
        TS, TS_AFTER,
        {"lib/order-line.service.ts": "import { rateOf } from './a';\n\nexport class OrderLines {\n  async fee(x: number) {\n    return rateOf(x);\n  }\n}\n"},
        {"app/page.service.ts": "import { OrderLines } from '../lib/order-line.service';\n\nexport class Pages {\n  constructor(private readonly lines: OrderLines) {}\n\n  async page(x: number) {\n    const fee = await this.lines.fee(x);\n    return fee.toFixed(2);\n  }\n}\n"},
    ),
    "a field of a struct": (
        GO, GO_AFTER,
        {"shop/line.go": "package shop\n\ntype OrderLine struct {\n\tFee int\n}\n\nfunc NewOrderLine(x int) *OrderLine {\n\treturn &OrderLine{\n\t\tFee: RateOf(x),\n\t}\n}\n"},
        {"shop/page.go": "package shop\n\nfunc Page(line *OrderLine) int {\n\treturn 100 / line.Fee\n}\n"},
    ),
    "an interface": (
        JAVA, JAVA_AFTER,
        {"src/shop/OrderLine.java": "package shop;\n\nclass OrderLine implements FeeSource {\n    public int fee() {\n        return RateBook.rateOf(x);\n    }\n}\n"},
        {"src/page/Page.java": "package page;\n\nimport shop.FeeSource;\n\nclass Page {\n    int total(FeeSource source) {\n        return 100 / source.fee();\n    }\n}\n"},
    ),
    "a property that is one expression": (
        CS, CS_AFTER,
        {"Shop/OrderLine.cs": "namespace Shop;\n\npublic class OrderLine\n{\n    public int Fee => RateBook.RateOf(1);\n}\n"},
        {"Page/Page.cs": "namespace Page;\n\npublic class Page\n{\n    public int Total(OrderLine line)\n    {\n        return 100 / line.Fee;\n    }\n}\n"},
    ),
    "a property and its getter": (
        PHP, PHP_AFTER,
        {"src/OrderLine.php": "<?php\n\nnamespace Shop;\n\nclass OrderLine\n{\n    private int $fee;\n\n    public function __construct(int $x)\n    {\n        $this->fee = RateBook::rateOf($x);\n    }\n\n    public function due(): int\n    {\n        return $this->fee;\n    }\n}\n"},
        {"src/Page.php": "<?php\n\nnamespace Shop;\n\nclass Page\n{\n    public function total(OrderLine $line): int\n    {\n        return 100 / $line->due();\n    }\n}\n"},
    ),
    "an instance variable and its reader": (
        RB, RB_AFTER,
        {"lib/order_line.rb": "require_relative 'rate_book'\n\nclass OrderLine\n  attr_reader :fee\n\n  def initialize(x)\n    @fee = RateBook.rate_of(x)\n  end\nend\n"},
        {"lib/page.rb": "require_relative 'order_line'\n\ndef page(x)\n  100 / OrderLine.new(x).fee\nend\n"},
    ),
    "a method of one short word": (
        RS, RS_AFTER,
        {"src/order_line.rs": "use crate::rate_book::rate_of;\n\npub struct OrderLine {\n    x: u32,\n}\n\nimpl OrderLine {\n    pub fn fee(&self) -> u32 {\n        rate_of(self.x)\n    }\n}\n"},
        {"src/page.rs": "use crate::order_line::OrderLine;\n\npub fn page(line: &OrderLine) -> u32 {\n    100 / line.fee()\n}\n"},
    ),
    "a value of a class": (
        KT, KT_AFTER,
        {"src/shop/OrderLine.kt": "package shop\n\nclass OrderLine(val x: Int) {\n    fun fee(): Int {\n        return rateOf(x)\n    }\n}\n"},
        {"src/page/Page.kt": "package page\n\nimport shop.OrderLine\n\nfun page(line: OrderLine): Int {\n    return 100 / line.fee()\n}\n"},
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
