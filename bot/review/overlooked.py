"""Find the lines of the head that the change may have forgotten."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from bot import globs
from bot.review.session import Session
from bot.sections.overlooked import OVERLOOKED, ListedPlace
from bot.values import Finding
from deeprepo.impact.forgotten.find import find
from deeprepo.impact.forgotten.values import ForgottenPlace


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
        more_files=place.more_files,
    )


async def overlooked(session: Session, findings: Sequence[Finding]) -> tuple[ListedPlace, ...]:
    """Return the lines that are neither ignored nor part of a finding. Those that an earlier review listed are known.

    `findings`: the open ones.
    """
    subject, past = session.survey, session.survey.past
    base = await subject.tree.entries("base")
    rules = await subject.tree.read_many([path for path in base if path.endswith(".gitattributes")], "base")
    is_marked = globs.generated_marks(rules)
    places = map(listed, await find(subject.tree, subject.files, lambda path: bool(is_marked(path))))
    found = {(item.path, item.line) for finding in findings for item in (*finding.places, *finding.evidence)}
    entries = subject.ignore_list.entries
    known = past.known.parts.get(OVERLOOKED.key) if past.known is not None and not past.round.full else None
    return tuple(
        replace(place, is_known=isinstance(known, frozenset) and place.fingerprint in known)
        for place in places
        if (place.path, place.line) not in found
        and not any(
            entry.fingerprint == place.fingerprint if entry.is_of_finding else globs.matches([entry.path], place.path)
            for entry in entries
        )
    )
