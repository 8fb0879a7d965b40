"""What the miner of schemas calls a loss: told by plain text."""

import json

import pytest

from deeprepo_evals.schemas import truth

CLOSED = {"properties": {"retries": {}}, "additionalProperties": False}
EMPTY = {"properties": {}, "additionalProperties": False}


@pytest.mark.parametrize(
    ("language", "removed_lines", "after", "lost"),
    [
        ("graphql", ["  total: Int"], "type Order {\n  id: ID\n}", {"total"}),
        ("graphql", ["  total: Int"], "type Order {\n  total: Float\n}", set()),
        ("graphql", ["  total: Int @deprecated"], "type Order {\n  id: ID\n}", set()),
        ("graphql", ["  total: Int", "    @deprecated(reason: old)"], "type Order {\n  id: ID\n}", set()),
        ("protobuf", ["  int64 total = 2;"], 'message Order {\n  reserved "total";\n}', set()),
        ("openapi", ["  /orders/{id}:", "  /users:"], "  /orders/{order}:", {"/users"}),
    ],
)
def test_a_name_is_lost_if_nothing_says_it_any_more(
    language: str, removed_lines: list[str], after: str, lost: set[str]
) -> None:
    """A name that a changed schema still has, reserves or had deprecated is no loss."""
    assert set(truth.losses({"a": removed_lines}, after, truth.SYNTAXES[language])) == lost


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        (CLOSED, EMPTY, {"retries"}),
        (CLOSED, {"properties": {}, "additionalProperties": {"type": "object"}}, set()),
        (CLOSED, EMPTY | {"patternProperties": {"^re": {}}}, set()),
        ({"properties": {"retries": {}}}, {}, set()),
        ({"properties": {"retries": {"deprecated": True}}, "additionalProperties": False}, EMPTY, set()),
        ({"type": "object", "properties": {"job": CLOSED}}, {"type": "object", "properties": {"job": EMPTY}}, {"retries"}),
        ({"type": "object", "properties": {"job": CLOSED}}, {"type": "object", "properties": {}}, set()),
        ({"properties": {"job": CLOSED}, "additionalProperties": False}, EMPTY, {"job", "retries"}),
        ({"type": "object", "definitions": {"mode": CLOSED}}, {"type": "object"}, set()),
        ({"$ref": "#/definitions/mode", "definitions": {"mode": CLOSED}}, {"type": "object"}, {"retries"}),
        ({"properties": {"job": {"$ref": "#/definitions/mode"}}, "definitions": {"mode": CLOSED}}, {"properties": {}}, set()),
        ({"properties": {"job": CLOSED}}, {"allOf": [{}]}, set()),
        ({"oneOf": [CLOSED]}, {"oneOf": [EMPTY]}, {"retries"}),
        ({"definitions": {"mode": {}}}, {"definitions": {}}, {"mode"}),
        ([], [], set()),
    ],
)  # fmt: skip
def test_a_json_schema_refuses_what_a_closed_object_lost(before: object, after: object, names: set[str]) -> None:
    """An open object takes the property as before, what nothing refers to refuses nothing; a definition counts where a file holds definitions alone."""
    assert truth.refused_names(json.dumps(before), json.dumps(after)) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("RunSQL(sql='ALTER TABLE a DROP COLUMN x', reverse_sql='ALTER TABLE a DROP COLUMN y')", ["x"]),
        ('RunSQL(reverse_sql="""\nALTER TABLE a\nDROP COLUMN y\n""", sql="ALTER TABLE a DROP COLUMN x")', ["x"]),
        ("RunSQL(\n  'ALTER TABLE a ADD x int',\n  'ALTER TABLE a DROP COLUMN x',\n)", []),
        ("RunSQL('ALTER TABLE a DROP COLUMN x')", ["x"]),
        ('execute("ALTER TABLE a ADD x int", "ALTER TABLE a DROP COLUMN x")', []),
        ("ALTER TABLE a DROP COLUMN x;\n# --- !Downs\nALTER TABLE a DROP COLUMN y;", ["x"]),
        ("async down(queryRunner) {\n queryRunner.query('ALTER TABLE a DROP COLUMN y')", []),
        ("-- ALTER TABLE a DROP COLUMN x", []),
    ],
)
def test_what_takes_a_migration_back_drops_nothing(text: str, names: list[str]) -> None:
    """The way back of a statement, of a function and of a file is left out."""
    assert truth.drops(truth.forward(text.split("\n"))) == names


def test_a_column_that_comes_back_by_a_rename_is_no_loss() -> None:
    """Django writes the new name by a keyword."""
    text = "migrations.RenameField(model_name='log', old_name='session_tmp', new_name='session')"
    assert (truth.returns("session", text), truth.returns("log", text)) == (True, False)
