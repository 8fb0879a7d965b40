"""Small pure steps that both dialects share: text that can be sent, and JSON objects out of a model's text."""

import json
import re
from collections.abc import Mapping
from typing import Any

FENCED = re.compile(r"```[a-zA-Z]*\n(.*?)\n?```", re.DOTALL)


def sendable(text: str) -> str:
    """The text without lone surrogates, which no JSON body can carry; a file name that is not UTF-8 may hold some."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def json_object(text: str) -> Mapping[str, Any] | None:
    """The JSON object that a text is, or holds in one fence or between its first and last brace; None otherwise."""
    fence = FENCED.search(text)
    braces = text[text.find("{") : text.rfind("}") + 1]
    for candidate in (text, fence[1] if fence else "", braces):
        try:
            found = json.loads(candidate, strict=False) if candidate.strip() else None
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    return None


def strict(schema: Mapping[str, Any]) -> bool:
    """Whether a schema keeps the rules of strict mode: every object closed, every property required."""
    if "properties" in schema or schema.get("type") == "object":
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(properties):
            return False
    return all(strict(part) for part in _parts(schema))


def _parts(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values(), schema.get("items")]
    found += [part for word in ("anyOf", "allOf", "oneOf") for part in schema.get(word, ())]
    return [part for part in found if isinstance(part, Mapping)]
