"""A member of one word behind a value whose class the file never names: open if nothing else in the tree has the name."""

from collections.abc import Mapping

import pytest
from small_changes import Files, Places

JAVA = {
    "shop/Cart.java": "package shop;\n\npublic class Cart {\n  public int total() { return 1; }\n}\n",
    "shop/Repo.java": "package shop;\n\npublic class Repo {\n  public Cart find() { return new Cart(); }\n}\n",
    "web/Pay.java": "package web;\n\nimport shop.Repo;\n\npublic class Pay {\n  int go(Repo r) { return r.find().total(); }\n}\n",
}
CSHARP = {
    "Cart.cs": "namespace Shop;\n\npublic class Cart\n{\n    public int Total() { return 1; }\n}\n",
    "Repo.cs": "namespace Shop;\n\npublic class Repo\n{\n    public Cart Find() { return new Cart(); }\n}\n",
    "Pay.cs": "namespace Shop;\n\npublic class Pay\n{\n    int Go(Repo r) { var c = r.Find(); return c.Total(); }\n}\n",
}
GO = {
    "go.mod": "module x.y/shop\n",
    "cart/cart.go": "package cart\n\ntype Cart struct {\n\tAmount int\n}\n\nfunc (c *Cart) Total() int { return 1 }\n",
    "repo/repo.go": 'package repo\n\nimport "x.y/shop/cart"\n\nfunc Find() *cart.Cart { return &cart.Cart{} }\n',
    "main.go": 'package main\n\nimport "x.y/shop/repo"\n\nfunc main() { c := repo.Find(); println(c.Total(), c.Amount) }\n',
}
TYPED = {
    "src/kind.ts": "export class Order {\n  id = 1;\n  total(): number {\n    return 1;\n  }\n}\n",
    "src/api.ts": 'import { Order } from "./kind";\n\nexport function load(): Order[] {\n  return [new Order()];\n}\n',
    "src/b.ts": 'import { load } from "./api";\n\nexport function pay() {\n  return load().map((o) => o.total());\n}\n',
}
PYTHON = {
    "shop/__init__.py": "",
    "shop/models.py": "class Cart:\n    def total(self):\n        return 1\n",
    "shop/repo.py": "from shop.models import Cart\n\n\ndef find_cart(key):\n    return Cart()\n",
    "shop/view.py": "from shop.repo import find_cart\n\n\ndef show(key):\n    total = find_cart(key).total()\n    return total\n",
}
PHP = {
    "composer.json": '{"autoload": {"psr-4": {"App\\\\": "src/"}}}\n',
    "src/Cart.php": "<?php\nnamespace App;\nclass Cart\n{\n    public function total() { return 1; }\n}\n",
    "src/Repo.php": "<?php\nnamespace App;\nclass Repo\n{\n    public function cart() { return new Cart(); }\n}\n",
    "src/Web/Pay.php": "<?php\nnamespace App\\Web;\nuse App\\Repo;\nfunction pay(Repo $repo) { return $repo->cart()->total(); }\n",
}
Case = tuple[Files, str, str, str, str]  # the tree, the file of the class, a text of it, what becomes of that, the user
OPEN: Mapping[str, Case] = {
    "java removed": (JAVA, "shop/Cart.java", "  public int total() { return 1; }\n", "", "web/Pay.java"),
    "java parameter": (JAVA, "shop/Cart.java", "total()", "total(int tax)", "web/Pay.java"),
    "c# removed": (CSHARP, "Cart.cs", "    public int Total() { return 1; }\n", "", "Pay.cs"),
    "go removed": (GO, "cart/cart.go", "func (c *Cart) Total() int { return 1 }\n", "", "main.go"),
    "go field": (GO, "cart/cart.go", "Amount int", "Amount *int", "main.go"),
    "typescript removed": (TYPED, "src/kind.ts", "  total(): number {\n    return 1;\n  }\n", "", "src/b.ts"),
    "python renamed": (PYTHON, "shop/models.py", "total(self)", "amount(self)", "shop/view.py"),
    "python async": (PYTHON, "shop/models.py", "    def total", "    async def total", "shop/view.py"),
    "php renamed": (PHP, "src/Cart.php", "total()", "amount()", "src/Web/Pay.php"),
}  # fmt: skip


@pytest.mark.parametrize("case", OPEN)
def test_a_member_behind_a_result_is_open_if_nothing_else_has_its_name(places: Places, case: str) -> None:
    """The file names neither the class nor its file: it takes what has the member from a third one."""
    before, home, old, new, user = OPEN[case]
    assert user in places(before, {home: before[home].replace(old, new)})


OTHER = "class Basket:\n    def total(self):\n        return 2\n"
QUIET: Mapping[str, tuple[Files, Files, str]] = {
    "another class has one": (
        {**PYTHON, "shop/basket.py": OTHER},
        {"shop/models.py": PYTHON["shop/models.py"].replace("(self)", "(self, tax)")},
        "shop/view.py",
    ),
    "an object has one": (
        {**TYPED, "src/c.ts": "export const empty = { total: 0 };\n"},
        {"src/kind.ts": TYPED["src/kind.ts"].replace("total(): number", "async total(): Promise<number>")},
        "src/b.ts",
    ),
    "its own member": (
        {**PYTHON, "shop/view.py": PYTHON["shop/view.py"].replace("find_cart(key).total()", "self.total()")},
        {"shop/models.py": PYTHON["shop/models.py"].replace("(self)", "(self, tax)")},
        "shop/view.py",
    ),
    "a value of a library": (
        {**PYTHON, "shop/view.py": "import stats\nfrom shop.repo import find_cart\n\n\ndef show(key):\n    find_cart(key)\n    return stats.total()\n"},
        {"shop/models.py": PYTHON["shop/models.py"].replace("total(self)", "amount(self)")},
        "shop/view.py",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", QUIET)
def test_a_member_that_may_be_another_one_stays_quiet(places: Places, case: str) -> None:
    """Another definition, a key, a library or a class of the tree may have it, or nothing connects the file with the class."""
    before, after, user = QUIET[case]
    assert user not in places(before, after)


def test_a_variable_of_a_function_is_no_member(places: Places) -> None:
    """`total = ...` in another file gives no value a `total`, neither does a parameter."""
    before = {**PYTHON, "shop/sums.py": "def added(rows, total=0):\n    for row in rows:\n        total += row\n    return total\n"}  # fmt: skip
    after = {"shop/models.py": PYTHON["shop/models.py"].replace("(self)", "(self, tax)")}
    assert "shop/view.py" in places(before, after)
