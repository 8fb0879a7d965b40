"""The sentences about consumers: when a break reaches one, and how many were looked at."""

from collections.abc import Sequence

from bot.values.consumer import ConsumerReport
from impact.packages import Arrival, Requirement

REACHES: dict[Arrival, str] = {
    "build": "with its next build",
    "release": "with the next release",
    "upgrade": "when it upgrades",
}


def arrival(name: str, row: Requirement) -> str:
    """Return when a break reaches a consumer, as a sentence."""
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
    """Return how many consumers were looked at and how many break; empty if none was named."""
    users = [report for report in reports if report.state != "unrelated"]
    if not reports or not users:
        return "None of the repositories that were named uses this one." if reports else ""
    checked = sum(user.state == "checked" for user in users)
    broken = sum(bool(one.breaks) for one in users)
    hinted = sum(bool(one.hints) and not one.breaks for one in users)
    if len(users) == 1:
        fate = "it breaks" if broken else "it may break" if hinted else "nothing of it breaks"
        return f"The one repository that is known to use this one was {f'looked at; {fate}' if checked else 'not looked at'}."
    more = f", {hinted} may break" if hinted else ""
    breaks = f"{broken} {'breaks' if broken == 1 else 'break'}{more}"
    return f"{checked} of {len(users)} repositories that use this one were looked at; {breaks}."


def sentence(error: object) -> str:
    """Return the first line of an error."""
    return str(error).split("\n")[0][:300]
