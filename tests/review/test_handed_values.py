"""Values that one file hands to another by their names: a key that goes, on either side, leaves the other side open."""

from collections.abc import Mapping

import pytest
from small_changes import Files, Places

CONTEXT = "const Ctx = createContext(null);\n\nexport function Provider({ children }) {\n  const signOut = () => 1;\n  return <Ctx.Provider value={{ user: 1, signOut }}>{children}</Ctx.Provider>;\n}\n\nexport const useAuth = () => useContext(Ctx);\n"
READER = 'import { useAuth } from "./ctx";\n\nexport const App = () => {\n  const { user, signOut } = useAuth();\n  return <b onClick={() => signOut()}>{user}</b>;\n};\n'
VARIABLE = CONTEXT.replace("  return <Ctx", "  const value = { user: 1, signOut };\n  return <Ctx").replace(
    "value={{ user: 1, signOut }}", "value={value} onClick={signOut}"
)
ANSWER = "module.exports = (req, res) => {\n  const orderTotal = 1;\n  const count = 2;\n  res.json({ orderTotal, count });\n};\n"
FLASK = 'from flask import render_template\n\n\ndef show(o):\n    return render_template(\n        "o.html",\n        order=o,\n        count=1,\n    )\n'
LARAVEL = '<?php\nclass OrderController {\n    public function show() {\n        return view("orders.show")\n            ->with("orderTotal", 1)\n            ->with("other", 2);\n    }\n}\n'
SPRING = 'package shop;\n\npublic class OrderController {\n    public String show(Model model) {\n        model.addAttribute("orderTotal", 1);\n        return "orders/show";\n    }\n}\n'
KEYWORDS = 'def load(path, **options):\n    return options.get("size", 10)\n'
NO_KEYWORDS = 'def load(path, options):\n    return options.get("size", 10)\n'
LOADER = "from store import load\n\n\ndef run():\n    return load(\n        'x',\n        size=3,\n    )\n"
OPTIONS = "class Mail\n  def call(opts = {})\n    opts[:reply]\n  end\nend\n"
SLOT = '<template><b><slot name="page-header" /></b></template>\n'
FILLED = '<template>\n  <Btn>\n    <template #page-header>\n      x\n    </template>\n  </Btn>\n</template>\n<script setup>\nimport Btn from "./Btn.vue";\n</script>\n'
RAILS = 'class Order < ApplicationRecord\n  scope :recent, -> { where("x > 1") }\n  has_many :lines\n  validates :total\nend\n'
RAILS_USER = "class OrdersController\n  def index\n    @orders = Order.recent\n    @all = Order.find(1).lines\n    @sum = Order.find(1).total\n  end\nend\n"
DJANGO = 'from django.db import models\n\n\nclass Order(models.Model):\n    pass\n\n\nclass Line(models.Model):\n    order = models.ForeignKey(Order, related_name="lines", on_delete=models.CASCADE)\n'
DJANGO_USER = "from shop.models import Order\n\n\ndef f(pk):\n    order = Order.objects.get(pk=pk)\n    return order.lines.all()\n"
# the changed file, its text, what goes, what comes; another file, its text; whether that is open
CASES: Mapping[str, tuple[str, str, str, str, str, str, bool]] = {
    "shorthand in an attribute of JSX": ("src/ctx.jsx", CONTEXT, ", signOut }}", " }}", "src/App.jsx", READER, True),
    "shorthand that is written in full": ("src/ctx.jsx", CONTEXT, "signOut }}", "signOut: signOut }}", "src/App.jsx", READER, False),
    "shorthand in a variable": ("src/ctx.jsx", VARIABLE, ", signOut };", " };", "src/App.jsx", READER, True),
    "shorthand in an answer": ("server/a.js", ANSWER, "{ orderTotal, count }", "{ count }", "web/b.js", "load().then(d => d.orderTotal);\n", True),
    "shorthand that nobody reads": ("server/a.js", ANSWER, "{ orderTotal, count }", "{ orderTotal }", "web/b.js", "load().then(d => d.orderTotal);\n", False),
    "argument of a call over several lines": ("shop/a.py", FLASK, "        order=o,\n", "", "shop/templates/o.html", "<p>{{ order }}</p>\n", True),
    "another argument": ("shop/a.py", FLASK, "        count=1,\n", "", "shop/templates/o.html", "<p>{{ order }}</p>\n", False),
    "method that hands a value to a page": ("app/OrderController.php", LARAVEL, '            ->with("orderTotal", 1)\n', "", "views/orders/show.blade.php", "<p>{{ $orderTotal }}</p>\n", True),
    "variable that the page sets itself": ("app/OrderController.php", LARAVEL, '            ->with("orderTotal", 1)\n', "", "views/orders/show.blade.php", "@php\n$orderTotal = 3;\n@endphp\n", False),
    "attribute of a model": ("src/OrderController.java", SPRING, '        model.addAttribute("orderTotal", 1);\n', "", "templates/orders/show.html", '<b th:text="${orderTotal}"></b>\n', True),
    "keyword that is read no more": ("store.py", KEYWORDS, '"size"', '"block"', "run.py", LOADER, True),
    "keyword that is read elsewhere": ("store.py", KEYWORDS, "    return", "    size = 1\n    return size and", "run.py", LOADER, False),
    "key of a mapping": ("store.py", NO_KEYWORDS, '"size"', '"block"', "run.py", LOADER, False),
    "symbol that is read no more": ("app/mail.rb", OPTIONS, ":reply", ":answer", "lib/b.rb", "Mail.new.call(reply: 1)\n", True),
    "symbol for another class": ("app/mail.rb", OPTIONS, ":reply", ":answer", "lib/b.rb", "Post.new.call(reply: 1)\n", False),
    "slot": ("src/Btn.vue", SLOT, "page-header", "page-top", "src/App.vue", FILLED, True),
    "scope": ("app/order.rb", RAILS, '  scope :recent, -> { where("x > 1") }\n', "", "app/orders_controller.rb", RAILS_USER, True),
    "association": ("app/order.rb", RAILS, "  has_many :lines\n", "", "app/orders_controller.rb", RAILS_USER, True),
    "macro that makes nothing": ("app/order.rb", RAILS, "  validates :total\n", "", "app/orders_controller.rb", RAILS_USER, False),
    "related name": ("shop/models.py", DJANGO, 'related_name="lines", ', "", "shop/views.py", DJANGO_USER, True),
}  # fmt: skip


@pytest.mark.parametrize(("home", "source", "old", "new", "path", "user", "is_open"), CASES.values(), ids=CASES.keys())
def test_a_value_that_is_not_handed_over_any_more_is_open_where_it_was_expected(
    places: Places, home: str, source: str, old: str, new: str, path: str, user: str, is_open: bool
) -> None:
    """Who hands over and who takes are told by the imports, the pages and the classes that they name."""
    assert old in source
    before: Files = {home: source, path: user}
    assert (path in places(before, {home: source.replace(old, new)})) is is_open
