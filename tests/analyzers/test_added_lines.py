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

# The same for what only the parser of a format, or of SQL, can tell.
PLAIN = "http:\n  limit: 1\n"
SERVER: Files = {"shop.yml": "http:\n  limit: 1\n  retry_backoff_seconds: 3\n", "src/a.py": YAML["src/a.py"]}
LIMIT: Files = {"shop.toml": "[http]\nlimit = 1\nretry_backoff_seconds = 3\n", "src/a.py": YAML["src/a.py"]}
LINE: Files = {"shop.json": '{"retry_backoff_seconds": 3, "b": 1}\n', "src/a.py": YAML["src/a.py"]}
JAVA: Files = {"app.properties": "limit=1\nretry_backoff_seconds=3\n", "src/a.py": YAML["src/a.py"]}
INI: Files = {"app.ini": "[http]\nlimit = 1\nretry_backoff_seconds = 3\n", "src/a.py": YAML["src/a.py"]}
PARSED: dict[str, tuple[Files, str, str, str | Files]] = {
    "a second document of YAML": (SERVER, "shop.yml", PLAIN, "---\nhttp:\n  retry_backoff_seconds: 3\n"),
    "a section above of the same name": (SERVER, "shop.yml", f"http:\n  retry_backoff_seconds: 3\n{PLAIN}", ""),
    "a section below of the same name": (SERVER, "shop.yml", f"{SERVER['shop.yml']!s}", "http:\n  limit: 1\n"),
    "a quoted text of YAML": (SERVER, "shop.yml", 'http:\n  limit: "\n  retry_backoff_seconds: 3\n  "\n', ""),
    "a text in single quotes": (SERVER, "shop.yml", "http:\n  limit: '\n  retry_backoff_seconds: 3\n  '\n", ""),
    "an anchor that nothing merges": (SERVER, "shop.yml", PLAIN, "x: &http\n  retry_backoff_seconds: 3\n"),
    "a root that is a document now": (
        {**SERVER, "shop.yml": "retry_backoff_seconds: 3\n"}, "shop.yml", "limit: 1\n---\nretry_backoff_seconds: 3\n", "",
    ),
    "another file with another section": (SERVER, "shop.yml", PLAIN, {"z.yml": "retry_backoff_seconds: 3\n"}),
    "a quoted text of .env": (SETTINGS, ".env.example", 'OTHER_NAME="\nSHOP_API_ENDPOINT=5\n"\n', ""),
    "a key of .env that is unset": (SETTINGS, ".env.example", "OTHER_NAME=1\nSHOP_API_ENDPOINT=2\nunset SHOP_API_ENDPOINT\n", ""),
    "a key of .env with a gap": (SETTINGS, ".env.example", "OTHER_NAME=1\nSHOP_API_ENDPOINT =http://x\n", ""),
    "a Dockerfile": (SETTINGS, ".env.example", "OTHER_NAME=1\n", {"z/Dockerfile": "FROM a\nENV SHOP_API_ENDPOINT=5\n"}),
    "a Makefile": (SETTINGS, ".env.example", "OTHER_NAME=1\n", {"z/Makefile": "SHOP_API_ENDPOINT=5\n"}),
    "a file without an ending": (SETTINGS, ".env.example", "OTHER_NAME=1\n", {"z/notes": "SHOP_API_ENDPOINT=5\n"}),
    "a continued line of .properties": (JAVA, "app.properties", "limit=1\\\nretry_backoff_seconds=3\n", ""),
    "a continued line with blanks": (JAVA, "app.properties", "limit=1,\\\n   retry_backoff_seconds=3\n", ""),
    "another document of .properties": (JAVA, "app.properties", "limit=1\n#---\nretry_backoff_seconds=3\n", ""),
    "a continued option of INI": (INI, "app.ini", "[http]\nlimit = 1\n  retry_backoff_seconds = 3\n", ""),
    "a mark inside a text of TOML": (
        LIMIT, "shop.toml", "[http]\nx = '\"\"\"'\nlimit = 1\ny = \"\"\"\nretry_backoff_seconds = 3\n\"\"\"\n", "",
    ),
    "an inner table of TOML": (LIMIT, "shop.toml", "[http]\nlimit = 1\n[http.z]\nretry_backoff_seconds = 3\n", ""),
    "a text of JSON on the same line": (LINE, "shop.json", '{"retry_delay_seconds": 3, "b": "retry_backoff_seconds"}\n', ""),
    "a removal within one line of JSON": (LINE, "shop.json", '{"b": 1}\n', ""),
    "an inner object on the same line": (LINE, "shop.json", '{"b": {"retry_backoff_seconds": 3}}\n', ""),
    "an object of JSON that comes twice": (
        {**LINE, "shop.json": '{"http": {"retry_backoff_seconds": 3}}\n'}, "shop.json", '{"http": {"retry_backoff_seconds": 3},\n "http": {}}\n', "",
    ),
    "a temporary table": (TABLE, "db/schema.sql", SUM, "CREATE TEMP TABLE orders (\n  order_total_cents INT\n);\n"),
    "a temporary table above": (
        TABLE, "db/schema.sql", f"CREATE GLOBAL TEMPORARY TABLE orders (\n  order_total_cents INT\n);\n{SUM}", "",
    ),
    "a table in the schema of the session": (TABLE, "db/schema.sql", SUM, "CREATE TABLE pg_temp.orders (\n  order_total_cents INT\n);\n"),
    "a table that exists": (TABLE, "db/schema.sql", SUM, "CREATE TABLE IF NOT EXISTS orders (\n  order_total_cents INT\n);\n"),
    "a table of another schema above": (
        TABLE, "db/schema.sql", f"CREATE TABLE archive.orders (\n  order_total_cents INT\n);\n{SUM}", "",
    ),
}  # fmt: skip
ATTACKS |= PARSED


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
    "a key that an anchor brings": (SERVER, "shop.yml", "x: &x\n  retry_backoff_seconds: 3\nhttp:\n  <<: *x\n  limit: 1\n"),
    "a key in a flow of YAML": (SERVER, "shop.yml", "http: {limit: 1, retry_backoff_seconds: 3}\n"),
    "a comment in JSON": (LINE, "shop.json", '{\n  // 3 s\n  "retry_backoff_seconds": 3,\n  "b": 1,\n}\n'),
    "a dotted key of TOML": (LIMIT, "shop.toml", "http.limit = 1\nhttp.retry_backoff_seconds = 3\n"),
    "a table of SQL that is written anew": (
        TABLE, "db/schema.sql", "DROP TABLE IF EXISTS orders;\nCREATE TABLE public.orders (\n  order_total_cents BIGINT,\n  c INT\n);\n",
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
