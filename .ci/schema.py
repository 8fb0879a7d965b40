"""Write the verdicts of `bot.values` into docs/review.schema.json: `python .ci/schema.py`."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from bot.values import Verdict  # noqa: E402 - the checkout's own
from bot.verdict import ROWS  # noqa: E402 - as above

FILE = ROOT / "docs/review.schema.json"


def renewed(text: str) -> str:
    """Return the schema with today's verdicts on findings, and on a whole review."""
    schema = json.loads(text)
    for property_ in _named(schema, "verdict"):
        property_["enum"] = [verdict.value for verdict in Verdict]
    schema["properties"]["verdict"]["enum"] = [row.name for row in ROWS]
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _named(node: Any, name: str) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - any part of a schema
    if isinstance(node, dict):
        yield from (
            [found] if isinstance(found := node.get("properties", {}), dict) and (found := found.get(name)) else []
        )
        for part in node.values():
            yield from _named(part, name)
    elif isinstance(node, list):
        for part in node:
            yield from _named(part, name)


if __name__ == "__main__":
    FILE.write_text(renewed(FILE.read_text(encoding="utf-8")), encoding="utf-8")
