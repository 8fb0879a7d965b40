"""Static checks: every file in `checks` is one, and the rest of this package is what they share."""

from importlib import import_module

from bot.ports import Analyzer


def load_analyzer(name: str) -> Analyzer:
    """Return the check in the file of this name, with nothing from an earlier review."""
    module = import_module(f"{__name__}.checks.{name}")
    analyzer: Analyzer = module.ANALYZER() if hasattr(module, "ANALYZER") else module
    return analyzer
