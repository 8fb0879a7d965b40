"""The hidden first line of each of deeprepo's comments and check runs, by which a later run recognizes its own. Only this module makes and reads it.

Anybody can write such a line into a comment, so it counts only if the comment's author is our own login. Text that we quote can never be
the first line of a comment, and is disarmed as well.

`FORM` numbers the meaning of the facts. Builds before 0.2.0 wrote none, which is form 1. `ENVELOPE` numbers the line itself; it stays, so
that every build recognizes every deeprepo comment, whichever build wrote it. A newer form means: the comment is deeprepo's and may have
another meaning, so nobody may answer, close or count anything because of it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot import __version__

ENVELOPE, FORM, MAX_MARKER_CHARS = 1, 2, 2_000
_LINE = re.compile(r"<!-- deeprepo:(\{[^\n<>]*\}) -->")
_LIKE_OURS = re.compile(r"<!--(?=\s*deeprepo)", re.IGNORECASE)
_PLACE_MARK = re.compile(r"[0-9a-f]{16}")  # see Finding.place_mark
SCOPE = "scope"  # a fact: the settings file that a workflow's job names instead of the usual one
NO_PLACE = "0"  # in `places`, of a finding that was posted for its first place
# A finding's identity, and the mark of the place that the comment is about: "" for the first place, None if that is not known.
Mark = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Marker:
    """What a comment's marker says. `by`: the version of the build that wrote it, "" before 0.2.0."""

    kind: str
    facts: Mapping[str, str] = field(default_factory=dict)
    form: int = FORM
    by: str = ""

    @property
    def is_newer(self) -> bool:
        """Whether a newer build wrote it, so that its meaning is not known."""
        return self.form > FORM

    @property
    def is_sure(self) -> bool:
        """Whether its names are those of findings today. Before 0.2.0 they were made in several ways, and nothing says in which."""
        return self.form > 1 and not self.is_newer

    @property
    def findings(self) -> tuple[Mark, ...]:
        """The findings that a comment is about, the one on whose lines it stands first."""
        return _first_form(self.facts) if self.form == 1 else _findings(self.facts, is_known=not self.is_newer)


NO_MARKER = Marker("")


def make(kind: str, **facts: str) -> str:
    """Return the marker of a comment: its kind ("summary", "finding") and the facts that a later run needs."""
    payload = json.dumps({"v": ENVELOPE, "form": str(FORM), "by": __version__, "kind": kind, **facts}, sort_keys=True)
    for sign in "-<>&":  # none of these is allowed in an HTML comment, and a fact may contain all of them
        payload = payload.replace(sign, f"\\u{ord(sign):04x}")
    return f"<!-- deeprepo:{payload} -->"


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
    """Return the marker of a comment; `NO_MARKER` if its first line is not one. The caller has checked that the author is us."""
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
    """Return the fact of a comment that a job with this settings file writes; none for the usual file."""
    return {SCOPE: scope} if scope else {}


def is_of_scope(scope: str, body: str) -> bool:
    """Return whether a job with this settings file, or another one with the same file, wrote a comment."""
    return read(body).facts.get(SCOPE, "") == scope


def with_facts(body: str, **facts: str) -> str:
    """Return a comment whose marker has these facts too, and is otherwise as it was; unchanged if another form of marker is on it."""
    marker = read(body)
    if not marker.kind or marker.form != FORM:
        return body
    return f"{make(marker.kind, **{**marker.facts, **facts})}\n{body.replace(chr(13), '').partition(chr(10))[2]}"


def without(text: str) -> str:
    """Return the text with everything that looks like a marker broken: for text that is not made by `disarm` alone."""
    return _LIKE_OURS.sub("<! --", text)


def _findings(facts: Mapping[str, str], *, is_known: bool) -> tuple[Mark, ...]:
    names = (facts.get("fingerprint", ""), *facts.get("also", "").split())
    places = facts.get("places", "").split() or [NO_PLACE] * len(names)
    if not is_known or len(places) != len(names):
        return tuple((name, None) for name in names)
    return tuple((name, "" if place == NO_PLACE else place) for name, place in zip(names, places, strict=True))


def _first_form(facts: Mapping[str, str]) -> tuple[Mark, ...]:
    """Of a comment that a build before 0.2.0 wrote: its `at` is the mark of a place, or a line, which says nothing today."""
    rows = [(facts.get("fingerprint", ""), facts.get("at", ""))]
    rows += [(name, at) for name, _, at in (each.partition("@") for each in facts.get("also", "").split())]
    return tuple((name, at if not at or _PLACE_MARK.fullmatch(at) else None) for name, at in rows)
