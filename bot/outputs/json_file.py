"""The review as JSON: everything but if the repository lies. The schema is docs/review.schema.json."""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, fields
from typing import Any

from bot.config.defaults import DEFAULTS, REPORTED
from bot.outputs import facts
from bot.render import encodable, safe_json
from bot.render.section import Part, Section, finding_fields, finding_row, sections
from bot.values import ChangedFile, Coverage, Finding, PlacedFinding, PullRequest, ReportSettings, Review, read_units
from bot.values.consumer import ConsumerReport
from bot.values.review import SCHEMA_VERSION

# What is written of the pull request, and read: nothing of where its objects lie on a machine.
PULL = ("title", "body", "base", "head", "base_name", "head_name", "base_tip", "url")

SETTINGS = tuple(each.name for each in fields(ReportSettings) if each.name not in ("minimum", "of_features"))
ROUND = ("number", "since", "full", "reason")  # of a round, under its own key


def render(review: Review) -> str:
    """Return the whole review. Keys are in a fixed order, so that the same review is the same text."""
    return write(content(review))


def content(review: Review) -> dict[str, Any]:
    """Return the same as values of JSON: what outputs and states show of it, without secrets."""
    rows: dict[str, Any] = _sound(_review(review))
    return rows


def write(content: Mapping[str, Any]) -> str:
    """Return the text of these values."""
    return safe_json(json.dumps(content, ensure_ascii=False, indent=2)) + "\n"


def _review(review: Review) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "deeprepo", "version": review.version},
        "conclusion": review.conclusion,
        "result": facts.summary(review).result,
        "partial": review.cut.partial,
        "fault": review.cut.fault,
        "failure": review.cut.failure,
        "pull": _pull(review.pull),
        "strategy": asdict(review.strategy),
        "summary": review.summary,
        "issues": [asdict(report) for report in review.issues],
        "findings": [_finding(item) for item in review.findings],
        "minimum_severity": review.settings.minimum,
        "numbers": [list(row) for row in review.round.numbers],
        "dropped": review.dropped,
        "round": {name: getattr(review.round, name) for name in ROUND},
        "read": [[mark.id, mark.digest, mark.by] for mark in review.round.read],
        "read_by_model": [mark.id for mark in review.round.read if mark.model],
        "consumers": [_consumer(report) for report in review.consumers],
        **{section.key: section.to_json(section.of(review)) for section in sections()},
        "areas": [asdict(area) for area in review.coverage.areas],
        "files": [_file(file) for file in review.files],
        "coverage": _coverage(review.coverage),
        "cost": asdict(review.cost),
        "seconds": review.seconds,
        "notes": list(review.notes),
        "settings": _settings(review.settings),
        "turns": [asdict(turn) for turn in review.turns],
    }


def read(data: bytes) -> Review:
    """Return the review that was rendered, as far as its comments need it: without hunks, turns and the place of the store. Raises ValueError."""
    from pydantic import TypeAdapter, ValidationError

    try:
        review_document = json.loads(data)
        review = TypeAdapter(Review).validate_python(document(review_document))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = "" if first["loc"] == ("pull",) else f"{'.'.join(map(str, first['loc']))}: "
        raise ValueError(f"{place}{first['msg'].removeprefix('Value error, ')}") from None
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"the stored review has another form ({type(error).__name__})") from error
    return review


def with_numbers(data: bytes, numbers: Mapping[str, int]) -> str:
    """Return the same review, with numbers that findings were given later, by fingerprint."""
    document = json.loads(data)
    for finding in document["findings"]:
        if finding["status"] == "silenced":
            finding["number"] = finding["number"] or numbers.get(finding["fingerprint"], 0)
    known_numbers = {number for number, _ in document["numbers"]}
    document["numbers"] = sorted(
        [*document["numbers"], *([n, mark] for mark, n in numbers.items() if n not in known_numbers)]
    )
    return write(document)


def with_unsaid(data: bytes, numbers: Collection[int]) -> bytes:
    """Return what a review leaves for the next one, with the numbers of its findings that GitHub has not taken."""
    return write({**json.loads(data), "unsaid": sorted(numbers)}).encode()


