"""The entry of `deeprepo ignore` in the list of commands."""

from bot.cli.hooks import Command

IGNORE_COMMAND = Command(
    "ignore", "Silence a finding with an entry in .deeprepo/ignore.yml.", "bot.features.teaching.command_line"
)
