"""Choose twins in a tree and write them down: line edits over one commit, as the cases have them."""

import difflib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from deeprepo_evals.plant.mutations import Edit, Scene, Site, Spot
from deeprepo_evals.plant.planting import Field, edit_file, parses
from deeprepo_evals.plant.twins import MECHANISMS, Proposal

LineEdit = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Twin:
    """One twin, in lines of the commit that it is written over."""

    proposal: Proposal
    change: tuple[LineEdit, ...]
    bad: tuple[LineEdit, ...]
    good: tuple[LineEdit, ...]
    line: int  # of the change, in head
    user: tuple[str, int]  # the unchanged line that does not tolerate it, in the bad tree


def choose(ground: Scene, paths: Sequence[str], count: int, chance: random.Random) -> tuple[Twin, ...]:
    """At most `count` twins, of every mechanism in turn, no two of the same function."""
    field = Field(ground, paths, ())
    rows = [_of(propose, field.sites, chance) for _, propose in sorted(MECHANISMS.items())]
    chance.shuffle(rows)
    found: list[Twin] = []
    taken: set[Spot] = set()
    while rows and len(found) < count:
        for row in tuple(rows):
            proposal = next((p for p in row if p.at not in taken and _sound(ground, p)), None)
            if proposal is None:
                rows.remove(row)
            elif len(found) < count:
                taken.add(proposal.at)
                found.append(_twin(ground, proposal, chance))
    return tuple(found)


def _of(propose: Any, sites: Sequence[Site], chance: random.Random) -> Iterator[Proposal]:  # noqa: ANN401 - a mechanism
    for site in chance.sample(sites, len(sites)):
        yield from propose(site)


def _sound(ground: Scene, proposal: Proposal) -> bool:
    """Whether both trees parse, no two edits meet, and every user stands in another file than the change."""
    rows = sorted((*proposal.change, *_tolerant(proposal)), key=lambda e: (e.path, e.start))
    apart = all(a.path != b.path or a.end <= b.start for a, b in pairwise(rows))
    home = {edit.path for edit in proposal.change}
    return apart and not home & {u.spot.path for u in proposal.users} and parses(ground, rows)


def _tolerant(proposal: Proposal) -> tuple[Edit, ...]:
    return tuple(edit for user in proposal.users for edit in user.tolerant)


def _twin(ground: Scene, proposal: Proposal, chance: random.Random) -> Twin:
    broken = chance.choice(proposal.users)
    bad = tuple(edit for user in proposal.users if user is not broken for edit in user.tolerant)
    source = edit_file(ground.files[broken.spot.path], broken.spot.path, bad)
    shift = sum(len(e.new) - (e.end - e.start) for e in bad if e.path == broken.spot.path and e.end <= broken.spot.byte)
    at = proposal.at
    return Twin(
        proposal,
        _lines(ground.files, proposal.change),
        _lines(ground.files, bad),
        _lines(ground.files, _tolerant(proposal)),
        ground.files[at.path].count(b"\n", 0, at.byte) + 1,
        (broken.spot.path, source.count(b"\n", 0, broken.spot.byte + shift) + 1),
    )


def _lines(files: Mapping[str, bytes], edits: Sequence[Edit]) -> tuple[LineEdit, ...]:
    """Edits of bytes as edits of whole lines."""
    found: list[LineEdit] = []
    for path in sorted({edit.path for edit in edits}):
        old = _rows(files[path])
        new = _rows(edit_file(files[path], path, edits))
        for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag != "equal":
                found.append({"path": path, "start": a + 1, "end": b, "lines": new[c:d]})
    return tuple(found)


def _rows(blob: bytes) -> list[str]:
    content = blob.decode("utf-8", "surrogateescape")
    return content.split("\r\n" if "\r\n" in content else "\n")


def case_fields(name: str, clone: str, base: str, twin: Twin, language: str) -> dict[str, Any]:
    """A twin in the words of the cases."""
    proposal, (path, line) = twin.proposal, twin.user
    return {
        "id": name,
        "repo": clone,
        "base_sha": base,
        "language": language,
        "mechanism": proposal.mechanism,
        "title": proposal.title,
        "body": proposal.body,
        "pr": list(twin.change),
        "bad": list(twin.bad),
        "good": list(twin.good),
        "defect": {
            "file": proposal.at.path,
            "line": twin.line,
            "description": f"{proposal.why} ({path}).",
            "consequence": f"{proposal.consequence}.",
        },
        "evidence": [{"file": path, "line": line, "why": "the user that knows only the old form"}],
        "good_reason": f"{proposal.good_reason}.",
    }
