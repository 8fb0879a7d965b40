"""The operator's web pages: sign-in, and views of reviews, the queue and failures."""

from bot.app.operator.routes import add_to
from bot.app.operator.sessions import link

__all__ = ["add_to", "link"]
