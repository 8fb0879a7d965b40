from collections.abc import Sequence

import pytest
from contract_findings import look, open_uses
from fakes import Repository

CALLER = "from lib import f\n\n\ndef go(a, b):\n    return {}\n"


UNFIT = [
    ("def f(a, b)", "def f(a)", "f(a, b)", "arity"),
    ("def f(a, b=1)", "def f(a, *, b=1)", "f(a, b)", "arity"),
    ("def f(a, b)", "def f(a, *, b, c)", "f(a, b)", "arity"),
    ("def f(a, color=1)", "def f(a, colour=1)", "f(a, color=b)", "keyword"),
    ("def f(a, b=1)", "def f(a)", "f(a, b=2)", "keyword"),
    ("def f(a)", "def f(a, b)", "f(a)", "required-parameter"),
    ("def f(a)", "def f(a, *, b)", "f(a)", "required-parameter"),
    ("def f(a, b=1)", "def f(a, b)", "f(a)", "required-parameter"),
    ("async def f(a)", "async def f(a, b)", "await f(a)", "required-parameter"),
    ("def f(*, a)", "def f(a, /)", "f(a=a)", "keyword"),
    ("def f(a, b)", "def f(b, a)", "f(a, b=b)", "keyword"),
]
FIT = [
    ("def f(a)", "def f(a, b=1)", "f(a)"),
    ("def f(a)", "def f(a, *args)", "f(a)"),
    ("def f(a, b)", "def f(a, **options)", "f(a, b=1)"),
    ("def f(a, b)", "def f(*args)", "f(a, b)"),
    ("def f(a)", "def f(a, b)", "f(*a)"),
    ("def f(a)", "def f(a, b)", "f(**a)"),
    ("def f(a)", "def f(a, b)", "map(f, a)"),
    ("def f(a, b)", "def f(a)", "f(a, b, 3)"),
    ("def f(a, b)", "def f(b, a)", "f(a, b)"),
    ("def f(a)", "def f(a, b)", "None\n    with raises(TypeError):\n        f(a)"),
    ("def f(a, b=1)", "def f(a)", "None\n    try:\n        f(a, b=2)\n    except TypeError:\n        f(a)"),
    ("@wrapped\ndef f(a)", "@wrapped\ndef f(a, b)", "f(a)"),
    ("def f(a)", "def f(a, b)", "(lambda f: f(a))(b)"),
]


