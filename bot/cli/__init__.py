"""The command line. Only `commands.main` converts errors to exit codes.

0  clean, or nothing to review
1  findings at or above --fail-on, or an incomplete review with --fail-on
2  usage error: an option, a revision or a setting is wrong
3  a provider, git or deeprepo itself failed, or no configured model could read anything
130  interrupted (what was found so far is shown)
"""

from bot.cli.commands import main

__all__ = ["main"]
