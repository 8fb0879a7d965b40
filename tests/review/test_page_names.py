"""Filters, tags and helpers that a program registers by a name: pages that still ask for one that is gone are open, of one word too."""

from collections.abc import Mapping

import pytest
from small_changes import Files, Places

DJANGO = "from django import template\n\nregister = template.Library()\n\n\n%s\n\n\n@register.filter\ndef shout(v):\n    return v.upper()\n"
MONEY = "def money(v):\n    return v\n"
PIPED, LOADED = "<p>{{ order.sum|money }}</p>\n", "{% load shop_tags %}\n"
FLASK = "from flask import Flask\n\napp = Flask(__name__)\n\n\n%s"
HELPER = 'module MoneyHelper\n  def money(v)\n    "#{v} E"\n  end\nend\n'
Case = tuple[str, str, str, str]  # the file that registers, what registers, the page, what that says
OPEN: Mapping[str, Case] = {
    "filter": ("shop/templatetags/shop_tags.py", DJANGO % f"@register.filter\n{MONEY}", "t1/a.html", LOADED + PIPED),
    "filter with arguments": ("shop/templatetags/shop_tags.py", DJANGO % f"@register.filter(is_safe=True)\n@stringfilter\n{MONEY}", "t1/a.html", LOADED + PIPED),
    "filter with a name": ("shop/templatetags/shop_tags.py", DJANGO % '@register.filter(name="money")\ndef f(v):\n    return v\n', "t1/a.html", LOADED + PIPED),
    "filter with a name first": ("shop/templatetags/shop_tags.py", DJANGO % '@register.filter("money")\ndef f(v):\n    return v\n', "t1/a.html", LOADED + PIPED),
    "filter over lines": ("shop/templatetags/shop_tags.py", DJANGO % '@register.filter(\n    name="money",\n)\ndef f(v):\n    return v\n', "t1/a.html", LOADED + PIPED),
    "filter by a call": ("shop/templatetags/shop_tags.py", DJANGO % 'register.filter("money", str)', "t1/a.html", LOADED + PIPED),
    "filter in a condition": ("shop/templatetags/shop_tags.py", DJANGO % f"@register.filter\n{MONEY}", "t1/a.html", "{% load shop_tags %}\n{% if order.sum | money:2 %}x{% endif %}\n"),
    "simple tag": ("shop/templatetags/shop_tags.py", DJANGO % f"@register.simple_tag(takes_context=True)\n{MONEY}", "t1/a.html", "{% load shop_tags %}\n{% money order %}\n"),
    "inclusion tag": ("shop/templatetags/shop_tags.py", DJANGO % f'@register.inclusion_tag("row.html")\n{MONEY}', "t1/a.html", "{% load shop_tags %}\n{%- money order %}\n"),
    "flask": ("app.py", FLASK % f"@app.template_filter()\n{MONEY}", "t1/a.html", PIPED),
    "flask blueprint": ("app.py", FLASK % '@pages.app_template_filter("money")\ndef f(v):\n    return v\n', "t1/a.html", PIPED),
    "flask global": ("app.py", FLASK % f"@app.template_global()\n{MONEY}", "t1/a.html", "<p>{{ money(order) }}</p>\n"),
    "flask test": ("app.py", FLASK % f"@app.template_test()\n{MONEY}", "t1/a.html", "{% if order is not money %}x{% endif %}\n"),
    "flask call": ("app.py", FLASK % 'app.add_template_filter(str, "money")\n', "t1/a.html", PIPED),
    "jinja": ("app.py", 'env.filters["money"] = str\n', "t1/a.html.j2", PIPED),
    "rails": ("app/helpers/money_helper.rb", HELPER, "app/views/a.html.erb", "<%= money(3) %>\n"),
    "rails without brackets": ("app/helpers/money_helper.rb", HELPER, "app/views/a.html.erb", "<p><%= money 3 %></p>\n"),
    "haml": ("app/helpers/money_helper.rb", HELPER, "app/views/a.html.haml", "%p= money(3)\n"),
    "helper of a controller": ("app/controllers/shop.rb", "class ShopController\n  helper_method :first, :money\nend\n", "app/views/a.html.erb", "<%= money %>\n"),
    "twig": ("src/Shop.php", "<?php\nclass Shop { public function getFilters() { return [\n  new TwigFilter('money', [$this, 'f']),\n]; } }\n", "views/a.html.twig", PIPED),
    "handlebars": ("src/pages.js", 'Handlebars.registerHelper("money", (v) => v);\n', "views/a.hbs", "<p>{{money order.sum}}</p>\n"),
    "nunjucks": ("src/pages.js", 'env.addFilter("money", (v) => v);\n', "views/a.njk", PIPED),
}  # fmt: skip


@pytest.mark.parametrize("case", OPEN)
def test_a_page_that_asks_for_what_is_registered_no_longer_is_open(places: Places, case: str) -> None:
    """The form in which the engine asks for a filter, a tag or a helper leaves nothing else that could be meant."""
    home, source, page, said = OPEN[case]
    before = {home: source, page: said, "README.md": "# shop\n"}
    assert page in places(before, {home: source.replace("money", "cash")})


TAGS = ("shop/templatetags/shop_tags.py", DJANGO % f"@register.filter\n{MONEY}")
RAILS = ("app/helpers/money_helper.rb", HELPER)
QUIET: Mapping[str, tuple[tuple[str, str], Files, str]] = {
    "another file registers it": (TAGS, {"t1/a.html": PIPED, "other/tags.py": DJANGO % f"@register.filter\n{MONEY}"}, "t1/a.html"),
    "another form": (TAGS, {"t1/a.html": "<p>{{ money }} {% money %} money | x || money</p>\n"}, "t1/a.html"),
    "a longer name": (TAGS, {"t1/a.html": "<p>{{ sum|money_in }}</p>\n"}, "t1/a.html"),
    "a table of a document": (TAGS, {"docs/a.md": "| x | money |\n"}, "docs/a.md"),
    "words of a page": (RAILS, {"app/views/a.html.erb": "<p>money is <%= name %></p>\n<%= order.money %>\n"}, "app/views/a.html.erb"),
    "a variable of a page": (RAILS, {"app/views/a.html.erb": "<%= render 'row', money: 3 %>\n", "app/views/_row.html.erb": "<%= money %>\n"}, "app/views/_row.html.erb"),
}  # fmt: skip


@pytest.mark.parametrize("case", QUIET)
def test_what_a_page_says_otherwise_stays_quiet(places: Places, case: str) -> None:
    """Another file registers the name, or the page means a variable, a key, a word."""
    (home, source), more, page = QUIET[case]
    assert page not in places({home: source, **more}, {home: source.replace("money", "cash")})
