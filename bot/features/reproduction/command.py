"""The entry of `deeprepo run` in the list of commands."""

from bot.cli.hooks import Command

RUN_COMMAND = Command(
    "run",
    "Set up and test the sandbox commands that `review --run` uses.",
    "bot.features.reproduction.command_line",
)
