"""The hidden first line of each of deeprepo's comments, by which a later run knows its own comments. Made and read here alone.

Anybody can write such a line into a comment, so it counts only in a comment whose author is our own login; text that we
quote can never be the first line of a comment, and is disarmed besides.
"""

import json
import re
from collections.abc import Mapping

VERSION, MAX_MARKER_CHARS = 1, 2_000
_LINE = re.compile(r"<!-- deeprepo:(\{[^\n<>]*\}) -->")
_LIKE_OURS = re.compile(r"<!--(?=\s*deeprepo)", re.IGNORECASE)


def make(kind: str, **facts: str) -> str:
    """Return the marker of a comment: its kind ("summary", "finding") and what a later run must know of it."""
    payload = json.dumps({"v": VERSION, "kind": kind, **facts}, sort_keys=True)
    for sign in "-<>&":  # none of these may stand in an HTML comment and all may stand in a fact
        payload = payload.replace(sign, f"\\u{ord(sign):04x}")
    return f"<!-- deeprepo:{payload} -->"


def read(body: str) -> Mapping[str, str] | None:
    """Return the facts of a comment's marker; None if its first line is not a marker. The caller has checked that the author is us."""
    first = body.replace("\r\n", "\n").partition("\n")[0]
    match = _LINE.fullmatch(first) if len(first) <= MAX_MARKER_CHARS else None
    try:
        facts = json.loads(match[1]) if match else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(facts, dict) or facts.pop("v", None) != VERSION:
        return None
    return facts if all(isinstance(value, str) for value in facts.values()) else None


def without(text: str) -> str:
    """Return the text with everything that looks like a marker broken: for text that is not made by `disarm` alone."""
    return _LIKE_OURS.sub("<! --", text)
