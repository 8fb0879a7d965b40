"""What the fork server of `child` loads before it forks: what every review needs, and the library of the model that is likely.

Children share the memory of it. What garbage collection would write into each object's page is kept apart from theirs.
"""

import gc
from importlib import import_module

from bot import config
from bot.errors import ConfigError
from bot.models import library
from bot.wiring import review, tasks

__all__ = ["tasks"]


def _likely() -> str | None:
    try:
        settings = config.environment()
    except ConfigError:  # the server says it
        return None
    return settings.worker or settings.root or review.preferred()[0]


for _module in library(_likely() or ""):
    import_module(_module)
gc.collect()
gc.freeze()
