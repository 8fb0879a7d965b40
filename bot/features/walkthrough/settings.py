"""The setting that turns the walkthrough on or off."""

from dataclasses import dataclass

from bot.config.setting import setting


# ruff: noqa: FBT003 - the first argument is the default
@dataclass(frozen=True, slots=True, kw_only=True)
class WalkthroughSettings:
    """The owner's settings for walkthroughs."""

    walkthrough: bool = setting(
        True, "Whether the summary describes the change: a few sentences, a table of files and the calls between them."
    )
