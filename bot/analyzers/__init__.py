"""Checks without a model. A new one is one file that satisfies `ports.Analyzer` and one line here."""

from collections.abc import Callable

from bot.ports import Analyzer


def _contracts() -> Analyzer:
    from bot.analyzers import contracts

    return contracts


def _ruff() -> Analyzer:
    from bot.analyzers import ruff

    return ruff


def _secrets() -> Analyzer:
    from bot.analyzers import secrets

    return secrets


ANALYZERS: dict[str, Callable[[], Analyzer]] = {"contracts": _contracts, "ruff": _ruff, "secrets": _secrets}
