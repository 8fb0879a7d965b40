import json
import os
from pathlib import Path

from jsonschema import Draft202012Validator

from bot.findings import read
from bot.review.context import file_questions
from bot.values import Source

SOURCE = Source("model", "m", "worker")
GOLDEN = Path(__file__).parent / "golden"
FULL = {
    "path": "a.py",
    "quote": "x",
    "line": 3,
    "title": " t ",
    "why": "w",
    "consequence": "c",
    "trigger": "x=0",
    "severity": "high",
    "category": "logic",
    "evidence": [{"path": "b.py", "quote": "y"}, {"path": "b.py", "quote": " "}],
    "suggestion": None,
}


def test_answer_schema_is_strict() -> None:
    """The answer schema requires every property and forbids others, as providers' strict modes demand."""

    def objects(schema: object) -> list[dict[str, object]]:
        if isinstance(schema, dict):
            own = [schema] if schema.get("type") == "object" else []
            return own + [found for value in schema.values() for found in objects(value)]
        return [found for value in schema for found in objects(value)] if isinstance(schema, list) else []

    Draft202012Validator.check_schema(dict(read.schema().parameters))
    for found in objects(dict(read.schema().parameters)):
        assert found["additionalProperties"] is False
        assert found["required"] == list(found["properties"])  # type: ignore[call-overload]


def test_complete_answer_becomes_an_unproven_finding() -> None:
    """A complete answer becomes an unproven finding, without its empty evidence."""
    text, (found,) = read.parse_reply({"answer": "One.", "findings": [FULL]}, "worker m")
    assert text == "One."
    assert (found.title, found.start, found.verdict, found.source) == ("t", 3, "unproven", "worker m")
    assert [(item.path, item.quote) for item in found.evidence] == [("b.py", "y")]


def test_worker_schemas_match_their_approved_files() -> None:
    """The schemas match their approved files, because a change to one changes every prompt."""
    for name, schema in (("review", read.schema()), ("look", file_questions.schema())):
        sent = json.dumps(schema.parameters, indent=1)
        path = GOLDEN / f"{name}.json"
        if os.environ.get("GOLDEN") == "write":
            path.write_text(sent + "\n")
        assert path.read_text() == sent + "\n"
