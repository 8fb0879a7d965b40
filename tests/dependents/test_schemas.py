"""Elements that schemas lose, and the lines that still use them, in reviews without a model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from fakes import Repository

import deeprepo

Files = Mapping[str, Any]  # None deletes the file
Others = Callable[[str], Repository]


@dataclass(frozen=True)
class Case:
    """Files before a change, the changed schema, the reported rule, and the lines that still use it."""

    before: Files
    after: Files
    rule: str
    uses: tuple[str, ...]


CREATE = "CREATE TABLE orders (id INTEGER PRIMARY KEY, total INTEGER, note TEXT);\n"
QUERY = 'SQL = "SELECT total FROM orders WHERE id = ?"\n'
MODEL = "from django.db import models\n\n\nclass Order(models.Model):\n    total = models.IntegerField()\n"
DJANGO = 'class Migration:\n    operations = [\n        migrations.RemoveField(\n            model_name="order",\n            name="total",\n        ),\n    ]\n'
PROCEDURE = "CREATE OR ALTER PROCEDURE [dbo].[Order_SetSeenById]\n    @Id INT\nAS\nBEGIN\n    UPDATE [dbo].[Order] SET [Seen] = 1 WHERE [Id] = @Id\nEND\n"
STUB = "CREATE PROCEDURE orders_list\nAS\nSELECT 1\nGO\n"
ROUTINE = "CREATE FUNCTION shop.create_queue ({})\nRETURNS void AS $$\nBEGIN\nEND;\n$$ LANGUAGE plpgsql;\n"
RAILS = "class A < ActiveRecord::Migration[7.0]\n  def up\n    remove_column :orders, :total\n  end\n\n  def down\n    remove_column :orders, :note\n  end\nend\n"
ALEMBIC = "def upgrade():\n    op.drop_column('orders', 'total')\n\n\ndef downgrade():\n    op.drop_column('orders', 'note')\n"
GO = 'package m\n\nvar _ = "x"\nfunc up() { db.Exec("ALTER TABLE orders DROP COLUMN total") }\n'
API = """openapi: 3.0.0
paths:
  /orders/{id}/lines:
    get:
      operationId: listOrderLines
      parameters:
        - {name: page_token, in: query, schema: {type: string}}
      responses:
        '200':
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Line'}
components:
  schemas:
    Line:
      type: object
      properties:
        unit_price: {type: integer}
        line: {$ref: '#/components/schemas/Line'}
