import pytest
from dependents_scene import find
from fakes import Repository

from bot.review import coverage

BLADE = "resources/views/orders/index.blade.php"
ROW = "app/views/orders/_row.html.erb"
COMMAND = "shop/management/commands/import_orders.py"
TAGS = "shop/templatetags/money.py"
SUMMARY = "app/views/bills/summary.html.erb"
# what -> (file that goes, (who asks, its text, line))
ASKED = {
    "a view of Laravel": (BLADE, ("app/a.php", "<?php\nreturn view('orders.index', ['a' => 1]);\n", 2)),
    "a view of Laravel, made": (BLADE, ("app/a.php", "<?php\nreturn View::make('orders.index');\n", 2)),
    "a view of Laravel, of a route": (BLADE, ("routes/web.php", "<?php\nRoute::view('/o', 'orders.index');\n", 2)),
    "a view of Laravel, included": (BLADE, ("resources/views/a.blade.php", "<p>\n@include('orders.index')\n", 2)),
    "a layout of Laravel": (BLADE, ("resources/views/a.blade.php", "@extends('orders.index')\n", 1)),
    "a view of Laravel of one word": ("resources/views/welcome.blade.php", ("app/a.php", "<?php\nreturn view('welcome');\n", 2)),
    "a component of Blade": ("resources/views/components/forms/input.blade.php", ("resources/views/a.blade.php", "<p>\n<x-forms.input />\n", 2)),
    "a partial of Rails": (ROW, ("app/views/users/show.html.erb", '<%= render "orders/row", order: 1 %>\n', 1)),
    "a partial of Rails, by its key": (ROW, ("app/views/users/show.html.erb", '<p>\n<%= render(partial: "orders/row") %>\n', 2)),
    "a partial of Rails in its folder": (ROW, ("app/views/orders/show.html.erb", "<%= render 'row' %>\n", 1)),
    "a partial of Rails of its controller": (ROW, ("app/controllers/orders_controller.rb", "class OrdersController\n  def show = render(partial: 'row')\nend\n", 2)),
    "a template of Rails": (SUMMARY, ("app/controllers/carts_controller.rb", 'class CartsController\n  def show = render(template: "bills/summary")\nend\n', 2)),
    "a template of Rails of its controller": (SUMMARY, ("app/controllers/bills_controller.rb", "class BillsController\n  def show\n    render :summary\n  end\nend\n", 3)),
    "a template of Rails by its action": (SUMMARY, ("app/controllers/bills_controller.rb", 'class BillsController\n  def show = render(action: "summary")\nend\n', 2)),
    "a layout of Rails": ("app/views/layouts/backend.html.erb", ("app/controllers/a_controller.rb", 'class AController\n  layout "backend"\nend\n', 2)),
    "a layout of Rails for one page": ("app/views/layouts/backend.html.erb", ("app/controllers/a_controller.rb", 'class AController\n  def a = render(:a, layout: "backend")\nend\n', 2)),
    "a view of Express": ("views/basket.ejs", ("routes/a.js", 'exports.a = (req, res) => res.render("basket", {})\n', 1)),
    "a view of Express in a folder": ("src/views/bills/list.pug", ("routes/a.ts", "export const a = (req, res) =>\n  res.render('bills/list')\n", 2)),
    "a view of Fastify": ("views/basket.hbs", ("routes/a.js", 'app.get("/", (req, reply) => reply.view("basket", {}))\n', 1)),
    "a template of Spring": ("src/main/resources/templates/bills/list.html", ("src/A.java", '@Controller class A {\n    String a() {\n        return "bills/list";\n    }\n}\n', 3)),
    "a template of Spring of one word": ("src/main/resources/templates/basket.html", ("src/A.kt", '@RestController class A {\n    fun a(): String {\n        return "basket"\n    }\n}\n', 3)),
    "a fragment of Thymeleaf": ("src/main/resources/templates/parts/head.html", ("src/main/resources/templates/a.html", '<div th:replace="~{parts/head :: top}"></div>\n', 1)),
    "a page of JSP": ("src/main/webapp/WEB-INF/views/basket.jsp", ("src/A.java", 'class A {\n    ModelAndView a() { return new ModelAndView("basket"); }\n}\n', 2)),
    "a view of Razor": ("Views/Bill/Summary.cshtml", ("Controllers/A.cs", 'class A {\n    IActionResult B() => View("Summary");\n}\n', 2)),
    "a partial of Razor": ("Views/Shared/_Row.cshtml", ("Views/Bill/Index.cshtml", '<p>\n<partial name="_Row" />\n', 2)),
    "a layout of Razor": ("Views/Shared/_Main.cshtml", ("Views/_ViewStart.cshtml", '@{\n    Layout = "_Main";\n}\n', 2)),
    "a command of Django": (COMMAND, ("shop/a.py", 'call_command("import_orders", verbosity=1)\n', 1)),
    "a command of Django in a script": (COMMAND, ("run.sh", "python manage.py import_orders\n", 1)),
    "a command of Django in a list": (COMMAND, ("Dockerfile", 'FROM x\nCMD ["python", "manage.py", "import_orders"]\n', 2)),
    "tags of Django": (TAGS, ("templates/a.html", "{% load static money %}\n", 1)),
    "tags of Django, one of them": (TAGS, ("templates/a.html", "{% load price from money %}\n", 1)),
}  # fmt: skip
# what -> (file that goes, where it is then, other files)
SILENT = {
    "a view with the same name": (BLADE, "modules/x/resources/views/orders/index.blade.php", {"app/a.php": "<?php\nreturn view('orders.index');\n"}),
    "a key of data": (BLADE, "", {"app/a.php": "<?php\n$x = $data['orders.index'];\n"}),
    "a view of another folder": (BLADE, "", {"app/a.php": "<?php\nreturn view('users.index');\n"}),
    "a component of a longer name": ("resources/views/components/card.blade.php", "", {"resources/views/a.blade.php": "<x-card-title />\n<x-card.title />\n"}),
    "a partial of another format": (ROW, "app/views/orders/_row.html.haml", {"app/views/orders/show.html.erb": "<%= render 'row' %>\n"}),
    "a partial of another folder": (ROW, "", {"app/views/users/show.html.erb": "<%= render 'row' %>\n"}),
    "a template of another controller": (SUMMARY, "", {"app/controllers/carts_controller.rb": "class CartsController\n  def show\n    render :summary\n  end\nend\n"}),
    "a template in another language": (SUMMARY, "app/views/bills/summary.html.haml", {"app/controllers/bills_controller.rb": "class BillsController\n  def show = render(:summary)\nend\n"}),
    "a view of Express for another engine": ("views/basket.ejs", "views/basket.pug", {"routes/a.js": 'exports.a = (req, res) => res.render("basket")\n'}),
    "a text that is no view": ("views/basket.ejs", "", {"routes/a.js": 'exports.a = () => load("basket")\n'}),
    "a text of Java that is no view": ("src/main/resources/templates/basket.html", "", {"src/A.java": 'class A { String a = "basket"; }\n'}),
    "a text that Java hands back beside any controller": ("src/main/resources/templates/basket.html", "", {"src/A.java": 'class A { String a() { return "basket"; } }\n'}),
    "a view of something else": ("Views/Bill/Summary.cshtml", "", {"A.cs": 'class A { object B(Graph graph) => graph.View("Summary"); }\n'}),
    "a view of the same name": ("Views/Bill/Summary.cshtml", "Views/Shared/Summary.cshtml", {"Controllers/A.cs": 'class A { IActionResult B() => View("Summary"); }\n'}),
    "a comment": (COMMAND, "", {"run.sh": "# python manage.py import_orders\n"}),
    "a command of a longer name": (COMMAND, "", {"run.sh": "python manage.py import_orders_fast\n"}),
    "a command of another application": (COMMAND, "pay/management/commands/import_orders.py", {"run.sh": "python manage.py import_orders\n"}),
    "a variable of a page": (TAGS, "", {"templates/a.html": "{{ money }} {% if money %}{% endif %}\n"}),
}  # fmt: skip
TEXT = "one\ntwo\nthree\n"


