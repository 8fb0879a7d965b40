"""Changes that delete a definition: code creates its name at run time (MADE), or nothing does (UNMADE)."""

Files = dict[str, str | bytes | None]
Change = tuple[Files, Files]

CLASS: Files = {
    "shop.py": "class Order:\n    def total_of(self):\n        return 1\n",
    "use.py": "from shop import Order\n\nprint(Order().total_of())\n",
}
FUNCTION: Files = {
    "shop.py": "def parse_total(x):\n    return x\n",
    "use.py": "from shop import parse_total\n\nprint(parse_total(1))\n",
}
MODULE: Files = {
    "shop/__init__.py": "",
    "shop/order.py": "def parse_total(x):\n    return x\n",
    "use.py": "from shop.order import parse_total\n\nprint(parse_total(1))\n",
}
COMMON: Files = {
    "lib/util.js": "function trim(s) { return s.trim(); }\nmodule.exports = { trim };\n",
    "lib/use.js": 'const { trim } = require("./util");\nmodule.exports = () => trim("a");\n',
}
TEXT: Files = {"lib/text.js": "exports.trim = (s) => s.trim();\n"}
ORDER: Files = {
    "lib/order.js": "class Order {\n  total() { return 1; }\n}\nmodule.exports = { Order };\n",
    "lib/use.js": 'const { Order } = require("./order");\nmodule.exports = () => new Order().total();\n',
}
EMPTY = "class Order {\n}\n%s\nmodule.exports = { Order };\n"
RUBY: Files = {
    "lib/order.rb": "class Order\n  def total_of\n    1\n  end\nend\n",
    "lib/use.rb": 'require_relative "order"\n\nputs Order.new.total_of\n',
}
PHP: Files = {
    "composer.json": '{"autoload": {"psr-4": {"App\\\\": "src/"}}}\n',
    "src/Order.php": "<?php\n\nnamespace App;\n\nclass Order\n{\n    public static function totalOf(): int\n    {\n        return 1;\n    }\n}\n",
    "src/User.php": "<?php\n\nnamespace App;\n\nclass User\n{\n    public function go(): int\n    {\n        return Order::totalOf();\n    }\n}\n",
}
LUA: Files = {
    "order.lua": "local M = {}\n\nfunction M.total_of()\n  return 1\nend\n\nreturn M\n",
    "use.lua": 'local order = require("order")\n\nprint(order.total_of())\n',
}
ELIXIR: Files = {
    "lib/order.ex": "defmodule Shop.Order do\n  def total_of(x) do\n    x\n  end\nend\n",
    "lib/use.ex": "defmodule Shop.Use do\n  def go do\n    Shop.Order.total_of(1)\n  end\nend\n",
}
SWIFT: Files = {
    "Package.swift": '// swift-tools-version:5.9\nimport PackageDescription\nlet package = Package(name: "A", targets: [.target(name: "A")])\n',
    "Sources/A/Order.swift": "struct Order {\n    static func totalOf() -> Int { 1 }\n}\n",
    "Sources/A/Use.swift": "func go() -> Int { Order.totalOf() }\n",
}
KOTLIN: Files = {
    "src/shop/Order.kt": "package shop\n\nclass Order(val id: Int) {\n    fun totalOf(): Int = 1\n}\n",
    "src/shop/Use.kt": "package shop\n\nfun go(order: Order): Int = order.totalOf()\n",
}
HEADER: Files = {
    "order.h": "#pragma once\nint total_of(int n);\n",
    "order.c": '#include "order.h"\n\nint total_of(int n) { return n; }\n',
    "use.c": '#include "order.h"\n\nint go(void) { return total_of(1); }\n',
}
SHIP = "from abc import ABC, abstractmethod\n\n\nclass Ship(ABC):\n    @abstractmethod\n    def go(self): ...\n"
STOP = SHIP + "\n    @abstractmethod\n    def stop(self): ...\n"
HALF = "from base import Ship\n\n\nclass Half(Ship):\n    def go(self):\n        return 1\n"


def _class(code: str) -> Change:
    return CLASS, {"shop.py": code}


def _function(code: str) -> Change:
    return FUNCTION, {"shop.py": code}


def _module(code: str, home: str) -> Change:
    return MODULE, {"shop/__init__.py": code, "shop/order.py": None, home: MODULE["shop/order.py"]}


def _ruby(code: str) -> Change:
    return RUBY, {"lib/order.rb": f"class Order\n{code}end\n"}


def _php(code: str) -> Change:
    return PHP, {"src/Order.php": f"<?php\n\nnamespace App;\n\nclass Order\n{{\n{code}}}\n"}


def _lua(code: str) -> Change:
    return LUA, {"order.lua": f"local M = {{}}\n\n{code}return M\n"}


def _elixir(code: str) -> Change:
    return ELIXIR, {"lib/order.ex": f"defmodule Shop.Order do\n{code}end\n"}