"""
DIRECTIVE = "directive @auth(role: String) on OBJECT\n"
PROTO = 'syntax = "proto3";\npackage shop.v1;\nmessage Order {\n  string order_id = 1;\n  int64 total_cents = 2;\n}\nservice Orders {\n  rpc GetOrder(Order) returns (Order);\n}\n'
GO_USER = 'package a\n\nimport "shop/pb"\n\nfunc f(o *pb.Order) int64 { return o.GetTotalCents() }\n'
GRAPHQL = "type Query {\n  order(id: ID!, draft: Boolean): Order\n}\ntype Order {\n  id: ID!\n  totalCents: Int\n  state: State\n}\nenum State {\n  OPEN\n  LOST\n}\n"
FRAGMENT = "fragment Row on Order {\n  id\n  totalCents\n}\n"
SCHEMA = '{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "additionalProperties": false,\n "properties": {"retries": {"type": "integer"},\n "mode": {"enum": ["fast",\n "slow"]}}}\n'
CONFIG = '{"$schema": "./job.schema.json",\n "mode": "slow",\n "retries": 3}\n'
CASES = {
    "sql: a column": Case(
        {"migrations/1.sql": CREATE, "a.py": QUERY}, {"migrations/2.sql": "ALTER TABLE orders DROP COLUMN total;\n"}, "column-dropped", ("a.py:1",)
    ),
    "sql: a column that is renamed, with an alias": Case(
        {"migrations/1.sql": CREATE, "q.sql": "SELECT o.total\nFROM orders o JOIN users u ON u.id = o.id;\n"},
        {"migrations/2.sql": "ALTER TABLE `orders` CHANGE COLUMN `total` `cents` INT;\n"},
        "column-renamed",
        ("q.sql:1",),
    ),
    "sql: a table": Case(
        {"migrations/1.sql": CREATE, "a.go": 'package a\n\nconst q = "DELETE FROM orders"\n'}, {"migrations/2.sql": 'DROP TABLE IF EXISTS "orders";\n'}, "table-dropped", ("a.go:3",)
    ),
    "sql: a dump that no longer creates a column": Case(
        {"db/structure.sql": CREATE, "a.py": QUERY}, {"db/structure.sql": CREATE.replace("total INTEGER, ", "")}, "column-dropped", ("a.py:1",)
    ),
    "sql: a column of a model of Django": Case(
        {"shop/models.py": MODEL}, {"shop/migrations/0002_a.py": DJANGO}, "column-dropped", ("shop/models.py:5",)
    ),
    "sql: the table of a model of Django, in a statement": Case(
        {"a.py": 'SQL = "SELECT total FROM shop_order"\n'}, {"shop/migrations/0002_a.py": DJANGO}, "column-dropped", ("a.py:1",)
    ),
    "sql: a column of a model, in a query": Case(
        {"a.py": "ROWS = Order.objects.filter(total=1)\n"}, {"shop/migrations/0002_a.py": DJANGO}, "likely-column-dropped", ("a.py:1",)
    ),
    "sql: by Rails": Case({"a.rb": QUERY}, {"db/migrate/2_a.rb": RAILS}, "column-dropped", ("a.rb:1",)),
    "sql: a column that the model's own class reads": Case(
        {"app/models/order.rb": "class Order < ApplicationRecord\n  def left\n    amount - amount_held\n  end\nend\n"},
        {"db/migrate/2_a.rb": RAILS.replace(":total", ":amount_held")},
        "likely-column-dropped",
        ("app/models/order.rb:3",),
    ),
    "sql: a column of a model in a module": Case(
        {"app/models/admin/order.rb": "module Admin\n  class Order < ApplicationRecord\n    validates :rows_counted, presence: true\n  end\nend\n"},
        {"db/migrate/2_a.rb": RAILS.replace(":orders, :total", ":admin_orders, :rows_counted")},
        "likely-column-dropped",
        ("app/models/admin/order.rb:3",),
    ),
    "sql: a parameter of a procedure": Case(
        {"db/a.sql": PROCEDURE, "a.cs": 'c.Execute($"[{schema}].[{table}_SetSeenById]",\n    new { Id = 1 });\n'},
        {"db/a.sql": PROCEDURE.replace("@Id", "@OrderId")},
        "likely-parameter-renamed",
        ("a.cs:1",),
    ),
    "sql: a parameter that a procedure requires": Case(
        {"db/a.sql": PROCEDURE, "a.cs": 'c.Execute("Order_SetSeenById",\n    new { Id = 1 });\n'},
        {"db/a.sql": PROCEDURE.replace("@Id INT", "@Id INT,\n    @Shop INT")},
        "likely-parameter-required",
        ("a.cs:1",),
    ),
    "sql: a parameter of a function that a call names": Case(
        {"db/a.sql": ROUTINE.format("queue TEXT"), "a.ts": 'db.query("SELECT create_queue(queue => $1)", ["a"])\n'},
        {"db/a.sql": ROUTINE.format("p_queue TEXT")},
        "likely-parameter-renamed",
        ("a.ts:1",),
    ),
    "sql: a parameter of a procedure that begins as a placeholder": Case(
        {"db/a.sql": STUB + "ALTER PROCEDURE orders_list @region INT, @size INT\nAS\nSELECT 1\nGO\n", "a.cs": 'c.Execute("orders_list", new { region = 1 });\n'},
        {"db/a.sql": STUB + "ALTER PROCEDURE orders_list @size INT\nAS\nSELECT 1\nGO\n"},
        "likely-parameter-removed",
        ("a.cs:1",),
    ),
    "sql: by Alembic": Case({"a.py": QUERY}, {"migrations/versions/2.py": ALEMBIC}, "column-dropped", ("a.py:1",)),
    "sql: in a text of Go": Case({"a.py": QUERY}, {"migrations/2.go": GO}, "column-dropped", ("a.py:1",)),
    "openapi: an operation that a client calls": Case(
        {"openapi.yaml": API, "web/a.ts": "export const f = (id) => api.get(`/orders/${id}/lines`);\n"},
        {"openapi.yaml": "openapi: 3.0.0\npaths: {}\n"},
        "path-removed",
        ("web/a.ts:1",),
    ),
    "protobuf: a field": Case(
        {"shop.proto": PROTO, "a.go": GO_USER}, {"shop.proto": PROTO.replace("  int64 total_cents = 2;\n", "")}, "likely-field-removed", ("a.go:5",)
    ),
    "graphql: a field that a fragment selects": Case(
        {"schema.graphql": GRAPHQL, "web/row.graphql": FRAGMENT}, {"schema.graphql": GRAPHQL.replace("  totalCents: Int\n", "")}, "field-removed", ("web/row.graphql:3",)
    ),
    "graphql: an argument in a literal of code": Case(
        {"schema.graphql": GRAPHQL, "web/a.ts": "const q = gql`\n  query {\n    order(id: 1, draft: true) { id }\n  }`\n"},
        {"schema.graphql": GRAPHQL.replace(", draft: Boolean", "")},
        "argument-removed",
        ("web/a.ts:3",),
    ),
    "json schema: a property that a document has": Case(
        {"job.schema.json": SCHEMA, "job.json": CONFIG}, {"job.schema.json": SCHEMA.replace('"retries": {"type": "integer"},\n', "")}, "property-removed", ("job.json:3",)
    ),
    "json schema: a value that a document has": Case(
        {"job.schema.json": SCHEMA, "job.json": CONFIG}, {"job.schema.json": SCHEMA.replace(',\n "slow"', "")}, "value-removed", ("job.json:2",)
    ),
}  # fmt: skip
DROP = "ALTER TABLE orders DROP COLUMN total;\n"
ALEMBIC_UP = "from alembic import op\n\n\ndef upgrade():\n"
STEP = 'op.drop_column("orders", "total")\n'
CASES |= {
    f"sql: a drop that {name}": Case({"migrations/1.sql": CREATE, "a.py": QUERY}, files, "column-dropped", ("a.py:1",))
    for name, files in {
        "follows lines of data": {"migrations/2.sql": f"COPY notes FROM stdin;\ndon't\n\\.\n{DROP}SELECT 'x';\n"},
        "is brought back by what goes down": {"migrations/2.sql": f"-- migrate:up\n{DROP}-- migrate:down\nALTER TABLE orders ADD COLUMN total INT;\n"},
    }.items()
}  # fmt: skip
CASES["sql: a query in a file of SQL that the change edits"] = Case(
    {"migrations/1.sql": CREATE, "q.sql": "SELECT total FROM orders;\n"},
    {"migrations/2.sql": DROP, "q.sql": "-- a\nSELECT total FROM orders;\n"},
    "column-dropped",
    ("q.sql:2",),
)
CASES["sql: tables that are dropped together"] = Case(
    {"a.py": QUERY}, {"migrations/2.sql": "RENAME TABLE junk TO j, orders TO o;\n"}, "table-renamed", ("a.py:1",)
)
ALONE = {
    "sql: NOT NULL without a default": ({"migrations/1.sql": CREATE}, {"migrations/2.sql": "ALTER TABLE orders ADD COLUMN vat INT NOT NULL;\n"}, "column-required"),
    "openapi: a required parameter": ({"openapi.yaml": API}, {"openapi.yaml": API.replace("in: query", "in: query, required: true")}, "parameter-required"),
    "openapi: a property of an answer": ({"openapi.yaml": API}, {"openapi.yaml": API.replace("        unit_price: {type: integer}\n", "")}, "property-removed"),
    "protobuf: a number that is used again": ({"s.proto": PROTO}, {"s.proto": PROTO.replace("int64 total_cents = 2", "string note = 2")}, "number-reused"),
    "protobuf: a number that changes": ({"s.proto": PROTO}, {"s.proto": PROTO.replace("total_cents = 2", "total_cents = 3")}, "number-changed"),
    "protobuf: a call": ({"s.proto": PROTO}, {"s.proto": PROTO.replace("  rpc GetOrder(Order) returns (Order);\n", "")}, "rpc-removed"),
    "graphql: an argument that is required": ({"s.graphql": GRAPHQL}, {"s.graphql": GRAPHQL.replace("draft: Boolean", "draft: Boolean!")}, "argument-type-changed"),
    "graphql: a value": ({"s.graphql": GRAPHQL}, {"s.graphql": GRAPHQL.replace("  LOST\n", "")}, "value-removed"),
    "json schema: a property that is required": ({"j.json": SCHEMA}, {"j.json": SCHEMA.replace('"type": "object"', '"type": "object", "required": ["mode"]')}, "property-required"),
    "json schema: another type": ({"j.json": SCHEMA}, {"j.json": SCHEMA.replace("integer", "string")}, "type-changed"),
}  # fmt: skip
HARMLESS = {
    "sql: a column that nothing names": ({"migrations/1.sql": CREATE}, {"migrations/2.sql": "ALTER TABLE orders DROP COLUMN note;\n"}),
    "sql: what takes a migration back": ({"a.py": QUERY}, {"migrations/2.up.sql": "ALTER TABLE orders ADD COLUMN total INT;\n", "migrations/2.down.sql": DROP}),
    "sql: a column of another table": ({"a.py": QUERY}, {"migrations/2.sql": "ALTER TABLE users DROP COLUMN total;\n"}),
    "sql: a column that comes back with another type": ({"a.py": QUERY}, {"migrations/2.sql": "ALTER TABLE orders DROP COLUMN total;\nALTER TABLE orders ADD COLUMN total BIGINT;\n"}),
    "sql: a column of a table that came with the change": ({"b.py": "x = 1\n"}, {"a.py": QUERY, "migrations/2.sql": f"{CREATE}{DROP}"}),
    "sql: a column that a later migration brings back": ({"a.py": QUERY}, {"prisma/migrations/1_a/migration.sql": DROP, "prisma/migrations/2_b/migration.sql": "ALTER TABLE orders ADD COLUMN total INT;\n"}),
    "sql: a table that is built anew": ({"a.py": QUERY}, {"migrations/2.sql": "CREATE TABLE n (id INT, total INT);\nDROP TABLE orders;\nALTER TABLE n RENAME TO orders;\n"}),
    "openapi: another name of a parameter of a path": ({"openapi.yaml": API}, {"openapi.yaml": API.replace("{id}", "{order}")}),
    "openapi: more properties": ({"openapi.yaml": API}, {"openapi.yaml": API.replace("        line:", "        extra: {type: string}\n        line:")}),
    "protobuf: a field whose number is reserved": ({"s.proto": PROTO}, {"s.proto": PROTO.replace("  int64 total_cents = 2;", '  reserved 2;\n  reserved "total_cents";')}),
    "protobuf: a message that goes to another file": ({"s.proto": PROTO}, {"s.proto": None, "t.proto": PROTO}),
    "graphql: a new optional argument of a directive": ({"s.graphql": GRAPHQL + DIRECTIVE}, {"s.graphql": GRAPHQL + DIRECTIVE.replace("String)", 'String, area: String! = "all")')}),
    "graphql: a field that was deprecated": ({"s.graphql": GRAPHQL.replace("totalCents: Int", "totalCents: Int @deprecated")}, {"s.graphql": GRAPHQL.replace("  totalCents: Int\n", "")}),
    "graphql: a field that is never null": ({"s.graphql": GRAPHQL}, {"s.graphql": GRAPHQL.replace("totalCents: Int", "totalCents: Int!")}),
    "json schema: a property of a schema that is open": (
        {"j.json": SCHEMA.replace('"additionalProperties": false,', "")},
        {"j.json": SCHEMA.replace('"additionalProperties": false,', "").replace('"retries": {"type": "integer"},\n', "")},
    ),
    "json that is no schema": ({"j.json": '{"retries": 1, "mode": 2}\n'}, {"j.json": '{"mode": 2}\n'}),
}  # fmt: skip
HARMLESS |= {
    "sql: Alembic's way back": ({"a.py": QUERY}, {"migrations/versions/2.py": f"{ALEMBIC_UP}    pass\n\n\ndef downgrade():\n    {STEP}"}),
    "sql: a parameter of a procedure with a default": (
        {"db/a.sql": PROCEDURE, "a.cs": 'c.Execute("Order_SetSeenById", new { Id = 1 });\n'},
        {"db/a.sql": PROCEDURE.replace("@Id INT", "@Id INT,\n    @Shop INT = 0")},
    ),
    "sql: a parameter of a function that is called by position": (
        {"db/a.sql": ROUTINE.format("queue TEXT"), "a.ts": 'const queue = "a"\ndb.query("SELECT create_queue($1)", [queue])\n'},
        {"db/a.sql": ROUTINE.format("p_queue TEXT")},
    ),
    "sql: a parameter of one of two functions": (
        {"db/a.sql": ROUTINE.format("queue TEXT"), "a.cs": 'c.Execute("create_queue", new { queue = 1 });\n'},
        {"db/a.sql": ROUTINE.format("queue TEXT") + ROUTINE.format("queue TEXT, mode TEXT")},
    ),
    "sql: Rails' way back": (
        {"a.py": QUERY},
        {"db/migrate/2_a.rb": "class A < ActiveRecord::Migration[7.0]\n  def up\n    say 'a'\n  end\n\n  def down\n    if true\n      remove_column :orders, :total\n    end\n    drop_table :orders\n  end\nend\n"},
    ),
}  # fmt: skip
QUERIED = {"web/q.graphql": "fragment F on Order {\n  id\n  totalCents\n}\n"}
LESS = GRAPHQL.replace("  totalCents: Int\n", "")
CASES |= {
    "graphql: a field in a text with an escape": Case(
        {"schema.graphql": GRAPHQL, **QUERIED},
        {"schema.graphql": LESS.replace("type Order {\n", 'type Order {\n  """\n  was: \\\\"""\n  totalCents: Int\n  """\n')},
        "field-removed",
        ("web/q.graphql:3",),
    ),
}  # fmt: skip
OPEN = {
    "openapi: broken YAML": ({"openapi.yaml": API}, {"openapi.yaml": API + "  - : [\n"}),
    "openapi: deep nesting": ({"openapi.yaml": API}, {"openapi.yaml": API + "x-a: " + "[" * 900_000 + "\n"}),
    "protobuf: a block without an end": ({"s.proto": PROTO}, {"s.proto": PROTO + "message A {\n"}),
    "graphql: a definition without an end": ({"s.graphql": GRAPHQL}, {"s.graphql": GRAPHQL + "type A {\n"}),
}  # fmt: skip


