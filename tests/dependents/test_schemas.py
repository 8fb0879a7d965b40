"""What schemas lose, and the lines that still name it: over real trees, by the review without a model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from fakes import Repository

import deeprepo

Files = Mapping[str, Any]  # None: the file is deleted
Others = Callable[[str], Repository]


@dataclass(frozen=True)
class Case:
    """A tree, a change of its schema, and the rule with the lines that are named."""

    before: Files
    after: Files
    rule: str
    uses: tuple[str, ...]


CREATE = "CREATE TABLE orders (id INTEGER PRIMARY KEY, total INTEGER, note TEXT);\n"
QUERY = 'SQL = "SELECT total FROM orders WHERE id = ?"\n'
MODEL = "from django.db import models\n\n\nclass Order(models.Model):\n    total = models.IntegerField()\n"
DJANGO = 'class Migration:\n    operations = [\n        migrations.RemoveField(\n            model_name="order",\n            name="total",\n        ),\n    ]\n'
RAILS = "class A < ActiveRecord::Migration[7.0]\n  def up\n    remove_column :orders, :total\n  end\n\n  def down\n    remove_column :orders, :note\n  end\nend\n"
ALEMBIC = "def upgrade():\n    op.drop_column('orders', 'total')\n\n\ndef downgrade():\n    op.drop_column('orders', 'note')\n"
LARAVEL = "<?php\nreturn new class {\n    public function up() {\n        Schema::table('orders', function ($table) {\n            $table->dropColumn('total');\n        });\n    }\n};\n"
KNEX = (
    "exports.up = (knex) =>\n  knex.schema.alterTable('orders', (table) => {\n    table.dropColumn('total');\n  });\n"
)
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
ONEOF = 'syntax = "proto3";\npackage shop.v1;\nmessage Way {\n  oneof way {\n    string card = 1; string cash = 2; }\n  string note = 3;\n  optional string order_id = 4;\n}\n'
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
    "sql: by Alembic": Case({"a.py": QUERY}, {"migrations/versions/2.py": ALEMBIC}, "column-dropped", ("a.py:1",)),
    "sql: by Laravel": Case({"a.php": "<?php\n$sql = 'SELECT total FROM orders';\n"}, {"database/migrations/2.php": LARAVEL}, "column-dropped", ("a.php:2",)),
    "sql: by Knex": Case({"a.js": "const sql = `SELECT total FROM orders`;\n"}, {"migrations/2.js": KNEX}, "column-dropped", ("a.js:1",)),
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
RENAMED = CREATE.replace("total", "amount")
CASES |= {
    f"sql: a dump beside {name}": Case({"db/schema.sql": CREATE, "a.py": QUERY}, {"db/schema.sql": text}, "column-dropped", ("a.py:1",))
    for name, text in {
        "a temporary table": f"{RENAMED}{CREATE.replace('CREATE', 'CREATE TEMP')}",
        "a temporary table above": f"{CREATE.replace('CREATE', 'CREATE LOCAL TEMPORARY')}{RENAMED}",
        "a table that exists": f"{RENAMED}{CREATE.replace('TABLE', 'TABLE IF NOT EXISTS')}",
        "a table of the session": f"{CREATE.replace('orders', 'pg_temp.orders')}{RENAMED}",
        "a table of another schema above": f"{CREATE.replace('orders', 'archive.orders')}{RENAMED}",
        "a table that is dropped": f"{CREATE}DROP TABLE orders;\n{RENAMED}",
    }.items()
}  # fmt: skip
DROP = "ALTER TABLE orders DROP COLUMN total;\n"
CASES |= {
    f"sql: a column beside {name}": Case({"migrations/1.sql": CREATE, "a.py": QUERY}, {"migrations/2.sql": DROP, **files}, "column-dropped", ("a.py:1",))
    for name, files in {
        "a table that is created if it is missing": {"migrations/2.sql": f"CREATE TABLE IF NOT EXISTS orders (id INT);\n{DROP}"},
        "a table of that name that nobody creates": {"scratch/3.sql": CREATE},
        "a table of that name in front of it": {"migrations/2.sql": f"{CREATE}{DROP}"},
        "a table of another schema": {"migrations/2.sql": f"CREATE TABLE archive.orders (id INT);\n{DROP}"},
        "a column that is added if it is missing": {"migrations/2.sql": f"ALTER TABLE orders ADD COLUMN IF NOT EXISTS total INT;\n{DROP}"},
        "a column that a file elsewhere adds": {"scratch/3.sql": "ALTER TABLE orders ADD COLUMN total INT;\n"},
        "a default": {"migrations/2.sql": f"ALTER TABLE orders ALTER COLUMN total SET DEFAULT 0;\n{DROP}"},
        "another name for a while": {"migrations/2.sql": "ALTER TABLE orders RENAME TO o;\nALTER TABLE o DROP COLUMN total;\nALTER TABLE o RENAME TO orders;\n"},
    }.items()
}  # fmt: skip
ALEMBIC_UP = "from alembic import op\n\n\ndef upgrade():\n"
STEP = 'op.drop_column("orders", "total")\n'
CASES |= {
    f"sql: a drop that {name}": Case({"migrations/1.sql": CREATE, "a.py": QUERY}, files, "column-dropped", ("a.py:1",))
    for name, files in {
        "stands below a comment about down": {"migrations/2.sql": f"-- down with the old sum\n{DROP}"},
        "stands below a comment about a rollback": {"migrations/2.sql": f"-- rollback of feature 12\n{DROP}"},
        "stands below a mark that no migration of the base has": {"migrations/2.sql": f"-- +goose Up\nSELECT 1;\n-- +goose Down\n{DROP}"},
        "is in a file called revert": {"migrations/3_revert_total.sql": DROP},
        "is in a file called undo beside one that is not": {"migrations/V3__undo.sql": DROP, "migrations/V3__up.sql": "SELECT 1;\n"},
        "is in a folder called down": {"migrations/down/2.sql": DROP},
        "is in a file called like a test": {"migrations/2_test.sql": DROP},
        "is in a file called like a sample": {"migrations/2.example.sql": DROP},
        "follows a comment within a comment": {"migrations/2.sql": f"/* /* x */ */ {DROP}"},
        "follows lines of data": {"migrations/2.sql": f"COPY notes FROM stdin;\ndon't\n\\.\n{DROP}SELECT 'x';\n"},
        "follows a command of the client": {"migrations/2.sql": f"\\echo hi\n{DROP}"},
        "follows a batch": {"migrations/2.sql": f"PRINT 'x'\nGO\n{DROP}"},
        "is one of a list": {"migrations/2.sql": "ALTER TABLE orders DROP COLUMN junk, total;\n"},
        "stands in brackets": {"migrations/2.sql": "ALTER TABLE orders DROP (total);\n"},
        "writes a letter as a number": {"migrations/2.sql": 'ALTER TABLE orders DROP COLUMN U&"t\\006ftal";\n'},
        "is brought back and rolled back": {"migrations/2.sql": f"{DROP}BEGIN; ALTER TABLE orders ADD COLUMN total INT; ROLLBACK;\n"},
        "is brought back by what goes down": {"migrations/2.sql": f"-- migrate:up\n{DROP}-- migrate:down\nALTER TABLE orders ADD COLUMN total INT;\n"},
        "is followed by a table that exists": {"migrations/2.sql": f"{DROP}{CREATE}"},
        "Alembic gives a name": {"migrations/versions/2.py": f"{ALEMBIC_UP}    down = {STEP}"},
        "Alembic unpacks": {"migrations/versions/2.py": f"{ALEMBIC_UP}    *_, = ({STEP.strip()},)\n"},
        "Alembic's way back does, which is the way forward": {"migrations/versions/2.py": f"from alembic import op\n\n\ndef downgrade():\n    {STEP}\n\nupgrade = downgrade\n"},
        "a function does that the way forward calls": {"migrations/versions/2.py": f"from alembic import op\n\n\ndef down():\n    {STEP}\n\ndef upgrade():\n    down()\n"},
        "Alembic's way back does when it is defined": {"migrations/versions/2.py": f"from alembic import op\n\n\ndef downgrade(x={STEP.strip()}):\n    pass\n"},
        "joins two texts": {"migrations/versions/2.py": f'{ALEMBIC_UP}    op.drop_column("orders", "tot" "al")\n'},
        "joins two texts of SQL": {"migrations/versions/2.py": f'{ALEMBIC_UP}    op.execute("ALTER TABLE orders " "DROP COLUMN total")\n'},
        "is in a revision called like a test": {"migrations/versions/test_2.py": f"{ALEMBIC_UP}    {STEP}"},
        "is indented below the way back": {"migrations/2.js": "exports.down = () => {}\n  exports.up = (knex) => knex.schema.alterTable('orders', (t) => { t.dropColumn('total') })\n"},
    }.items()
}  # fmt: skip
FLOOD = {f"aaa/{number}.cfg": "total\n" for number in range(420)}
CASES |= {
    f"sql: a use behind {name}": Case({"migrations/1.sql": CREATE, "a.py": QUERY}, {"migrations/2.sql": DROP, **files}, "column-dropped", ("a.py:1",))
    for name, files in {
        "many breaks": {"migrations/2.sql": "".join(f"ALTER TABLE junk DROP COLUMN c{number}x;\n" for number in range(301)) + DROP},
        "many lines": {"aaa/w.cfg": "total\n" * 1_900},
        "many files": FLOOD,
        "lines of a column that seems new": {"migrations/2.sql": f"ALTER TABLE orders ADD COLUMN total INT;\n{DROP}", "aaa.py": QUERY.replace("id", "x") * 45},
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
    "openapi: a description that is gone": ({"openapi.yaml": API}, {"openapi.yaml": None}, "schema-removed"),
    "protobuf: a number that is used again": ({"s.proto": PROTO}, {"s.proto": PROTO.replace("int64 total_cents = 2", "string note = 2")}, "number-reused"),
    "protobuf: a number that changes": ({"s.proto": PROTO}, {"s.proto": PROTO.replace("total_cents = 2", "total_cents = 3")}, "number-changed"),
    "protobuf: a type that is read otherwise": ({"s.proto": PROTO}, {"s.proto": PROTO.replace("int64 total", "string total")}, "field-type-changed"),
    "protobuf: a call": ({"s.proto": PROTO}, {"s.proto": PROTO.replace("  rpc GetOrder(Order) returns (Order);\n", "")}, "rpc-removed"),
    "protobuf: a oneof that goes": ({"s.proto": ONEOF}, {"s.proto": ONEOF.replace("  oneof way {\n", "").replace("; }", ";")}, "field-oneof-changed"),
    "protobuf: a field that goes into a oneof": ({"s.proto": ONEOF}, {"s.proto": ONEOF.replace("  string note = 3;\n", "").replace("; }", "; string note = 3; }")}, "field-oneof-changed"),
    "protobuf: a field that is no longer optional": ({"s.proto": ONEOF}, {"s.proto": ONEOF.replace("optional ", "")}, "field-presence-lost"),
    "protobuf: another name in JSON": ({"s.proto": ONEOF}, {"s.proto": ONEOF.replace("note = 3", 'note = 3 [json_name = "remark"]')}, "json-name-changed"),
    "protobuf: the name in JSON that goes": ({"s.proto": ONEOF.replace("note = 3", 'note = 3 [json_name = "remark"]')}, {"s.proto": ONEOF}, "json-name-changed"),
    "graphql: a new required argument of a directive": ({"s.graphql": GRAPHQL + DIRECTIVE}, {"s.graphql": GRAPHQL + DIRECTIVE.replace("(role: String)", "(role: String, area: String!)")}, "argument-required"),
    "graphql: an argument of a directive that becomes required": ({"s.graphql": GRAPHQL + DIRECTIVE}, {"s.graphql": GRAPHQL + DIRECTIVE.replace("String)", "String!)")}, "argument-type-changed"),
    "graphql: an argument of a directive that goes": ({"s.graphql": GRAPHQL + DIRECTIVE}, {"s.graphql": GRAPHQL + DIRECTIVE.replace("(role: String)", "")}, "argument-removed"),
    "graphql: an argument that is required": ({"s.graphql": GRAPHQL}, {"s.graphql": GRAPHQL.replace("draft: Boolean", "draft: Boolean!")}, "argument-type-changed"),
    "graphql: a value": ({"s.graphql": GRAPHQL}, {"s.graphql": GRAPHQL.replace("  LOST\n", "")}, "value-removed"),
    "json schema: a property that is required": ({"j.json": SCHEMA}, {"j.json": SCHEMA.replace('"type": "object"', '"type": "object", "required": ["mode"]')}, "property-required"),
    "json schema: another type": ({"j.json": SCHEMA}, {"j.json": SCHEMA.replace("integer", "string")}, "type-changed"),
}  # fmt: skip
HARMLESS = {
    "sql: a column that nothing names": ({"migrations/1.sql": CREATE}, {"migrations/2.sql": "ALTER TABLE orders DROP COLUMN note;\n"}),
    "sql: what takes a migration back": ({"a.py": QUERY}, {"migrations/2.up.sql": "ALTER TABLE orders ADD COLUMN total INT;\n", "migrations/2.down.sql": DROP}),
    "sql: the part behind a mark": ({"a.py": QUERY}, {"migrations/2.sql": "-- +goose Up\nSELECT 1;\n-- +goose Down\nALTER TABLE orders DROP COLUMN total;\n"}),
    "sql: a column of another table": ({"a.py": QUERY}, {"migrations/2.sql": "ALTER TABLE users DROP COLUMN total;\n"}),
    "sql: a column that comes back with another type": ({"a.py": QUERY}, {"migrations/2.sql": "ALTER TABLE orders DROP COLUMN total;\nALTER TABLE orders ADD COLUMN total BIGINT;\n"}),
    "sql: a column of a table that came with the change": ({"b.py": "x = 1\n"}, {"a.py": QUERY, "migrations/2.sql": f"{CREATE}{DROP}"}),
    "sql: a column that a later migration brings back": ({"a.py": QUERY}, {"prisma/migrations/1_a/migration.sql": DROP, "prisma/migrations/2_b/migration.sql": "ALTER TABLE orders ADD COLUMN total INT;\n"}),
    "sql: a table that is built anew": ({"a.py": QUERY}, {"migrations/2.sql": "CREATE TABLE n (id INT, total INT);\nDROP TABLE orders;\nALTER TABLE n RENAME TO orders;\n"}),
    "sql: a statement in a comment and in a text": ({"a.py": QUERY}, {"migrations/2.sql": "-- ALTER TABLE orders DROP COLUMN total;\nINSERT INTO log VALUES ('; ALTER TABLE orders DROP COLUMN total;');\n"}),
    "openapi: another name of a parameter of a path": ({"openapi.yaml": API}, {"openapi.yaml": API.replace("{id}", "{order}")}),
    "openapi: two paths that differ in the name of a parameter": (
        {"openapi.yaml": API.replace("components:", "  /orders/{order}/lines: {post: {operationId: addLine}}\ncomponents:")},
        {"openapi.yaml": API.replace("components:", "  /orders/{order}/lines: {post: {operationId: addLine}}\nx-a: 1\ncomponents:")},
    ),
    "openapi: more properties": ({"openapi.yaml": API}, {"openapi.yaml": API.replace("        line:", "        extra: {type: string}\n        line:")}),
    "protobuf: a field whose number is reserved": ({"s.proto": PROTO}, {"s.proto": PROTO.replace("  int64 total_cents = 2;", '  reserved 2;\n  reserved "total_cents";')}),
    "protobuf: a message that goes to another file": ({"s.proto": PROTO}, {"s.proto": None, "t.proto": PROTO}),
    "protobuf: a version that is no promise": ({"s.proto": PROTO.replace("v1", "v1alpha1")}, {"s.proto": PROTO.replace("v1", "v1alpha1").replace("  int64 total_cents = 2;\n", "")}),
    "protobuf: a field that becomes optional": ({"s.proto": ONEOF}, {"s.proto": ONEOF.replace("string note", "optional string note")}),
    "protobuf: an edition that needs no word for presence": ({"s.proto": ONEOF}, {"s.proto": ONEOF.replace('syntax = "proto3"', 'edition = "2023"').replace("optional ", "")}),
    "protobuf: the name in JSON that it has": ({"s.proto": ONEOF}, {"s.proto": ONEOF.replace("order_id = 4", 'order_id = 4 [json_name = "orderId"]')}),
    "graphql: a new optional argument of a directive": ({"s.graphql": GRAPHQL + DIRECTIVE}, {"s.graphql": GRAPHQL + DIRECTIVE.replace("String)", 'String, area: String! = "all")')}),
    "graphql: another place of a directive": ({"s.graphql": GRAPHQL + DIRECTIVE}, {"s.graphql": GRAPHQL + DIRECTIVE.replace("on OBJECT", "repeatable on OBJECT | FIELD_DEFINITION")}),
    "graphql: a field that was deprecated": ({"s.graphql": GRAPHQL.replace("totalCents: Int", "totalCents: Int @deprecated")}, {"s.graphql": GRAPHQL.replace("  totalCents: Int\n", "")}),
    "graphql: a field that is never null": ({"s.graphql": GRAPHQL}, {"s.graphql": GRAPHQL.replace("totalCents: Int", "totalCents: Int!")}),
    "graphql: a type that goes to another file": ({"s.graphql": GRAPHQL}, {"s.graphql": GRAPHQL[: GRAPHQL.index("enum")], "t.graphql": GRAPHQL[GRAPHQL.index("enum") :]}),
    "json schema: a property of a schema that is open": (
        {"j.json": SCHEMA.replace('"additionalProperties": false,', "")},
        {"j.json": SCHEMA.replace('"additionalProperties": false,', "").replace('"retries": {"type": "integer"},\n', "")},
    ),
    "json that is no schema": ({"j.json": '{"retries": 1, "mode": 2}\n'}, {"j.json": '{"mode": 2}\n'}),
}  # fmt: skip
HARMLESS |= {
    "sql: the part behind a mark that other migrations have": (
        {"migrations/1.sql": "-- +goose Up\nSELECT 1;\n-- +goose Down\nSELECT 2;\n", "a.py": QUERY},
        {"migrations/2.sql": f"-- +goose Up\nSELECT 1;\n-- +goose Down\n{DROP}"},
    ),
    "sql: what takes a migration back, as others do": (
        {"migrations/1.up.sql": CREATE, "migrations/1.down.sql": "DROP TABLE orders;\n", "a.py": QUERY},
        {"migrations/2.up.sql": "SELECT 1;\n", "migrations/2.down.sql": DROP},
    ),
    "sql: Alembic's way back": ({"a.py": QUERY}, {"migrations/versions/2.py": f"{ALEMBIC_UP}    pass\n\n\ndef downgrade():\n    {STEP}"}),
    "sql: Rails' way back": (
        {"a.py": QUERY},
        {"db/migrate/2_a.rb": "class A < ActiveRecord::Migration[7.0]\n  def up\n    say 'a'\n  end\n\n  def down\n    if true\n      remove_column :orders, :total\n    end\n    drop_table :orders\n  end\nend\n"},
    ),
    "sql: Knex's way back": (
        {"a.py": QUERY},
        {"migrations/2.js": "async function up(knex) {\n  await knex.raw('x')\n}\n\nasync function down(knex) {\n  await knex.schema.dropTable('orders')\n}\n\nmodule.exports = { up, down }\n"},
    ),
    "sql: Laravel's way back": (
        {"a.py": QUERY},
        {"database/migrations/2.php": "<?php\nreturn new class extends Migration {\n    public function up(): void\n    {\n    }\n\n    public function down(): void\n    {\n        Schema::table('orders', function (Blueprint $table) {\n            $table->string('note')->change();\n            $table->dropColumn('total');\n        });\n    }\n};\n"},
    ),
}  # fmt: skip
KNEX = "exports.up = async (knex) => {\n  await knex.schema.alterTable('orders', (t) => {\n    t.dropColumn('total');\n  });\nBETWEENLINE};\n"
BACK = "  await knex.schema.alterTable('orders', (t) => {\n    t.bigInteger('total');\n  });\n"
RETURNS = {
    "Knex": {"migrations/2.js": KNEX.replace("BETWEENLINE", BACK)},
    "Alembic": {"migrations/versions/2.py": f"{ALEMBIC_UP}    {STEP}    op.add_column('orders', sa.Column('total', sa.Numeric()))\n"},
    "Rails": {"db/migrate/2_a.rb": "class A < ActiveRecord::Migration[7.0]\n  def change\n    remove_column :orders, :total\n    add_column :orders, :total, :decimal\n  end\nend\n"},
    "Laravel": {
        "database/migrations/2.php": "<?php\nreturn new class extends Migration {\n    public function up(): void\n    {\n        Schema::table('orders', function (Blueprint $table) {\n            $table->dropColumn('total');\n        });\n        Schema::table('orders', function (Blueprint $table) {\n            $table->string('total');\n        });\n    }\n};\n"
    },
    "Sequelize": {"migrations/2.js": "module.exports = {\n  up: async (q, S) => {\n    await q.removeColumn('orders', 'total');\n    await q.addColumn('orders', 'total', S.TEXT);\n  },\n};\n"},
    "Django": {
        "shop/migrations/0002_a.py": "class Migration(migrations.Migration):\n    operations = [\n        migrations.RemoveField(\n            model_name='orders',\n            name='total',\n        ),\n        migrations.AddField(\n            model_name='orders',\n            name='total',\n            field=models.IntegerField(),\n        ),\n    ]\n"
    },
}  # fmt: skip
HARMLESS |= {
    f"sql: a column that a step of {name} brings back": ({"a.py": QUERY}, files) for name, files in RETURNS.items()
}
CASES |= {
    f"sql: a column that comes back {name}": Case({"migrations/1.sql": CREATE, "a.py": QUERY}, {"migrations/2.js": KNEX.replace("BETWEENLINE", lines)}, "column-dropped", ("a.py:1",))
    for name, lines in {
        "in a comment": BACK.replace("t.big", "// t.big"),
        "to another table": BACK.replace("orders", "archive"),
        "by another name": BACK.replace("'total'", "'total_2'"),
        "as an alteration": BACK.replace("('total')", "('total').alter()"),
        "as the default of another": BACK.replace("'total'", "'note', 'total'"),
        "on the way back": f"}};\nexports.down = async (knex) => {{\n{BACK}",
    }.items()
}  # fmt: skip
QUERIED = {"web/q.graphql": "fragment F on Order {\n  id\n  totalCents\n}\n"}
LESS = GRAPHQL.replace("  totalCents: Int\n", "")
CLOSED = SCHEMA.replace('"retries": {"type": "integer"},\n', "")
SUMMARY = "openapi: 3.0.0\npaths:\n  /orders/summary:\n    get: {responses: {'200': {description: a}}}\n"
DOUBTS = {
    "sql: a backslash ends a text": ({"a.py": QUERY}, {"migrations/2.sql": f"COMMENT ON TABLE orders IS 'C:\\';\n{DROP}SELECT '';\n"}),
    "sql: a comment that MySQL carries out": ({"a.py": QUERY}, {"migrations/2.sql": f"/*!50000 {DROP.strip()} */;\n"}),
    "sql: two dashes that subtract": ({"a.py": QUERY}, {"migrations/2.sql": f"SELECT 5--1; {DROP}"}),
    "sql: a comment that a carriage return ends": ({"a.py": QUERY}, {"migrations/2.sql": f"-- x\r{DROP}"}),
    "sql: a comment of MySQL with an apostrophe": ({"a.py": QUERY}, {"migrations/2.sql": f"# don't\n{DROP}# don't\n"}),
    "sql: another mark ends a statement": ({"a.py": QUERY}, {"migrations/2.sql": f"DELIMITER $$\n{DROP.replace(';', '$$')}DELIMITER ;\n"}),
    "sql: what brings it back may not be carried out": ({"a.py": QUERY}, {"migrations/2.sql": f"{DROP}\\q\nALTER TABLE orders ADD COLUMN total INT;\n"}),
    **{
        f"sql: what brings it back {name}": ({"a.py": QUERY}, {"migrations/2.js": KNEX.replace("BETWEENLINE", lines)})
        for name, lines in {
            "stands under a condition": f"  if (late) {{\n{BACK}  }}\n",
            "is kept for later": BACK.replace("await ", "const later = () => "),
            "stands behind a return": f"  return;\n{BACK}",
            "stands behind what may fail": f"  try {{ boom(); }} catch (e) {{\n{BACK}  }}\n",
            "stands in a long comment": f"/*\n{BACK}*/\n",
        }.items()
    },
    "sql: a name that is computed": ({"a.py": QUERY}, {"migrations/versions/2.py": f"{ALEMBIC_UP}    op.drop_column(*names)\n"}),
    "sql: more elements than are looked up": ({"a.py": QUERY}, {"migrations/2.sql": "".join(f"ALTER TABLE junk DROP COLUMN c{n}x;\n" for n in range(1_001)) + DROP}),
    "graphql: an extension that nothing shows to be loaded": ({"schema.graphql": GRAPHQL, **QUERIED}, {"schema.graphql": LESS, "never/x.graphql": "extend type Order {\n  totalCents: Int\n}\n"}),
    "graphql: a type that nothing shows to be loaded": ({"schema.graphql": GRAPHQL, **QUERIED}, {"schema.graphql": LESS, "x.graphql": "type Order {\n  totalCents: Int\n}\n"}),
    "graphql: a type that is defined twice": ({"schema.graphql": GRAPHQL, **QUERIED}, {"schema.graphql": LESS + "type Order {\n  totalCents: Int\n}\n"}),
    "protobuf: a message that is defined twice": ({"s.proto": PROTO}, {"s.proto": PROTO.replace("  int64 total_cents = 2;\n", "") + "message Order {\n  int64 total_cents = 2;\n}\n"}),
    **{
        f"json schema: {key} beside it": ({"job.schema.json": SCHEMA, "job.json": CONFIG}, {"job.schema.json": CLOSED.replace('"type": "object"', f'"type": "object", "{key}": {value}')})
        for key, value in {"patternProperties": '{"^r": {}}', "unevaluatedProperties": "{}"}.items()
    },
    "openapi: a path that refers to another file": (
        {"openapi.yaml": SUMMARY, "web/a.js": 'fetch("/orders/summary")\n'}, {"openapi.yaml": "openapi: 3.0.0\npaths:\n  /orders/summary: {$ref: './gone.yaml'}\n"}
    ),
}  # fmt: skip
CASES |= {
    "graphql: a field in a text with an escape": Case(
        {"schema.graphql": GRAPHQL, **QUERIED},
        {"schema.graphql": LESS.replace("type Order {\n", 'type Order {\n  """\n  was: \\\\"""\n  totalCents: Int\n  """\n')},
        "field-removed",
        ("web/q.graphql:3",),
    ),
    "graphql: another type of a field that an extension elsewhere repeats": Case(
        {"schema.graphql": GRAPHQL, **QUERIED},
        {"schema.graphql": GRAPHQL.replace("totalCents: Int", "totalCents: String"), "never/x.graphql": "extend type Order {\n  totalCents: Int\n}\n"},
        "field-type-changed",
        ("web/q.graphql:3",),
    ),
    "json schema: a property in allOf beside what refuses it": Case(
        {"job.schema.json": SCHEMA, "job.json": CONFIG},
        {"job.schema.json": CLOSED.replace('"type": "object"', '"type": "object", "allOf": [{"properties": {"retries": {}}}]')},
        "property-removed",
        ("job.json:3",),
    ),
}  # fmt: skip
OPEN = {
    "openapi: broken YAML": ({"openapi.yaml": API}, {"openapi.yaml": API + "  - : [\n"}),
    "openapi: deep nesting": ({"openapi.yaml": API}, {"openapi.yaml": API + "x-a: " + "[" * 900_000 + "\n"}),
    "openapi: deep nesting by dashes": ({"openapi.yaml": API}, {"openapi.yaml": API + "x-a:\n" + "- " * 90_000 + "1\n"}),
    "openapi: deep nesting by indentation": ({"openapi.yaml": API}, {"openapi.yaml": API + "".join(" " * at + "a:\n" for at in range(1_500))}),
    "json schema: deep nesting": ({"j.json": SCHEMA}, {"j.json": SCHEMA.rstrip()[:-1] + ', "x": ' + "[" * 200_000 + "]" * 200_000 + "}\n"}),
    "protobuf: a block without an end": ({"s.proto": PROTO}, {"s.proto": PROTO + "message A {\n"}),
    "protobuf: deep nesting": ({"s.proto": PROTO}, {"s.proto": PROTO + "message A {" * 5_000 + "}" * 5_000}),
    "graphql: a definition without an end": ({"s.graphql": GRAPHQL}, {"s.graphql": GRAPHQL + "type A {\n"}),
}  # fmt: skip


