"""Verdicts of a person: a file of JSON lines that is written with every open question and read back with the answers."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.errors import UsageError
from deeprepo_evals.reviews.cases import Defect
from deeprepo_evals.reviews.judge import is_at
from deeprepo_evals.reviews.outcome import MeasuredFinding, MeasuredReview

Key = tuple[str, int, str]  # path, first line, title


@dataclass(frozen=True, slots=True)
class Hand:
    """A person's verdicts. What nobody has answered is decided by place."""

    same_as: Mapping[tuple[str, Key], bool]  # (description of the defect, finding) -> the same problem
    true: Mapping[Key, bool] = field(default_factory=dict)  # findings at no known defect -> whether they are right
    name: str = "hand labels"

    def same(self, finding: MeasuredFinding, defect: Defect) -> bool:
        """Whether the finding is held for the defect."""
        told = self.same_as.get((defect.description, _key(finding)))
        return is_at(finding, defect) if told is None else told


def questions(rows: Sequence[MeasuredReview]) -> Iterator[dict[str, Any]]:
    """What a person has to decide: each finding at the place of a defect, and each that is at none."""
    seen: set[tuple[str, str, Key]] = set()
    for row in rows:
        for said in row.outcome.findings:
            known = [defect for defect in row.case.defects if is_at(said, defect)]
            for description in [defect.description for defect in known] or [""]:
                key = (row.case.id, description, _key(said))
                if key not in seen:
                    seen.add(key)
                    yield {
                        "case": row.case.id,
                        "known": description or None,
                        "path": said.path,
                        "start": said.start,
                        "title": said.title,
                        "why": said.why,
                        "consequence": said.consequence,
                        "verdict": None,
                    }


def write(rows: Sequence[MeasuredReview], path: Path) -> int:
    """Write the questions that an earlier file of this name does not hold yet; how many are open in it."""
    old = list(_rows(path)) if path.exists() else []
    known = {(row["case"], row["known"] or "", _of(row)) for row in old}
    new = [row for row in questions(rows) if (row["case"], row["known"] or "", _of(row)) not in known]
    try:
        with path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in new)
    except OSError as error:
        raise UsageError(f"the labels {path} cannot be written: {error.strerror}") from error
    return sum(row["verdict"] is None for row in (*old, *new))


def read(path: Path) -> Hand:
    """The answers in a file. Raises UsageError with the line that is wrong."""
    same: dict[tuple[str, Key], bool] = {}
    true: dict[Key, bool] = {}
    for row in _rows(path):
        if row["verdict"] is None:
            continue
        if row["known"]:
            same[row["known"], _of(row)] = row["verdict"]
        else:
            true[_of(row)] = row["verdict"]
    return Hand(same, true)


def right(hand: Hand, rows: Iterable[MeasuredReview]) -> tuple[int, int]:
    """Of the findings said aloud that a person has judged: how many are right, of how many."""
    told: list[bool] = []
    for row in rows:
        for said in (said for said in row.outcome.findings if said.aloud):
            key = _key(said)
            known = [hand.same_as[d.description, key] for d in row.case.defects if (d.description, key) in hand.same_as]
            verdict = any(known) if known else hand.true.get(key)
            told += [verdict] if verdict is not None else []
    return sum(told), len(told)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the labels {path} cannot be read: {getattr(error, 'strerror', 'it is not text')}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            fits = row["verdict"] in (True, False, None) and isinstance(row["path"], str) and int(row["start"]) >= 0
            fits = fits and {"case", "known", "title"} <= row.keys()
        except (ValueError, TypeError, KeyError):
            fits = False
        if not fits:
            raise UsageError(
                f"{path}, line {number} is not a label: it needs case, known, path, start, title, and verdict (true, false or null)"
            )
        yield row


def _key(finding: MeasuredFinding) -> Key:
    return finding.path, finding.start, finding.title


def _of(row: Mapping[str, Any]) -> Key:
    return row["path"], int(row["start"]), row["title"]