UP = "def upgrade():\n    {}\n\n\ndef downgrade():\n    pass\n"
OPERATION = "class Migration:\n    operations = [\n        migrations.{},\n    ]\n"
SHOP = 'SQL = "SELECT total FROM shop_order"\n'
CASES |= {
    "sql: a rename of Alembic": Case({"a.py": QUERY}, {"migrations/versions/2.py": UP.format('op.alter_column("orders", "total", new_column_name="cents")')}, "column-renamed", ("a.py:1",)),
    "sql: a rename of Alembic by keywords": Case(
        {"a.py": QUERY}, {"migrations/versions/2.py": UP.format('op.alter_column(\n        table_name="orders",\n        column_name="total",\n        new_column_name="cents",\n    )')}, "column-renamed", ("a.py:1",)
    ),
    "sql: a rename in a batch of Alembic": Case(
        {"a.py": QUERY}, {"migrations/versions/2.py": UP.format('with op.batch_alter_table("orders") as b:\n        b.alter_column("total", new_column_name="cents")')}, "column-renamed", ("a.py:1",)
    ),
    "sql: belongs_to of Rails": Case(
        {"a.py": QUERY.replace("total", "customer_id")}, {"db/migrate/2_a.rb": "class A < ActiveRecord::Migration[7.0]\n  def change\n    remove_belongs_to :orders, :customer\n  end\nend\n"}, "column-dropped", ("a.py:1",)
    ),
    "sql: the table of a model of Django": Case({"a.py": SHOP}, {"shop/migrations/2.py": OPERATION.format('DeleteModel(name="Order")')}, "table-dropped", ("a.py:1",)),
    "sql: a model of Django that is renamed": Case({"a.py": SHOP}, {"shop/migrations/2.py": OPERATION.format('RenameModel("Order", "Purchase")')}, "table-renamed", ("a.py:1",)),
}  # fmt: skip
ALONE |= {
    "sql: a column of Alembic that old rows cannot have": (
        {"migrations/versions/1.py": UP.format("pass")},
        {"migrations/versions/2.py": UP.format('op.add_column("orders", sa.Column("tax", sa.Integer(), nullable=False))')},
        "column-required",
    ),
}  # fmt: skip
HARMLESS |= {
    f"sql: {name}": ({"migrations/versions/1.py": UP.format("pass"), "a.py": QUERY}, {"migrations/versions/2.py": UP.format(step)})
    for name, step in {
        "a default of Alembic": 'op.add_column("orders", sa.Column("tax", sa.Integer(), nullable=False, server_default="0"))',
        "another type": 'op.alter_column("orders", "total", type_=sa.BigInteger())',
        "NULL is allowed": 'op.alter_column("orders", "total", nullable=True)',
        "a rename of another table": 'op.alter_column("baskets", "total", new_column_name="cents")',
    }.items()
} | {
    "sql: a table that is made anew and gives up its copy": (
        {"migrations/1.sql": CREATE, "a.py": QUERY},
        {"migrations/2.sql": f"ALTER TABLE orders RENAME TO orders_old;\n{CREATE}DROP TABLE orders_old;\n"},
    ),
    "sql: a docstring that mentions a statement": (
        {"a.py": QUERY.replace("orders", "exists")}, {"migrations/2.py": '"""Each starts with ``DROP TABLE IF EXISTS`` and fills it again."""\n'}
    ),
    "sql: a drop of a table of Laravel in a comment": ({"a.py": QUERY}, {"database/migrations/2.php": "<?php\nreturn new class {\n    public function up() {\n        // Schema::drop('orders');\n    }\n};\n"}),
    "sql: a model of another application of Django": ({"a.py": SHOP}, {"till/migrations/2.py": OPERATION.format('DeleteModel(name="Order")')}),
}  # fmt: skip

