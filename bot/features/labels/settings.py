"""The setting that defines the labels to set."""

from dataclasses import dataclass

from bot.config.setting import Pattern, setting
from bot.levels import Severity


# ruff: noqa: RUF009 - `setting` returns what `field` returns
@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRule:
    """One entry of `set_labels`: a label, and the conditions that must all be true."""

    name: str = setting(..., "The label.", min_length=1, max_length=50)
    path: Pattern = setting("", "A changed file matches, as in .gitignore.")
    lines: int = setting(0, "At least this many lines were added or deleted.", ge=0)
    findings: Severity | None = setting(None, "An open finding has at least this severity.")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSettings:
    """The owner's settings for labels."""

    set_labels: tuple[LabelRule, ...] = setting(
        (), "Labels that each review adds, or removes once their conditions are no longer true.", entries=LabelRule
    )
