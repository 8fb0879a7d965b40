"""The key paths of plain data. Pure."""

import json
from collections.abc import Iterator

from rlm.repl.frames import Value

MAX_PREVIEW = 100  # characters of one value


def paths(value: Value, at: str = "") -> Iterator[tuple[str, str]]:
    """Every leaf as (key path, value on one line): servers[0].host."""
    if isinstance(value, dict) and value:
        for key, part in value.items():
            yield from paths(part, _step(at, key))
    elif isinstance(value, list) and value:
        for number, part in enumerate(value):
            yield from paths(part, f"{at}[{number}]")
    else:
        text = json.dumps(value, ensure_ascii=False)
        yield at or "(the whole file)", text if len(text) <= MAX_PREVIEW else f"{text[:MAX_PREVIEW]}..."


def _step(at: str, key: object) -> str:
    if isinstance(key, str) and key.replace("_", "a").replace("-", "a").isalnum():
        return f"{at}.{key}" if at else key
    return f"{at}[{json.dumps(key, ensure_ascii=False)}]"
