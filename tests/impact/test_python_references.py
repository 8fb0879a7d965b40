"""The names in new Python lines that the repository lacks."""

import asyncio

from trees import Texts, messages, verdicts

from deeprepo import impact

SHOP = {
    "pyproject.toml": "",
    "shop/__init__.py": "",
    "shop/money.py": "from decimal import Decimal\n\n\ndef cents(amount, *, places):\n    return amount\n\n\nclass Cart:\n    def __init__(self, owner):\n        self.owner = owner\n",
}


def of(text: str, more: dict[str, str] | None = None) -> list[str]:
    return messages({**SHOP, **(more or {}), "shop/pay.py": text}, "shop/pay.py")


def test_missing_module_is_reported() -> None:
    assert of("from shop.mony import cents\nimport shop.monny\nfrom .money2 import x\n") == [
        "1 missing-module shop.mony: shop.money",
        "2 missing-module shop.monny: shop.money",
        "3 missing-module .money2: .money",
    ]


def test_missing_module_name_is_reported() -> None:
    assert of("from shop.money import cent, cents, Decimal\nfrom . import mony\n") == [
        "1 missing-name cent: cents",
        "2 missing-name mony: money",
    ]


def test_missing_module_member_is_reported() -> None:
    text = (
        "import shop.money as m\nfrom shop import money\nimport shop.money\nm.cent(1)\nmoney.cents\nshop.money.sents\n"
    )
    assert of(text) == ["4 missing-member m.cent: cents", "6 missing-member shop.money.sents: cents"]


def test_call_with_wrong_arguments_is_reported() -> None:
    text = "from shop.money import Cart, cents\ncents(1)\ncents(1, 2, places=3)\ncents(1, plases=3)\nCart()\n"
    assert of(text) == [
        "2 arguments cents: is missing 'places'",
        "3 arguments cents: takes 1 argument, not 2",
        "4 arguments cents: has no parameter 'plases'",
        "5 arguments Cart: is missing 'owner'",
    ]


def test_valid_call_is_not_reported() -> None:
    text = "from shop.money import Cart, cents\ncents(1, places=2)\ncents(*a, **b)\nCart(owner=1)\nCart(*a)\n"
    assert of(text) == []


def test_ambiguous_name_is_not_reported() -> None:
    opened = {
        "shop/lazy.py": "def __getattr__(name):\n    return name\n",
        "shop/made.py": "globals()['x'] = 1\n",
        "shop/star.py": "from elsewhere import *\n",
        "shop/named.py": "from elsewhere import made\n\nmade({'i': 'shop.money.cents'})\n",
        "shop/late.py": "from elsewhere import TYPED, made\n\nif TYPED:\n    made(\n        {\n            'j': 'shop.money.cents',\n        }\n    )\n",
        "shop/fast.pyx": "",
        "shop/plain/data.txt": "",
        ".gitignore": "shop/built.py\n_version.py\n",
    }
    text = (
        "from shop.lazy import a\nfrom shop.made import b\nfrom shop.star import c\nfrom shop.fast import d\nfrom shop.plain import e\n"
        "from shop.built import f\nfrom shop._version import g\nimport json.nothing\nfrom elsewhere.x import y\nfrom shop.api_pb2 import h\n"
        "from shop.named import i\nfrom shop.late import j\n"
    )
    assert of(text, opened) == []


def test_object_attributes_do_not_make_the_module_dynamic() -> None:
    kinds = "class Bag:\n    def fill(self, rows): self.__dict__.update(rows)\n\n\nclass Box:\n    def rows(self, one): return one.__dict__\n"
    text = "from shop.kinds import Bag, Box, Bags\nbag = Bag()\nbag.nothing\nbox = Box()\nbox.nothing\n"
    assert of(text, {"shop/kinds.py": kinds}) == ["1 missing-name Bags: Bag", "5 missing-member box.nothing"]
    patched = "import shop.money\n\nshop.money.__dict__.update(a=1)\n"
    cached = "class Cached:\n    def __get__(self, obj, cls):\n        obj.__dict__['rows'] = 1\n"
    assert of("from shop.cached import nothing\n", {"shop/cached.py": cached}) == ["1 missing-name nothing"]
    module = "def fill(module):\n    module.__dict__['rows'] = 1\n"
    assert of("from shop.filled import nothing\n", {"shop/filled.py": module}) == []
    run = "import sys\n\n\ndef run(code, rows):\n    exec(code, rows)\n    return eval(code), vars(rows), sys.modules[code]\n"
    assert of("from shop.run import nothing\n", {"shop/run.py": run}) == ["1 missing-name nothing"]
    assert of("from shop.run import nothing\n", {"shop/run.py": f"{run}exec(run)\n"}) == []
    assert of("from shop.patched import nothing\n", {"shop/patched.py": patched}) == []