def _swift(code: str) -> Change:
    return SWIFT, {"Sources/A/Order.swift": code}


def _kotlin(code: str) -> Change:
    return KOTLIN, {"src/shop/Order.kt": f"package shop\n\n{code}"}


def _header(code: str) -> Change:
    return HEADER, {"order.h": f"#pragma once\n{code}", "order.c": '#include "order.h"\n'}


def _common(code: str) -> Change:
    return COMMON, {"lib/util.js": code, **TEXT}


MADE: dict[str, Change] = {
    "type() makes the class": _class('Order = type("Order", (), {"total_of": lambda self: 1})\n'),
    "setattr() with the name": _class('class Order:\n    pass\n\n\nsetattr(Order, "total_of", lambda self: 1)\n'),
    "setattr() in a loop": _class(
        'class Order:\n    pass\n\n\nfor name in ("total_of",):\n    setattr(Order, name, lambda self: 1)\n'
    ),
    "an assignment to the class": _class("class Order:\n    pass\n\n\nOrder.total_of = lambda self: 1\n"),
    "a decorator of the class": _class(
        'def having(name):\n    def add(cls):\n        setattr(cls, name, lambda self: 1)\n        return cls\n    return add\n\n\n@having("total" + "_of")\nclass Order:\n    pass\n'
    ),
    "the dictionary of the object": _class(
        "class Order:\n    def __init__(self):\n        self.__dict__.update(total_of=lambda: 1)\n"
    ),
    "__getattr__ of the class": _class("class Order:\n    def __getattr__(self, name):\n        return lambda: 1\n"),
    "exec() in the class": _class('class Order:\n    exec("def total_of(self): return 1")\n'),
    "the bases are exchanged": _class(
        "class T:\n    def total_of(self):\n        return 1\n\n\nclass B: ...\n\n\nclass Order(B): ...\n\n\nOrder.__bases__ = (T,)\n"
    ),
    "the base is the result of a call": _class(
        "def base():\n    class T:\n        def total_of(self):\n            return 1\n    return T\n\n\nclass Order(base()): ...\n"
    ),
    "globals() of the module": _function('globals()["parse_total"] = lambda x: x\n'),
    "globals() in a function": _function(
        'def install():\n    for name in ("parse_total",):\n        globals()[name] = lambda x: x\n\n\ninstall()\n'
    ),
    "locals() of the module": _function('locals()["parse_total"] = lambda x: x\n'),
    "setattr() on the module": _function(
        'import sys\n\nsetattr(sys.modules[__name__], "parse_total", lambda x: x)\n'
    ),
    "exec() in the module": _function('exec("def parse_total(x): return x")\n'),
    "__path__.append()": _module('import os\n\n__path__.append(os.path.dirname(__file__) + "/../lib")\n', "lib/order.py"),
    "__path__ is set": _module('__path__ = [*__path__, __path__[0] + "/impl"]\n', "shop/impl/order.py"),
    "sys.modules by name": _module('import sys\n\nfrom shop import core\n\nsys.modules["shop.order"] = core\n', "shop/core.py"),
    "sys.modules in a loop": _module(
        'import importlib\nimport sys\n\nfor old in ("order",):\n    sys.modules[f"shop.{old}"] = importlib.import_module("shop.core")\n',
        "shop/core.py",
    ),
    "another folder that is on the path": (
        MODULE,
        {"shop/__init__.py": None, "shop/order.py": None, "lib/shop/__init__.py": "", "lib/shop/order.py": MODULE["shop/order.py"]},
    ),
    "an abstract class below an abstract class": (
        {"base.py": SHIP, "half.py": HALF, "leaf.py": "from half import Half\n\n\nclass Leaf(Half):\n    def stop(self):\n        return 2\n"},
        {"base.py": STOP},
    ),
    "Object.assign() to exports": _common('Object.assign(exports, require("./text"));\n'),
    "a computed key of exports": _common('const text = require("./text");\nfor (const key of Object.keys(text)) exports[key] = text[key];\n'),
    "a proxy of the exports": _common('module.exports = new Proxy({}, { get: (_, key) => require("./text")[key] });\n'),
    "a function with members": _common("module.exports = function () {};\nmodule.exports.trim = (s) => s.trim();\n"),
    "another name of exports": _common("const api = (module.exports = {});\napi.trim = (s) => s.trim();\n"),
    "this of the module": _common("this.trim = (s) => s.trim();\n"),
    "the prototype": (ORDER, {"lib/order.js": EMPTY % "Order.prototype.total = function () { return 1; };"}),
    "a computed key of the prototype": (
        ORDER, {"lib/order.js": EMPTY % 'for (const name of ["total"]) Order.prototype[name] = () => 1;'}
    ),
    "Object.assign() to the prototype": (
        ORDER, {"lib/order.js": EMPTY % 'Object.assign(Order.prototype, require("./text"));', "lib/text.js": "module.exports = { total() { return 1; } };\n"}
    ),
    "a function that gets the class": (
        ORDER, {"lib/order.js": EMPTY % 'require("./mix")(Order);', "lib/mix.js": "module.exports = (c) => { c.prototype.total = () => 1; };\n"}
    ),
    "another file adds the method": (
        ORDER, {"lib/order.js": EMPTY % "" + 'require("./install");\n', "lib/install.js": 'const { Order } = require("./order");\nOrder.prototype.total = () => 1;\n'}
    ),
    "setattr() of another file": (
        {**CLASS, "patch.py": "import shop\n"},
        {"shop.py": "class Order:\n    pass\n", "patch.py": 'import shop\n\nsetattr(shop.Order, "total_of", lambda self: 1)\n'},
    ),
    "setattr() of another file in a loop": (
        {**CLASS, "patch.py": "import shop\n"},
        {"shop.py": "class Order:\n    pass\n", "patch.py": 'import shop\n\nfor name in ("total_of",):\n    setattr(shop.Order, name, lambda self: 1)\n'},
    ),
    "setattr() on a module": (
        {**FUNCTION, "patch.py": "import shop\n"},
        {"shop.py": "\n", "patch.py": 'import shop\n\nsetattr(shop, "parse_total", lambda x: x)\n'},
    ),
    "define_method() in a loop": _ruby('  %w[of].each { |part| define_method("total_#{part}") { 1 } }\n'),
    "const_set() and send()": _ruby('  send(:define_method, ["total", "of"].join("_")) { 1 }\n'),
    "method_missing of Ruby": _ruby("  def method_missing(name, *args)\n    1\n  end\n"),
    "class_eval with a text": _ruby('  class_eval "def total_" + "of; 1; end"\n'),
    "alias_method with a value": _ruby('  NAME = %w[total of].join("_")\n  alias_method NAME, :hash\n'),
    "attr_reader with a list": _ruby('  FIELDS = [%w[total of].join("_").to_sym]\n  attr_reader(*FIELDS)\n'),
    "delegate with a list": _ruby('  NAMES = [%w[total of].join("_").to_sym]\n  delegate(*NAMES, to: :class)\n'),
    "delegate_missing_to": _ruby("  delegate_missing_to :prices\n"),
    "a base that a call returns": _ruby("end\n\nclass Order < Struct.new(*NAMES)\n"),
    "__callStatic of PHP": _php("    public static function __callStatic(string $name, array $arguments): int\n    {\n        return 1;\n    }\n"),
    "macro() of a class": _php('    use Macroable;\n\n    public static function boot(): void\n    {\n        static::macro("total" . "Of", fn () => 1);\n    }\n'),
    "setmetatable()": _lua("setmetatable(M, { __index = function(_, key) return function() return 1 end end })\n\n"),
    "a computed key of a table": _lua('for _, part in ipairs({ "of" }) do\n  M["total_" .. part] = function() return 1 end\nend\n\n'),
    "rawset()": _lua('rawset(M, "total_" .. "of", function() return 1 end)\n\n'),
    "use of a module that defines functions": _elixir("  use Shop.Totals\n"),
    "unquote() of a name": _elixir('  for part <- ["of"] do\n    def unquote(:"total_#{part}")(x), do: x\n  end\n'),
    "@before_compile": _elixir("  @before_compile Shop.Totals\n"),
    "a macro in a module": _elixir("  require Shop.Totals\n  Shop.Totals.define_all()\n"),
    "a macro of Swift": _swift("@Totals\nstruct Order {\n}\n"),
    "delegation of Kotlin": _kotlin("class Order(val id: Int, prices: Prices) : Prices by prices\n"),
    "a text that is no header": _header('#include "total.inc"\n'),
}  # fmt: skip
UNMADE: dict[str, Change] = {
    "a class that nobody extends": _class("class Order:\n    pass\n"),
    "a module without the function": _function("def other(x):\n    return x\n"),
    "a module that is gone": (MODULE, {"shop/order.py": None}),
    "exports without the function": _common("module.exports = {};\n"),
    "a prototype without the method": (ORDER, {"lib/order.js": EMPTY % ""}),
    "setattr() of the base on another class": (
        {**CLASS, "shop.py": str(CLASS["shop.py"]) + '\n\nsetattr(int, "x", 1)\n'},
        {"shop.py": 'class Order:\n    pass\n\n\nsetattr(int, "x", 1)\n'},
    ),
    "a class of Ruby that nobody extends": _ruby("  attr_reader :id\n"),
    "a class of PHP without the method": _php("    public int $id = 0;\n"),
    "a table without the function": _lua("M.other = 1\n\n"),
    "a module of Elixir without the function": _elixir("  def other(x), do: x\n"),
    "a type of Swift without the method": _swift("struct Order {\n    let id: Int\n}\n"),
    "a class of Kotlin without the method": _kotlin("class Order(val id: Int)\n"),
    "a header without the function": _header("#include <stdio.h>\n"),
}
