"""Where each provider's calls go: an address is used with the key of the provider that it was set for, and with no other.

`DEEPREPO_BASE_URL_<PROVIDER>` names its provider. `DEEPREPO_BASE_URL` belongs to the provider of the models that the person
who runs deeprepo names. A repository's file may name models too, but never where they are: otherwise a gateway would be sent
the key of every provider that somebody's file mentions.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot import config
from bot.config import Settings
from bot.errors import UsageError
from bot.models import PROVIDERS

COMMON = "DEEPREPO_BASE_URL"


@dataclass(frozen=True, slots=True)
class Access:
    """How one model is called where a program says it instead of the environment. Neither part shows itself when printed."""

    key: str | None = field(default=None, repr=False)
    base_url: str | None = field(default=None, repr=False)


def owner(common: str | None, first_models: Iterable[str | None], else_named: Iterable[str | None] = ()) -> str | None:
    """The provider that DEEPREPO_BASE_URL belongs to: of the models of the environment, else of the flags.

    Raises UsageError if that is more than one.
    """
    if not common:
        return None
    for models in (first_models, else_named):
        providers = {model.partition("/")[0] for model in models if model}
        candidates = {name for name in providers if name in PROVIDERS and not config.base_url(name)}
        homeless = {name for name in candidates if PROVIDERS[name].base_url is None}
        candidates = homeless if len(candidates) > 1 and len(homeless) == 1 else candidates
        if len(candidates) > 1:
            variables = " and ".join(f"{COMMON}_{name.upper()}" for name in sorted(candidates))
            raise UsageError(f"{COMMON} belongs to one provider, and the models are of several: set {variables}")
        if providers:
            return next(iter(candidates), None)
    return "compatible"


def address(provider: str, flags: Mapping[str, Any], settings: Settings) -> str | None:
    """The address to call this provider at, None for its own.

    Raises UsageError if DEEPREPO_BASE_URL is set and nobody said for which provider: the code would go elsewhere than expected.
    """
    own = config.base_url(provider)
    if own or not settings.base_url:
        return own
    ours = (settings.root, settings.worker), (flags.get("root"), flags.get("worker"))
    if provider == owner(settings.base_url, *ours):
        return settings.base_url
    if not any(model for models in ours for model in models):
        raise UsageError(
            f"{COMMON} is set, but not for which provider: set {COMMON}_{provider.upper()} in its place, or name the model "
            "with DEEPREPO_WORKER or --worker"
        )
    return None


def address_for_option(model: str) -> str | None:
    """The address for a model that a person has typed as an option of a command."""
    return address(model.partition("/")[0], {"worker": model}, config.environment())
