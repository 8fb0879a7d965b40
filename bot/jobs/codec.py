"""Asks as JSON and back: what a job was asked to do is in the database as plain text, never as a pickled object."""

import json
from dataclasses import asdict
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from bot.errors import StorageError
from bot.values import Ask

KINDS: dict[str, TypeAdapter[Any]] = {kind.__name__: TypeAdapter(kind) for kind in get_args(Ask)}


def write(ask: Ask) -> str:
    """An ask as one line of JSON."""
    return json.dumps({"kind": type(ask).__name__, **asdict(ask)}, ensure_ascii=True, separators=(",", ":"))


def read(text: str) -> Ask:
    """The ask back, also if an older or newer version wrote it. Raises StorageError where it makes no sense."""
    try:
        row = json.loads(text)
        ask: Ask = KINDS[row.pop("kind")].validate_python(row)
    except (ValueError, KeyError, TypeError, AttributeError, ValidationError) as error:
        raise StorageError("a stored job cannot be read: it was written by another version, or is damaged") from error
    return ask
