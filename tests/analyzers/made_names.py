"""Programs that still run after a definition went: code makes its name without a declaration."""

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
SHIP = "from abc import ABC, abstractmethod\n\n\nclass Ship(ABC):\n    @abstractmethod\n    def go(self): ...\n"
STOP = SHIP + "\n    @abstractmethod\n    def stop(self): ...\n"
HALF = "from base import Ship\n\n\nclass Half(Ship):\n    def go(self):\n        return 1\n"


def _class(code: str) -> Change:
    return CLASS, {"shop.py": code}


def _function(code: str) -> Change:
    return FUNCTION, {"shop.py": code}


def _module(code: str, home: str) -> Change:
    return MODULE, {"shop/__init__.py": code, "shop/order.py": None, home: MODULE["shop/order.py"]}


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
}
