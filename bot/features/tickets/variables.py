"""The operator's command that prints a ticket."""

from dataclasses import dataclass

from bot.config.setting import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketVariables:
    """The variable DEEPREPO_TICKET_COMMAND."""

    ticket_command: str | None = setting(
        None,
        "A command that prints a ticket as text. It gets the key, such as `SHOP-12`, as its last argument. Of the environment, it gets "
        "`PATH`, `HOME` and variables that begin with `TICKET_`.",
    )
