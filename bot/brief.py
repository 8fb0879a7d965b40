"""What decides a review, as one value: what a child process is given, what a journal begins with, and what a replay is made of."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import date
from typing import Any

from bot import config
from bot.config import FILE, Config
from bot.values import Dismissal, LinkedIssue, OwnerRule, PullRequest, ReviewRequest
from bot.values.consumer import Consumers
from bot.values.tool_results import ToolResult, ToolRun

Row = dict[str, Any]
ELSEWHERE = ("pull", "consumers", "journal")  # a record has the first apart, and of the second what was found
BYTE_FIELDS = ("earlier", "local")  # of any bytes


@dataclass(frozen=True, slots=True)
class Brief:
    """Everything that decides a review; the process that makes it brings the rest."""

    pull: PullRequest
    settings: Config
    today: date = field(default_factory=date.today)  # decides which suppressions have expired
    request: ReviewRequest | None = None  # as a person typed it
    file: str = FILE  # the repository's settings, at the tip of its base branch
    earlier: bytes | None = None  # what the last review of the same change has left, or its JSON output
    full: bool = False  # read everything again and say everything
    local: bytes | None = None  # the list of what the person at the terminal does not want to hear
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


def restore(record: Mapping[str, Any], pull: PullRequest) -> Brief:
    """Rebuild a Brief from its record. Raises KeyError, TypeError or ValueError for a row of another form."""
    settings = config.resolve(config.recorded(record["settings"]), None, config.Settings())
    plain = {
        one.name: _lists_to_tuples(record[one.name])
        for one in fields(Brief)
        if one.name in record and one.name not in ELSEWHERE
    }
    return Brief(**plain | {
        "pull": pull,
        "settings": replace(settings, warnings=tuple(record.get("warnings", ()))),
        "today": date.fromisoformat(record["today"]),
        "request": ReviewRequest(**record["request"]) if "request" in record else None,
        "dismissals": tuple(Dismissal(**dismissal) for dismissal in record.get("dismissals", ())),
        "rules": tuple(OwnerRule(**rule) for rule in record.get("rules", ())),
        "reports": tuple(ToolResult(**report) for report in record.get("reports", ())),
        "tool_runs": tuple(ToolRun(**{k: _lists_to_tuples(v) for k, v in run.items()}) for run in record.get("tool_runs", ())),
        **{name: record[name].encode("utf-8", "surrogateescape") for name in BYTE_FIELDS if name in record},
    })  # fmt: skip


def restore_pull(record: Mapping[str, Any]) -> PullRequest:
    """Return the pull request of a record."""
    issues = tuple(LinkedIssue(**issue) for issue in record["issues"])
    return PullRequest(**{name: _lists_to_tuples(value) for name, value in record.items()} | {"issues": issues})


def _lists_to_tuples(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """A value as it was before it was written: its lists are tuples."""
    return tuple(map(_lists_to_tuples, value)) if isinstance(value, list) else value
