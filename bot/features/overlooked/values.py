"""The value that describes a line which a change may have forgotten."""

import hashlib
from dataclasses import dataclass

from deeprepo.impact.forgotten.find import Certainty, ForgottenPlace
from deeprepo.rlm.values import Exact


@dataclass(frozen=True, slots=True)
class ListedPlace:
    """A line that still contains what the change took away. `is_known`: an earlier review listed it."""

    path: Exact[str]
    line: int
    name: str  # what the line contains: a name, a path, a link or a word
    certainty: Exact[Certainty]
    source: Exact[str]  # the file from which the change removed it, or the file or folder that it removed
    source_line: int  # 0 for a file or folder
    was_given: bool  # whether the source defined it; else the source only contained it
    new_path: Exact[str]  # of a renamed file, or ""
    fingerprint: Exact[str]
    is_known: bool = False


def listed(place: ForgottenPlace) -> ListedPlace:
    """Return a place with its fingerprint, which survives moved lines."""
    text = "\0".join(("forgotten", place.path, place.name, " ".join(place.text.split())))
    return ListedPlace(
        place.path,
        place.line,
        place.name,
        place.certainty,
        place.source,
        place.source_line,
        place.was_given,
        place.new_path,
        hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16],
    )
