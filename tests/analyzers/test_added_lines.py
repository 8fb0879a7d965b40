"""A line that a change adds takes no renamed or removed key off the list, unless it defines the same key again."""

import pytest
from contract_findings import look, open_uses
from fakes import Repository
from families import few

Files = dict[str, str | bytes | None]
SETTINGS: Files = {
    ".env.example": "SHOP_API_ENDPOINT=http://x\nOTHER_NAME=1\n",
    "app/keys.py": "import os\n\nURL = os.environ['SHOP_API_ENDPOINT']\n",
}
ENV = "SHOP_API_ADDRESS=http://x\nOTHER_NAME=1\n"
ROUTE: Files = {
    "app/api.py": '@app.route("/orders/invoices/export")\ndef export():\n    return ""\n',
    "web/client.js": 'export const load = () => fetch("/orders/invoices/export")\n',
}
DUMP = '@app.route("/orders/invoices/dump")\ndef export():\n    return ""\n'
JSON: Files = {
    "conf/settings.json": '{\n  "retryBackoffSeconds": 3,\n  "b": 1\n}\n',
    "src/a.js": "const s = require('../conf/settings.json')\nconsole.log(s.retryBackoffSeconds)\n",
}
YAML: Files = {
    "conf/shop.yml": "http:\n  retry_backoff_seconds: 3\nother: 1\n",
    "src/a.py": 'print(conf["http"]["retry_backoff_seconds"])\n',
}
DELAY = "http:\n  retry_delay_seconds: 3\nother: 1\n"
TOML: Files = {"shop.toml": "[http]\nretry_backoff_seconds = 3\n", "src/a.py": YAML["src/a.py"]}
TABLE: Files = {
    "db/schema.sql": "CREATE TABLE orders (\n  order_total_cents INT,\n  b INT\n);\n",
    "app/query.py": 'Q = "SELECT order_total_cents FROM orders"\n',
}
SUM = "CREATE TABLE orders (\n  order_sum_cents INT,\n  b INT\n);\n"
SHELL: Files = {
    "lib/release.sh": "#!/bin/bash\nbuild_release_image() {\n  echo 1\n}\n",
    "ci.sh": "#!/bin/bash\n. lib/release.sh\nbuild_release_image\n",
}
PUBLISH = "#!/bin/bash\npublish_final_image() {\n  echo 1\n}\n"
ATTRIBUTE: Files = {
    "a.py": "class K:\n    def __init__(self):\n        self.region_bucket_name = 1\n",
    "z.py": "def f(k):\n    return k.region_bucket_name\n",
}
ZONE = "class K:\n    def __init__(self):\n        self.zone_bucket_name = 1\n"
TERRAFORM: Files = {
    "vars.tf": 'variable "region_bucket_name" {\n  default = 1\n}\n',
    "main.tf": 'resource "a" "b" {\n  x = var.region_bucket_name\n}\n',
}
BUCKET = 'variable "zone_bucket_name" {\n  default = 1\n}\n'

