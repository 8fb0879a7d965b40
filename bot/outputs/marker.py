"""The hidden first line of each of deeprepo's comments, by which a later run knows its own comments. Made and read here alone.

Anybody can write such a line into a comment, so it counts only in a comment whose author is our own login; text that we
quote can never be the first line of a comment, and is disarmed besides. If other programs write under the same login, as
the workflows of a repository do, a marker decides something only if it is signed, for this place and this comment.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping

VERSION, LONGEST = 1, 2_000
_LINE = re.compile(r"<!-- deeprepo:(\{[^\n<>]*\}) -->")
_LIKE_OURS = re.compile(r"<!--(?=\s*deeprepo)", re.IGNORECASE)


def make(kind: str, **facts: str) -> str:
    """The marker of a comment: its kind ("summary", "finding") and what a later run must know of it."""
    payload = json.dumps({"v": VERSION, "kind": kind, **facts}, sort_keys=True)
    for sign in "-<>&":  # none of these may stand in an HTML comment and all may stand in a fact
        payload = payload.replace(sign, f"\\u{ord(sign):04x}")
    return f"<!-- deeprepo:{payload} -->"


def read(body: str) -> Mapping[str, str] | None:
    """The facts of a comment's marker; None if its first line is not a marker. The caller has checked that the author is us."""
    first = body.replace("\r\n", "\n").partition("\n")[0]
    match = _LINE.fullmatch(first) if len(first) <= LONGEST else None
    try:
        facts = json.loads(match[1]) if match else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(facts, dict) or facts.pop("v", None) != VERSION:
        return None
    return facts if all(isinstance(value, str) for value in facts.values()) else None


def sign(key: bytes, place: str, content: str, kind: str, **facts: str) -> str:
    """A marker that decides: nobody else can make it, and it counts nowhere else. `content`: what below it is signed too."""
    return make(kind, **facts, sign=_sign(key, place, content, {"kind": kind, **facts}))


def is_attested(facts: Mapping[str, str], key: bytes, place: str, content: str) -> bool:
    """Whether a marker was signed with this key for this place."""
    plain = {name: value for name, value in facts.items() if name != "sign"}
    return hmac.compare_digest(facts.get("sign", "").encode(), _sign(key, place, content, plain).encode())


def _sign(key: bytes, place: str, content: str, facts: Mapping[str, str]) -> str:
    payload = json.dumps([VERSION, "marker", place, content, dict(facts)], sort_keys=True)
    return hmac.new(key, payload.encode(), hashlib.sha256).hexdigest()


def without(text: str) -> str:
    """The text with everything that looks like a marker broken: for text that is not made by `disarm` alone."""
    return _LIKE_OURS.sub("<! --", text)
