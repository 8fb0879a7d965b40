"""The hidden first line of deeprepo's comments and check runs, by which later runs recognize them.

Anybody can write such a line into a comment, so it counts only if the comment's author is our own login.
Quoted text can never be the first line of a comment, and is escaped as well.

`FORM` is the version of the facts. Builds before 0.2.0 wrote none, which is form 1. `ENVELOPE` is the version
of the line itself. It never changes, so every build recognizes every deeprepo comment. A newer form means
that the comment is deeprepo's but its meaning is unknown, so nothing may be answered, closed or counted
because of it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot import __version__

ENVELOPE, FORM, MAX_MARKER_CHARS = 1, 2, 2_000
MAX_OWN_CHARS = 400  # characters of the facts that every comment has, such as the path of its settings file
_LINE = re.compile(r"<!-- deeprepo:(\{[^\n<>]*\}) -->")
_LIKE_OURS = re.compile(r"<!--(?=\s*deeprepo)", re.IGNORECASE)
_PLACE_MARK = re.compile(r"[0-9a-f]{16}")  # see Finding.place_mark
SCOPE = "scope"  # fact: the settings file that a workflow's job uses instead of the usual one
NO_PLACE = "0"  # in `places`, for a finding that was posted for its first location
# A finding's identity, and the mark of the comment's location: "" for the first location, None if unknown.
Mark = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Marker:
    """The content of a marker. `by` is the version of the build that wrote it, "" before 0.2.0."""

    kind: str
    facts: Mapping[str, str] = field(default_factory=dict)
    form: int = FORM
    by: str = ""

    @property
    def is_newer(self) -> bool:
        """Whether a newer build wrote it, so that its meaning is unknown."""
        return self.form > FORM

    @property
    def is_sure(self) -> bool:
        """Whether its identities are those of findings today.

        Builds before 0.2.0 made them in several ways.
        """
        return self.form > 1 and not self.is_newer

    @property
    def findings(self) -> tuple[Mark, ...]:
        """The findings of a comment, starting with the one on its lines."""
        return _first_form(self.facts) if self.form == 1 else _findings(self.facts, is_known=not self.is_newer)


NO_MARKER = Marker("")


def make(kind: str, **facts: str) -> str:
    """Return a comment's marker from its kind ("summary", "finding") and the facts for later runs."""
    payload = json.dumps({"v": ENVELOPE, "form": str(FORM), "by": __version__, "kind": kind, **facts}, sort_keys=True)
    for sign in "-<>&":  # none of these is allowed in an HTML comment, and a fact can contain all of them
        payload = payload.replace(sign, f"\\u{ord(sign):04x}")
    return f"<!-- deeprepo:{payload} -->"


def fits(kind: str, **facts: str) -> bool:
    """Return whether a marker with these facts is short enough to be read, with room for a comment's own facts."""
    return len(make(kind, **facts)) <= MAX_MARKER_CHARS - MAX_OWN_CHARS


def of_findings(*marks: Mark) -> dict[str, str]:
    """Return the facts of a comment about these findings."""
    (first, _), *others = marks
    places = [place or NO_PLACE for _, place in marks]
    return {
        "fingerprint": first,
        **({"also": " ".join(name for name, _ in others)} if others else {}),
        **({"places": " ".join(places)} if {*places} != {NO_PLACE} else {}),
    }


def read(body: str) -> Marker:
    """Return a comment's marker, or `NO_MARKER`. The caller has checked that we are the author."""
    first = body.replace("\r\n", "\n").partition("\n")[0]
    match = _LINE.fullmatch(first) if len(first) <= MAX_MARKER_CHARS else None
    try:
        facts = json.loads(match[1]) if match else None
    except (ValueError, RecursionError):
        return NO_MARKER
    if not isinstance(facts, dict) or facts.pop("v", None) != ENVELOPE:
        return NO_MARKER
    if not all(isinstance(value, str) for value in facts.values()):
        return NO_MARKER
    kind, form, by = facts.pop("kind", ""), facts.pop("form", "1"), facts.pop("by", "")
    return Marker(kind, facts, int(form) if form.isascii() and form.isdecimal() else FORM + 1, by)


def of_scope(scope: str) -> dict[str, str]:
    """Return the fact for a job with this settings file; nothing for the usual file."""
    return {SCOPE: scope} if scope else {}


def is_of_scope(scope: str, body: str) -> bool:
    """Return whether a job with this settings file wrote the comment."""
    return read(body).facts.get(SCOPE, "") == scope


def with_facts(body: str, **facts: str) -> str:
    """Return the comment with these facts added to its marker; unchanged if the marker has another form."""
    marker = read(body)
    if not marker.kind or marker.form != FORM:
        return body
    return f"{make(marker.kind, **{**marker.facts, **facts})}\n{body.replace(chr(13), '').partition(chr(10))[2]}"


def without(text: str) -> str:
    """Return the text with everything that resembles a marker broken, if `disarm` does not escape it."""
    return _LIKE_OURS.sub("<! --", text)


def _findings(facts: Mapping[str, str], *, is_known: bool) -> tuple[Mark, ...]:
    names = (facts.get("fingerprint", ""), *facts.get("also", "").split())
    places = facts.get("places", "").split() or [NO_PLACE] * len(names)
    if not is_known or len(places) != len(names):
        return tuple((name, None) for name in names)
    return tuple((name, "" if place == NO_PLACE else place) for name, place in zip(names, places, strict=True))


def _first_form(facts: Mapping[str, str]) -> tuple[Mark, ...]:
    """Return a pre-0.2.0 comment's findings. Its `at` is a location's mark, or a line, which is ignored."""
    rows = [(facts.get("fingerprint", ""), facts.get("at", ""))]
    rows += [(name, at) for name, _, at in (each.partition("@") for each in facts.get("also", "").split())]
    return tuple((name, at if not at or _PLACE_MARK.fullmatch(at) else None) for name, at in rows)
