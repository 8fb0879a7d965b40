"""Ids of git objects: what a file may bring that names a commit or a tree. Anything else could be a branch, a path or an option."""

import re

PATTERN = r"(?:[0-9a-f]{40}|[0-9a-f]{64})"
_ID = re.compile(PATTERN)
MOST_SHOWN = 80  # characters of what is no id


def is_object_id(value: object) -> bool:
    """Whether it is the whole id of an object."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def object_id(value: object, name: str) -> str:
    """The value, if it is an id. Raises ValueError with a sentence that names the field."""
    if not isinstance(value, str) or not is_object_id(value):
        raise ValueError(
            f"{name} is {str(value)[:MOST_SHOWN]!r}, not the id of an object (40 or 64 hexadecimal digits)"
        )
    return value
