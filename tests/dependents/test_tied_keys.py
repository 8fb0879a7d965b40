import pytest
from dependents_scene import find
from fakes import Repository

from bot.review import coverage

TOTAL = 'def total(a):\n    return {\n        "amount": a,\n        "currency": "x",\n    }\n'
LESS = TOTAL.replace('        "currency": "x",\n', "")
HOOK = "export function useCart() {\n  const reset = () => 1;\n  return { items: [], reset };\n}\n"
HOOK_LINES = HOOK.replace("{ items: [], reset }", "{\n    items: [],\n    reset,\n  }")
CLIENT = "export class Client {\n  constructor(options = {}) {\n    this.delay = options.delay;\n    this.base = options.base;\n  }\n}\n"
TAKEN_OUT = "export function open(url, o = {}) {\n  const { delay, base } = o;\n  return [url, base];\n}\n"
DRAW = "<?php\nfunction draw($x, array $options = []) {\n    return [$x, $options['size'] ?? 1];\n}\n"
VIEW = 'def view(r):\n    return render(r, "a.html", {\n        "amount": 1,\n        "courier": "x",\n    })\n'
CONFIG = '{\n  "host": "a",\n  "port": 1\n}\n'
MODELS = "from django.db import models\n\n\nclass Order(models.Model):\n    total = models.IntegerField()\n    paid = models.IntegerField()\n"
PRISMA = "model Order {\n  id Int @id\n  buyer String\n}\n"
TERRAFORM = "locals {\n  conf = {\n    size = 1\n    zone = 2\n  }\n}\n"
SHELL = "greet() {\n  echo hi\n}\n\nleave() {\n  echo bye\n}\n"
# what -> (file, before, after, reader, the line that is open)
TIED = {
    "a dict, read by an index": ("m.py", TOTAL, LESS, ("u.py", 'from m import total\n\nprint(total(1)["currency"])\n'), 3),
    "a dict, read by get": ("m.py", TOTAL, LESS, ("u.py", 'import m\n\nprint(m.total(1).get("currency"))\n'), 3),
    "a dict, in a package": ("shop/__init__.py", TOTAL, LESS, ("u.py", 'from shop import total\n\nprint(total(1)["currency"])\n'), 3),
    "an object by shorthand, taken apart": ("h.js", HOOK, HOOK.replace(", reset", ""), ("u.js", 'import { useCart } from "./h.js";\nconst { items, reset } = useCart();\n'), 2),
    "an object by shorthand, under another name": ("h.js", HOOK, HOOK.replace(", reset", ""), ("u.js", 'import { useCart } from "./h.js";\nconst { reset: empty } = useCart();\n'), 2),
    "an object by shorthand, read as a member": ("h.js", HOOK, HOOK.replace(", reset", ""), ("u.js", 'import { useCart } from "./h.js";\nuseCart().reset();\n'), 2),
    "an object over several lines, taken apart so": ("h.js", HOOK_LINES, HOOK_LINES.replace("    reset,\n", ""), ("u.js", 'import { useCart } from "./h.js";\nconst {\n  items,\n  reset,\n} = useCart();\n'), 4),
    "an option of a script": ("h.js", CLIENT, CLIENT.replace("options.delay", "options.wait"), ("u.js", 'import { Client } from "./h.js";\nnew Client({ delay: 3 });\n'), 2),
    "an option that is optional": ("h.ts", CLIENT.replace("options.delay", "options?.delay"), CLIENT.replace("options.delay", "4"), ("u.ts", 'import { Client } from "./h";\nnew Client({\n  base: 1,\n  delay: 3,\n});\n'), 4),
    "an option by shorthand": ("h.js", CLIENT, CLIENT.replace("options.delay", "4"), ("u.js", 'import { Client } from "./h.js";\nconst delay = 3;\nnew Client({ delay });\n'), 3),
    "an option that is taken out": ("h.js", TAKEN_OUT, TAKEN_OUT.replace("delay, ", ""), ("u.js", 'import { open } from "./h.js";\nopen("x", { delay: 3 });\n'), 2),
    "an option of PHP": ("draw.php", DRAW, DRAW.replace("'size'", "'width'"), ("u.php", "<?php\nrequire 'draw.php';\ndraw(1, ['size' => 3]);\n"), 3),
    "what a page is given": ("m.py", VIEW, VIEW.replace('        "courier": "x",\n', ""), ("templates/a.html", "<p>{{ courier }}</p>\n"), 1),
    "settings of four letters": ("config.json", CONFIG, CONFIG.replace('  "host": "a",\n', ""), ("m.js", 'const cfg = require("./config.json");\nuse(cfg.host);\n'), 2),
    "settings that are renamed": ("config.json", CONFIG, CONFIG.replace("host", "address"), ("m.js", 'const cfg = require("./config.json");\nuse(cfg.host);\n'), 2),
    "settings of YAML": ("config.yml", "server:\n  port: 1\n  token: x\n", "server:\n  port: 1\n", ("m.py", 'import yaml\n\nx = yaml.safe_load(open("config.yml"))["server"]["token"]\n'), 3),
    "a field of a model, in a query": ("shop/models.py", MODELS, MODELS.replace("    total = models.IntegerField()\n", ""), ("shop/v.py", "from shop.models import Order\n\nROWS = Order.objects.filter(total=1)\n"), 3),
    "a field of Prisma": ("schema.prisma", PRISMA, PRISMA.replace("  buyer String\n", ""), ("a.ts", "export const f = (p: any) => p.order.findMany({ select: { buyer: true } });\n"), 1),
    "a local value of Terraform": ("main.tf", TERRAFORM, TERRAFORM.replace("    zone = 2\n", ""), ("b.tf", 'output "x" {\n  value = local.conf.zone\n}\n'), 2),
    "a function of a shell": ("lib/common.sh", SHELL, SHELL.replace("greet() {\n  echo hi\n}\n\n", ""), ("run.sh", "#!/bin/sh\n. ./lib/common.sh\ngreet\n"), 3),
    "a function of a shell, in a condition": ("lib/common.sh", SHELL, SHELL.replace("greet", "hello"), ("run.sh", "#!/bin/bash\nsource lib/common.sh\nif greet; then exit; fi\n"), 3),
}  # fmt: skip
# what -> (file, before, after, other files)
UNTIED = {
    "a reader that imports something else": ("m.py", TOTAL, LESS, {"u.py": 'from n import total\n\nprint(total(1)["currency"])\n'}),
    "a key that another file sets": ("m.py", TOTAL, LESS, {"u.py": 'from m import total\n\nprint(total(1)["currency"])\n', "n.py": 'X = {"currency": 1}\n'}),
    "a name within an import": ("h.js", HOOK, HOOK.replace(", reset", ""), {"u.js": 'import { reset } from "./h.js";\n'}),
    "a variable of the same name": ("h.js", HOOK, HOOK.replace(", reset", ""), {"u.js": 'import { useCart } from "./h.js";\nconst reset = useCart();\nreset.items;\n'}),
    "a page that somebody else renders": ("m.py", VIEW, VIEW.replace('        "courier": "x",\n', ""), {"templates/b.html": "<p>{{ courier }}</p>\n"}),
    "a word of a page's text": ("m.py", VIEW, VIEW.replace('        "courier": "x",\n', ""), {"templates/a.html": "<p>by courier</p>\n"}),
    "settings that keep the key": ("config.json", CONFIG, CONFIG.replace('"port": 1', '"port": 2'), {"m.js": 'const cfg = require("./config.json");\nuse(cfg.host);\n'}),
    "a script that sources nothing": ("lib/common.sh", SHELL, SHELL.replace("greet", "hello"), {"run.sh": "#!/bin/sh\ngreet\n"}),
    "an argument of a command": ("lib/common.sh", SHELL, SHELL.replace("greet", "hello"), {"run.sh": "#!/bin/sh\n. lib/common.sh\necho greet\n"}),
}  # fmt: skip
PLACES = {
    "a module, in a text": ("shop/order_tasks.py", "shop/mail_tasks.py", ("settings.py", 'TASKS = ["shop.order_tasks.send_mail"]\n'), 1),
    "a module, as an entry point": ("shop/order_tasks.py", "shop/mail_tasks.py", ("pyproject.toml", '[project.scripts]\nx = "shop.order_tasks:send_mail"\n'), 2),
    "a module, run by an image": ("pkg/worker.py", "pkg/jobs.py", ("Dockerfile", 'FROM x\nCMD ["python", "-m", "pkg.worker"]\n'), 2),
    "a script, copied": ("scripts/start.sh", "scripts/boot.sh", ("Dockerfile", "FROM x\nCOPY scripts/start.sh /start.sh\n"), 2),
    "a script, run": ("scripts/x.py", "", ("Makefile", "run:\n\tpython scripts/x.py\n"), 2),
    "a script, sourced": ("lib/common.sh", "lib/base.sh", ("run.sh", "#!/bin/sh\n. ./lib/common.sh\n"), 2),
    "a page": ("templates/order_list.html", "", ("app.py", 'def f():\n    return render_template("order_list.html")\n'), 2),
    "a page that another extends": ("templates/page.html", "", ("templates/a.html", '{% extends "page.html" %}\n'), 1),
    "data": ("data/x.json", "", ("app.py", 'X = open("data/x.json").read()\n'), 1),
    "data in a program of Go": ("query.sql", "", ("main.go", 'package main\n\nimport _ "embed"\n\n//go:embed query.sql\nvar q string\n'), 5),
    "data in a program of Rust": ("src/order_query.sql", "", ("src/main.rs", 'const Q: &str = include_str!("order_query.sql");\n'), 1),
}  # fmt: skip
ALIVE = {
    "another file of that name": {"Dockerfile": "FROM x\nCOPY app/start.sh /start.sh\n", "app/start.sh": "echo 2\n"},
    "a comment": {"Dockerfile": "FROM x\n# scripts/start.sh was here\n"},
    "a document": {"docs/start.md": "Run scripts/start.sh first.\n"},
    "another folder": {"Makefile": "run:\n\t./other/start.sh\n"},
    "a longer name": {"Makefile": "run:\n\t./scripts/restart.sh\n"},
}
SERVE = "def serve():\n    pass\n\n\ndef other():\n    pass\n"


