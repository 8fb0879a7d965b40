"""A removed attribute, key or column is not reported if an added line defines it again."""

import pytest
from contract_findings import look, open_uses
from fakes import Repository

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
TABLE: Files = {
    "db/schema.sql": "CREATE TABLE orders (\n  order_total_cents INT,\n  b INT\n);\n",
    "app/query.py": 'Q = "SELECT order_total_cents FROM orders"\n',
}
ATTRIBUTE: Files = {
    "a.py": "class K:\n    def __init__(self):\n        self.region_bucket_name = 1\n",
    "z.py": "def f(k):\n    return k.region_bucket_name\n",
}

LINE: Files = {"shop.json": '{"retry_backoff_seconds": 3, "b": 1}\n', "src/a.py": YAML["src/a.py"]}


AGAIN: dict[str, tuple[Files, str, str]] = {
    "an alias of a setting": (SETTINGS, ".env.example", f"{ENV}SHOP_API_ENDPOINT=http://x\n"),
    "a key of JSON that moved down": (
        JSON, "conf/settings.json", '{\n  "b": 1,\n  "c": 2,\n  "retryBackoffSeconds": 3\n}\n',
    ),
    "a comment in JSON": (LINE, "shop.json", '{\n  // 3 s\n  "retry_backoff_seconds": 3,\n  "b": 1,\n}\n'),
    "a table of SQL that is written anew": (
        TABLE, "db/schema.sql", "DROP TABLE IF EXISTS orders;\nCREATE TABLE public.orders (\n  order_total_cents BIGINT,\n  c INT\n);\n",
    ),
    "an attribute that is set elsewhere in the class": (
        ATTRIBUTE, "a.py", "class K:\n    def __init__(self):\n        self.reset()\n\n    def reset(self):\n        self.a, self.region_bucket_name = 1, 2\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", AGAIN)
def test_key_defined_again_on_an_added_line_is_not_reported(repository: Repository, name: str) -> None:
    """A reader of the key still works, so the change has no findings and leaves no reference open."""
    files, path, text = AGAIN[name]
    pull = repository.change(files, {path: text})

    assert (look(pull), open_uses(pull)) == ([], ())
