"""How a printed list or dict is shown: a row to a line, places by file, texts as they are instead of quoted.

`print(callers("total"))` is the natural first move; as Python writes it, 200 places are one line of quotes and escapes.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

LEAST, MOST = 200, 200_000  # characters of a text that is looked at
LONG = 60  # characters of a text of a dict, which then has a line for each key
_LITERAL = re.compile(r"([^\[\](){}\n]{0,80})([\[{].*[\]}])\s*\Z")  # a label, then the value
_PLACE = re.compile(r"(.{1,400}?):(\d{1,7}): (.*)\Z", re.DOTALL)
Place = tuple[str, int, str, str]  # path, line, text, what else is known of it


def readable(text: str) -> str:
    """The text, or its list or dict in readable form. It is a constant to us: nothing in it is executed."""
    if not LEAST < len(text) <= MOST or ("[" not in text[:100] and "{" not in text[:100]):
        return text
    match = _LITERAL.match(text)
    if not match:
        return text
    try:
        value = ast.literal_eval(match[2])
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return text
    rows = _rows(value)
    return "\n".join([*filter(None, [match[1].strip()]), *rows, ""]) if rows else text


def _rows(value: Any) -> list[str]:  # noqa: ANN401 - whatever a block prints
    if isinstance(value, dict):
        return [f"{key}: {_value(item)}" for key, item in value.items()]
    if not isinstance(value, list) or not value:
        return []
    places = [_place(item) for item in value]
    placed = [place for place in places if place is not None]
    if len(placed) > 1:
        return _by_file(placed) + [_value(item) for item, place in zip(value, places, strict=True) if place is None]
    if not all(isinstance(item, (str, dict, list, tuple)) for item in value):
        return []
    return [f"- {_value(item)}" for item in value]


def _value(value: Any) -> str:  # noqa: ANN401
    """One value: a text as it is, a dict with a key to a line where it holds long texts."""
    if isinstance(value, dict) and any(isinstance(item, str) and len(item) > LONG for item in value.values()):
        return "\n  ".join(f"{key}: {item}" for key, item in value.items())
    return str(value)


def _place(item: Any) -> Place | None:  # noqa: ANN401
    """A row of search(), callers() or readers()."""
    if isinstance(item, str) and (match := _PLACE.match(item)):
        return match[1], int(match[2]), match[3], ""
    if isinstance(item, dict) and isinstance(item.get("path"), str) and isinstance(item.get("line"), int):
        if not isinstance(item.get("text"), str):
            return None
        kind, function = str(item.get("form") or item.get("kind") or ""), str(item.get("function") or "")
        inside = f" in {function}" if function not in {"", "<module>"} else ""
        return item["path"], item["line"], item["text"], f"{kind}{inside}" if kind else ""
    return None


def _by_file(places: Sequence[Place]) -> list[str]:
    """The places by file, in their order."""
    files: dict[str, list[str]] = defaultdict(list)
    for path, line, text, what in places:
        files[path].append(f"{line:>5} {text}{f'  [{what}]' if what else ''}")
    rows = [f"{len(places)} places in {len(files)} files"]
    for path, lines in files.items():
        rows += [f"{path}:{lines[0].lstrip().replace(' ', ': ', 1)}"] if len(lines) == 1 else [f"{path}:", *lines]
    return rows
