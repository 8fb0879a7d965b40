"""Read and write markers: the hidden first line of deeprepo's comments and check runs, which identifies them.

Anybody can write such a line into a comment, so it only counts if the comment's author is our own account.
Quoted text can never be the first line of a comment, and is escaped as well.

`FORM` is the version of a marker's facts. `ENVELOPE` is the version of the line itself. It never changes, so
every build recognizes all of deeprepo's comments. If a marker has another form than `FORM`, the comment is
deeprepo's, but the meaning of its facts is unknown. Nothing may be answered, closed or counted because of it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot import __version__

ENVELOPE, FORM, MAX_MARKER_CHARS = 1, 2, 2_000
MAX_OWN_CHARS = 400  # reserved for the facts that every comment has, such as the path of its settings file
_LINE = re.compile(r"<!-- deeprepo:(\{[^\n<>]*\}) -->")
_LIKE_OURS = re.compile(r"<!--(?=\s*deeprepo)", re.IGNORECASE)
SCOPE = "scope"  # name of the fact for the settings file that a workflow's job uses instead of the usual file
NO_PLACE = "0"  # in the fact `places`, for a finding that was posted at its first location
# A finding's identity, and the mark of the comment's location: "" for the first location, None if unknown.
Mark = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Marker:
    """The content of a marker. `by` is the version of the build that wrote it."""

    kind: str
    facts: Mapping[str, str] = field(default_factory=dict)
    form: int = FORM
    by: str = ""

    @property
    def is_newer(self) -> bool:
        """Whether another build wrote the marker, so that the meaning of its facts is unknown."""
        return self.form != FORM

    @property
    def findings(self) -> tuple[Mark, ...]:
        """The findings that a comment is about. The first is the one at the comment's lines."""
        return _findings(self.facts, is_known=not self.is_newer)


NO_MARKER = Marker("")


def make(kind: str, **facts: str) -> str:
    """Return a marker line for a comment of this kind, such as "summary", with facts for later runs."""
    payload = json.dumps({"v": ENVELOPE, "form": str(FORM), "by": __version__, "kind": kind, **facts}, sort_keys=True)
    for sign in "-<>&":  # facts can contain these characters, which could end the HTML comment
        payload = payload.replace(sign, f"\\u{ord(sign):04x}")
    return f"<!-- deeprepo:{payload} -->"


def fits(kind: str, **facts: str) -> bool:
    """Return whether a marker with these facts stays short enough after a comment's own facts are added."""
    return len(make(kind, **facts)) <= MAX_MARKER_CHARS - MAX_OWN_CHARS


def of_findings(*marks: Mark) -> dict[str, str]:
    """Return the facts for a comment about these findings."""
    (first, _), *others = marks
    places = [place or NO_PLACE for _, place in marks]
    return {
        "fingerprint": first,
        **({"also": " ".join(name for name, _ in others)} if others else {}),
        **({"places": " ".join(places)} if {*places} != {NO_PLACE} else {}),
    }


def read(body: str) -> Marker:
    """Return a comment's marker, or `NO_MARKER`. The caller must check that we are the comment's author."""
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
    kind, form, by = facts.pop("kind", ""), facts.pop("form", ""), facts.pop("by", "")
    return Marker(kind, facts, int(form) if form.isascii() and form.isdecimal() else FORM + 1, by)


def of_scope(scope: str) -> dict[str, str]:
    """Return the fact that identifies a job with its own settings file, or {} for the usual file ("")."""
    return {SCOPE: scope} if scope else {}


def is_of_scope(scope: str, body: str) -> bool:
    """Return whether a job with this settings file wrote the comment."""
    return read(body).facts.get(SCOPE, "") == scope


def with_facts(body: str, **facts: str) -> str:
    """Return a comment's body with these facts in its marker, unless that has another form."""
    marker = read(body)
    if not marker.kind or marker.form != FORM:
        return body
    return f"{make(marker.kind, **{**marker.facts, **facts})}\n{body.replace(chr(13), '').partition(chr(10))[2]}"


def without(text: str) -> str:
    """Return a text in which everything that resembles a marker is broken.

    Use it for text that isn't escaped.
    """
    return _LIKE_OURS.sub("<! --", text)


def _findings(facts: Mapping[str, str], *, is_known: bool) -> tuple[Mark, ...]:
    names = (facts.get("fingerprint", ""), *facts.get("also", "").split())
    places = facts.get("places", "").split() or [NO_PLACE] * len(names)
    if not is_known or len(places) != len(names):
        return tuple((name, None) for name in names)
    return tuple((name, "" if place == NO_PLACE else place) for name, place in zip(names, places, strict=True))
