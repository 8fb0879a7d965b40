"""Start reviews without a model.

They don't load the command-line library, because that takes longer than the review.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OptionsByCode:
    """What such a command line asks for."""

    change: str | None = None
    staged: bool = False
    uncommitted: bool = False
    form: str = "console"
    fail_on: str | None = None
    quiet: bool = False

    @property
    def may_come_from_hook(self) -> bool:
        """Whether git or pre-commit may have started it: our hooks name no range."""
        return self.change is None and not self.uncommitted


def parse(arguments: Sequence[str]) -> OptionsByCode | None:
    """Return the options, if this is `review --effort none` with at most a range, --staged, --uncommitted, --format, --fail-on and --quiet; else None.

    The long way reads every other command line, and reports what is wrong with it.
    """
    if not arguments or arguments[0] != "review":
        return None
    from bot.outputs import OUTPUTS  # here: what is no review loads less
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
    return OptionsByCode(
        change=next(iter(changes), None),
        staged="--staged" in flags,
        uncommitted="--uncommitted" in flags,
        form=values.get("--format", "console"),
        fail_on=values.get("--fail-on"),
        quiet=not flags.isdisjoint(("--quiet", "-q")),
    )
