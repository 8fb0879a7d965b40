"""The setting that turns the list of failed jobs on or off."""

from dataclasses import dataclass

from bot.config.setting import setting


# ruff: noqa: FBT003 - `setting` returns what `field` returns; its first argument is the default
@dataclass(frozen=True, slots=True, kw_only=True)
class CISettings:
    """The owner's settings for CI failures."""

    ci: bool = setting(True, "Whether a review lists failed CI jobs and their errors.", is_reported=True)
