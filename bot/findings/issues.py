"""Ask the model pass over the whole change about the issues that the pull request closes."""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, get_args

from bot.findings import read
from bot.values import IssueReport, LinkedIssue
from bot.values.review import IssueProgress
from deeprepo.rlm.values import Schema

DONE: tuple[str, ...] = get_args(IssueProgress)
MAX_SENTENCE_CHARS = 200  # characters of one sentence
_ROW = read.strict(
    number={"type": "integer"},
    asks=read.text("what the issue asks for, in one sentence of at most 20 words"),
    done={"type": "string", "enum": list(DONE), "description": "whether this change does it"},
    missing=read.text("what of it the change leaves undone, in one sentence of at most 20 words; empty if nothing"),
)
_FIELD = {"type": "array", "items": _ROW, "description": "one entry for each issue shown above, in that order"}


@lru_cache(maxsize=len(get_args(read.Extent)))
def schema(notes: read.Extent) -> Schema:
    """Return the form of a worker's answer with this field. For the arguments, see `read.schema`."""
    return read.with_field(read.schema(notes), "issues", _FIELD)


def reports(data: Mapping[str, Any] | None, linked_issues: Collection[LinkedIssue]) -> tuple[IssueReport, ...]:
    """Return an answer's reports on these issues, each once. Rows that don't fit are skipped."""
    reports_found: dict[int, IssueReport] = {}
    for entry in read.rows(data, "issues")[: 2 * len(linked_issues)]:
        number, progress = entry.get("number"), entry.get("done")
        if isinstance(number, int) and progress in DONE and any(issue.number == number for issue in linked_issues):
            reports_found.setdefault(
                number,
                IssueReport(number, _sentence(entry.get("asks")), progress, _sentence(entry.get("missing"))),
            )
    return tuple(reports_found[issue.number] for issue in linked_issues if issue.number in reports_found)


def from_root(rows: object, linked_issues: Collection[LinkedIssue]) -> tuple[IssueReport, ...]:
    """Return a root's reports on these issues, given as rows (number, asks, done, missing)."""
    listed_rows = rows[: 2 * len(linked_issues)] if isinstance(rows, (list, tuple)) else ()
    names = ("number", "asks", "done", "missing")
    known_rows = [dict(zip(names, row, strict=False)) for row in listed_rows if isinstance(row, (list, tuple))]
    return reports({"issues": known_rows}, linked_issues)


def _sentence(value: object) -> str:
    return " ".join(value.split())[:MAX_SENTENCE_CHARS] if isinstance(value, str) else ""
