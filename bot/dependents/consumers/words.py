"""What is told about a consumer: when a break reaches it, and of how many consumers something is known."""

from collections.abc import Sequence

from bot.values.consumer import ConsumerReport
from bot.values.manifest import Arrival, Requirement

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
    """How many consumers were looked at and how many break; empty if none was named."""
    known = [one for one in reports if one.state != "unrelated"]
    if not reports:
        return ""
    if not known:
        return "None of the repositories that were named uses this one."
    checked = [one for one in known if one.state == "checked"]
    broken, hinted = sum(bool(one.breaks) for one in known), sum(bool(one.hints and not one.breaks) for one in known)
    of = (
        f"{len(checked)} of {len(known)} repositories that use this one"
        if len(known) > 1
        else "The one repository that is known to use this one"
    )
    were = "were" if len(known) > 1 else "was" if checked else "was not"
    may = f", {hinted} may break" if hinted else ""
    breaks = f"{broken} {'breaks' if broken == 1 else 'break'}{may}" if checked else "nothing is known of it"
    return f"{of} {were} looked at; {breaks}."