DEFS = '{"$schema": "http://json-schema.org/draft-04/schema#", "definitions": {\n "blob": {"type": "object",\n "properties": {"size": {"type": "integer"}}},\n "digest": {"type": "string"}}}\n'
RENAMED = DEFS.replace('"blob"', '"descriptor"')
REFERS = '{"properties": {\n "config": {"$ref": "defs.json#/definitions/blob"}}}\n'
OWN = SCHEMA.replace('"properties"', '"definitions": {"blob": {"type": "string"}},\n "properties"')
INNER = SCHEMA.replace(
    '"properties"',
    '"allOf": [{"$ref": "#/definitions/blob"}],\n "definitions": {"blob": {"type": "string"}},\n "properties"',
)
CASES |= {
    "json schema: a definition": Case({"defs.json": DEFS, "job.json": REFERS}, {"defs.json": RENAMED}, "definition-removed", ("job.json:2",)),
    "json schema: a definition of a schema that describes documents": Case({"defs.json": OWN, "job.json": REFERS}, {"defs.json": SCHEMA}, "definition-removed", ("job.json:2",)),
    "json schema: a definition to which the schema itself still refers": Case(
        {"defs.json": INNER}, {"defs.json": INNER.replace('"blob": {"type": "string"}', '"digest": {"type": "string"}')}, "definition-removed", ("defs.json:2",)
    ),
}  # fmt: skip
ALONE |= {
    "json schema: a definition of a library": ({"defs.json": DEFS}, {"defs.json": RENAMED}, "definition-removed"),
    "json schema: a type in a definition to which nothing in the document refers": ({"defs.json": DEFS}, {"defs.json": DEFS.replace("integer", "string")}, "type-changed"),
}  # fmt: skip
HARMLESS |= {
    "json schema: a definition that the document had for nobody": ({"defs.json": OWN, "a.json": '{"blob": 1}\n'}, {"defs.json": SCHEMA}),
    "json schema: a definition of that name in another schema": ({"defs.json": OWN, "job.json": REFERS.replace("defs", "more-defs")}, {"defs.json": SCHEMA}),
    "json schema: a definition that says more of what is refused": (
        {"defs.json": DEFS.replace('"definitions"', '"not": {"$ref": "#/definitions/blob"}, "definitions"')},
        {"defs.json": DEFS.replace('"definitions"', '"not": {"$ref": "#/definitions/blob"}, "definitions"').replace("integer", "string")},
    ),
    "json schema: one more definition": ({"defs.json": DEFS}, {"defs.json": DEFS.replace('"digest"', '"mode": {"enum": ["a"]}, "digest"')}),
}  # fmt: skip
MORE_FORMS = SCHEMA.replace(
    '{"type": "integer"}',
    '{"KEY": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}], "description": "a"}',
)
HARMLESS |= {
    f"json schema: a value that may have one more form, by {key}": ({"job.schema.json": SCHEMA, "job.json": CONFIG}, {"job.schema.json": MORE_FORMS.replace("KEY", key)})
    for key in ("oneOf", "anyOf")
}  # fmt: skip
SELF = """{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://a.invalid/job", "type": "object", "properties": {
 "tls": {"$ref": "NAME#/definitions/tls"}},
 "definitions": {"tls": {"type": "object", "properties": {"retries": {"type": "integer"}}, "additionalProperties": false}}}
"""
CONFIGURED = '{"$schema": "job.schema.json", "version": "one", "topic": "a", "tls": {"retries": 3}}\n'
HARMLESS |= {
    f"json schema: {name}": ({"job.schema.json": before, "job.json": CONFIGURED.replace('"tls"', '"none"')}, {"job.schema.json": after})
    for name, before, after in (
        ("a reference to itself that is shorter", SELF.replace("NAME", "job.schema.json"), SELF.replace("NAME", "")),
        ("a reference to itself by its own id", SELF.replace("NAME", "https://a.invalid/job"), SELF.replace("NAME", "./job.schema.json")),
        ("what another file described before", SELF.replace("NAME", "other.json"), SELF.replace("NAME", "")),
    )
}  # fmt: skip
CASES |= {
    "json schema: a property of a definition to which the file refers by its name": Case(
        {"job.schema.json": SELF.replace("NAME", "job.schema.json"), "job.json": CONFIGURED},
        {"job.schema.json": SELF.replace("NAME", "job.schema.json").replace('"retries": {"type": "integer"}', "")},
        "property-removed",
        ("job.json:1",),
    ),
}  # fmt: skip
CHOICE = SCHEMA.replace(
    '{"type": "integer"}', '{"anyOf": [{"type": "string"}, {"type": "string", "enum": ["a"], "x-note": 1}]}'
)
HARMLESS |= {
    "json schema: two variants of one type": ({"j.json": CHOICE}, {"j.json": CHOICE.replace(', "x-note": 1', "")}),
    "openapi: two variants of one type": (
        {"openapi.yaml": API.replace("{type: string}", "{anyOf: [{type: string}, {type: string, enum: [a], x-note: 1}]}")},
        {"openapi.yaml": API.replace("{type: string}", "{anyOf: [{type: string}, {type: string, enum: [a]}]}")},
    ),
}  # fmt: skip
ELSEWHERE = API.replace(
    "{name: page_token, in: query, schema: {type: string}}", "{$ref: './parameters.yaml#/PageToken'}"
)
HARMLESS |= {
    "openapi: a parameter that goes to another file": ({"openapi.yaml": API}, {"openapi.yaml": ELSEWHERE}),
}  # fmt: skip
ALONE |= {
    "openapi: a path that another file describes": (
        {"openapi.yaml": "openapi: 3.0.0\npaths:\n  /orders:\n    $ref: './orders.yaml'\n  /users:\n    $ref: './users.yaml'\n"},
        {"openapi.yaml": "openapi: 3.0.0\npaths:\n  /users:\n    $ref: './users.yaml'\n"},
        "path-removed",
    ),
    "openapi: a parameter beside those of another file that stay": (
        {"openapi.yaml": ELSEWHERE.replace("      parameters:\n", "      parameters:\n        - {name: sort, in: query, required: false}\n")},
        {"openapi.yaml": ELSEWHERE.replace("      parameters:\n", "      parameters:\n        - {name: sort, in: query, required: true}\n")},
        "parameter-required",
    ),
    "protobuf: what is gone comes first": ({"s.proto": PROTO}, {"s.proto": PROTO.replace("order_id = 1", "order_id = 9").replace("  rpc GetOrder(Order) returns (Order);\n", "")}, "rpc-removed"),
}  # fmt: skip

