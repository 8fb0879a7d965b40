"""The sentences about consumers: when a break reaches one, and how many were looked at."""

from collections.abc import Sequence

from bot.values import Evidence, Finding, Reference, Source, Symbol, Verdict
from bot.values.consumer import Arrival, ConsumerReport, Requirement

FOLDERS = 3  # submodules that a sentence names
REACHES: dict[Arrival, str] = {
    "build": "with its next build",
    "release": "with the next release",
    "upgrade": "when it upgrades",
}


def arrival(name: str, row: Requirement | None) -> str:
    """When a break reaches a consumer, as a sentence."""
    if row is None:
        return ""
    if row.arrival == "build":
        how = {"path": "from a folder", "workspace": "from its workspace", "git": "from a branch"}[row.origin]
        return f"{name} breaks on its next build: it takes {row.name} {how} ({row.path})."
    if row.arrival == "release":
        asked = f"`{row.constraint}`, which" if row.constraint else "no version, so it"
        limits = "has no upper bound" if row.constraint else "takes the newest"
        return f"{name} breaks on its first build after the release: it asks for {row.name} with {asked} {limits} ({row.path})."
    known = f"{row.locked} (locked; it asks for `{row.constraint}`)" if row.locked and row.constraint else row.version
    return f"{name} breaks when it upgrades {row.name} from {known or 'its version'} ({row.path})."


def summary(reports: Sequence[ConsumerReport]) -> str:
    """How many consumers were looked at and how many break, and which of their folders were not read; empty if none was named."""
    return " ".join(filter(None, [_counts(reports), *(_folders(one) for one in reports if one.state != "unread")]))


def _folders(report: ConsumerReport) -> str:
    """The submodules of one that was looked at."""
    if not report.folders:
        return ""
    names = ", ".join(f"`{folder}`" for folder in report.folders[:FOLDERS])
    more = f" and {len(report.folders) - FOLDERS} more" if len(report.folders) > FOLDERS else ""
    many = len(report.folders) > 1
    return f"The {'submodules' if many else 'submodule'} {names}{more} of {report.name} {'were' if many else 'was'} not read."


def _counts(reports: Sequence[ConsumerReport]) -> str:
    """How many were looked at and how many break."""
    users = [one for one in reports if one.state != "unrelated"]
    if not reports or not users:
        return "None of the repositories that were named uses this one." if reports else ""
    checked = sum(one.state == "checked" for one in users)
    broken = sum(bool(one.breaks) for one in users)
    hinted = sum(bool(one.hints) and not one.breaks for one in users)
    is_known = all(one.state == "checked" or one.takes for one in users)
    if len(users) == 1:
        fate = "it breaks" if broken else "it may break" if hinted else "nothing of it breaks"
        which = "is known to use this one" if is_known else "uses this one, or may use it,"
        return f"The one repository that {which} was {f'looked at; {fate}' if checked else 'not looked at'}."
    more = f", {hinted} may break" if hinted else ""
    breaks = f"{broken} {'breaks' if broken == 1 else 'break'}{more}"
    which = "use this one" if is_known else "use this one, or may use it,"
    return f"{checked} of {len(users)} repositories that {which} were looked at; {breaks}."


def import_finding(line: Evidence, was: str, now: str | None) -> Finding:
    """A consumer's import that meant a file, and means another one or perhaps nothing now."""
    fate = f"means {now} now" if now else "may mean nothing now"
    return _likely(
        "import-changed",
        line,
        title=f"What {line.path} imports was {was}, and {fate}",
        why=f"{line.path}:{line.line} imported {was} before the change. The import {fate}.",
        consequence="The import fails, or brings something else than before.",
    )


def hidden_finding(row: Reference, after: Symbol) -> Finding:
    """A use of a definition that others may name no more."""
    return _likely(
        "visibility-changed",
        Evidence(row.path, row.text, row.line),
        title=f"{after.short} is no longer visible to others, and {row.path} still uses it",
        why=f"{after.path}:{after.start} declares it for fewer users than before.",
        consequence="Code of another package can no longer use it.",
    )


def _likely(rule: str, line: Evidence, *, title: str, why: str, consequence: str) -> Finding:
    """A hint at a consumer's line."""
    return Finding(
        path=line.path,
        quote=line.quote,
        title=title,
        why=why,
        consequence=consequence,
        severity="medium",
        category="contract",
        sources=(Source("analyser", "consumers"),),
        rule=f"likely-{rule}",
        start=line.line,
        end=line.line,
        verdict=Verdict.UNPROVEN,
    )
