"""What the miner of schemas calls a loss: told by plain text."""

import json

import pytest

from deeprepo_evals.schemas import truth

CLOSED = {"properties": {"retries": {}}, "additionalProperties": False}


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
    ("document", "names"),
    [
        (CLOSED, {"retries"}),
        ({"properties": {"retries": {}}}, set()),
        ({"type": "object", "properties": {"job": CLOSED}, "definitions": {"mode": {}}}, {"retries"}),
        ({"definitions": {"mode": {}}}, {"mode"}),
        ([], set()),
    ],
)
def test_a_json_schema_refuses_what_a_closed_object_lost(document: object, names: set[str]) -> None:
    """An open object takes the property as before; a definition counts where a file holds definitions alone."""
    assert truth.refused_names(json.dumps(document)) == names


def test_a_column_that_comes_back_by_a_rename_is_no_loss() -> None:
    """Django writes the new name by a keyword."""
    text = "migrations.RenameField(model_name='log', old_name='session_tmp', new_name='session')"
    assert (truth.returns("session", text), truth.returns("log", text)) == (True, False)
