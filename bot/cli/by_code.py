"""Parse the command lines of reviews without a model.

Git hooks run such reviews. They don't load typer, because that would take longer than the review.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StaticReviewOptions:
    """The options of a review without a model."""

    change: str | None = None
    staged: bool = False
    uncommitted: bool = False
    form: str = "console"
    fail_on: str | None = None
    quiet: bool = False

    @property
    def may_come_from_hook(self) -> bool:
        """Whether git or pre-commit may have started this command. Our hooks never pass a range."""
        return self.change is None and not self.uncommitted


def parse(arguments: Sequence[str]) -> StaticReviewOptions | None:
    """Return the options if this is `review --effort none` with simple options only, and otherwise None.

    The other options that are allowed are a range, --staged, --uncommitted, --format, --fail-on and --quiet.
    typer parses all other command lines, and reports what is wrong with them.
    """
    if not arguments or arguments[0] != "review":
        return None
    from bot.outputs import OUTPUTS  # imported here, so that other commands start faster
    from bot.values import SEVERITIES

    flags, changes = set[str](), list[str]()
    values: dict[str, str] = {}
    known = {"--effort": ("none",), "--fail-on": SEVERITIES, "--format": OUTPUTS}
    rest = iter(arguments[1:])
    for word in rest:
        if word in known:
            values[word] = next(rest, "")
            if values[word] not in known[word]:
                return None
        elif word in ("--staged", "--uncommitted", "--quiet", "-q"):
            flags.add(word)
        elif word and not word.startswith("-"):
            changes.append(word)
        else:
            return None
    if "--effort" not in values or len(changes) > 1:
        return None
    return StaticReviewOptions(
        change=next(iter(changes), None),
        staged="--staged" in flags,
        uncommitted="--uncommitted" in flags,
        form=values.get("--format", "console"),
        fail_on=values.get("--fail-on"),
        quiet=not flags.isdisjoint(("--quiet", "-q")),
    )
