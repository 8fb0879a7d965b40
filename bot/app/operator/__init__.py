"""The operator's pages: who may see what, and the views of reviews, of the queue and of what went wrong."""

from bot.app.operator.gate import Gate, link
from bot.app.operator.routes import router

__all__ = ["Gate", "link", "router"]