def with_part(data: bytes, section: Section[Part], part: Part) -> str:
    """Return the same review, with what a feature has to add to it since."""
    document = json.loads(data)
    document[section.key] = _sound(section.to_json(part))
    return write(document)


def document(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a review, from the keys of its JSON."""
    from pydantic import TypeAdapter

    same = (
        "summary",
        "issues",
        "dropped",
        "cost",
        "seconds",
        "notes",
        "consumers",
        "strategy",
    )
    spot = ("place", "spot", "replacement", "refused")
    skipped = [(file["path"], file["reason"]) for file in document["coverage"]["skipped_files"]]
    return {
        **{name: document[name] for name in same},
        "settings": {
            **{name: document["settings"][name] for name in SETTINGS},
            "minimum": document["minimum_severity"],
            "of_features": document["settings"]["features"],
        },
        "parts": {
            section.key: TypeAdapter(section.form).validate_python(document[section.key]) for section in sections()
        },
        "cut": {name: document[name] for name in ("partial", "fault", "failure")},
        "round": {
            **document["round"],
            "numbers": document["numbers"],
            "read": read_units(document["read"], document["read_by_model"]),
        },
        "version": document["tool"]["version"],
        "pull": {**{name: document["pull"][name] for name in PULL}, "git_dir": ""},  # a file says nothing of folders
        "findings": [
            {
                **{k: finding[k] for k in spot},
                "finding": finding_fields({k: v for k, v in finding.items() if k not in spot}),
            }
            for finding in document["findings"]
        ],
        "files": [
            {**file, "added_lines": frozenset(range(file["added"])), "removed_lines": frozenset(range(file["removed"]))}
            for file in document["files"]
        ],
        "coverage": {
            **document["coverage"],
            "skipped_files": skipped,
            "areas": document["areas"],
        },
    }


def _settings(settings: ReportSettings) -> dict[str, Any]:
    switches = {name: settings.of_features.get(name, DEFAULTS[name]) for name in REPORTED}
    return {**{name: value for name, value in asdict(settings).items() if name in SETTINGS}, "features": switches}


def _pull(pull: PullRequest) -> dict[str, Any]:
    return {name: getattr(pull, name) for name in PULL}


def _finding(placed_finding: PlacedFinding) -> dict[str, Any]:
    spot = asdict(placed_finding.spot) if placed_finding.spot else None
    own = {
        "place": placed_finding.place,
        "spot": spot,
        "replacement": placed_finding.replacement,
        "refused": placed_finding.refused,
    }
    return {**own, **_row(placed_finding.finding)}


def _row(finding: Finding) -> dict[str, Any]:
    """The finding with `source` in words beside the sources, and with what an owner's word about it names."""
    return {**finding_row(finding), "source": finding.source, "identity": finding.identity}


def _consumer(report: ConsumerReport) -> dict[str, Any]:
    """The report; of each package that it takes, also when a break of it arrives."""
    rows = [{**asdict(requirement), "arrival": requirement.arrival} for requirement in report.takes]
    return {**asdict(report), "takes": rows}


def _file(file: ChangedFile) -> dict[str, Any]:
    record = {name: getattr(file, name) for name in ("path", "old_path", "status", "skip", "note")}
    return {**record, "added": len(file.added_lines), "removed": len(file.removed_lines)}


def _coverage(coverage: Coverage) -> dict[str, Any]:
    return {
        "complete": coverage.complete,
        "open": [asdict(reading) for reading in coverage.open],
        "relying": [asdict(reading) for reading in coverage.relying],
        "not_installed": list(coverage.not_installed),
        "by_model": coverage.by_model,
        "readings": [asdict(reading) for reading in coverage.readings],
        "skipped_files": [{"path": path, "reason": reason} for path, reason in coverage.skipped_files],
        "cut": list(coverage.cut),
    }


def _sound(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The same value with lone surrogates replaced: they are legal in Python and break every reader of UTF-8."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {_sound(key): _sound(item) for key, item in value.items()}
    return [_sound(item) for item in value] if isinstance(value, list | tuple) else value
