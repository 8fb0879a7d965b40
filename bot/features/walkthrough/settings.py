"""Whether a review says what the change does."""

from dataclasses import dataclass

from bot.config.setting import setting


# ruff: noqa: FBT003 - the first argument is the default
@dataclass(frozen=True, slots=True, kw_only=True)
class WalkthroughSettings:
    """What the owner says of walkthroughs."""

    walkthrough: bool = setting(True, "Whether a review says what the change does: sentences, a table of files, calls.")
