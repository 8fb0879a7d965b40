"""SARIF in any shape is parsed in linear time, and dropped parts are always reported."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import UsageError
from bot.findings import sarif_results
from bot.values.tool_results import ToolResult

PLACE = {"physicalLocation": {"artifactLocation": {"uri": "a.py"}, "region": {"startLine": 1}}}
RESULT = {"ruleId": "zz", "message": {"text": "m"}, "locations": [PLACE]}
WORDS = [
    "id", "index", "level", "error", "kind", "fail", "text", "uri", "a.py", "SRC", "startLine", "rules", "driver", "name",
    "ruleId", "ruleIndex", "message", "locations", "properties", "tags", "security-severity", "baselineState", "invocations",
    "executionSuccessful", "\ud800",
]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=12,
)


def log(result: Any, driver: Any = None, **run: Any) -> bytes:  # noqa: ANN401 - any JSON
    """Return a SARIF file with one result."""
    tool = {"driver": {"name": "t"} if driver is None else driver}
    return json.dumps({"version": "2.1.0", "runs": [{"tool": tool, "results": [result], **run}]}).encode()


def read(data: bytes) -> tuple[ToolResult, ...]:
    """Return the results, after checking that they can be encoded as text."""
    found = sarif_results.read(data, "x.sarif")
    assert str(found).encode()
    return found


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([*RESULT, "level", "kind", "baselineState", "suppressions", "rule", "ruleIndex", "properties"]),
    JSON,
)
def test_any_json_value_in_a_result_is_handled(name: str, value: Any) -> None:  # noqa: ANN401 - any JSON
    """Any JSON value in any field of a SARIF result is read without a crash."""
    read(log({**RESULT, name: value}))


@settings(max_examples=100, deadline=None)
@given(JSON, JSON, JSON)
def test_any_json_value_in_a_tool_is_handled(driver: Any, result: Any, bases: Any) -> None:  # noqa: ANN401 - any JSON
    """Driver, result, rules and bases may be any JSON; invalid SARIF gives a usage error."""
    with suppress(UsageError):
        read(log(result, driver, originalUriBaseIds=bases, invocations=bases, artifacts=bases))


@pytest.mark.parametrize("level", [["error"], {"a": 1}, 7, True, "critical", ""])
def test_invalid_level_gets_the_sarif_default(level: object) -> None:
    """A result with an invalid level gets SARIF's default level."""
    (one,) = read(log({**RESULT, "level": level}))
    assert (one.severity, one.sure) == ("medium", False)