def _open(repository: Repository, before: dict[str, str], after: dict[str, str | None]) -> set[str]:
    found = find(repository.change(before, after))
    return {f"{use.path}:{use.line}" for use in coverage.obliged_uses((), found)}


@pytest.mark.parametrize("what", TIED)
def test_a_key_of_one_word_is_missed_where_its_file_is_used(repository: Repository, what: str) -> None:
    """Who imports the file, reads the settings by name or is rendered by it means the key that went."""
    path, before, after, (reader, text), line = TIED[what]
    assert f"{reader}:{line}" in _open(repository, {path: before, reader: text}, {path: after})


@pytest.mark.parametrize("what", UNTIED)
def test_a_word_that_nothing_ties_to_the_change_is_a_word(repository: Repository, what: str) -> None:
    """Half of a tree writes a word such as `currency`."""
    path, before, after, others = UNTIED[what]
    assert not _open(repository, {path: before, **others}, {path: after})


@pytest.mark.parametrize("what", PLACES)
def test_a_path_that_goes_is_missed_where_a_text_names_it(repository: Repository, what: str) -> None:
    """No language resolves such a text: the line is open, so that somebody reads it."""
    path, new, (reader, text), line = PLACES[what]
    body = (
        "one\ntwo\nthree\n"
        if not path.endswith(".py")
        else "def send_mail(a):\n    return a\n\n\ndef other(b):\n    return b\n"
    )
    after: dict[str, str | None] = {path: None, **({new: body} if new else {})}
    assert f"{reader}:{line}" in _open(repository, {path: body, reader: text}, after)


