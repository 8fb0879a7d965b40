"""Asks as JSON and back: what a job was asked to do is in the database as plain text, never as a pickled object."""

import json
from dataclasses import asdict
from typing import Any, get_args

from pydantic import TypeAdapter

from bot.values import Ask

KINDS: dict[str, TypeAdapter[Any]] = {kind.__name__: TypeAdapter(kind) for kind in get_args(Ask)}


def write(ask: Ask) -> str:
    """An ask as one line of JSON."""
    return json.dumps({"kind": type(ask).__name__, **asdict(ask)}, ensure_ascii=True, separators=(",", ":"))


def read(text: str) -> Ask | None:
    """The ask back; None where another version wrote it in a way that makes no sense here, or it is damaged."""
    try:
        row = json.loads(text)
        ask: Ask = KINDS[row.pop("kind")].validate_python(row)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return ask
