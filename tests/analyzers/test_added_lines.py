"""A line that a change adds takes no removed attribute or column off the list, unless it defines the same one again."""

import pytest
from contract_findings import look, open_uses
from fakes import Repository
from families import few

import deeprepo

Files = dict[str, str | bytes | None]
SETTINGS: Files = {
    ".env.example": "SHOP_API_ENDPOINT=http://x\nOTHER_NAME=1\n",
    "app/keys.py": "import os\n\nURL = os.environ['SHOP_API_ENDPOINT']\n",
}
ENV = "SHOP_API_ADDRESS=http://x\nOTHER_NAME=1\n"
JSON: Files = {
    "conf/settings.json": '{\n  "retryBackoffSeconds": 3,\n  "b": 1\n}\n',
    "src/a.js": "const s = require('../conf/settings.json')\nconsole.log(s.retryBackoffSeconds)\n",
}
YAML: Files = {
    "conf/shop.yml": "http:\n  retry_backoff_seconds: 3\nother: 1\n",
    "src/a.py": 'print(conf["http"]["retry_backoff_seconds"])\n',
}
TOML: Files = {"shop.toml": "[http]\nretry_backoff_seconds = 3\n", "src/a.py": YAML["src/a.py"]}
TABLE: Files = {
    "db/schema.sql": "CREATE TABLE orders (\n  order_total_cents INT,\n  b INT\n);\n",
    "app/query.py": 'Q = "SELECT order_total_cents FROM orders"\n',
}
SUM = "CREATE TABLE orders (\n  order_sum_cents INT,\n  b INT\n);\n"
ATTRIBUTE: Files = {
    "a.py": "class K:\n    def __init__(self):\n        self.region_bucket_name = 1\n",
    "z.py": "def f(k):\n    return k.region_bucket_name\n",
}
ZONE = "class K:\n    def __init__(self):\n        self.zone_bucket_name = 1\n"

SERVER: Files = {"shop.yml": "http:\n  limit: 1\n  retry_backoff_seconds: 3\n", "src/a.py": YAML["src/a.py"]}
LIMIT: Files = {"shop.toml": "[http]\nlimit = 1\nretry_backoff_seconds = 3\n", "src/a.py": YAML["src/a.py"]}
LINE: Files = {"shop.json": '{"retry_backoff_seconds": 3, "b": 1}\n', "src/a.py": YAML["src/a.py"]}

# scene, its changed file, that file without the key, and what is added to it besides
ATTACKS: dict[str, tuple[Files, str, str, str]] = {
    "another class": (
        ATTRIBUTE, "a.py", ZONE, "\n\nclass Z:\n    def __init__(self):\n        self.region_bucket_name = 1\n",
    ),
    "a class inside the class": (
        ATTRIBUTE, "a.py", ZONE, "    class Z:\n        def __init__(self):\n            self.region_bucket_name = 1\n",
    ),
    "a variable of the module": (ATTRIBUTE, "a.py", ZONE, "region_bucket_name = 1\n"),
    "a local variable": (ATTRIBUTE, "a.py", ZONE, "    def q(self):\n        region_bucket_name = 1\n        return region_bucket_name\n"),
    "a removal within one line of JSON": (LINE, "shop.json", '{"b": 1}\n', ""),
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
def test_an_added_line_that_defines_nothing_keeps_no_key(repository: Repository, name: str) -> None:
    """The place that reads the old key is a finding or open, with the added line as without it."""
    files, path, text, added = ATTACKS[name]
    pull = repository.change(files, {path: text + added})

    assert look(pull) or open_uses(pull)


# What is left of a table in a dump of the whole schema, and what is added besides.
COLUMNS: dict[str, tuple[str, str]] = {
    "a literal of SQL": (SUM, "SELECT 'order_total_cents';\n"),
    "an index": (SUM, "CREATE INDEX i ON orders (order_total_cents);\n"),
    "an alias": (SUM, "SELECT 1 AS order_total_cents;\n"),
    "a block comment of SQL": (SUM, "/*\n  order_total_cents INT,\n*/\n"),
    "a column of another table": (SUM, "CREATE TABLE z (\n  order_total_cents INT\n);\n"),
    "a temporary table": (SUM, "CREATE TEMP TABLE orders (\n  order_total_cents INT\n);\n"),
    "a table in the schema of the session": (SUM, "CREATE TABLE pg_temp.orders (\n  order_total_cents INT\n);\n"),
    "a table that exists": (SUM, "CREATE TABLE IF NOT EXISTS orders (\n  order_total_cents INT\n);\n"),
}  # fmt: skip
STATEMENTS = {
    "db/2.sql": "ALTER TABLE orders DROP COLUMN IF EXISTS order_total_cents;\n",
    "db/3.sql": "ALTER TABLE orders RENAME COLUMN order_total_cents TO order_sum_cents;\n",
}
LOST = {
    **{name: {"db/schema.sql": text + added} for name, (text, added) in COLUMNS.items()},
    **{path: {path: text} for path, text in STATEMENTS.items()},
}


@pytest.mark.parametrize("name", few(LOST, *range(0, len(LOST), 3)))
def test_a_column_that_is_gone_is_taken_from_who_reads_it(repository: Repository, name: str) -> None:
    """Whatever else the change adds that writes its name; the file that declared it need not be touched."""
    pull = repository.change(TABLE, LOST[name])
    done = deeprepo.review(str(repository.folder), f"{pull.base}..{pull.head}", effort="none")

    assert [found.evidence[0].path for found in done.findings] == ["app/query.py"]


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
