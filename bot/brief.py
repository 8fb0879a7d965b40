"""What decides a review, as one value: what a child process is given, and what a journal begins with."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from typing import Any

from bot.config import FILE, Config
from bot.values import Dismissal, OwnerRule, PullRequest, TypedChange
from bot.values.consumer import Consumers
from bot.values.tool_results import ToolResult, ToolRun

Row = dict[str, Any]
ELSEWHERE = ("pull", "consumers", "journal")  # a record has the first apart, and of the second what was found
BYTE_FIELDS = ("earlier",)  # of any bytes


@dataclass(frozen=True, slots=True)
class Brief:
    """Everything that decides a review; the process that makes it brings the rest."""

    pull: PullRequest
    settings: Config
    today: date = field(default_factory=date.today)  # decides which suppressions have expired
    request: TypedChange | None = None  # as a person typed it
    file: str = FILE  # the repository's settings, at the tip of its base branch
    earlier: bytes | None = None  # what the last review of the same change has left, or its JSON output
    full: bool = False  # read everything again and say everything
    dismissals: tuple[Dismissal, ...] = ()  # what people have said of single findings
    rules: tuple[OwnerRule, ...] = ()  # in force, that a server has learned from people
    reports: tuple[ToolResult, ...] = ()  # of other tools, about the head or the whole change
    tool_runs: tuple[ToolRun, ...] = ()  # by which other tools have reported
    consumers: Consumers = field(default_factory=Consumers)
    left_out: Mapping[str, str] = field(default_factory=dict)  # files that are not read, and why
    is_capped: bool = False  # whether a daily cap leaves nothing to ask a model with
    lost: str = ""  # why an attempt with models came to nothing: this one is by code alone
    note: str = ""  # a sentence about this run for the reader of the review
    allowed: tuple[
        str, ...
    ] = ()  # what features may do, which the operator or the person at the terminal allows by name
    stranger: bool = False  # by somebody who may not write to the repository
    vouched: bool = False  # whether somebody who may write asked for the review of this head
    journal: str = ""  # the name under which a server finds paid calls again


def record(brief: Brief) -> Row:
    """Return the brief as a journal row, without empty fields."""
    record = {one.name: getattr(brief, one.name) for one in fields(brief) if one.name not in ELSEWHERE}
    record |= {
        name: value and value.decode("utf-8", "surrogateescape") for name in BYTE_FIELDS if (value := record[name])
    }
    record |= {name: [asdict(one) for one in record[name]] for name in ("dismissals", "rules", "reports", "tool_runs")}
    record |= {
        "settings": brief.settings.record(),
        "warnings": brief.settings.warnings,
        "today": brief.today.isoformat(),
        "request": asdict(brief.request) if brief.request else None,
    }
    return {name: value for name, value in record.items() if value}