def test_names_bound_in_any_way_are_found() -> None:
    many = (
        "try:\n    import json\nexcept ImportError:\n    json = None\nif 1:\n    a = 1\nelse:\n    b = c = 2\nfor d in []: pass\nwith open() as e: pass\n"
        "f, (g, *h) = x\nimport os.path as i\ndef j():\n    global k\n    k = 1\nl: int = 1\nfrom .money import *\nclass m: pass\n"
    )
    text = f"from shop.many import {', '.join('abcdefghijklm')}, json, cents, Cart\n"
    assert of(text, {"shop/many.py": many}) == []


def test_guarded_name_is_not_reported() -> None:
    text = (
        "try:\n    from shop.mony import cents\nexcept ImportError:\n    cents = None\n"
        "from shop import money\nif hasattr(money, 'cent'):\n    money.cent\nwith pytest.raises(TypeError):\n    money.cents(1)\n"
    )
    assert of(text) == []


def test_shadowed_name_is_not_reported() -> None:
    text = (
        "from shop import money\nfrom shop.money import cents\ndef pay(money, cents):\n    money.cent\n    cents(1)\n"
    )
    assert of(text) == []


def test_unknown_decorator_or_conditional_definition_prevents_a_finding() -> None:
    calls = {
        "shop/calls.py": "@wrapped\ndef a(x): ...\nif 1:\n    def b(x): ...\nelse:\n    def b(): ...\nclass C(Base): ...\n@lru_cache(1)\ndef d(x): ...\n"
    }
    assert of("from shop.calls import a, b, C, d\na()\nb()\nC()\nd()\n", calls) == ["5 arguments d: is missing 'x'"]


def test_only_added_lines_are_checked() -> None:
    tree = {**SHOP, "shop/pay.py": "from shop.money import cent\n\nx = 1\n"}
    assert asyncio.run(impact.report(Texts(tree), {"shop/pay.py": {3}})).places == ()


def test_vendored_library_package_is_not_a_local_package() -> None:
    tree = {"lib/requests/__init__.py": "", "app/main.py": "from requests.nothing import x\nfrom requests import y\n"}
    assert messages(tree, "app/main.py") == []


CLASSES = {
    "shop/kinds.py": (
        "from dataclasses import dataclass, field\nfrom enum import Enum\nfrom elsewhere import Unknown\n\n\n"
        "class Color(Enum):\n    RED = 1\n    BLUE = 2\n\n\n"
        "class Base:\n    def __init__(self, a):\n        self.a = a\n\n    def total(self): ...\n\n\n"
        "class Child(Base):\n    size = 3\n\n\nclass Far(Unknown):\n    x = 1\n\n\nclass Plain:\n    y = 1\n\n\n"
        "@dataclass(frozen=True)\nclass Row:\n    a: int\n    b: str = ''\n    c: list = field(init=False)\n\n\n"
        "@dataclass\nclass Own:\n    a: int\n    b: int\n\n    def __init__(self, a): ...\n\n\n"
        "class Made(metaclass=Meta):\n    z = 1\n"
    )
}


def test_missing_class_member_is_reported() -> None:
    text = (
        "from shop.kinds import Child, Color, Far, Made, Plain\nColor.RED\nColor.GREEN\nColor.__members__\nChild.size\nChild.total\nChild.sizes\n"
        "Far.nothing\nMade.nothing\nPlain.y\n"
    )
    assert of(text, CLASSES) == ["3 missing-member Color.GREEN", "7 missing-member Child.sizes: size"]


def test_constructor_call_with_wrong_arguments_is_reported() -> None:
    text = "from shop.kinds import Child, Far, Made, Plain, Row, Color, Own\nChild()\nChild(1)\nPlain(1)\nPlain()\nRow()\nRow(1)\nRow(1, 'b', [])\nRow(a=1, d=2)\nFar(1)\nMade(1)\nColor(1)\nOwn(1)\n"
    assert of(text, CLASSES) == [
        "2 arguments Child: is missing 'a'",
        "4 arguments Plain: takes 0 arguments, not 1",
        "6 arguments Row: is missing 'a'",
        "8 arguments Row: takes 1 to 2 arguments, not 3",
        "9 arguments Row: has no parameter 'd'",
    ]


def test_missing_member_of_a_new_object_is_reported() -> None:
    text = (
        "from shop.kinds import Child, Far, Plain\n\n\ndef pay(other: Child):\n    child = Child(1)\n    child.total()\n    child.a\n    child.size\n"
        "    child.totals()\n    child.total(1)\n    child.__class__\n    child.set = 1\n    child.set\n    other.nothing\n    far = Far()\n    far.nothing\n"
        "    plain = Plain()\n    plain = other\n    plain.nothing\n"
    )
    assert of(text, CLASSES) == [
        "9 missing-member child.totals: total",
        "10 arguments child.total: takes 0 arguments, not 1",
        "14 missing-member other.nothing",
    ]
    narrowed = "from shop.kinds import Base\n\n\ndef pay(other: Base):\n    assert isinstance(other, Wide)\n    other.nothing\n"
    assert of(narrowed, CLASSES) == []