def callers(rows: Sequence[tuple[str, ...]]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the files before and after the change: one module and one calling file per row."""
    before = {f"lib{at}.py": f"{row[0]}:\n    return a\n" for at, row in enumerate(rows)}
    before |= {f"app{at}.py": CALLER.replace("lib", f"lib{at}").format(row[2]) for at, row in enumerate(rows)}
    return before, {f"lib{at}.py": f"{row[1]}:\n    return a\n" for at, row in enumerate(rows)}


def test_call_matching_only_the_old_signature_is_reported(repository: Repository) -> None:
    """A call that matches the old signature but not the new one is reported with the right rule."""
    before, after = callers(UNFIT)
    found = {finding.path: finding for finding in look(repository.change(dict(before), dict(after)))}
    assert len(found) == len(UNFIT)
    assert found["app0.py"].title.endswith("still passes 2 positional arguments (at most 1 is accepted)")
    needs = "still passes 2 positional arguments (at most 1 is accepted)"
    assert found["app2.py"].title.endswith(needs)
    for at, (old, _, _, rule) in enumerate(UNFIT):
        finding, lib = found[f"app{at}.py"], f"lib{at}.py"
        assert (finding.start, finding.rule) == (5, rule)
        assert [(e.path, e.line, e.side) for e in finding.evidence] == [(lib, 1, "base"), (lib, 1, "head")]
        assert finding.title.startswith(f"f() has a new signature, but app{at}.py ")
        assert old.removeprefix("async ") in finding.why


def test_valid_or_undecidable_call_is_not_reported(repository: Repository) -> None:
    """Calls that still match, or that never matched, and spreads and decorators cause no finding."""
    before, after = callers(FIT)
    assert look(repository.change(dict(before), dict(after))) == []


TWICE = "X = 1\nif X:\n    def f({}):\n        return 1\nelse:\n    def f({}):\n        return 2\n"
STUBS = "from typing import overload\n\n\n@overload\ndef f(a: int) -> int: ...\n@overload\ndef f(a: str) -> str: ...\n"


@pytest.mark.parametrize(
    ("before", "after", "call"),
    [
        (TWICE.format("a", "a"), TWICE.format("a, b", "a, b"), "f(a)"),
        ("def f(a, b):\n    return a\n", f"{STUBS}def f(a):\n    return a\n", "f(a, 2)"),
        (
            "def f(a, b):\n    return a\n",
            "def f(a):\n    return a\n\n\nif False:\n    def f(a, b, c):\n        return a\n",
            "f(a, 2)",
        ),
    ],
    ids=["both change", "stubs", "under a condition"],
)
def test_call_matching_none_of_several_definitions_is_proven_broken(
    repository: Repository, before: str, after: str, call: str
) -> None:
    """A call that matches none of several definitions is proven broken, whichever one applies."""
    files = {"lib.py": before, "app.py": CALLER.format(call)}

    found = look(repository.change(files, {"lib.py": after}))

    assert [(finding.path, finding.verdict) for finding in found] == [("app.py", "proven")]


@pytest.mark.parametrize(
    "after",
    [
        "def f(a):\n    return a\n\n\nif False:\n    def f(a, b):\n        return a\n",
        "def f(a, b):\n    return a\n\n\ndef f(a):\n    return a\n",
        "def f(a):\n    return a\n\n\nf = f\n",
    ],
    ids=["under a condition", "a second one", "bound again"],
)
def test_call_matching_one_of_several_definitions_is_left_open(repository: Repository, after: str) -> None:
    """A second definition, a condition or a rebinding removes the proof, so the reference stays open."""
    files = {"lib.py": "def f(a, b):\n    return a\n", "app.py": CALLER.format("f(a, 2)")}
    pull = repository.change(files, {"lib.py": after})

    assert look(pull) == []
    assert [use.path for use in open_uses(pull)] == ["app.py"]


def test_new_constructor_parameter_is_reported_at_calls_of_the_class(repository: Repository) -> None:
    """A newly required `__init__` parameter is reported at calls of the class and of `super().__init__`."""
    old = "class Box:\n    def __init__(self, size):\n        self.size = size\n"
    files = {
        "box.py": old,
        "app.py": "import box\n\nB = box.Box(1)\n",
        "big.py": "from box import Box\n\n\nclass Big(Box):\n    def __init__(self):\n        super().__init__(9)\n",
    }
    found = look(repository.change(files, {"box.py": old.replace("size):", "size, colour):")}))

    assert [(f.path, f.start, f.rule) for f in found] == [
        ("app.py", 3, "required-parameter"),
        ("big.py", 6, "required-parameter"),
    ]
    assert found[0].title.startswith("Box() has a new signature")


def test_method_call_is_reported_only_if_its_receiver_is_known(repository: Repository) -> None:
    """`resolve` is a common name, so only the call on an instance of the changed class is reported."""
    old = "class Resolver:\n    def resolve(self, name):\n        return name\n"
    files = {
        "wrap/__init__.py": "",
        "wrap/wrap.py": old,
        "app.py": "from wrap import wrap\n\n\ndef go(path):\n    r = wrap.Resolver()\n    path.resolve()\n    return r.resolve(path)\n",
    }
    (finding,) = look(repository.change(files, {"wrap/wrap.py": old.replace("name):", "name, method):")}))

    assert (finding.start, finding.rule) == (7, "required-parameter")
    assert "omits method" in finding.title


TS = "import {{ f }} from './lib';\n\nexport const go = (a: number, b: number) => {};\n"


@pytest.mark.parametrize(
    ("before", "after", "call", "rule"),
    [
        ("(a: number)", "(a: number, b: number)", "f(a)", "required-parameter"),
        ("(a: number, b?: number)", "(a: number)", "f(a, b)", "arity"),
        ("({ a }: P)", "({ a }: P, b: number)", "f({ a })", "required-parameter"),
        ("(a: number)", "(b: number, a: number)", "f(a)", "required-parameter"),
    ],
)
def test_typescript_call_with_wrong_argument_count_is_reported(
    repository: Repository, before: str, after: str, call: str, rule: str
) -> None:
    """A TypeScript call that omits a required argument or passes too many arguments does not compile."""
    files = {"lib.ts": f"export function f{before} {{}}\n", "app.ts": TS.format(call)}
    (finding,) = look(repository.change(files, {"lib.ts": f"export function f{after} {{}}\n"}))

    assert (finding.path, finding.start, finding.rule) == ("app.ts", 3, rule)
    assert rule == "arity" or finding.title.endswith("and omits b, which is now required")


@pytest.mark.parametrize(
    ("before", "after", "caller"),
    [
        ("export function f(a: number) {}", "export function f(a: number, b?: number) {}", "app.ts"),
        ("export function f(a: number) {}", "export function f(a: number, b = 1) {}", "app.ts"),
        ("export function f(a: number) {}", "export function f(a: number, b: number | undefined) {}", "app.ts"),
        ("export function f(a: number) {}", "export function f(a: number, b: number) {}", "app.js"),
        (
            "export function f(a: number): void;\nexport function f(a: any) {}",
            "export function f(a: number, b: number): void;\nexport function f(a: any, b: any) {}",
            "app.ts",
        ),
    ],
)
def test_javascript_call_with_any_number_of_arguments_is_not_reported(
    repository: Repository, before: str, after: str, caller: str
) -> None:
    """Callers in plain JavaScript, optional parameters, defaults and overloads cause no finding."""
    files = {"lib.ts": f"{before}\n", caller: TS.format("f(a)")}

    assert look(repository.change(files, {"lib.ts": f"{after}\n"})) == []


REPLACED = {
    "by the whole path": "import shop.tax\n\nshop.tax.total = fast\n",
    "a method": "from shop.tax import Cart\n\nCart.total = fast\n",
    "by its name in quotes": "import shop.tax\n\nsetattr(shop.tax, 'total', fast)\n",
    "a method by its name in quotes": "from shop.tax import Cart\n\nsetattr(Cart, 'total', fast)\n",
    "in its table of names": "import shop.tax\n\nshop.tax.__dict__['total'] = fast\n",
}
KEPT = {
    "a test": {"tests/test_fast.py": "import shop.tax\n\nshop.tax.total = fast\n"},
    "an attribute of an object": {
        "fast.py": "import shop.tax\n\n\ndef go(order):\n    order.total = shop.tax.Cart()\n"
    },
    "a comparison": {"fast.py": "import shop.tax\n\nsame = shop.tax.total == fast\n"},
    "a function of another module": {"fast.py": "import shop.tax\nimport shop.fees\n\nshop.fees.total = fast\n"},
}
TAX = "def total(a):\n    return a\n\n\nclass Cart:\n    def total(self, a):\n        return a\n"
