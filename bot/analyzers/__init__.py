"""Static checks.

A new check is a file that implements `ports.Analyzer`, and a name in `bot/config/defaults.py`.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module

from bot.config import DEFAULTS
from bot.config.defaults import TYPE_CHECKERS
from bot.ports import Analyzer


def _load(name: str) -> Analyzer:
    """Return the module's `LINTER`, the result of its `build`, or the module itself."""
    module = import_module(f"{__name__}.type_checkers.{name}" if name in TYPE_CHECKERS else f"{__name__}.{name}")
    build = getattr(module, "build", None)
    analyzer: Analyzer = build() if build is not None else getattr(module, "LINTER", module)
    return analyzer


ANALYZERS: dict[str, Callable[[], Analyzer]] = {name: partial(_load, name) for name in DEFAULTS["analyzers"]}
