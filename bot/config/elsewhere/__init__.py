"""The settings files of other reviewers, for `deeprepo init --from`: one module a format, and one line here."""

from bot.config.elsewhere import coderabbit, gemini, greptile, guides, pr_agent
from bot.config.elsewhere.old import Format, New, Old, Row

FORMATS: tuple[Format, ...] = (
    gemini.FORMAT,
    coderabbit.FORMAT,
    pr_agent.FORMAT,
    greptile.FORMAT,
    guides.BUGBOT,
    guides.COPILOT,
)

__all__ = ["FORMATS", "Format", "New", "Old", "Row"]