# Model members that map a column with a one-word name: file, text, and the line that is proven to use it.
JPA = '@Entity\n@Table(name = "orders")\nclass Order {{\n    @Id\n    Long id;\n    {}\n}}\n'
TYPEORM_MODEL = '@Entity("orders")\nexport class Order {{\n  {}\n}}\n'
SQLALCHEMY = 'class Order(Base):\n    __tablename__ = "orders"\n    {}\n'
SEQUELIZE = 'module.exports = (sequelize, DataTypes) =>\n  sequelize.define("Order", {{\n    {}\n  }}, {{ tableName: "orders" }});\n'
DOCTRINE = '<?php\n#[ORM\\Table(name: "orders")]\nclass Order\n{{\n    {}\n    private int $sum;\n}}\n'
EF_MODEL = '[Table("orders")]\npublic class Order\n{{\n    {}\n}}\n'
ECTO = 'defmodule Shop.Order do\n  schema "{}" do\n    field :total, :integer\n  end\nend\n'
MAPPED = {
    "JPA, by a name": ("Order.java", JPA.format('@Column(name = "total")\n    Integer sum;'), 6),
    "JPA, by its member": ("Order.java", JPA.format("private Integer total;"), 6),
    "JPA in Kotlin": ("Order.kt", '@Entity\n@Table(name = "orders")\nclass Order(@Column(name = "total") var sum: Int)\n', 3),
    "TypeORM, by a name": ("order.ts", TYPEORM_MODEL.format('@Column({ name: "total" })\n  sum: number;'), 3),
    "MikroORM": ("order.ts", '@Entity({ tableName: "orders" })\nexport class Purchase {\n  @Property()\n  total!: number;\n}\n', 4),
    "SQLAlchemy, by its annotation": ("m.py", SQLALCHEMY.format("total: Mapped[int]"), 3),
    "SQLAlchemy, a table": ("m.py", 'orders = Table(\n    "orders",\n    metadata,\n    Column("total", Integer),\n)\n', 4),
    "Sequelize, by a name": ("order.js", SEQUELIZE.format('sum: {\n      type: DataTypes.INTEGER,\n      field: "total",\n    },'), 5),
    "Doctrine": ("Order.php", DOCTRINE.format('#[ORM\\Column(name: "total")]'), 5),
    "Entity Framework, by its member": ("Order.cs", EF_MODEL.format("public int Total { get; set; }"), 4),
    "Exposed": ("Orders.kt", 'object Orders : IntIdTable("orders") {\n    val total = integer("total")\n}\n', 2),
    "SeaORM": ("order.rs", '#[sea_orm(table_name = "orders")]\npub struct Model {\n    pub total: i32,\n}\n', 3),
    "Prisma, by a name": ("schema.prisma", 'model Order {\n  sum Int @map("total")\n  @@map("orders")\n}\n', 2),
    "Django, of a table by its name": ("models.py", 'class Purchase(models.Model):\n    total = models.IntegerField()\n\n    class Meta:\n        db_table = "orders"\n', 2),
}  # fmt: skip
NOT_MAPPED = {
    "an entity of another table": ("Order.java", JPA.replace('"orders"', '"baskets"').format("private Integer total;")),
    "a member that is not stored": ("Order.java", JPA.format("@Transient\n    private Integer total;")),
    "a class that is no entity": ("Order.java", "class Order {\n    private Integer total;\n}\n"),
    "a member over another column": ("order.ts", TYPEORM_MODEL.format('@Column({ name: "sum" })\n  total: number;')),
    "a column of the table beside it": ("m.py", 'orders = Table(\n    "orders",\n    metadata,\n)\nsums = Table(\n    "sums",\n    Column("total", Integer),\n)\n'),
    "a schema of another table": ("order.ex", ECTO.format("baskets")),
    "a model of Django with another table": ("models.py", 'class Order(models.Model):\n    total = models.IntegerField()\n\n    class Meta:\n        db_table = "purchases"\n'),
}  # fmt: skip
CASES |= {
    f"sql: a field of {name}": Case({path: text}, {"migrations/2.sql": DROP}, "column-dropped", (f"{path}:{line}",))
    for name, (path, text, line) in MAPPED.items()
}
HARMLESS |= {f"sql: {name}": ({path: text}, {"migrations/2.sql": DROP}) for name, (path, text) in NOT_MAPPED.items()}