UP = "def upgrade():\n    {}\n\n\ndef downgrade():\n    pass\n"
EF = "public partial class B : Migration\n{{\n    protected override void Up(MigrationBuilder m)\n    {{\n        m.{};\n    }}\n}}\n"
BLADE = "<?php\nreturn new class {{\n    public function up() {{\n        Schema::table('orders', function ($table) {{\n            $table->{};\n        }});\n    }}\n}};\n"
TYPEORM = (
    "export class A implements MigrationInterface {{\n  async up(queryRunner) {{\n    await queryRunner.{};\n  }}\n}}\n"
)
OPERATION = "class Migration:\n    operations = [\n        migrations.{},\n    ]\n"
SHOP = 'SQL = "SELECT total FROM shop_order"\n'
PASCAL = 'public class A { public string F() => "SELECT NetTotal FROM Orders"; }\n'
CASES |= {
    "sql: a rename of Alembic": Case({"a.py": QUERY}, {"migrations/versions/2.py": UP.format('op.alter_column("orders", "total", new_column_name="cents")')}, "column-renamed", ("a.py:1",)),
    "sql: a rename of Alembic by keywords": Case(
        {"a.py": QUERY}, {"migrations/versions/2.py": UP.format('op.alter_column(\n        table_name="orders",\n        column_name="total",\n        new_column_name="cents",\n    )')}, "column-renamed", ("a.py:1",)
    ),
    "sql: a rename in a batch of Alembic": Case(
        {"a.py": QUERY}, {"migrations/versions/2.py": UP.format('with op.batch_alter_table("orders") as b:\n        b.alter_column("total", new_column_name="cents")')}, "column-renamed", ("a.py:1",)
    ),
    "sql: a list of Laravel": Case({"a.py": QUERY}, {"database/migrations/2.php": BLADE.format("dropColumn(['note', 'total'])")}, "column-dropped", ("a.py:1",)),
    "sql: names of Laravel": Case({"a.py": QUERY}, {"database/migrations/2.php": BLADE.format("dropColumn('note', 'total')")}, "column-dropped", ("a.py:1",)),
    "sql: a foreign key of Laravel": Case({"a.py": QUERY}, {"database/migrations/2.php": BLADE.format("dropConstrainedForeignId('total')")}, "column-dropped", ("a.py:1",)),
    "sql: a column that Laravel names itself": Case(
        {"a.py": QUERY.replace("total", "deleted_at")}, {"database/migrations/2.php": BLADE.format("dropSoftDeletes()")}, "column-dropped", ("a.py:1",)
    ),
    "sql: belongs_to of Rails": Case(
        {"a.py": QUERY.replace("total", "customer_id")}, {"db/migrate/2_a.rb": "class A < ActiveRecord::Migration[7.0]\n  def change\n    remove_belongs_to :orders, :customer\n  end\nend\n"}, "column-dropped", ("a.py:1",)
    ),
    "sql: a column of Entity Framework": Case({"A.cs": PASCAL}, {"Migrations/2_B.cs": EF.format('DropColumn(\n            name: "NetTotal",\n            table: "Orders")')}, "column-dropped", ("A.cs:1",)),
    "sql: a rename of Entity Framework": Case(
        {"A.cs": PASCAL}, {"Migrations/2_B.cs": EF.format('RenameColumn(name: "NetTotal", table: "Orders", newName: "Gross")')}, "column-renamed", ("A.cs:1",)
    ),
    "sql: a rename of TypeORM": Case(
        {"a.py": QUERY}, {"migrations/2.ts": TYPEORM.format('changeColumn("orders", "total", new TableColumn({ name: "cents", type: "int" }))')}, "column-renamed", ("a.py:1",)
    ),
    "sql: the table of a model of Django": Case({"a.py": SHOP}, {"shop/migrations/2.py": OPERATION.format('DeleteModel(name="Order")')}, "table-dropped", ("a.py:1",)),
    "sql: a model of Django that is renamed": Case({"a.py": SHOP}, {"shop/migrations/2.py": OPERATION.format('RenameModel("Order", "Purchase")')}, "table-renamed", ("a.py:1",)),
    "sql: another table of a model of Django": Case({"a.py": SHOP}, {"shop/migrations/2.py": OPERATION.format('AlterModelTable(name="order", table="purchases")')}, "table-renamed", ("a.py:1",)),
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
        "a comment": '# op.alter_column("orders", "total", new_column_name="cents")\n    pass',
    }.items()
} | {
    "sql: a type of TypeORM": ({"a.py": QUERY}, {"migrations/2.ts": TYPEORM.format('changeColumn("orders", "total", new TableColumn({ name: "total", type: "bigint" }))')}),
    "sql: a drop of a table of Laravel in a comment": ({"a.py": QUERY}, {"database/migrations/2.php": "<?php\nreturn new class {\n    public function up() {\n        // Schema::drop('orders');\n    }\n};\n"}),
    "sql: a model of another application of Django": ({"a.py": SHOP}, {"till/migrations/2.py": OPERATION.format('DeleteModel(name="Order")')}),
}  # fmt: skip
INSERT = 'SQL = "INSERT INTO orders (id, total) VALUES (1, 2)"\n'
TIGHTER = {
    "PostgreSQL": {"migrations/2.sql": "ALTER TABLE orders ALTER COLUMN note SET NOT NULL;\n"},
    "MySQL": {"migrations/2.sql": "ALTER TABLE orders MODIFY note TEXT NOT NULL;\n"},
    "MySQL's CHANGE": {"migrations/2.sql": "ALTER TABLE orders CHANGE note note TEXT NOT NULL;\n"},
    "SQL Server": {"migrations/2.sql": "ALTER TABLE orders ALTER COLUMN note NVARCHAR(9) NOT NULL;\n"},
    "a dump": {"db/structure.sql": CREATE.replace("note TEXT", "note TEXT NOT NULL")},
    "a new column of a dump": {"db/structure.sql": CREATE.replace("note TEXT", "note TEXT, tax INT NOT NULL")},
    "Alembic": {"migrations/versions/2.py": UP.format('op.alter_column("orders", "note", nullable=False)')},
    "Rails": {"db/migrate/2_a.rb": "class A < ActiveRecord::Migration[7.0]\n  def change\n    change_column_null :orders, :note, false\n  end\nend\n"},
    "Knex": {"migrations/2.js": "exports.up = (knex) =>\n  knex.schema.alterTable('orders', (t) => {\n    t.dropNullable('note');\n  });\n"},
}  # fmt: skip
DOUBTS |= {
    f"sql: a statement that leaves out what must not be NULL any more, by {name}": ({"db/structure.sql": CREATE, "a.py": INSERT}, files)
    for name, files in TIGHTER.items()
}  # fmt: skip
HARMLESS |= {
    f"sql: a statement that sets what must not be NULL any more, by {name}": (
        {"db/structure.sql": CREATE, "a.py": INSERT.replace("total)", "total, note, tax)")}, files
    )
    for name, files in TIGHTER.items()
} | {
    "sql: a default with NOT NULL": ({"a.py": INSERT}, {"migrations/2.sql": "ALTER TABLE orders MODIFY note TEXT NOT NULL DEFAULT '';\n"}),
    "sql: NULL that is allowed again": ({"a.py": INSERT}, {"migrations/2.sql": "ALTER TABLE orders ALTER COLUMN note DROP NOT NULL;\n"}),
    "sql: rows of another table": ({"a.py": INSERT.replace("orders", "baskets")}, TIGHTER["PostgreSQL"]),
}  # fmt: skip
KEYWORDS = {
    "multipleOf": "2", "pattern": '"^s"', "not": '{"const": 4}', "exclusiveMaximum": "9", "uniqueItems": "true", "const": "3", "format": '"uri"',
    "contains": "{}", "items": '{"type": "string"}', "anyOf": '[{"minimum": 9}]', "$ref": '"other.json"',
}  # fmt: skip
DOUBTS |= {
    f"json schema: {key} of a property": (
        {"job.schema.json": SCHEMA, "job.json": CONFIG}, {"job.schema.json": SCHEMA.replace('"integer"}', f'"integer", "{key}": {value}}}')}
    )
    for key, value in KEYWORDS.items()
} | {
    f"json schema: {key} of a document": (
        {"job.schema.json": SCHEMA, "job.json": CONFIG}, {"job.schema.json": SCHEMA.replace('"type": "object"', f'"type": "object", "{key}": {value}')}
    )
    for key, value in {"minProperties": "5", "propertyNames": '{"pattern": "^k"}', "dependentRequired": '{"mode": ["x"]}', "unevaluatedProperties": "false"}.items()
}  # fmt: skip
BOUNDED = SCHEMA.replace('"integer"}', '"integer", "multipleOf": 4, "exclusiveMaximum": 9, "pattern": "a"}')
HARMLESS |= {
    f"json schema: {name}": ({"job.schema.json": BOUNDED, "job.json": CONFIG}, {"job.schema.json": BOUNDED.replace(old, new)})
    for name, old, new in (
        ("a looser multiple", '"multipleOf": 4', '"multipleOf": 2'),
        ("a looser bound", '"exclusiveMaximum": 9', '"exclusiveMaximum": 10'),
        ("a keyword less", ', "pattern": "a"', ""),
        ("words about a property", '"multipleOf"', '"title": "A", "description": "B", "x-note": 1, "multipleOf"'),
        ("what refuses nothing", '"multipleOf"', '"uniqueItems": false, "unevaluatedProperties": true, "multipleOf"'),
    )
} | {
    "json schema: a keyword of a property that nobody has": (
        {"job.schema.json": SCHEMA, "job.json": CONFIG.replace('"retries": 3', '"mode": "fast"')}, {"job.schema.json": SCHEMA.replace('"integer"}', '"integer", "multipleOf": 2}')}
    ),
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
DOUBTS |= {
    f"json schema: forms of a value, {name}": ({"job.schema.json": SCHEMA, "job.json": CONFIG}, {"job.schema.json": MORE_FORMS.replace("KEY", key).replace(old, new, 1)})
    for name, key, old, new in (
        ("two of which take it", "oneOf", '"array"', '"integer"'),
        ("one of which takes less", "anyOf", '{"type": "integer"}', '{"type": "integer", "minimum": 9}'),
        ("beside a bound", "anyOf", '"description": "a"', '"multipleOf": 3'),
    )
}  # fmt: skip
ACTIONS = """{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"action": {"KEY": [
 {"$ref": "#/$defs/mail"},
 {"$ref": "#/$defs/wait"},
 {"properties": {"kind": {"const": "ping"}, "host": {"type": "string"}}, "required": ["kind"]},
 {"properties": {"kind": {"enum": ["trace"]}, "host": {"type": "string"}}, "required": ["kind"]},
 {"type": "null"}]}},
 "$defs": {"mail": {"type": "object", "properties": {"mail_to": {"type": "string"}, "text": {}}, "required": ["mail_to"], "additionalProperties": false},
 "wait": {"type": "object", "properties": {"wait_seconds": {"type": "integer"}, "kind": {"const": "wait"}, "text": {}}, "required": ["wait_seconds", "kind"], "additionalProperties": false}}}
"""
OF_MAIL = ' {"$ref": "#/$defs/mail"},\n'
OF_TRACE = ' {"properties": {"kind": {"enum": ["trace"]}, "host": {"type": "string"}}, "required": ["kind"]},\n'
OF_PING = OF_TRACE.replace('"enum": ["trace"]', '"const": "ping"')
NARROWER = ACTIONS.replace(OF_PING, "").replace(OF_TRACE, "")
TWO = NARROWER.replace(',\n {"type": "null"}', "").replace(', "required": ["wait_seconds", "kind"]', "")
FEWER = NARROWER.replace("KEY", "oneOf")
ACTION = '{"$schema": "./job.schema.json",\n "action": {\n "mail_to": "a",\n "kind": "trace"}}\n'
CASES |= {
    f"json schema: a variant less, by {name}, of {key}": Case(
        {"job.schema.json": before.replace("KEY", key), "job.json": ACTION}, {"job.schema.json": after.replace("KEY", key)}, rule, (f"job.json:{line}",)
    )
    for key in ("oneOf", "anyOf")
    for name, before, after, rule, line in (
        ("a property that the others refuse", NARROWER, NARROWER.replace(OF_MAIL, ""), "property-removed", 3),
        ("a property, if one variant stays", TWO, TWO.replace('{"KEY": [\n' + OF_MAIL, "").replace('wait"}]}}', 'wait"}}'), "property-removed", 3),
        ("a property, if another variant takes its place", NARROWER, NARROWER.replace(OF_MAIL, ' {"type": "array"},\n'), "property-removed", 3),
        ("a property, if the others are choices themselves", NARROWER, NARROWER.replace(OF_MAIL, "").replace('{"$ref": "#/$defs/wait"}', '{"oneOf": [{"$ref": "#/$defs/wait"}, {"type": "string"}]}'), "property-removed", 3),
        ("a value that the others do not have", ACTIONS.replace(OF_MAIL, ""), ACTIONS.replace(OF_MAIL, "").replace(OF_TRACE, ""), "value-removed", 4),
    )
}  # fmt: skip
ALONE |= {
    "json schema: a variant less, by its type": ({"job.schema.json": FEWER}, {"job.schema.json": FEWER.replace('wait"},\n {"type": "null"}', 'wait"}')}, "type-changed"),
    "openapi: a form of a request's value less": (
        {"openapi.yaml": API.replace("schema: {type: string}", "schema: {oneOf: [{type: string}, {type: integer}]}")},
        {"openapi.yaml": API.replace("schema: {type: string}", "schema: {oneOf: [{type: string}]}")},
        "type-changed",
    ),
}  # fmt: skip
HARMLESS |= {
    "openapi: a form of an answer's value less": (
        {"openapi.yaml": API.replace("unit_price: {type: integer}", "unit_price: {oneOf: [{type: string}, {type: integer}]}")},
        {"openapi.yaml": API.replace("unit_price: {type: integer}", "unit_price: {oneOf: [{type: string}]}")},
    ),
    "json schema: variants in another order": ({"job.schema.json": FEWER, "job.json": ACTION}, {"job.schema.json": FEWER.replace(OF_MAIL, "").replace(' {"type": "null"}]', ' {"type": "null"},\n' + OF_MAIL.rstrip(",\n") + "]")}),
    "json schema: a variant more": ({"job.schema.json": FEWER.replace(OF_MAIL, ""), "job.json": ACTION}, {"job.schema.json": FEWER}),
}  # fmt: skip
DOUBTS |= {
    f"json schema: a variant less, {name}": ({"job.schema.json": FEWER, "job.json": ACTION.replace("mail_to", "action")}, {"job.schema.json": after})
    for name, after in (
        ("where another one is open", FEWER.replace(OF_MAIL, ' {"type": "object"},\n')),
        ("where another one has the property", FEWER.replace(OF_MAIL, "").replace('"wait_seconds": {"type": "integer"}', '"mail_to": {}, "wait_seconds": {"type": "integer"}')),
        ("where another one takes such names", FEWER.replace(OF_MAIL, "").replace('"required": ["wait_seconds", "kind"]', '"patternProperties": {"^[mt]": {}}')),
        ("where another one is in another file", FEWER.replace(OF_MAIL, ' {"$ref": "mail.json"},\n')),
    )
}  # fmt: skip
BINDINGS = """{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "allOf": [
 {"if": {"not": {"required": ["version"]}}, "then": {"$ref": "#/definitions/first"}},
 {"if": {"required": ["version"], "properties": {"version": {"const": "one"}}}, "then": {"$ref": "#/definitions/first"}}],
 "definitions": {"first": {"type": "object", "properties": {"version": {"enum": ["one"]}, "topic": {"type": "string"}}},
 "second": {"type": "object", "properties": {"version": {"enum": ["two"]}, "topic": {"type": "string"}}}}}
"""
SELF = """{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://a.invalid/job", "type": "object", "properties": {
 "tls": {"$ref": "NAME#/definitions/tls"}},
 "definitions": {"tls": {"type": "object", "properties": {"retries": {"type": "integer"}}, "additionalProperties": false}}}
"""
CONFIGURED = '{"$schema": "job.schema.json", "version": "one", "topic": "a", "tls": {"retries": 3}}\n'
HARMLESS |= {
    f"json schema: {name}": ({"job.schema.json": before, "job.json": CONFIGURED.replace('"tls"', '"none"')}, {"job.schema.json": after})
    for name, before, after in (
        ("another definition where a property is absent", BINDINGS, BINDINGS.replace("first", "second", 1)),
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
DOUBTS |= {
    "json schema: a value on which the condition depends": ({"job.schema.json": BINDINGS, "job.json": CONFIGURED}, {"job.schema.json": BINDINGS.replace('"then": {"$ref": "#/definitions/first"}}]', '"then": {"$ref": "#/definitions/second"}}]')}),
}  # fmt: skip
ALONE |= {
    "json schema: a property where another one is absent": ({"job.schema.json": BINDINGS}, {"job.schema.json": BINDINGS.replace("first", "second", 1).replace('{"enum": ["two"]}, "topic": {"type": "string"}', '{"enum": ["two"]}, "topic": {"type": "integer"}')}, "type-changed"),
    "json schema: null among values": ({"job.schema.json": SCHEMA.replace('["fast"', '[null, "fast"')}, {"job.schema.json": SCHEMA}, "value-removed"),
}  # fmt: skip
CONDITION = '{"$schema": "http://json-schema.org/draft-07/schema#", "allOf": [{"if": {"required": ["mode"]}}, {"if": {"properties": {"kind": {"const": "a"}}}, "then": {"properties": {\n "options": {"additionalProperties": false, "properties": {\n "retries": {"type": "integer"},\n "mode": {}}}}}}]}\n'
UNCONDITIONAL = CONDITION.replace('"allOf": [{"if": {"required": ["mode"]}}, {', "").replace("}}]}", "}}")
CASES |= {
    f"json schema: a property that {name} does not excuse": Case(
        {"job.schema.json": before, "job.json": CONFIG}, {"job.schema.json": after}, "property-removed", ("job.json:3",)
    )
    for name, before, after in (
        *(
            (key, SCHEMA, CLOSED.replace('"type": "object"', f'"type": "object", "{key}": {value}'))
            for key, value in {"if": "true", "anyOf": "[true]", "dependentSchemas": "{}", "patternProperties": r'{"^x-[\\w.]+$": {}}'}.items()
        ),
        ("a choice that stood there before", SCHEMA.replace('"type"', '"anyOf": [{"required": ["mode"]}], "type"', 1), CLOSED.replace('"type"', '"anyOf": [{"required": ["mode"]}], "type"', 1)),
        *((f"a condition, {at}", was, was.replace('"retries": {"type": "integer"},\n', "")) for at, was in {"of a part": CONDITION, "of its own": UNCONDITIONAL}.items()),
    )
}  # fmt: skip
DOUBTS |= {
    f"json schema: a property that {name} may excuse": ({"job.schema.json": before, "job.json": CONFIG}, {"job.schema.json": after})
    for name, before, after in (
        *((f"the pattern {pattern}", SCHEMA, CLOSED.replace('"type": "object"', f'"type": "object", "patternProperties": {{"{pattern}": {{}}}}')) for pattern in ("^r", "^x|r", "^xy*", "retries", "^[r]")),
        ("another condition", CONDITION, CONDITION.replace('"retries": {"type": "integer"},\n', "").replace('"const": "a"', '"const": "b"')),
    )
}  # fmt: skip
ANCHORS = API.replace("{type: string}", "&text {type: string}").replace(
    "unit_price: {type: integer}", "unit_price: &text {type: integer}"
)
CHOICE = SCHEMA.replace(
    '{"type": "integer"}', '{"anyOf": [{"type": "string"}, {"type": "string", "enum": ["a"], "x-note": 1}]}'
)
ALONE |= {
    "openapi: a property, where an anchor is given twice": ({"openapi.yaml": ANCHORS}, {"openapi.yaml": ANCHORS.replace("        unit_price: &text {type: integer}\n", "")}, "property-removed"),
}  # fmt: skip
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
DOUBTS |= {
    "openapi: a required parameter that comes from another file": ({"openapi.yaml": ELSEWHERE}, {"openapi.yaml": API.replace("in: query", "in: query, required: true")}),
}  # fmt: skip
ALONE |= {
    "openapi: a parameter beside those of another file that stay": (
        {"openapi.yaml": ELSEWHERE.replace("      parameters:\n", "      parameters:\n        - {name: sort, in: query, required: false}\n")},
        {"openapi.yaml": ELSEWHERE.replace("      parameters:\n", "      parameters:\n        - {name: sort, in: query, required: true}\n")},
        "parameter-required",
    ),
    "protobuf: what is gone comes first": ({"s.proto": PROTO}, {"s.proto": PROTO.replace("order_id = 1", "order_id = 9").replace("  rpc GetOrder(Order) returns (Order);\n", "")}, "rpc-removed"),
}  # fmt: skip
ROW = 'package a\n\nconst table = "orders"\n\ntype orderRow struct {\n\tTotal int `db:"total"`\n}\n'
CASES |= {
    "sql: a type that is called after the table and more": Case({"a.go": ROW}, {"migrations/2.sql": DROP}, "likely-column-dropped", ("a.go:6",)),
}  # fmt: skip
HARMLESS |= {
    f"sql: a type {name}": ({"a.go": ROW.replace(old, new)}, {"migrations/2.sql": DROP})
    for name, old, new in (
        ("that is called after another table", "orderRow", "basketRow"),
        ("in a file that does not say the table", '"orders"', '"baskets"'),
        ("over another column", '"total"', '"sum_total"'),
    )
}  # fmt: skip

# Members of models that map a column of one word: the file, its text, the line that is certain of it.
JPA = '@Entity\n@Table(name = "orders")\nclass Order {{\n    @Id\n    Long id;\n    {}\n}}\n'
TYPEORM_MODEL = '@Entity("orders")\nexport class Order {{\n  {}\n}}\n'
SQLALCHEMY = 'class Order(Base):\n    __tablename__ = "orders"\n    {}\n'
SEQUELIZE = 'module.exports = (sequelize, DataTypes) =>\n  sequelize.define("Order", {{\n    {}\n  }}, {{ tableName: "orders" }});\n'
DOCTRINE = '<?php\n#[ORM\\Table(name: "orders")]\nclass Order\n{{\n    {}\n    private int $sum;\n}}\n'
EF_MODEL = '[Table("orders")]\npublic class Order\n{{\n    {}\n}}\n'
ECTO = 'defmodule Shop.Order do\n  schema "{}" do\n    field :total, :integer\n  end\nend\n'
ELOQUENT = "<?php\nclass Order extends Model\n{{\n    {}\n}}\n"
MAPPED = {
    "JPA, by a name": ("Order.java", JPA.format('@Column(name = "total")\n    Integer sum;'), 6),
    "JPA, by a name on a line of its own": ("Order.java", JPA.format('@Column(\n        name = "total"\n    )\n    Integer sum;'), 7),
    "JPA, by its member": ("Order.java", JPA.format("private Integer total;"), 6),
    "JPA in Kotlin": ("Order.kt", '@Entity\n@Table(name = "orders")\nclass Order(@Column(name = "total") var sum: Int)\n', 3),
    "TypeORM": ("order.ts", TYPEORM_MODEL.format("@Column()\n  total: number;"), 4),
    "TypeORM, on one line": ("order.ts", TYPEORM_MODEL.format("@PrimaryColumn() total!: number;"), 3),
    "TypeORM, by a name": ("order.ts", TYPEORM_MODEL.format('@Column({ name: "total" })\n  sum: number;'), 3),
    "TypeORM, of a relation": ("order.ts", TYPEORM_MODEL.format('@ManyToOne(() => X)\n  @JoinColumn({ name: "total" })\n  x: X;'), 4),
    "MikroORM": ("order.ts", '@Entity({ tableName: "orders" })\nexport class Purchase {\n  @Property()\n  total!: number;\n}\n', 4),
    "SQLAlchemy, by its annotation": ("m.py", SQLALCHEMY.format("total: Mapped[int]"), 3),
    "SQLAlchemy, by a name": ("m.py", SQLALCHEMY.format('sum = Column("total", Integer)'), 3),
    "SQLAlchemy, a table": ("m.py", 'orders = Table(\n    "orders",\n    metadata,\n    Column("total", Integer),\n)\n', 4),
    "Sequelize": ("order.js", SEQUELIZE.format("total: DataTypes.INTEGER,"), 3),
    "Sequelize, by a name": ("order.js", SEQUELIZE.format('sum: {\n      type: DataTypes.INTEGER,\n      field: "total",\n    },'), 5),
    "Sequelize, of a class": ("order.js", 'Order.init({\n  total: {\n    type: DataTypes.INTEGER,\n  },\n}, { sequelize, tableName: "orders" });\n', 2),
    "Doctrine": ("Order.php", DOCTRINE.format('#[ORM\\Column(name: "total")]'), 5),
    "Doctrine, by its member": ("Order.php", DOCTRINE.replace("$sum", "$total").format('#[ORM\\Column(type: "integer")]'), 6),
    "Doctrine, in a comment": ("Order.php", DOCTRINE.format('/**\n     * @ORM\\Column(name="total")\n     */'), 6),
    "Entity Framework": ("Order.cs", EF_MODEL.format('[Column("total")]\n    public int Sum { get; set; }'), 4),
    "Entity Framework, by its member": ("Order.cs", EF_MODEL.format("public int Total { get; set; }"), 4),
    "Entity Framework, by calls": ("C.cs", 'class C {\n  void F() {\n    modelBuilder.Entity<Order>(b => {\n      b.Property(x => x.Sum).HasColumnName("total");\n', 4),
    "Ecto": ("order.ex", ECTO.format("orders"), 3),
    "Hibernate's XML": ("order.hbm.xml", '<hibernate-mapping>\n  <class name="shop.Order" table="orders">\n    <property name="sum" column="total"/>\n  </class>\n</hibernate-mapping>\n', 3),
    "Exposed": ("Orders.kt", 'object Orders : IntIdTable("orders") {\n    val total = integer("total")\n}\n', 2),
    "Slick": ("Orders.scala", 'class Orders(tag: Tag) extends Table[Order](tag, "orders") {\n  def sum = column[Int]("total")\n}\n', 2),
    "SeaORM": ("order.rs", '#[sea_orm(table_name = "orders")]\npub struct Model {\n    pub total: i32,\n}\n', 3),
    "Prisma, by a name": ("schema.prisma", 'model Order {\n  sum Int @map("total")\n  @@map("orders")\n}\n', 2),
    "Fluent": ("Order.swift", 'final class Order: Model {\n  static let schema = "orders"\n  @Field(key: "total") var sum: Int\n}\n', 3),
    "Django, of a table by its name": ("models.py", 'class Purchase(models.Model):\n    total = models.IntegerField()\n\n    class Meta:\n        db_table = "orders"\n', 2),
}  # fmt: skip
MAPPED |= {
    f"a model beside {name}": (path, text, line)
    for name, path, text, line in (
        ("a remark that names another table", "m.py", SQLALCHEMY.replace("__tablename__ =", "# db_table = 'sums'\n    __tablename__ =").format("total = Column(Integer)"), 4),
        ("a remark that names another column", "Order.java", JPA.format('private Integer total; // @Column(name = "sum")'), 6),
        ("a remark that says it is not stored", "Order.java", JPA.format("// @Transient\n    private Integer total;"), 7),
        ("a remark before it that says so", "Order.java", JPA.format("private /* @Transient */ Integer total;"), 6),
        ("a field over another column", "m.py", SQLALCHEMY.format('total = Column(Integer)\n    tax = Column("vat", Integer)'), 3),
    )
}  # fmt: skip
MAYBE_MAPPED = {
    "a validation of Rails": ("order.rb", "class Order < ApplicationRecord\n  validates :total, presence: true\nend\n", 2),
    "a list of Laravel": ("Order.php", ELOQUENT.format("protected $fillable = ['total'];"), 4),
    "the casts of Laravel": ("Order.php", ELOQUENT.format("protected $casts = [\n        'total' => 'integer',\n    ];"), 5),
    "an entity that names no table": ("Order.java", "@Entity\nclass Order {\n    private Integer total;\n}\n", 3),
    "a table that joins others": ("Order.java", JPA.format('@JoinTable(name = "x", joinColumns = @JoinColumn(name = "total"))\n    Set<X> x;'), 6),
    "a query on a table by its name": ("pay.js", 'module.exports = (knex) => knex("orders").select("id", "total");\n', 1),
    "a condition on a table by its name": ("pay.js", 'await knex("orders").where({ total: 1 });\n', 1),
    "a query on several lines": ("pay.js", 'await knex("orders")\n  .where("id", 1)\n  .select("total");\n', 3),
    "a query that says its table last": ("pay.js", 'await db.select("total").from("orders");\n', 1),
    "a query of Kysely": ("pay.ts", 'await db.selectFrom("orders").select(["id", "total"]).execute();\n', 1),
    "a query of Laravel": ("pay.php", "<?php\n$rows = DB::table('orders')\n    ->where('total', 1)->get();\n", 3),
}  # fmt: skip
NOT_MAPPED = {
    "an entity of another table": ("Order.java", JPA.replace('"orders"', '"baskets"').format("private Integer total;")),
    "a member that is not stored": ("Order.java", JPA.format("@Transient\n    private Integer total;")),
    "a local value of an entity": ("Order.java", JPA.format("void f() {\n        int total = 0;\n    }")),
    "a class that is no entity": ("Order.java", "class Order {\n    private Integer total;\n}\n"),
    "a member over another column": ("order.ts", TYPEORM_MODEL.format('@Column({ name: "sum" })\n  total: number;')),
    "a type of TypeORM": ("order.ts", TYPEORM_MODEL.format('@Column("total")\n  sum: number;')),
    "a class without a decorator": ("order.ts", "export class Order {\n  total: number;\n}\n"),
    "an annotation over another column": ("m.py", SQLALCHEMY.format('total: Mapped[int] = mapped_column("sum")')),
    "a relation of SQLAlchemy": ("m.py", SQLALCHEMY.format('total: Mapped[Sum] = relationship("Sum")')),
    "a column of the table beside it": ("m.py", 'orders = Table(\n    "orders",\n    metadata,\n)\nsums = Table(\n    "sums",\n    Column("total", Integer),\n)\n'),
    "an attribute that is computed": ("order.js", SEQUELIZE.format("total: DataTypes.VIRTUAL,")),
    "a schema of Mongoose": ("order.js", 'const schema = new Schema({\n  total: { type: Number },\n});\nmongoose.model("Order", schema);\n'),
    "a property that is not mapped": ("Order.cs", EF_MODEL.format("[NotMapped]\n    public int Total { get; set; }")),
    "a schema of another table": ("order.ex", ECTO.format("baskets")),
    "a validation of what a class has itself": ("order.rb", "class Order < ApplicationRecord\n  attr_accessor :total\n  validates :total, presence: true\nend\n"),
    "a member of Prisma over another column": ("schema.prisma", 'model Order {\n  total Int @map("sum")\n}\n'),
    "a model of Django with another table": ("models.py", 'class Order(models.Model):\n    total = models.IntegerField()\n\n    class Meta:\n        db_table = "purchases"\n'),
    "a query on another table": ("pay.js", 'await knex("baskets").where({ total: 1 });\n'),
    "a value behind a query": ("pay.js", 'await knex("orders").where({ id: 1 });\nconst sums = { total: 1 };\n'),
    "two texts of a page": ("pay.js", 'const title = t("orders");\nconst sum = t("total");\n'),
}  # fmt: skip
CASES |= {
    f"sql: a field of {name}": Case({path: text}, {"migrations/2.sql": DROP}, "column-dropped", (f"{path}:{line}",))
    for name, (path, text, line) in MAPPED.items()
}
CASES |= {
    f"sql: {name}": Case({path: text}, {"migrations/2.sql": DROP}, "likely-column-dropped", (f"{path}:{line}",))
    for name, (path, text, line) in MAYBE_MAPPED.items()
}
HARMLESS |= {f"sql: {name}": ({path: text}, {"migrations/2.sql": DROP}) for name, (path, text) in NOT_MAPPED.items()}

# Steps that name several columns, or none, in the ways of each tool: the file, and what drops or renames `total`.
KNEX_STEP = 'exports.up = (knex) =>\n  knex.schema.alterTable("orders", (table) => {{\n    {}\n  }});\n'
SEQUELIZE_STEP = "module.exports = {{\n  async up(queryInterface) {{\n    {}\n  }},\n}};\n"
PHP_STEP = "<?php\nclass A extends AbstractMigration {{\n    public function up(): void {{\n        {}\n    }}\n}}\n"
FLUENT_STEP = "public class M : Migration {{\n  public override void Up() {{\n    {}\n  }}\n\n  public override void Down() {{\n    {}\n  }}\n}}\n"
ECTO_STEP = "defmodule X do\n  use Ecto.Migration\n\n  def up do\n    {}\n  end\n\n  def down do\n    {}\n  end\nend\n"
LIQUIBASE = '<databaseChangeLog>\n  <changeSet id="1">\n    {}\n    <rollback>{}</rollback>\n  </changeSet>\n</databaseChangeLog>\n'
LIQUIBASE_YAML = "databaseChangeLog:\n  - changeSet:\n      changes:\n        - {}:\n            tableName: orders\n            columns:\n              - column:\n                  name: total\n"
RENAME = "EXEC sp_rename {};\nGO\n"
STEPS = {
    "Knex, the first of several": ("migrations/2.js", KNEX_STEP.format('table.dropColumns("total", "tax");')),
    "Knex, the last of several": ("migrations/2.js", KNEX_STEP.format('table.dropColumns("tax", "total");')),
    "Knex, a chain": ("migrations/2.js", KNEX_STEP.format('table.dropColumn("tax").dropColumn("total");')),
    "TypeORM, a list": ("migrations/2.ts", SEQUELIZE_STEP.format('await queryRunner.dropColumns("orders", ["tax", "total"]);')),
    "Sequelize, a table with its schema": ("migrations/2.js", SEQUELIZE_STEP.format('await queryInterface.removeColumn({ tableName: "orders", schema: "s" }, "total");')),
    "Rails, in a block": ("db/migrate/2_a.rb", "class A < ActiveRecord::Migration[7.0]\n  def change\n    change_table :orders do |t|\n      t.remove(:tax, :total)\n    end\n  end\nend\n"),
    "Phinx": ("db/migrations/2.php", PHP_STEP.format("$this->table('orders')->removeColumn('total')->update();")),
    "Yii": ("db/migrations/2.php", PHP_STEP.format("$this->dropColumn('{{%orders}}', 'total');")),
    "Doctrine's schema": ("db/migrations/2.php", PHP_STEP.format("$schema->getTable('orders')->dropColumn('total');")),
    "FluentMigrator": ("Migrations/2.cs", FLUENT_STEP.format('Delete.Column("tax").Column("total").FromTable("orders");', "")),
    "Ecto": ("priv/repo/migrations/2.exs", ECTO_STEP.format("alter table(:orders) do\n      remove :total\n    end", "")),
    "Liquibase": ("db/changelog/2.xml", LIQUIBASE.format('<dropColumn tableName="orders"><column name="total"/></dropColumn>', "")),
    "Liquibase's YAML": ("db/changelog/2.yaml", LIQUIBASE_YAML.format("dropColumn")),
    "a text that SQL Server carries out": ("migrations/2.sql", "EXEC(N'ALTER TABLE orders ' + N'DROP COLUMN total')\n"),
    "a text for sp_executesql": ("migrations/2.sql", "EXEC sp_executesql N'ALTER TABLE orders DROP COLUMN total'\n"),
}  # fmt: skip
RENAMES = {
    "SQL Server": ("migrations/2.sql", RENAME.format("'orders.total', 'amount', 'COLUMN'")),
    "SQL Server, with a schema": ("migrations/2.sql", RENAME.format("N'dbo.orders.total', N'amount', N'COLUMN'")),
    "SQL Server, in brackets": ("migrations/2.sql", RENAME.format("'[dbo].[orders].[total]', 'amount', 'COLUMN'")),
    "SQL Server, by parameters": ("migrations/2.sql", RENAME.format("@objtype = N'COLUMN', @objname = N'dbo.orders.total', @newname = N'amount'")),
    "SQL Server, without a verb": ("migrations/2.sql", "GO\nsp_rename 'orders.total', 'amount', 'COLUMN'\nGO\n"),
    "SQL Server, in a migration of code": ("migrations/2.ts", SEQUELIZE_STEP.format("await q.query(\"EXEC sp_rename 'orders.total', 'amount', 'COLUMN'\");")),
    "MySQL": ("migrations/2.sql", "ALTER TABLE orders CHANGE COLUMN `total` `amount` INT;\n"),
    "FluentMigrator": ("Migrations/2.cs", FLUENT_STEP.format('Rename.Column("total").OnTable("orders").To("amount");', "")),
    "Ecto": ("priv/repo/migrations/2.exs", ECTO_STEP.format("rename table(:orders), :total, to: :amount", "")),
    "Liquibase": ("db/changelog/2.xml", LIQUIBASE.format('<renameColumn tableName="orders" oldColumnName="total" newColumnName="amount"/>', "")),
    "Django, by places": ("shop/migrations/2.py", OPERATION.format('RenameField("order", "total", "amount")')),
}  # fmt: skip
GONE = {
    "SQL Server": ("migrations/2.sql", RENAME.format("'dbo.orders', 'purchases'"), "table-renamed"),
    "FluentMigrator": ("Migrations/2.cs", FLUENT_STEP.format('Delete.Table("orders");', ""), "table-dropped"),
    "Ecto": ("priv/repo/migrations/2.exs", ECTO_STEP.format("drop table(:orders)", ""), "table-dropped"),
    "Phinx": ("db/migrations/2.php", PHP_STEP.format("$this->table('orders')->rename('purchases')->update();"), "table-renamed"),
    "Liquibase": ("db/changelog/2.xml", LIQUIBASE.format('<dropTable tableName="orders"/>', ""), "table-dropped"),
}  # fmt: skip
SHOP_QUERY = {"a.py": 'SQL = "SELECT total FROM shop_order"\n'}
CASES |= {f"sql: a column that {name} drops": Case({"a.py": QUERY}, {path: text}, "column-dropped", ("a.py:1",)) for name, (path, text) in STEPS.items()}  # fmt: skip
CASES |= {
    f"sql: a column that {name} renames": Case({"a.py": QUERY} if path[:4] != "shop" else SHOP_QUERY, {path: text}, "column-renamed", ("a.py:1",))
    for name, (path, text) in RENAMES.items()
}  # fmt: skip
CASES |= {f"sql: a table that {name} takes away": Case({"a.py": QUERY}, {path: text}, rule, ("a.py:1",)) for name, (path, text, rule) in GONE.items()}  # fmt: skip
CASES |= {
    f"sql: a field of Django that goes, {name}": Case(SHOP_QUERY, {"shop/migrations/2.py": OPERATION.format(step)}, "column-dropped", ("a.py:1",))
    for name, step in (("by places", 'RemoveField("order", "total")'), ("by place and name", 'RemoveField("order", name="total")'))
}  # fmt: skip
WITH_TIMES = {"a.py": 'SQL = "SELECT created_at FROM orders"\n'}
TIMES = {
    "Knex": ("migrations/2.js", KNEX_STEP.format("table.dropTimestamps();")),
    "Rails": ("db/migrate/2_a.rb", "class A < ActiveRecord::Migration[7.0]\n  def up\n    remove_timestamps :orders\n  end\nend\n"),
    "Laravel": ("database/migrations/2.php", BLADE.format("dropTimestampsTz()")),
}  # fmt: skip
CASES |= {f"sql: the times of {name}": Case(WITH_TIMES, {path: text}, "column-dropped", ("a.py:1",)) for name, (path, text) in TIMES.items()}  # fmt: skip
CASES |= {
    "sql: both columns of a reference of Laravel": Case({"a.py": 'SQL = "SELECT owner_type FROM orders"\n'}, {"database/migrations/2.php": BLADE.format("dropMorphs('owner')")}, "column-dropped", ("a.py:1",)),
    "sql: both columns of a reference of Rails": Case({"a.py": 'SQL = "SELECT owner_type FROM orders"\n'}, {"db/migrate/2_a.rb": "class A < ActiveRecord::Migration[7.0]\n  def up\n    remove_reference :orders, :owner, polymorphic: true\n  end\nend\n"}, "column-dropped", ("a.py:1",)),
    "sql: a field that goes from the state of Django alone": Case({"shop/q.py": "rows = Order.objects.filter(total=1)\n", "a.py": SHOP_QUERY["a.py"]}, {"shop/migrations/2.py": OPERATION.format('SeparateDatabaseAndState(state_operations=[migrations.RemoveField("order", "total")])')}, "likely-column-dropped", ("shop/q.py:1",)),
}  # fmt: skip
HARMLESS |= {
    "sql: an index that SQL Server renames": ({"a.py": QUERY}, {"migrations/2.sql": RENAME.format("'orders.total', 'amount', 'INDEX'")}),
    "sql: a rename in the body of a procedure": ({"a.py": QUERY}, {"migrations/2.sql": "CREATE PROCEDURE p AS EXEC sp_rename 'orders.total', 'amount', 'COLUMN'\n"}),
    "sql: FluentMigrator's way back": ({"a.py": QUERY}, {"Migrations/2.cs": FLUENT_STEP.format("", 'Delete.Column("total").FromTable("orders");')}),
    "sql: Ecto's way back": ({"a.py": QUERY}, {"priv/repo/migrations/2.exs": ECTO_STEP.format('execute ""', "alter table(:orders) do\n      remove :total\n    end")}),
    "sql: Liquibase's way back": ({"a.py": QUERY}, {"db/changelog/2.xml": LIQUIBASE.format("", '<dropColumn tableName="orders" columnName="total"/>')}),
    "sql: an older change of Liquibase": ({"db/changelog/1.xml": "<databaseChangeLog><sql>SELECT total FROM orders</sql></databaseChangeLog>\n"}, {"migrations/2.sql": DROP}),
}  # fmt: skip
BACK = "ALTER TABLE orders DROP COLUMN total"
REVERSED = "from django.db import migrations\n{}\n\nclass Migration(migrations.Migration):\n    operations = [\n        {},\n    ]\n"
ECTO_BOTH = "defmodule X do\n  use Ecto.Migration\n\n  def change do\n    execute{}\n  end\n{}end\n"
HARMLESS |= {
    f"sql: what a call of Django is given to take itself back, {name}": ({"a.py": QUERY}, {"shop/migrations/2.py": REVERSED.format(head, call)})
    for name, head, call in (
        ("by its name", "", f'migrations.RunSQL(sql="SELECT 1", reverse_sql="{BACK}")'),
        ("by its place", "", f'migrations.RunSQL("SELECT 1", """\n        {BACK}\n        """)'),
        ("ahead of the way forward", "", f'migrations.RunSQL(reverse_sql=["{BACK}", ("{BACK}", None)], sql="SELECT 1")'),
        ("by the class alone", "from django.db.migrations import RunSQL as Run", f'Run("SELECT 1", "{BACK}")'),
        ("as a name", f'BACK = "{BACK}"', 'migrations.RunSQL("SELECT 1", reverse_sql=BACK)'),
        ("as a function", f'def ahead(apps, editor):\n    pass\n\n\ndef back(apps, editor):\n    editor.execute("{BACK}")\n', "migrations.RunPython(ahead, back)"),
        ("in both parts of one", "", f'migrations.SeparateDatabaseAndState(database_operations=[migrations.RunSQL("SELECT 1", "{BACK}")])'),
    )
} | {
    f"sql: what a call of Ecto is given to take itself back, {name}": ({"a.py": QUERY}, {"priv/repo/migrations/2.exs": ECTO_BOTH.format(call, "")})
    for name, call in (
        ("on one line", f' "SELECT 1", "{BACK}"'),
        ("in brackets", f'(\n      "SELECT 1",\n      "{BACK}"\n    )'),
        ("over lines", f' """\n    SELECT 1\n    """,\n    """\n    {BACK}\n    """'),
    )
}  # fmt: skip
CASES |= {
    f"sql: what {name} drops": Case({"a.py": QUERY}, {path: text}, "column-dropped", ("a.py:1",))
    for name, path, text in (
        ("RunSQL itself", "shop/migrations/2.py", REVERSED.format("", f'migrations.RunSQL("{BACK}", "SELECT 1")')),
        ("a list of RunSQL", "shop/migrations/2.py", REVERSED.format("", f'migrations.RunSQL(sql=["{BACK}"])')),
        ("a function of its own with such arguments", "shop/migrations/2.py", REVERSED.format("def RunSQL(sql, reverse_sql):\n    pass\n", f'RunSQL("SELECT 1", "{BACK}")')),
        ("a module that is called like Django's", "shop/migrations/2.py", REVERSED.format("from shop import migrations", f'migrations.RunSQL("SELECT 1", "{BACK}")')),
        ("a name that the way forward has too", "shop/migrations/2.py", REVERSED.format(f'BACK = "{BACK}"', "migrations.RunSQL(BACK, reverse_sql=BACK)")),
        ("the first text of Ecto", "priv/repo/migrations/2.exs", ECTO_BOTH.format(f' "{BACK}", "SELECT 1"', "")),
        ("a function of its own that is called like Ecto's", "priv/repo/migrations/2.exs", ECTO_BOTH.format(f' "SELECT 1", "{BACK}"', "  defp execute(_, back), do: repo().query!(back)\n")),
    )
}  # fmt: skip
DOUBTS |= {
    "sql: a name that SQL Server is given as a value": ({"a.py": QUERY}, {"migrations/2.sql": RENAME.format("@name, 'amount', 'COLUMN'")}),
    "sql: a column of Sequelize that is computed": ({"a.py": QUERY}, {"migrations/2.js": SEQUELIZE_STEP.format("await queryInterface.removeColumn(TABLE, COLUMN);")}),
}  # fmt: skip
ADDS = "ALTER TABLE orders ADD COLUMN total INT"
RAILS_CHANGE = "class A < ActiveRecord::Migration[7.0]\n  def change\n{}  end\nend\n"
REVERSIBLE = "    reversible do |dir|\n      dir.up {}\n      dir.down {}\n    end\n"
CASES |= {
    f"sql: a column of Rails that only the way back brings, {name}": Case({"a.py": QUERY}, {"db/migrate/2_a.rb": RAILS_CHANGE.format(text)}, "column-dropped", ("a.py:1",))
    for name, text in (
        ("by calls", REVERSIBLE.format("{ remove_column :orders, :total }", "{ add_column :orders, :total, :integer }")),
        ("that must have a value", REVERSIBLE.format("{ remove_column :orders, :total }", "{ add_column :orders, :total, :integer, null: false }")),
        ("by statements", REVERSIBLE.format(f'{{ execute "{BACK}" }}', f'{{ execute "{ADDS}" }}')),
        ("by a block over lines", REVERSIBLE.format(f'do\n        execute "{BACK}"\n      end', f'do\n        if true\n          execute "{ADDS}"\n        end\n      end')),
        ("by brackets over lines", REVERSIBLE.format(f'{{\n        execute "{BACK}"\n      }}', f'{{\n        execute "{ADDS}"\n      }}')),
        ("ahead of the way forward", "    reversible do |x|\n      x.down { add_column :orders, :total, :integer }\n      x.up { remove_column :orders, :total }\n    end\n"),
        ("within a table", "    reversible do |dir|\n      change_table :orders do |t|\n        dir.up { t.remove :total }\n        dir.down { t.integer :total }\n      end\n    end\n"),
        ("on one line", "    reversible { |dir| dir.up { remove_column :orders, :total }; dir.down { add_column :orders, :total, :integer } }\n"),
        ("by a revert", "    revert do\n      add_column :orders, :total, :integer\n    end\n"),
        ("by a revert in brackets", "    revert { add_column :orders, :total, :integer }\n"),
        ("by a revert within a table", "    revert do\n      change_table :orders do |t|\n        t.integer :total\n      end\n    end\n"),
        ("that seems to end early", "    reversible do |dir|\n      dir.down do\n        x = 1\n        end\n        remove_column :orders, :total\n    end\n"),
    )
} | {
    "sql: a column of Rails that a revert renames": Case({"a.py": QUERY}, {"db/migrate/2_a.rb": RAILS_CHANGE.format("    revert do\n      rename_column :orders, :amount, :total\n    end\n")}, "column-renamed", ("a.py:1",)),
    "sql: a column that functions of Ecto drop and bring": Case({"a.py": QUERY}, {"priv/repo/migrations/2.exs": ECTO_BOTH.format(f'(\n      fn -> repo().query!("{BACK}") end,\n      fn -> repo().query!("{ADDS}", [], log: :info) end\n    )', "")}, "column-dropped", ("a.py:1",)),
}  # fmt: skip
HARMLESS |= {
    f"sql: what Rails does on its way back, {name}": ({"a.py": QUERY}, {"db/migrate/2_a.rb": RAILS_CHANGE.format(text)})
    for name, text in (
        ("by a call", REVERSIBLE.format("{ add_column :orders, :note, :text }", "{ remove_column :orders, :total }")),
        ("by a statement", REVERSIBLE.format('{ execute "SELECT 1" }', f'{{ execute "{BACK}" }}')),
        ("by what a revert removes", "    revert do\n      remove_column :orders, :total, :integer\n    end\n"),
    )
} | {
    "sql: what a function of Ecto does on its way back": ({"a.py": QUERY}, {"priv/repo/migrations/2.exs": ECTO_BOTH.format(f'(fn -> repo().query!("SELECT 1") end, fn -> repo().query!("{BACK}") end)', "")}),
} | {
    f"sql: a column that a statement of {name} brings back": ({"a.py": QUERY}, {path: text})
    for name, path, text in (
        ("Alembic", "migrations/versions/2.py", f'{ALEMBIC_UP}    op.execute("{BACK}")\n    op.execute(\n        sa.text("{ADDS}")\n    )\n'),
        ("Django", "shop/migrations/2.py", REVERSED.format("", f'migrations.RunSQL("{BACK}", "SELECT 1"),\n        migrations.RunSQL(sql="{ADDS}")')),
        ("Rails", "db/migrate/2_a.rb", RAILS_CHANGE.format(f'    execute "{BACK}"\n    execute <<~SQL\n      {ADDS}\n    SQL\n')),
        ("Ecto", "priv/repo/migrations/2.exs", ECTO_BOTH.format(f' "{BACK}"\n    repo().query!("{ADDS}")', "")),
        ("Laravel", "database/migrations/2.php", f"<?php\nreturn new class extends Migration {{\n    public function up(): void\n    {{\n        DB::statement('{BACK}');\n        DB::statement('{ADDS}');\n    }}\n}};\n"),
        ("Phinx", "db/migrations/2.php", PHP_STEP.format(f"$this->execute('{BACK}');\n        $this->execute('{ADDS}');")),
        ("Knex", "migrations/2.js", KNEX_STEP.format(f"await knex.raw('{BACK}');\n  await knex.raw(`{ADDS}`);")),
        ("TypeORM", "src/migrations/2.ts", f'export class A2 implements MigrationInterface {{\n  public async up(queryRunner: QueryRunner): Promise<void> {{\n    await queryRunner.query("{BACK}");\n    await queryRunner.query("{ADDS}");\n  }}\n}}\n'),
        ("FluentMigrator", "Migrations/2.cs", FLUENT_STEP.format(f'Execute.Sql("{BACK}");\n        Execute.Sql(@"{ADDS}");', "")),
        ("goose", "migrations/2_a.go", f'package migrations\n\nfunc up(ctx context.Context, tx *sql.Tx) error {{\n\tif _, err := tx.ExecContext(ctx, "{BACK}"); err != nil {{\n\t\treturn err\n\t}}\n\t_, err := tx.ExecContext(ctx, "{ADDS}")\n\treturn err\n}}\n'),
        ("one text", "migrations/versions/2.py", f'{ALEMBIC_UP}    op.execute("{BACK}; {ADDS}")\n'),
    )
}  # fmt: skip
DOUBTS |= {
    f"sql: what may be a way back, {name}": ({"a.py": QUERY}, {path: text})
    for name, path, text in (
        ("attributes of Ecto", "priv/repo/migrations/2.exs", ECTO_BOTH.format("(@up, @down)", f'  @up "{BACK}"\n  @down "{ADDS}"\n')),
        ("variables of Ecto", "priv/repo/migrations/2.exs", ECTO_BOTH.replace("    execute", f'    up = "{BACK}"\n    down = "{ADDS}"\n    execute').format("(up, down)", "")),
        ("functions of Ecto", "priv/repo/migrations/2.exs", ECTO_BOTH.format("(&ahead/0, &back/0)", f'\n  defp ahead do\n    repo().query!("{BACK}")\n  end\n\n  defp back do\n    repo().query!("{ADDS}")\n  end\n')),
        ("a rename of Ecto", "priv/repo/migrations/2.exs", ECTO_BOTH.replace("    execute", '    up = "ALTER TABLE orders RENAME COLUMN total TO amount"\n    down = "ALTER TABLE orders RENAME COLUMN amount TO total"\n    execute').format("(up, down)", "")),
        ("keywords of Django", "shop/migrations/2.py", REVERSED.format(f'D = {{"sql": "{BACK}", "reverse_sql": "{ADDS}"}}', "migrations.RunSQL(**D)")),
        ("a table of Django", "shop/migrations/2.py", REVERSED.format(f'SQL = {{\n    "up": "{BACK}",\n    "down": "{ADDS}",\n}}', 'migrations.RunSQL(SQL["up"], SQL["down"])')),
        ("pairs of Django", "shop/migrations/2.py", REVERSED.format("", f'*[migrations.RunSQL(s, r) for s, r in [("{BACK}", "{ADDS}")]]')),
        ("a class of Django", "shop/migrations/2.py", REVERSED.format("class Sql(migrations.RunSQL):\n    pass\n", f'Sql("{BACK}", "{ADDS}")')),
        ("a function that nothing calls", "shop/migrations/2.py", REVERSED.format(f'def ahead(apps, editor):\n    editor.execute("{BACK}")\n\n\ndef back(apps, editor):\n    editor.execute("{ADDS}")\n', "migrations.RunPython(ahead)")),
        ("a function that only the way back calls", "migrations/versions/2.py", f'def back():\n    op.execute("{ADDS}")\n\n\n{ALEMBIC_UP}    {STEP}\n\n\ndef downgrade():\n    back()\n'),
        ("a lambda of Rails", "db/migrate/2_a.rb", RAILS_CHANGE.format(f'    ahead = -> {{ execute "{BACK}" }}\n    back = -> {{ execute "{ADDS}" }}\n    reversible {{ |dir| dir.up(&ahead); dir.down(&back) }}\n')),
        ("a name that is bound twice", "db/migrate/2_a.rb", RAILS_CHANGE.format("    [self].each do |dir|\n    end\n" + REVERSIBLE.format("{ remove_column :orders, :total }", "{ add_column :orders, :total, :integer }"))),
        ("a migration that Rails reverts", "db/migrate/2_a.rb", RAILS_CHANGE.format("    revert CreateTotals\n")),
        ("a migration that Rails runs backward", "db/migrate/2_a.rb", RAILS_CHANGE.format("    run CreateTotals, revert: true\n")),
        ("a condition behind a statement of Rails", "db/migrate/2_a.rb", RAILS_CHANGE.format(f'    execute "{BACK}" unless reverting?\n    execute "{ADDS}" if reverting?\n')),
        ("two calls as arguments", "priv/repo/migrations/2.exs", ECTO_BOTH.format(f'(\n      sql("{BACK}"),\n      sql("{ADDS}")\n    )', "")),
        ("what Rails reverts by a method", "db/migrate/2_a.rb", RAILS_CHANGE.format("    revert do\n      totals\n    end\n")),
    )
}  # fmt: skip


def effect(repository: Repository, before: Files, after: Files) -> deeprepo.Review:
    """A review by code of one commit."""
    repository.commit({"README.md": "shop\n", **before}, "before")
    repository.commit(dict(after), "after")
    return deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")


def of_schemas(review: deeprepo.Review) -> list[deeprepo.Finding]:
    """The findings of this check."""
    return [one for one in review.findings if "schemas" in one.source]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_break_names_its_users(repository: Repository, case: Case) -> None:
    """The finding has the rule, and the lines that still name the element as evidence."""
    findings = of_schemas(effect(repository, case.before, case.after))
    assert [one.rule for one in findings] == [case.rule]
    assert tuple(f"{item.path}:{item.line}" for item in findings[0].evidence) == case.uses


@pytest.mark.parametrize(("before", "after", "rule"), ALONE.values(), ids=ALONE)
def test_a_break_without_a_user_in_sight_is_a_hint(
    repository: Repository, before: Files, after: Files, rule: str
) -> None:
    """It is reported, but neither as proven nor as severe."""
    findings = of_schemas(effect(repository, before, after))
    assert [(one.rule, one.verdict, one.evidence) for one in findings] == [(rule, "unproven", ())]
    assert {one.severity for one in findings} <= {"low", "medium"}


@pytest.mark.parametrize(("before", "after"), HARMLESS.values(), ids=HARMLESS)
def test_what_breaks_nobody_is_not_reported(repository: Repository, before: Files, after: Files) -> None:
    """Neither what the language allows, nor what was announced, nor a drop that no line in sight names."""
    review = effect(repository, before, after)
    assert of_schemas(review) == []
    assert [one for one in review.open if "schemas" in str(one)] == []


@pytest.mark.parametrize(("before", "after"), OPEN.values(), ids=OPEN)
def test_a_schema_that_cannot_be_read_is_open(repository: Repository, before: Files, after: Files) -> None:
    """The review reports no break of it and is not complete."""
    review = effect(repository, before, after)
    assert of_schemas(review) == []
    assert not review.complete


@pytest.mark.parametrize(("before", "after"), DOUBTS.values(), ids=DOUBTS)
def test_what_the_change_adds_makes_no_break_silent(repository: Repository, before: Files, after: Files) -> None:
    """Whatever may excuse a break and is not proven leaves the file open."""
    review = effect(repository, before, after)
    assert any("schemas" in str(one) for one in review.open)


def test_a_use_in_another_repository_is_named(repository: Repository, repositories: Others) -> None:
    """A clone that names a dropped column is a consumer, whatever its manifests take."""
    repository.commit({"migrations/1.sql": CREATE}, "before")
    repository.commit({"migrations/2.sql": "ALTER TABLE orders DROP COLUMN total;\n"}, "after")
    consumer = repositories("billing")
    consumer.commit({"pay.py": QUERY}, "uses it")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none", consumers=[consumer.folder])
    (finding,) = review.findings
    assert (finding.rule, finding.consumer, finding.verdict) == ("consumer-column-dropped", "billing", "proven")
    assert [f"{item.path}:{item.line}" for item in finding.evidence] == ["billing:pay.py:1"]
    assert [(one.name, one.state, one.breaks) for one in review.consumers] == [("billing", "checked", 1)]


def test_aliases_that_multiply_cost_no_time(repository: Repository) -> None:
    """A description whose aliases stand for a billion values is compared, or open, within the limits of any other."""
    bomb = "x0: &a0 {type: object}\n" + "".join(
        f"x{n}: &a{n} {{properties: {{{', '.join(f'p{i}: *a{n - 1}' for i in range(9))}}}}}\n" for n in range(1, 12)
    )
    use = API.replace("{$ref: '#/components/schemas/Line'}\ncomponents", "*a11\ncomponents")
    review = effect(repository, {"openapi.yaml": bomb + use}, {"openapi.yaml": bomb.replace("p8", "q8") + use})
    assert review.findings or not review.complete
