"""`deeprepo run` among the commands."""

from bot.cli.hooks import Command

RUN_COMMAND = Command(
    "run",
    "Show, prepare and try what `review --run` runs in a sandbox.",
    "bot.features.reproduction.command_line",
)
