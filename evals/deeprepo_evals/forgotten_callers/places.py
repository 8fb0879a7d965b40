"""Places in any text file that projects really forgot, and whether a review without a model lists them.

A commit took something away, a line still had its name (`word`), and a later commit fixed that line. `grep` is what a
mechanical search for the rarest words that the change only removes shows: the rank of the place or null, and the lines.
"""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bot.errors import DeepRepoError
from bot.sections.overlooked import OVERLOOKED
from bot.values import Review, TypedChange
from bot.wiring.review import local_review
from deeprepo_evals.clones import clones, half
from deeprepo_evals.tables import align

LIST = Path(__file__).with_name("places.jsonl")


async def table(repos: Path, wanted_half: str, say: Callable[[str], None]) -> str:
    """Return a line for each place, then the counts of each half."""
    known, lines, counts = clones(repos), list[str](), dict[str, list[int]]()
    places = [json.loads(row) for row in LIST.read_text(encoding="utf-8").splitlines()]
    for place in (one for one in places if wanted_half in ("", half(one["repo"]))):
        name, commit = place["repo"], place["commit"][:8]
        say(f"{name} {commit}")
        review = await _reviewed(known.get(place["repo"]), place["commit"])
        if review is None:
            lines.append(f"no clone  {name} {commit}")
            continue
        listed = [(one.path, one.line) for one in OVERLOOKED.of(review)]
        reported = [one.finding for one in review.reported]
        findings = [(item.path, item.line) for one in reported for item in (*one.places, *one.evidence)]
        is_found, is_listed = _has(findings, place), _has(listed, place)
        said = "found" if is_found else "listed" if is_listed else "-"
        lines.append(f"{said:8}  {name} {commit} {place['path']}:{place['line']} ({place['kind']})")
        rank, shown = place["grep"]
        is_as_short = rank in range(1, len(listed) + 1)
        row = (1, is_found, is_found or is_listed, len(listed), rank is not None, shown, is_as_short)
        counts[half(name)] = [sum(pair) for pair in zip(counts.get(half(name), [0] * len(row)), row, strict=True)]
    head = ("half", "places", "found", "found or listed", "lines", "by grep", "its lines", "by grep in as many lines")
    return "\n".join([*lines, "", align(head, [(name, *map(str, row)) for name, row in sorted(counts.items())])])


async def _reviewed(clone: Path | None, commit: str) -> Review | None:
    with tempfile.TemporaryDirectory(prefix="deeprepo-forgotten-") as scratch:
        try:
            request = TypedChange(str(clone), base=f"{commit}^", head=commit)
            return await local_review(request, {"strategy": "offline"}, scratch) if clone is not None else None
        except DeepRepoError:
            return None


def _has(rows: list[tuple[str, int]], place: dict[str, Any]) -> bool:
    return any(path == place["path"] and line - place["line"] in range(-2, 3) for path, line in rows)