@pytest.mark.parametrize("what", ALIVE)
def test_a_path_that_means_another_file_is_no_loss(repository: Repository, what: str) -> None:
    """A comment, a document and the path of a file that is there name nothing that went."""
    assert not _open(repository, {"scripts/start.sh": "echo 1\n", **ALIVE[what]}, {"scripts/start.sh": None})


@pytest.mark.parametrize("text", ["def run():\n    pass\n\n\ndef other():\n    pass\n", "def other():\n    pass\n"])
def test_a_function_of_one_word_is_missed_where_settings_name_its_module(repository: Repository, text: str) -> None:
    """`pkg.cli:serve` is one function, however common its name is."""
    before = {"pkg/__init__.py": "", "pkg/cli.py": SERVE, "pyproject.toml": '[project.scripts]\nx = "pkg.cli:serve"\n'}
    assert "pyproject.toml:2" in _open(repository, before, {"pkg/cli.py": text})


def test_a_function_that_its_file_hands_on_is_where_it_was(repository: Repository) -> None:
    """The entry point finds what the module imports."""
    before = {"pkg/__init__.py": "", "pkg/cli.py": SERVE, "pyproject.toml": '[project.scripts]\nx = "pkg.cli:serve"\n'}
    after: dict[str, str | None] = {
        "pkg/cli.py": "from pkg.web import serve\n\n\ndef other():\n    return serve\n",
        "pkg/web.py": "def serve():\n    pass\n",
    }
    assert "pyproject.toml:2" not in _open(repository, before, after)


