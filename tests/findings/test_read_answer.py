import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from bot.context import file_questions
from bot.errors import BadAnswer
from bot.findings import read

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


def test_the_schema_is_in_the_strict_form() -> None:
    """Providers' strict modes demand every property and forbid others."""

    def objects(schema: object) -> list[dict[str, object]]:
        if isinstance(schema, dict):
            own = [schema] if schema.get("type") == "object" else []
            return own + [found for value in schema.values() for found in objects(value)]
        return [found for value in schema for found in objects(value)] if isinstance(schema, list) else []

    Draft202012Validator.check_schema(dict(read.schema().parameters))
    for found in objects(dict(read.schema().parameters)):
        assert found["additionalProperties"] is False
        assert found["required"] == list(found["properties"])  # type: ignore[call-overload]


def test_a_full_answer_becomes_findings() -> None:
    """Empty evidence is no evidence; the verdict is not the worker's to give."""
    text, (found,) = read.answer({"answer": "One.", "findings": [FULL]}, "worker m")
    assert text == "One."
    assert (found.title, found.start, found.verdict, found.source) == ("t", 3, "unproven", "worker m")
    assert [(item.path, item.quote) for item in found.evidence] == [("b.py", "y")]


def test_a_careless_answer_is_read_as_far_as_it_goes() -> None:
    """An unknown severity is medium, an unknown category other; extra keys are nobody's business."""
    rough = {"path": "a", "quote": "b", "title": "c", "severity": "HUGE", "category": "vibes", "confidence": 99}
    _, (found,) = read.answer({"findings": [rough]}, "w")
    assert (found.severity, found.category) == ("medium", "other")


@pytest.mark.parametrize("data", [None, {"findings": "none"}, {"findings": [{"path": "a"}]}, {"findings": [FULL] * 21}])
def test_what_does_not_fit_is_said(data: dict[str, object] | None) -> None:
    """The sentence names the place in the answer."""
    with pytest.raises(BadAnswer, match="does not fit the schema"):
        read.answer(data, "w")


def test_what_workers_are_asked_for_is_derived_from_what_reads_their_answer() -> None:
    """The schemas on the wire, to the byte: a change of a model's answer is a change of every prompt."""
    for name, schema in (("review", read.schema()), ("look", file_questions.schema())):
        sent = json.dumps(schema.parameters, indent=1)
        path = GOLDEN / f"{name}.json"
        if os.environ.get("GOLDEN") == "write":
            path.write_text(sent + "\n")
        assert path.read_text() == sent + "\n"


def test_a_claim_that_nobody_can_look_up_is_left_out() -> None:
    """The others stand; a known category is kept."""
    claims = [{"says": "evil", "name": "pay"}, {"says": "unused", "name": "`pay()`"}]
    _, (found,) = read.answer({"findings": [{**FULL, "claims": claims}]}, "w")
    assert [(claim.says, claim.name) for claim in found.claims] == [("unused", "pay")]
    assert found.category == "logic"
