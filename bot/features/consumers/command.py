"""`deeprepo consumers` among the commands."""

from bot.cli.hooks import Command

CONSUMERS = Command(
    "consumers", "List who uses this repository, and what of it.", "bot.features.consumers.command_line"
)
