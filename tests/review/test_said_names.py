"""Names that other files use in a special syntax: qualified, as a string, or in a query."""

from collections.abc import Mapping

import pytest

COMPOSER = '{"autoload":{"psr-4":{"App\\\\":"src/"},"files":["src/f.php"]}}\n'
PHP_FUNCTION = "<?php\nnamespace App;\n\nfunction total($x)\n{\n    return 1;\n}\n"
PHP_CONST = "<?php\nnamespace App;\n\nconst LIMIT = 3;\n"
LUA = "local Cart = {}\nCart.__index = Cart\n\nfunction Cart.new(x)\n  return setmetatable({ x = x }, Cart)\nend\n\nfunction Cart:total()\n  return self.x\nend\n\nreturn Cart\n"


def php(source: str, use: str) -> tuple[str, str, str, str]:
    """Return an always loaded file of functions, and a file that uses them."""
    return "src/f.php", source, "src/Deep/U.php", f"<?php\nnamespace App\\Deep;\n\n{use}\n"


def lua(source: str, use: str) -> tuple[str, str, str, str]:
    """Return a module and a file that may require it."""
    return "cart.lua", source, "use.lua", use


JAVA = "package shop;\n\npublic class Cart {\n    private Owner keeper;\n    protected Owner owner;\n}\n"
DJANGO = "from django.db import models\n\n\nclass Order(models.Model):\n    total = models.IntegerField()\n"
MIGRATION = 'from django.db import migrations, models\n\n\nclass Migration(migrations.Migration):\n    operations = [migrations.CreateModel("Order", fields=[("total", models.IntegerField())])]\n'
RENAMING = 'from django.db import migrations\n\n\nclass Migration(migrations.Migration):\n    operations = [migrations.RenameField("order", "total", "amount")]\n'


def django(query: str, imports: str = "from .models import Order\n") -> tuple[str, str, str, str]:
    """Return a model and a file that queries it."""
    return "shop/models.py", DJANGO, "shop/views.py", f"{imports}\n\ndef f(Line):\n    return {query}\n"


GO_PART = '{{ define "row" }}\n<p>x</p>\n{{ end }}\n'


def page(source: str, path: str, user: str) -> tuple[str, str, str, str]:
    """Return a template with a named part, and a file that may use it."""
    return "web/base.html", source, path, user


FIELD = ("total = ", "amount = ")
GONE = ("total(", "amount(")
LUA_GONE = (":total()", ":amount()")
KEEPER = ("Owner keeper", "Owner holder")
WORDS = ("int orderSum", "int wholeSum")
CART = "package shop;\n\npublic class Cart {\n    private int orderSum;\n}\n"


def query(line: str) -> tuple[str, str, str, str]:
    """Return a Java class, and a repository class with this line, such as a query annotation."""
    text = f"package shop;\n\npublic interface CartRepository {{\n    {line}\n    java.util.List<Cart> some();\n}}\n"
    return "shop/Cart.java", JAVA, "shop/CartRepository.java", text


def two_words(line: str) -> tuple[str, str, str, str]:
    """Return a Java class with a private field named in two words, and a class with this line."""
    return "shop/Cart.java", CART, "shop/Rows.java", f"package shop;\n\npublic class Rows {{\n    {line}\n}}\n"


CASES: Mapping[str, tuple[tuple[str, str, str, str], tuple[str, str], bool]] = {
    "function by its whole name": (php(PHP_FUNCTION, "echo \\App\\total(1);"), GONE, True),
    "function of this namespace": (("src/f.php", PHP_FUNCTION, "lib/U.php", "<?php\nnamespace App;\n\necho namespace\\total(1);\n"), GONE, True),
    "function of another namespace": (php(PHP_FUNCTION, "echo \\Web\\total(1);"), GONE, False),
    "constant by its whole name": (php(PHP_CONST, "echo \\App\\LIMIT;"), ("LIMIT", "MAXIMUM"), True),
    "method of a value": (lua(LUA, 'local cart = require("cart")\n\nlocal c = cart.new(1)\nprint(c:total())\n'), LUA_GONE, True),
    "method that asks for more": (lua(LUA, 'local cart = require("cart")\n\nlocal c = cart.new(1)\nprint(c:total())\n'), (":total()", ":total(tax)"), True),
    "method of self": (lua(LUA, 'local cart = require("cart")\nlocal M = {}\n\nfunction M:show()\n  return self:total()\nend\n\nreturn M\n'), LUA_GONE, False),
    "query of another class": (query('@Query("select b from Basket b, Cart c where b.keeper = 3")'), KEEPER, False),
    "private field of two words in a query": (two_words('@Query("select c from Cart c where c.orderSum > 3")\n    Object x();'), WORDS, True),
    "package of Go that is still there": (("a.go", 'package shop\n\nimport (\n\t"x.io/shop/tax"\n)\n', "tax/t.yml", 'package: "x.io/shop/tax"\n'), ("/tax", "/fees"), False),
    "word of a page": (page(GO_PART, "web/b.tmpl", '<p class="row">row</p>\n'), ('"row"', '"entry"'), False),
    "section of Blade": (("views/app.blade.php", "<p>\n@yield('footer')\n</p>\n", "views/a.blade.php", "@extends('app')\n@section('footer')\nx\n@endsection\n"), ("@yield('footer')", "@yield('bottom')"), True),
    "lookup without the class": (django("Line.objects.filter(total__gte=1)", ""), FIELD, False),
}  # fmt: skip
QUERIES: Mapping[str, tuple[str, bool]] = {
    "argument": ("Order.objects.filter(total=1)", True),
    "lookup": ("Order.objects.filter(total__gte=1)", True),
    "order": ('Order.objects.order_by("-total")', True),
    "of another class": ("Line.objects.filter(total__gte=1)", False),
}


@pytest.mark.parametrize(("project", "edit", "is_open"), CASES.values(), ids=CASES.keys())
def test_name_is_found_in_special_syntax(
    places, project: tuple[str, str, str, str], edit: tuple[str, str], is_open: bool  # noqa: ANN001
) -> None:  # fmt: skip
    """Code that uses the removed or changed name is reported; code that means another name is not."""
    home, source, path, user = project
    assert edit[0] in source
    before = {"composer.json": COMPOSER, home: source, path: user}
    assert (path in places(before, {home: source.replace(*edit)})) is is_open


@pytest.mark.parametrize(("query", "is_open"), QUERIES.values(), ids=QUERIES.keys())
def test_query_with_a_renamed_column_is_reported(places, query: str, is_open: bool) -> None:  # noqa: ANN001
    """The migration is reported if a query of that model still uses the renamed column."""
    user = f"from .models import Order\n\n\ndef f(Line):\n    return {query}\n"
    models = DJANGO.replace("total", "amount")
    first, second = "shop/migrations/0001_first.py", "shop/migrations/0002_second.py"
    before = {"shop/models.py": models, first: MIGRATION, second: "x = 1\n", "shop/views.py": user}
    assert (second in places(before, {second: RENAMING})) is is_open