def _open(repository: Repository, before: dict[str, str], after: dict[str, str | None]) -> set[str]:
    found = find(repository.change(before, after))
    return {f"{use.path}:{use.line}" for use in coverage.obliged_uses((), found)}


@pytest.mark.parametrize("what", ASKED)
@pytest.mark.parametrize("new", ["", "renamed/other"])
def test_a_file_that_goes_is_missed_by_who_asks_for_it_by_its_name(repository: Repository, what: str, new: str) -> None:
    """The framework makes the name of the path: nothing else ties the two."""
    path, (reader, text, line) = ASKED[what]
    source = "x = 1\ny = 2\nz = 3\n" if path.endswith(".py") else TEXT
    after: dict[str, str | None] = {path: None, **({new: source} if new else {})}
    assert f"{reader}:{line}" in _open(repository, {path: source, reader: text}, after)


@pytest.mark.parametrize("what", SILENT)
def test_a_file_whose_name_is_still_there_or_not_asked_for_is_no_loss(repository: Repository, what: str) -> None:
    """The framework finds another file, or the word means something else."""
    path, new, others = SILENT[what]
    source = "x = 1\ny = 2\nz = 3\n" if path.endswith(".py") else TEXT
    assert not _open(repository, {path: source, **others}, {path: None, **({new: source} if new else {})})
