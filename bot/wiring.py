"""Settings in, working parts out: the only module that names concrete classes."""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from bot import config
from bot.analyzers import ANALYZERS
from bot.config import Config
from bot.errors import ConfigError, UsageError
from bot.languages import LANGUAGES
from bot.models import PROVIDERS, connect, named
from bot.pipeline import Deps
from bot.ports import Model
from bot.rlm.desk import Models, Subject, desk
from bot.rlm.work import Work
from bot.values import Limits

# Root and worker where a key is there and no model is named, in the order of preference.
PREFERRED = (
    ("anthropic", "anthropic/claude-sonnet-5-5", "anthropic/claude-haiku-5-5"),
    ("openai", "openai/gpt-5.4", "openai/gpt-5.4-mini"),
)


def deps(flags: Mapping[str, Any], scratch: str, say: Callable[[str], None]) -> Deps:
    """The parts of a review of a local change."""
    settings = config.environment()
    journal = flags.get("journal") or settings.journal

    def open_desk(subject: Subject, resolved: Config) -> AbstractAsyncContextManager[Work]:
        chosen = {name: ANALYZERS[name]() for name in analyzers(resolved)}
        return desk(
            subject,
            models(resolved, settings.base_url),
            chosen,
            limits(resolved),
            languages=LANGUAGES,
            journal=journal,
            keep_on_cancel=True,
            say=say,
        )

    return Deps(
        languages=LANGUAGES,
        desk=open_desk,
        settings=settings,
        flags=flags,
        scratch=scratch,
        clock=time.monotonic,
        say=say,
    )


def analyzers(resolved: Config) -> tuple[str, ...]:
    """The analysers that the repository asks for."""
    unknown = set(resolved["analyzers"]) - set(ANALYZERS)
    if unknown:
        raise ConfigError(f"unknown analysers {', '.join(sorted(unknown))}: known are {', '.join(ANALYZERS)}")
    return tuple(resolved["analyzers"])


def models(resolved: Config, base_url: str | None) -> Models:
    """Root and worker as named, or the preferred ones of a provider whose key is set, or none: the review runs offline."""
    root, worker = resolved["root"], resolved["worker"]
    if resolved["strategy"] == "offline":
        return Models(None, None)
    if not root and not worker:
        root, worker = _preferred()
    if not root and not worker:
        if resolved["strategy"] != "auto":
            variables = ", ".join(sorted(p.key_variable for p in PROVIDERS.values() if p.needs_key))
            raise UsageError(
                f"the strategy {resolved['strategy']} needs a model: name one with --worker provider/model, or set one of {variables}"
            )
        return Models(None, None)
    reader = _connected(worker or root, base_url)
    return Models(_connected(root, base_url) if root else None, reader)


def limits(resolved: Config) -> Limits:
    """The hard caps of one review."""
    return Limits(usd=resolved["usd"], tokens=resolved["tokens"], calls=resolved["calls"], seconds=resolved["seconds"])


def _preferred() -> tuple[str | None, str | None]:
    for provider, root, worker in PREFERRED:
        if config.key(PROVIDERS[provider].key_variable):
            return root, worker
    return None, None


def _connected(name: str, base_url: str | None) -> Model:
    provider = named(name)
    return connect(name, config.key(provider.key_variable), base_url)
