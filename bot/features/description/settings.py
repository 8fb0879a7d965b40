"""The setting that adds a section to the description of pull requests."""

from dataclasses import dataclass

from bot.config.setting import setting


# ruff: noqa: FBT003 - `setting` returns what `field` returns; its first argument is the default
@dataclass(frozen=True, slots=True, kw_only=True)
class DescriptionSettings:
    """The owner's settings for descriptions."""

    description: bool = setting(
        False, "Whether reviews keep a summary of the change in the description, in a section of its own."
    )
