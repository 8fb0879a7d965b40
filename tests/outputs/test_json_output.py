import json
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest
from jsonschema import Draft202012Validator
from sample_reviews import CLEAN, REVIEW, UNREAD, with_finding

from bot.outputs import facts, json_file
from bot.sections import finding_sections
from bot.stored import reviews
from bot.values import Basis, Evidence, Finding, PlacedFinding, ReadUnit, Review, Tracking
from bot.values.consumer import ConsumerReport
from bot.values.finding_row import KEYS
from deeprepo.impact.packages import Requirement
from deeprepo.rlm.values import Cost

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "review.schema.json").read_text(encoding="utf-8"))
LISTS = ("findings", "numbers", "read", "judged_by_model", "notes", "consumers")
ASKED = Requirement("python", "quotes", "requirements.txt", "quotes<2")
ABROAD = Evidence("acme/billing:pay.py", "tax(30)", 5, note="breaks", repository="acme/billing", commit="c" * 40)
CONSUMED = replace(
    with_finding(consumer="acme/billing", evidence=(ABROAD,)),
    consumers=(ConsumerReport("acme/billing", "checked", "c" * 40, "2026-01-01", takes=(ASKED,), uses=2, breaks=1),),
)
REVIEWS = [
    REVIEW,
    CONSUMED,
    CLEAN,
    UNREAD,
    replace(REVIEW, cost=Cost(1, usd=None, root_usd=None)),
    with_finding(suggestion="x", side="base"),
]


@pytest.mark.parametrize("review", REVIEWS)
def test_every_review_matches_the_published_schema(review: Review) -> None:
    """Every review validates against docs/review.schema.json."""
    Draft202012Validator.check_schema(SCHEMA)
    Draft202012Validator(SCHEMA).validate(json.loads(json_file.render(review)))


def test_every_key_is_documented() -> None:
    """The output has exactly the keys that the schema describes."""
    _documented(json.loads(json_file.render(REVIEW)), SCHEMA)
    _documented(json.loads(json_file.render(CONSUMED)), SCHEMA)


def test_finding_is_written_with_all_of_its_fields() -> None:
    """A finding is one flat row with all of its fields; rows without newer fields can still be read."""
    written = json.loads(json_file.render(REVIEW))["findings"][1]

    own = {item.name for item in fields(PlacedFinding)} - {"finding"}
    not_written = {"basis", "tracking", "parts", "is_declined"}  # the last one only matters during the review
    held = {item.name for kind in (Finding, Basis, Tracking) for item in fields(kind)} - not_written
    assert held == set(KEYS)
    assert {*own, "source", "identity", *KEYS, *(section.key for section in finding_sections())} == set(written)
    assert (written["place"], written["fingerprint"], written["start"]) == ("inline", "f0e1", 41)
    old = {key: value for key, value in written.items() if key not in ("readings", "added", "cause")}
    assert reviews.findings([old]) == reviews.findings([written])
    assert written["evidence"][0]["quote"] == '    path = resolve("assets", "rb")'


@pytest.mark.parametrize("review", REVIEWS)
def test_stored_review_is_read_back(review: Review) -> None:
    """Pages are rendered again after comments, so every list is restored, including who read what."""
    marks = (ReadUnit("a.py:f", "0" * 20, "worker a/b", model=True), ReadUnit("a.py:g", "1" * 20, "ruff"))
    before = json.loads(json_file.render(replace(review, round=replace(review.round, read=marks))))
    after = json.loads(json_file.render(reviews.review(json.dumps(before).encode())))
    assert {name: after[name] for name in LISTS} == {name: before[name] for name in LISTS}
    assert after["judged_by_model"] == ["a.py:f"]


def test_follow_up_review_is_still_marked_when_read_back() -> None:
    """A page rendered again after a comment still says that the commit was not reviewed."""
    followed = replace(UNREAD, coverage=replace(UNREAD.coverage, is_follow_up=True))
    after = reviews.review(json_file.render(followed).encode())
    assert "was not reviewed" in facts.summary(after).result
    assert "was not reviewed" not in facts.summary(UNREAD).result


def test_output_contains_no_local_path() -> None:
    """The output does not contain the repository's path on disk."""
    assert "/nowhere" not in json_file.render(REVIEW)


def test_lone_surrogate_gives_valid_utf8() -> None:
    """The output is valid UTF-8."""
    text = json_file.render(with_finding(path="a\udcff.py", quote="\ud800"))

    assert json.loads(text.encode())["findings"][0]["path"] == "a\ufffd.py"


def _documented(value: Any, schema: dict[str, Any]) -> None:  # noqa: ANN401 - any JSON value
    schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    if isinstance(value, dict):
        assert set(value) == set(schema["properties"])
        for key, item in value.items():
            _documented(item, schema["properties"][key])
    if isinstance(value, list):
        for item in value:
            _documented(item, schema["items"])


def _closed_lists(node: object, path: str = "") -> Iterator[tuple[str, frozenset[object]]]:
    """Yield each `enum` in the schema with its path."""
    if isinstance(node, dict):
        if "enum" in node:
            yield path, frozenset(node["enum"]) - {None}
        for name, part in node.items():
            yield from _closed_lists(part, f"{path}/{name}")
    elif isinstance(node, list):
        for at, part in enumerate(node):
            yield from _closed_lists(part, f"{path}/{at}")


def _literals(annotation: object) -> Iterator[frozenset[object]]:
    """Yield the Literal values in a type."""
    if get_origin(annotation) is Literal:
        yield frozenset(get_args(annotation))
    for part in get_args(annotation):
        yield from _literals(part)