# scene, its changed file, that file without the key, and what is added besides (a text: to that file)
ATTACKS: dict[str, tuple[Files, str, str, str | Files]] = {
    "a comment behind a value": (SETTINGS, ".env.example", ENV, "THIRD=1 # SHOP_API_ENDPOINT\n"),
    "a value": (SETTINGS, ".env.example", ENV, 'OLD_NAME="SHOP_API_ENDPOINT"\n'),
    "a text of code elsewhere": (SETTINGS, ".env.example", ENV, {"app/z.py": 'X = "SHOP_API_ENDPOINT"\n'}),
    "a setting of another kind of file": (SETTINGS, ".env.example", ENV, {"Dockerfile": "ENV SHOP_API_ENDPOINT=1\n"}),
    "another data file": (ROUTE, "app/api.py", DUMP, {"web/z.json": '{"a": "/orders/invoices/export"}\n'}),
    "a route in a text": (ROUTE, "app/api.py", DUMP, 'OLD = "/orders/invoices/export"\n'),
    "a route in a docstring": (ROUTE, "app/api.py", DUMP, '"""\n@app.route("/orders/invoices/export")\n"""\n'),
    "another client": (ROUTE, "app/api.py", DUMP, {"web/z.js": 'fetch("/orders/invoices/export")\n'}),
    "a value of JSON": (
        JSON, "conf/settings.json", '{\n  "retryDelaySeconds": 3,\n  "b": "retryBackoffSeconds"\n}\n', "",
    ),
    "another object of JSON": (
        JSON, "conf/settings.json", '{\n  "retryDelaySeconds": 3,\n  "b": {\n  "retryBackoffSeconds": 1\n}}\n', "",
    ),
    "another file of JSON": (
        JSON, "conf/settings.json", '{\n  "retryDelaySeconds": 3,\n  "b": 1\n}\n', {"z.json": '{\n  "retryBackoffSeconds": 3\n}\n'},
    ),
    "another section of YAML": (YAML, "conf/shop.yml", DELAY, "db:\n  retry_backoff_seconds: 3\n"),
    "a text of YAML": (YAML, "conf/shop.yml", DELAY, "text: |\n  retry_backoff_seconds: 3\n"),
    "another section of TOML, on the same line": (
        TOML, "shop.toml", "[http]\nretry_delay_seconds = 3\n[db]\n", "retry_backoff_seconds = 3\n",
    ),
    "a literal of SQL": (TABLE, "db/schema.sql", SUM, "SELECT 'order_total_cents';\n"),
    "an index": (TABLE, "db/schema.sql", SUM, "CREATE INDEX i ON orders (order_total_cents);\n"),
    "an alias": (TABLE, "db/schema.sql", SUM, "SELECT 1 AS order_total_cents;\n"),
    "a block comment of SQL": (TABLE, "db/schema.sql", SUM, "/*\n  order_total_cents INT,\n*/\n"),
    "a column of another table": (TABLE, "db/schema.sql", SUM, "CREATE TABLE z (\n  order_total_cents INT\n);\n"),
    "a string of shell": (SHELL, "lib/release.sh", PUBLISH, "X=build_release_image\n"),
    "a here-document": (SHELL, "lib/release.sh", PUBLISH, "cat <<X\nbuild_release_image() {\nX\n"),
    "another class": (
        ATTRIBUTE, "a.py", ZONE, "\n\nclass Z:\n    def __init__(self):\n        self.region_bucket_name = 1\n",
    ),
    "a class inside the class": (
        ATTRIBUTE, "a.py", ZONE, "    class Z:\n        def __init__(self):\n            self.region_bucket_name = 1\n",
    ),
    "a variable of the module": (ATTRIBUTE, "a.py", ZONE, "region_bucket_name = 1\n"),
    "a local variable": (ATTRIBUTE, "a.py", ZONE, "    def q(self):\n        region_bucket_name = 1\n        return region_bucket_name\n"),
    "a text of Terraform": (TERRAFORM, "vars.tf", BUCKET, 'locals {\n  a = "region_bucket_name"\n}\n'),
}  # fmt: skip


@pytest.mark.parametrize("name", few(ATTACKS, *range(0, len(ATTACKS), 4)))
def test_an_added_line_that_defines_nothing_keeps_no_key(repository: Repository, name: str) -> None:
    """The place that reads the old key is a finding or open, with the added line as without it."""
    files, path, text, added = ATTACKS[name]
    besides = added if isinstance(added, dict) else {}
    pull = repository.change(files, {path: text + (added if isinstance(added, str) else ""), **besides})

    assert look(pull) or open_uses(pull)


AGAIN: dict[str, tuple[Files, str, str]] = {
    "an alias of a setting": (SETTINGS, ".env.example", f"{ENV}SHOP_API_ENDPOINT=http://x\n"),
    "a key of JSON that moved down": (
        JSON, "conf/settings.json", '{\n  "b": 1,\n  "c": 2,\n  "retryBackoffSeconds": 3\n}\n',
    ),
    "a section that moved": (YAML, "conf/shop.yml", "other: 1\nhttp:\n  limit: 1\n  retry_backoff_seconds: 3\n"),
    "a column with another type": (TABLE, "db/schema.sql", "CREATE TABLE orders (\n  b INT,\n  order_total_cents BIGINT NOT NULL\n);\n"),
    "an attribute that is set elsewhere in the class": (
        ATTRIBUTE, "a.py", "class K:\n    def __init__(self):\n        self.reset()\n\n    def reset(self):\n        self.a, self.region_bucket_name = 1, 2\n",
    ),
    "an attribute that is a property now": (
        ATTRIBUTE, "a.py", "class K:\n    @property\n    def region_bucket_name(self):\n        return 1\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", AGAIN)
def test_a_key_that_is_defined_again_is_not_gone(repository: Repository, name: str) -> None:
    """Who reads it reads what it read."""
    files, path, text = AGAIN[name]
    pull = repository.change(files, {path: text})

    assert (look(pull), open_uses(pull)) == ([], ())


DROPS = {
    "db/2.sql": "ALTER TABLE orders DROP COLUMN IF EXISTS order_total_cents;\n",
    "db/3.sql": "ALTER TABLE orders RENAME COLUMN order_total_cents TO order_sum_cents;\n",
    "db/2.py": 'def upgrade():\n    op.drop_column("orders", "order_total_cents")\n',
    "db/2.rb": "remove_column :orders, :order_total_cents\n",
    "db/django.py": 'migrations.RemoveField(\n    model_name="orders",\n    name="order_total_cents",\n)\n',
    "db/2.php": "<?php\n$table->dropColumn('order_total_cents');\n",
}


@pytest.mark.parametrize("path", DROPS)
def test_a_statement_that_drops_a_column_takes_it_from_who_reads_it(repository: Repository, path: str) -> None:
    """The file that declared it is not touched."""
    pull = repository.change(TABLE, {path: DROPS[path]})

    assert "app/query.py" in {use.path for use in open_uses(pull)}