RUBY = "class Order < ApplicationRecord\n  %s\n  scope :newest, -> { 1 }\nend\n"
ANNOUNCED = {
    "a tag of Go": ("a.go", 'package a\n\ntype T struct {\n\tA string `json:"order_total"`\n\tB int `json:"b"`\n}\n', '\tA string `json:"order_total"`\n', {"b.js": "show(d.order_total);\n"}),
    "a scope of Rails": ("order.rb", RUBY % "scope :recent_first, -> { 1 }", "  scope :recent_first, -> { 1 }\n", {"b.rb": "Order.recent_first\n"}),
    "a delegation of Ruby": ("order.rb", RUBY % "delegate :owner_name, to: :owner", "  delegate :owner_name, to: :owner\n", {"b.rb": "Order.new.owner_name\n"}),
    "a route's name": ("urls.py", 'P = [\n    path("x/", x, name="order-list"),\n]\n', '    path("x/", x, name="order-list"),\n', {"b.html": "{% url 'order-list' %}\n"}),
}  # fmt: skip


@pytest.mark.parametrize("what", ANNOUNCED)
def test_a_name_that_a_text_or_a_symbol_gave_is_missed(repository: Repository, what: str) -> None:
    """Who reads it is open, unless another file gives it, too."""
    path, text, line, readers = ANNOUNCED[what]
    assert _open(repository, {path: text, **readers}, {path: text.replace(line, "")})


@pytest.mark.parametrize("what", ANNOUNCED)
def test_a_name_that_another_file_gives_is_there(repository: Repository, what: str) -> None:
    """The reader may mean that."""
    path, text, line, readers = ANNOUNCED[what]
    before = {path: text, f"other/{path}": text, **readers}
    assert not _open(repository, before, {path: text.replace(line, "")})


@pytest.mark.parametrize("name", ["user_name", "created_at", "is_active"])
def test_a_name_that_many_trees_have_is_a_key(repository: Repository, name: str) -> None:
    """In few files it means what the change renames."""
    text = 'package a\n\ntype T struct {\n\tA string `json:"%s"`\n}\n'
    before = {"a.go": text % name, "b.js": f"show(d.{name});\n"}
    assert _open(repository, before, {"a.go": text % "login_title"}) == {"b.js:1"}
