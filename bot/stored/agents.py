"""Read and write `deeprepo agent-hook`'s file about a coding agent's session, which is in the git folder."""

import json
from collections.abc import Mapping
from typing import Any

AGENTS_FORM = 1  # builds before 0.2.0 wrote no number and used this form


def write(session: str, values: Mapping[str, Any]) -> str:
    """Return the file's text, with the session and the values of its last review."""
    return json.dumps({"form": AGENTS_FORM, "session": session, **values})


def read(data: bytes | None, session: str) -> dict[str, Any] | None:
    """Return the values of this session's last review, or None if the file doesn't contain any."""
    try:
        values = json.loads(data or b"null")
        is_ours = values.pop("form", AGENTS_FORM) == AGENTS_FORM and values.pop("session") == session
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return (
        {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
        if is_ours
        else None
    )
