"""The setting that shows tickets to models."""

from dataclasses import dataclass

from bot.config.setting import setting


# ruff: noqa: FBT003 - `setting` returns what `field` returns; its first argument is the default
@dataclass(frozen=True, slots=True, kw_only=True)
class TicketSettings:
    """The owner's settings for tickets."""

    tickets: bool = setting(
        False,
        "Whether models see tickets such as `SHOP-12` that the title, the branch or the description names. Needs "
        "`DEEPREPO_TICKET_COMMAND`, and an author with write permission.",
    )