SHOP_QUERY = {"a.py": 'SQL = "SELECT total FROM shop_order"\n'}
CASES |= {
    f"sql: a field of Django that goes, {name}": Case(SHOP_QUERY, {"shop/migrations/2.py": OPERATION.format(step)}, "column-dropped", ("a.py:1",))
    for name, step in (("by places", 'RemoveField("order", "total")'), ("by place and name", 'RemoveField("order", name="total")'))
}  # fmt: skip
BACK = "ALTER TABLE orders DROP COLUMN total"
REVERSED = "from django.db import migrations\n{}\n\nclass Migration(migrations.Migration):\n    operations = [\n        {},\n    ]\n"
HARMLESS |= {
    f"sql: what a call of Django is given to take itself back, {name}": ({"a.py": QUERY}, {"shop/migrations/2.py": REVERSED.format(head, call)})
    for name, head, call in (
        ("by its name", "", f'migrations.RunSQL(sql="SELECT 1", reverse_sql="{BACK}")'),
    )
}  # fmt: skip
RAILS_CHANGE = "class A < ActiveRecord::Migration[7.0]\n  def change\n{}  end\nend\n"
REVERSIBLE = "    reversible do |dir|\n      dir.up {}\n      dir.down {}\n    end\n"
HARMLESS |= {
    f"sql: what Rails does on its way back, {name}": ({"a.py": QUERY}, {"db/migrate/2_a.rb": RAILS_CHANGE.format(text)})
    for name, text in (
        ("by a call", REVERSIBLE.format("{ add_column :orders, :note, :text }", "{ remove_column :orders, :total }")),
        ("by a statement", REVERSIBLE.format('{ execute "SELECT 1" }', f'{{ execute "{BACK}" }}')),
    )
}  # fmt: skip
MIGRATED = "ALTER TABLE orders RENAME COLUMN total TO cents;\n"
HARMLESS |= {
    f"sql: a test of a migration that makes the old table itself, {name}": ({}, {"migrations/2.sql": MIGRATED, path: f"{text}\n{use}"})
    for name, path, text, use in (
        ("by a statement", "store/migrator_test.go", "var _ = `CREATE TABLE IF NOT EXISTS orders (id INT, total INT);`", 'var _ = "INSERT INTO orders (id, total) VALUES (1, 2)"\n'),
        ("by a call", "old.py", 'op.create_table(\n    "orders",\n    sa.Column("total", sa.Integer),\n)', QUERY),
    )
}  # fmt: skip

