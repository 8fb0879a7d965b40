"""The comment commands by which people teach."""

from bot.features.teaching import ignore, remember, rules

IGNORE, REMEMBER, RULES = ignore.COMMAND, remember.COMMAND, rules.COMMAND