def test_local_object_is_known_only_in_its_own_function() -> None:
    text = (
        "from shop.kinds import Child\n\n\ndef one(child):\n    child.nothing\n\n\ndef two():\n    child = Child(1)\n    child.nothing\n\n\n"
        "def three(child):\n    if not child:\n        child = Child(1)\n    child.nothing\n"
    )
    assert of(text, CLASSES) == ["10 missing-member child.nothing"]


def test_attribute_assigned_by_a_pattern_is_found() -> None:
    text = (
        "class Box:\n    def __init__(self, rows):\n        self.a, (self.b, _) = rows\n        for self.c in rows: pass\n        with rows as self.d: pass\n\n\n"
        "box = Box([])\nbox.a, box.b, box.c, box.d, box.e\n"
    )
    assert of(text) == ["9 missing-member box.e"]


def test_class_with_an_unknown_base_may_have_any_member() -> None:
    nested = "class Box:\n    class Row:\n        def __init__(self, a): ...\n\n    def row(self): self.Row(a=1, b=2)\n    def __put(self): ...\n\n\nbox = Box()\nbox._Box__put()\n"
    assert of(nested) == []
    text = "import io\n\nText = io.StringIO\n\n\nclass Out(Text):\n    pass\n\n\nout = Out()\nout.getvalue()\n"
    assert of(text) == []


def test_empty_gitignore_pattern_does_not_hide_a_missing_name() -> None:
    assert of("from shop import mony\n", {".gitignore": "!\nbuild/\n"}) == ["1 missing-name mony: money"]


def test_module_attributes_and_test_fixtures_are_not_reported() -> None:
    assert of("from shop import money\nfrom shop.money import __name__\nmoney.__file__\n") == []
    broken = {**SHOP, "tests/fixtures/a.py": "from shop.money import nothing\n"}
    assert messages(broken, "tests/fixtures/a.py") == []


def test_method_call_on_self_is_checked() -> None:
    text = (
        "class Box:\n    def put(self, a, b): pass\n    def fill(self): self.put(1); self.put(1, 2); self.size()\n"
        "    @staticmethod\n    def of(self): self.put(1)\n    def late(self): self.put = one; self.put(3)\n"
    )
    assert messages({"a.py": text.replace("self.put = one; ", "")}, "a.py") == ["3 arguments self.put: is missing 'b'"]
    assert messages({"a.py": text}, "a.py") == []


def test_name_that_may_be_added_to_builtins_is_not_reported() -> None:
    """An undefined name that other code may add to `builtins`, such as `_`, is not reported."""
    wild = {"shop/wild.py": "from shop.money import *\n\n\ndef weigh(a): ...\n"}
    assert of("from shop.wild import *\n_('Pay')\nWindowsError()\nweigth(1)\n", wild) == []


def test_name_that_its_module_contains_is_not_proven_missing() -> None:
    """A call may give the module the name. A member of something else that has the name does not."""
    money = 'import tools\n\ntools.provide("cents")\ntools.rates()\n'
    before = {"shop/__init__.py": "", "shop/money.py": money}
    after = {**before, "shop/pay.py": "from shop.money import cents\nfrom shop.money import rates\n"}
    assert verdicts(before, after, "shop/pay.py") == ["1 cents likely", "2 rates proven"]


def test_name_that_a_declaration_beside_its_module_defines_is_not_reported() -> None:
    """TypeScript reads index.d.ts in place of index.js. A test file that only uses the name does not count."""
    before = {
        "lib/index.js": "export const one = 1;\n",
        "lib/index.d.ts": "export type Values = readonly string[];\n",
        "lib/other.js": "export const two = 2;\n",
        "lib/other.test.ts": "export const used = (Kinds: number) => Kinds;\n",
    }
    imports = "import type { Values } from './lib/index.js';\nimport type { Kinds } from './lib/other.js';\n"
    after = {**before, "app.ts": imports}
    assert verdicts(before, after, "app.ts") == ["2 Kinds proven"]


def test_type_that_a_documentation_comment_declares_is_not_proven_missing() -> None:
    before = {"shape.js": "/**\n * @typedef {{x: number}} Point\n */\nexport const origin = {x: 0};\n"}
    after = {**before, "app.ts": "import {Point, origin} from './shape';\n"}
    assert verdicts(before, after, "app.ts") == ["1 Point likely"]