ROWS = "package a\n\nfunc f(orders *Order) {\n\tq := `\n\t\tUPDATE orders\n\t\tSET id = 1\n\t\tRETURNING %s\n\t`\n\tdb.Query(q).Scan(\n\t\t&orders.Total,\n\t)\n}\n"
HARMLESS["sql: a field of a variable with the table's name, behind the statement"] = (
    {"migrations/1.sql": CREATE, "a.go": ROWS % "total"},
    {"migrations/2.sql": MIGRATED, "a.go": ROWS % "cents"},
)


def effect(repository: Repository, before: Files, after: Files) -> deeprepo.Review:
    """Commit the files and the change, and review the change with static checks only."""
    repository.commit({"README.md": "shop\n", **before}, "before")
    repository.commit(dict(after), "after")
    return deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")


def of_schemas(review: deeprepo.Review) -> list[deeprepo.Finding]:
    """Return the findings from the `schemas` analyzer."""
    return [one for one in review.findings if "schemas" in one.source]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_finding_lists_the_lines_that_use_the_removed_element(repository: Repository, case: Case) -> None:
    """The finding has the rule, and its evidence is the lines that still use the element."""
    findings = of_schemas(effect(repository, case.before, case.after))
    assert [one.rule for one in findings] == [case.rule]
    assert tuple(f"{item.path}:{item.line}" for item in findings[0].evidence) == case.uses


def test_most_certain_evidence_comes_first(repository: Repository) -> None:
    """A field of the table's class comes first, then code that contains the word, then settings."""
    workflow = "on: push # of a user\njobs:\n  a:\n    if: github.event.repo.full_name == github.repository\n"
    before = {
        ".github/workflows/a.yml": workflow,
        "app/names.py": f"# of a user\n{'x = 1' * 9}\n\ndef f(repo):\n    return repo.full_name\n",
        "lib/models.py": "class UserBase:\n    email: str\n    full_name: str\n",
    }
    (finding,) = of_schemas(
        effect(repository, before, {"migrations/2.sql": "ALTER TABLE users DROP COLUMN full_name;\n"})
    )
    assert finding.title == "users.full_name was dropped, and lib/models.py and 2 more files may still use it"
    assert [one.path for one in finding.evidence] == ["lib/models.py", "app/names.py", ".github/workflows/a.yml"]


@pytest.mark.parametrize(("before", "after", "rule"), ALONE.values(), ids=ALONE)
def test_break_without_a_known_reference_is_a_hint(
    repository: Repository, before: Files, after: Files, rule: str
) -> None:
    """It is reported as unproven, with medium or low severity."""
    findings = of_schemas(effect(repository, before, after))
    assert [(one.rule, one.verdict, one.evidence) for one in findings] == [(rule, "unproven", ())]
    assert {one.severity for one in findings} <= {"low", "medium"}


@pytest.mark.parametrize(("before", "after"), HARMLESS.values(), ids=HARMLESS)
def test_change_that_breaks_no_reference_is_not_reported(repository: Repository, before: Files, after: Files) -> None:
    """The format allows the change, it was announced, or no line in the repository uses the element."""
    review = effect(repository, before, after)
    assert of_schemas(review) == []
    assert [one for one in review.open if "schemas" in str(one)] == []


