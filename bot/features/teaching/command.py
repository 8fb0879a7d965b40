"""`deeprepo ignore` among the commands."""

from bot.cli.hooks import Command

IGNORE_COMMAND = Command(
    "ignore", "Silence a finding with an entry in .deeprepo/ignore.yml.", "bot.features.teaching.command_line"
)
