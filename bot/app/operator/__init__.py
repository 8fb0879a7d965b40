"""The operator's pages: who may see what, and the views of reviews, of the queue and of what went wrong."""

from bot.app.operator.gate import link
from bot.app.operator.routes import add_to

__all__ = ["add_to", "link"]
