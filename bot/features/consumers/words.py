"""Sentences about consumers: when a breaking change affects one, and how many were checked."""

from collections.abc import Sequence

from bot.values.consumer import ConsumerReport
from deeprepo.impact.packages import Requirement


def requires(name: str, requirement: Requirement) -> str:
    """Return a sentence about how the consumer with this name requires a package."""
    return (
        f"{name} breaks when it takes this version of {requirement.name}. {requirement.path} says: `{requirement.line}`"
    )


HIDDEN = "Listed repositories that this review may not show were not checked."


def summary(reports: Sequence[ConsumerReport], *, is_hidden: bool = False) -> str:
    """Return sentences about how many consumers were checked, and how many break; "" if none was listed.

    `is_hidden`: whether some are not shown, because not everybody who reads the review may see them.
    """
    return " ".join(filter(None, (_checked(reports), HIDDEN if is_hidden else "")))


def _checked(reports: Sequence[ConsumerReport]) -> str:
    users = [report for report in reports if report.state != "unrelated"]
    if not reports or not users:
        return "None of the listed repositories uses this one." if reports else ""
    checked = sum(user.state == "checked" for user in users)
    broken = sum(bool(user.breaks) for user in users)
    hinted = sum(bool(user.hints) and not user.breaks for user in users)
    if len(users) == 1:
        if not checked:
            return "One other repository is known to use this one. It was not checked."
        effect = "breaks" if broken else "may break" if hinted else "does not break"
        return f"One other repository is known to use this one. This change {effect} it."
    more = f", {hinted} may break" if hinted else ""
    return f"{checked} of {len(users)} repositories that use this one were checked. {broken} {'breaks' if broken == 1 else 'break'}{more}."


def sentence(error: object) -> str:
    """Return the first line of an error."""
    return str(error).split("\n")[0][:300]
