"""What the fork server of `child` loads before it forks: what every review needs, its comments' templates, the likely model's library.

Children share the memory of it. What garbage collection would write into each object's page is kept apart from theirs.
"""

import gc
from importlib import import_module
from pkgutil import iter_modules

from bot import analyzers, config, context, findings, strategies
from bot import review as reviewing
from bot.errors import ConfigError
from bot.models import library
from bot.render import templates
from bot.wiring import review, tasks

__all__ = ["tasks"]


def _likely() -> str | None:
    try:
        settings = config.environment()
    except ConfigError:  # the server says it
        return None
    return settings.worker or settings.root or review.preferred()[0]


# A review goes through all of these, and would load their modules one by one.
ROOMS = (analyzers, context, findings, reviewing, strategies)
LATER = ("anyio._backends._asyncio", "jinja2")  # what libraries load when they are first used
_rooms = (found.name for room in ROOMS for found in iter_modules(room.__path__, f"{room.__name__}."))
for _module in (*_rooms, *LATER, *library(_likely() or "")):
    import_module(_module)
templates.load()
gc.collect()
gc.freeze()
