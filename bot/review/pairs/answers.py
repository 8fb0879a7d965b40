"""Parse the answer to a prompt of pairs: the uses that break, and the doubts. Nothing is verified yet."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from bot.findings import read
from bot.findings.read import many, one_of, strict, text
from bot.values import CATEGORIES, SEVERITIES, Finding, Source
from deeprepo.rlm.values import Schema

NAME = "pairs"
MAX_BROKEN, MAX_DOUBTS = 12, 6


@lru_cache(maxsize=1)
def schema() -> Schema:
    """Return the form of the answer."""
    changed_line = "the changed line that breaks it: its file, and the line verbatim without its sign"
    broken = strict(
        change={**read.QUOTE, "description": changed_line},
        use={
            **read.QUOTE,
            "description": "the line that breaks: its file, and the line verbatim; empty if the changed line is wrong in itself",
        },
        title=read.TITLE_FORM,
        why=text("step by step: what arrives at the use now, and what it does with it"),
        trigger=read.TRIGGER,
        consequence=read.CONSEQUENCE,
        severity=one_of(SEVERITIES),
        category=one_of(CATEGORIES),
    )
    doubts = (
        f"at most {MAX_DOUBTS} uses that break if code which is not shown does what its name says: one sentence each, with the"
        " file of the use and the code that would settle it, and none that `broken` tells. Usually empty"
    )
    form = strict(broken=many(broken, "one entry for each defect; usually none or one"), doubts=many(text(), doubts))
    return Schema(NAME, "Hand in the uses that do not hold any more.", form, forgiven=frozenset({"doubts"}))


def parse_reply(data: Mapping[str, Any] | None, source: Source) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """Return the findings and the doubts of a reply."""
    broken = (entry for entry in read.rows(data, "broken")[:MAX_BROKEN] if entry["change"]["quote"].strip())
    findings = (
        read.finding_of(entry, entry["change"]["path"], entry["change"]["quote"], [entry["use"]], source)
        for entry in broken
    )
    return tuple(findings), read.sentences(data, "doubts", MAX_DOUBTS)