@pytest.mark.parametrize(("before", "after"), OPEN.values(), ids=OPEN)
def test_unreadable_schema_makes_the_review_incomplete(repository: Repository, before: Files, after: Files) -> None:
    """The review reports no break in it and is incomplete."""
    review = effect(repository, before, after)
    assert of_schemas(review) == []
    assert not review.complete


def test_reference_in_another_repository_is_reported(repository: Repository, repositories: Others) -> None:
    """A consumer that uses a dropped column is reported even if its manifests don't list the library."""
    repository.commit({"migrations/1.sql": CREATE}, "before")
    repository.commit({"migrations/2.sql": "ALTER TABLE orders DROP COLUMN total;\n"}, "after")
    consumer = repositories("billing")
    consumer.commit({"pay.py": QUERY}, "uses it")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none", consumers=[consumer.folder])
    (finding,) = review.findings
    assert (finding.rule, finding.consumer, finding.verdict) == ("consumer-column-dropped", "billing", "proven")
    assert [f"{item.path}:{item.line}" for item in finding.evidence] == ["billing:pay.py:1"]
    assert [(one.name, one.state, one.breaks) for one in review.consumers] == [("billing", "checked", 1)]


@pytest.mark.parametrize(
    ("schema", "document"),
    [
        ("job.schema.json", CONFIG.replace('"mode": "slow"', '"name": "slow"')),
        ("schema.json", CONFIG.replace("./job.", "node_modules/nx/project-")),
        ("schema.json", CONFIG.replace("./job.schema", "https://a.invalid/schema")),
    ],
)
def test_document_with_another_key_or_schema_is_not_evidence(
    repository: Repository, schema: str, document: str
) -> None:
    """A document with a different key, or with another schema, does not prove the break."""
    before = {schema: SCHEMA, "job.json": document}
    review = effect(repository, before, {schema: SCHEMA.replace(',\n "slow"', "")})
    assert [one.verdict for one in of_schemas(review)] == ["unproven"]


@pytest.mark.parametrize(
    "after",
    [
        'syntax = "proto3"; package shop;\nmessage Order {\n  string id = 1;\n}\n',
        'syntax = "proto3";\npackage shop;\nmessage Order {\n  string id\n    = 0x1;\n}\n',
        'syntax = "proto3";\n/* old */ package shop;\nmessage Order { string id = 1; /* the\nid */ }\n',
        'syntax = "proto3";\npackage shop;\noption (a) = { b: "}"; c: { d: 1 } };\nmessage Order { string id = 1 [(e) = { f: 1 }]; }\n',
    ],
)
def test_protobuf_layout_does_not_change_the_contract(repository: Repository, after: str) -> None:
    """Line breaks, comments, options and number formats don't change the contract."""
    before = {"a.proto": 'syntax = "proto3";\npackage shop;\nmessage Order {\n  string id = 1;\n}\n'}
    assert of_schemas(effect(repository, before, {"a.proto": after})) == []


@pytest.mark.parametrize(("package", "is_named"), [("shop.parts", False), ("shop.orders.v2", True)])
def test_protobuf_type_in_an_unrelated_package_is_not_a_reference(
    repository: Repository, package: str, is_named: bool
) -> None:
    """An unqualified Protobuf type is looked up in its own and the enclosing packages only."""
    own = "enum Unit { UNIT_NONE = 0; }\n" if not is_named else ""
    before = {
        "orders.proto": 'syntax = "proto3";\npackage shop.orders;\nenum Unit { UNIT_KG = 0; }\nmessage Order { Unit unit = 2; }\n',
        "parts.proto": f'syntax = "proto3";\npackage {package};\n{own}message Part {{\n  Unit unit = 2;\n}}\n',
    }
    after = {"orders.proto": 'syntax = "proto3";\npackage shop.orders;\nmessage Order { reserved 2; }\n'}
    found = [one for one in of_schemas(effect(repository, before, after)) if "Unit" in one.title]
    assert any("parts.proto" in one.title for one in found) == is_named


def test_quoted_column_keeps_its_case(repository: Repository) -> None:
    """A quoted PostgreSQL column with capital letters is found in queries that quote it."""
    before = {
        "prisma/migrations/1_init/migration.sql": 'CREATE TABLE "Shortcut" ("id" TEXT NOT NULL, "embedData" JSONB);\n',
        "src/shortcut.js": 'export const raw = (db) => db.query(`SELECT "embedData" FROM "Shortcut"`);\n',
    }
    drop = {"prisma/migrations/2_drop/migration.sql": 'ALTER TABLE "Shortcut" DROP COLUMN "embedData";\n'}
    (found,) = of_schemas(effect(repository, before, drop))
    assert (found.verdict, found.evidence[0].path) == ("proven", "src/shortcut.js")


def test_openapi_field_moved_to_the_parameters_is_named_in_the_title(repository: Repository) -> None:
    """If an OpenAPI field moves from the body to the parameters, the title says so."""
    field, parameter = "strict: {type: boolean}", "        - {name: strict, in: query}\n"
    body = "      requestBody: {content: {application/json: {schema: {type: object, properties: {FIELD}}}}}\n"
    api = f"openapi: 3.0.0\npaths:\n  /orders/import:\n    post:\n      parameters:\n        - {{name: page, in: query}}\n{body}"
    repository.commit({"openapi.yaml": api.replace("FIELD", f"{field}, size: {{}}")}, "before")
    after = api.replace("FIELD", "size: {}").replace("        - {name: page", f"{parameter}        - {{name: page")
    repository.commit({"openapi.yaml": after}, "after")
    (finding,) = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none").findings
    assert finding.title == "strict of the body of POST /orders/import moved to the parameters"
