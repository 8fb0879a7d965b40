"""Checks without a model. A new one is one file that satisfies `ports.Analyzer` and one line here."""

from collections.abc import Callable, Mapping
from functools import partial

from bot.ports import Analyzer, Language

Languages = Mapping[str, Language]  # name -> language: who judges definitions and calls has to know who reads them


def _contracts(languages: Languages) -> Analyzer:
    from bot.analyzers.contracts import Contracts

    return Contracts(languages)


def _linter(name: str, _: Languages) -> Analyzer:
    from importlib import import_module

    linter: Analyzer = import_module(f"{__name__}.{name}").LINTER
    return linter


def _ruff(_: Languages) -> Analyzer:
    from bot.analyzers import ruff

    return ruff


def _secrets(_: Languages) -> Analyzer:
    from bot.analyzers import secrets

    return secrets


def _settings(_: Languages) -> Analyzer:
    from bot.analyzers import settings

    return settings


ANALYZERS: dict[str, Callable[[Languages], Analyzer]] = {
    "contracts": _contracts,
    "ruff": _ruff,
    "secrets": _secrets,
    "settings": _settings,
    "oxlint": partial(_linter, "oxlint"),
    "shellcheck": partial(_linter, "shellcheck"),
    "zizmor": partial(_linter, "zizmor"),
    "hadolint": partial(_linter, "hadolint"),
}
