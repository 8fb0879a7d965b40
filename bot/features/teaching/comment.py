"""The comment commands of this feature."""

from bot.features.teaching import ignore, remember, rules

IGNORE, REMEMBER, RULES = ignore.COMMAND, remember.COMMAND, rules.COMMAND
