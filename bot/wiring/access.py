"""Choose a review's models and the address of each provider.

A provider's key is only sent to its own address.

`DEEPREPO_BASE_URL_<PROVIDER>` names its provider. `DEEPREPO_BASE_URL` belongs to the provider of the models
chosen by the person who runs deeprepo. A repository's file may name models, but never addresses. Otherwise a
gateway would receive the key of every provider mentioned in a repository.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib import import_module
from ipaddress import ip_address
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bot import config
from bot.config import Config, Settings
from bot.errors import MissingPart, UsageError
from bot.machine import extras
from bot.review.opening import Models
from bot.review.strategies.choice import WITHOUT_ROOT
from deeprepo.rlm import PACKAGES, is_installed
from deeprepo.rlm.errors import NotInstalled
from deeprepo.rlm.models import LOCAL, NOTHING_SAID, PROVIDERS, TIMEOUT, connect, prices, provider_of
from deeprepo.rlm.models.provider import Provider
from deeprepo.rlm.money import capacity
from deeprepo.rlm.values import OWN_SERVERS, Limits, Model, Sampling, Usage, provider_name

if TYPE_CHECKING:
    from deeprepo.rlm.models.local import Function

# Root and worker models by available key if none is named, in order of preference.
PREFERRED = (
    ("anthropic", "anthropic/claude-sonnet-5-5", "anthropic/claude-haiku-5-5"),
    ("openai", "openai/gpt-5.4", "openai/gpt-5.4-mini"),
)

UNLISTED = (
    # Dollars that a review must allow for a model with an unknown price, as each call counts at the highest
    # price.
    5.0
)
RENAMED = {"azure", "bedrock"}  # providers at which customers choose names of deployed models
MISSPELT_FROM = 0.9  # similarity from 0 to 1 from which a name counts as misspelled
HIGH_TURNS = 24  # of a root at effort high
COMMON = "DEEPREPO_BASE_URL"


@dataclass(frozen=True, slots=True)
class Access:
    """How a program calls one model, overriding the environment. Key and address are hidden in reprs.

    `function` is the model itself if the program provides it.
    """

    key: str | None = field(default=None, repr=False)
    base_url: str | None = field(default=None, repr=False)
    sampling: Sampling = NOTHING_SAID
    function: "Function | None" = None


NOTHING: Mapping[str, Access] = {}  # the environment determines how models are called


def owner(common: str | None, first_models: Iterable[str | None], else_named: Iterable[str | None] = ()) -> str | None:
    """Return the provider of DEEPREPO_BASE_URL, from the environment's models or else the flags'.

    Raises UsageError if there is more than one.
    """
    if not common:
        return None
    for models in (first_models, else_named):
        providers = {provider_name(model) for model in models if model}
        candidates = {name for name in providers if name in PROVIDERS and not config.base_url(name)}
        homeless = {name for name in candidates if PROVIDERS[name].base_url is None}
        candidates = homeless if len(candidates) > 1 and len(homeless) == 1 else candidates
        if len(candidates) > 1:
            variables = " and ".join(f"{COMMON}_{name.upper()}" for name in sorted(candidates))
            raise UsageError(f"{COMMON} applies to one provider, but the models use several. Set {variables}")
        if providers:
            return next(iter(candidates), None)
    return "compatible"


def address(provider: str, flags: Mapping[str, Any], settings: Settings) -> str | None:
    """Return the provider's configured address; None for its own.

    Raises UsageError if DEEPREPO_BASE_URL is set without a known provider, because code could be sent
    elsewhere.
    """
    address = config.base_url(provider)
    if address or not settings.base_url:
        return address
    ours = (settings.root, settings.worker), (flags.get("root"), flags.get("worker"))
    if provider == owner(settings.base_url, *ours):
        return settings.base_url
    if not any(model for models in ours for model in models):
        raise UsageError(
            f"{COMMON} is set, but not for which provider: set {COMMON}_{provider.upper()} in its place, or name the model "
            "with DEEPREPO_WORKER or --worker"
        )
    return None


@dataclass(frozen=True, slots=True)
class Connections:
    """How models are called.

    `settings` are those of the environment, `flags` name typed models, and `access` is for models that a
    program configures.
    """

    settings: Settings
    flags: Mapping[str, Any] = field(default_factory=dict)
    access: Mapping[str, Access] = field(default_factory=dict)

    def connect(self, name: str, timeout: float = TIMEOUT) -> Model:
        """Return a model by name."""
        provider, access = provider_of(name), self.access.get(name, Access())
        if access.function is not None:
            from deeprepo.rlm.models.local import FunctionModel

            return FunctionModel(name, access.function)
        if provider.name not in LOCAL:
            try:
                extras.need("models")
            except MissingPart as missing:
                raise MissingPart(f"{_spelling(name)}{missing.sentence}", missing.remedy) from None
        try:
            return connect(
                name,
                access.key or config.key(provider.key_variable),
                self._url(name, provider),
                timeout,
                region=config.first(provider.region_variables),
                project=config.first(provider.project_variables),
                sampling=access.sampling,
            )
        except NotInstalled as missing:
            raise MissingPart(str(missing), extras.install(missing.extra)) from None

    def check_known(self, names: Iterable[str | None], usd: float | None) -> None:
        """Raise UsageError for a model missing from its provider's list, unless the budget allows it."""
        for name in filter(None, names):
            provider = provider_of(name)
            if usd is None or usd >= UNLISTED or self._url(name, provider) or not is_installed(prices.LIST):
                continue
            near = _nearest(name)
            if near is None:
                continue
            example = near or next((row[1] for row in PREFERRED if row[0] == provider.name), "")
            hint = f"Did you mean {example}? " if example else ""
            raise UsageError(
                f"{name}: unknown model. {hint}If the model is newer than this version's price list, allow at least ${UNLISTED:.0f} "
                "(--max-usd, budget.usd): its calls are counted at the highest price"
            )

    def models(self, settings: Config) -> Models:
        """Return a review's root and worker; none for an offline review."""
        if settings.strategy == "offline":
            return Models(None, None)
        root, worker = named_models(settings)
        reader = worker or root
        if not reader:
            if settings.strategy != "auto":
                variables = ", ".join(sorted(p.key_variable for p in PROVIDERS.values() if p.needs_key))
                raise UsageError(
                    f"the strategy {settings.strategy} needs a model. Pass --worker provider/model, or set one of {variables}"
                )
            return Models(None, None)
        if not root and settings.strategy not in WITHOUT_ROOT:
            raise UsageError(f"the strategy {settings.strategy} needs a root model. Pass --root provider/model")
        connected_reader = self.connect(reader, settings.timeout)
        others = tuple(self.connect(name, settings.timeout) for name in settings.readers)
        return Models(self.connect(root, settings.timeout) if root else None, connected_reader, others)

    def own(self, called_models: Iterable[Model | None]) -> tuple[str, ...]:
        """Return the providers at private addresses, which do not bill by token."""
        providers = set()
        for model in filter(None, called_models):
            provider = provider_of(model.name)
            url = self._url(model.name, provider) or provider.base_url
            if provider.name not in OWN_SERVERS and url is not None and _is_private(url):
                providers.add(provider.name)
        return tuple(sorted(providers))

    def _url(self, name: str, provider: Provider) -> str | None:
        """Return a model's address; None for its provider's own."""
        named = self.access.get(name, Access()).base_url or address(provider.name, self.flags, self.settings)
        return named or config.first(provider.url_variables)


def limits(settings: Config, own: tuple[str, ...] = (), worker: str = "") -> Limits:
    """Return a review's limits and call settings. The user's own servers get few concurrent calls."""
    return Limits(
        usd=settings.usd,
        tokens=settings.tokens,
        calls=settings.calls,
        seconds=settings.seconds,
        concurrency=settings.concurrency or (capacity.OWN_PLACES if provider_name(worker) in own else None),
        context=settings.context,
        effort=settings.thinking,
        turns=HIGH_TURNS if settings.effort == "high" else Limits().turns,
        own=own,
    )


def in_force(settings: Config) -> Config:
    """Return the settings with the models chosen by an available key if none is named."""
    if settings.root or settings.worker or settings.strategy == "offline":
        return settings
    root, worker = named_models(settings)
    key_roles = [name for name, model in (("root", root), ("worker", worker)) if model]
    origins = {**settings.origins, **dict.fromkeys(key_roles, "the configured key")}
    return replace(settings, root=root or settings.root, worker=worker or settings.worker, origins=origins)


def _spelling(name: str) -> str:
    """Return a "did you mean" question for a misspelled name.

    Without the packages, only our names are known.
    """
    known = [model for _, *models in PREFERRED for model in models]
    near = [] if name in known else get_close_matches(name.lower(), known, 1, MISSPELT_FROM)
    return f"{name}: did you mean {near[0]}? " if near else ""


def keys() -> tuple[str, ...]:
    """Return the providers' keys that are set, so that logs can hide them."""
    values = (config.key(provider.key_variable) for provider in PROVIDERS.values())
    return tuple(key.get_secret_value() for key in values if key)


def can_ask(settings: Config) -> bool:
    """Return whether a model can be asked."""
    return any(named_models(settings)) and settings.strategy != "offline"


def named_models(settings: Config | Settings) -> tuple[str | None, str | None]:
    """Return root and worker as named, else those of the first provider with a key."""
    if settings.root or settings.worker:
        return settings.root, settings.worker
    keyed = (models for provider, *models in PREFERRED if config.key(PROVIDERS[provider].key_variable))
    root, worker = next(keyed, (None, None))
    return root, worker


def model_fault(settings: Settings) -> UsageError | None:
    """Return why a model configured by the operator cannot be used on this machine; None if it can."""
    try:
        for name in filter(None, named_models(settings)):
            if provider_of(name).name not in LOCAL:
                extras.need("models")
    except UsageError as fault:
        return fault
    return None


def _nearest(name: str) -> str | None:
    """Return the listed model nearest to an unlisted name, "" if none is near, None if it may be valid."""
    provider, model = provider_name(name), name.partition("/")[2]
    known = prices.listed(provider)
    if provider in OWN_SERVERS | RENAMED or prices.VARIANT.search(model) or not known:
        return None
    if prices.dollars(name, Usage()) is not None:
        return None
    near = get_close_matches(model.lower(), known, 1, 0.8)
    return f"{provider}/{near[0]}" if near else ""


def _is_private(base_url: str) -> bool:
    """Return whether an address is on this machine or a private network."""
    host = (urlsplit(base_url).hostname or "").lower()
    try:
        address = ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal", ".lan", ".localhost"))
    return address.is_private or address.is_loopback or address.is_link_local


def load(name: str) -> None:
    """Load the modules behind a model, including prices and HTTP client. `connect` reports wrong names."""
    provider = PROVIDERS.get(name.partition("/")[0])
    if provider is not None and is_installed(*PACKAGES):
        import_module(f"deeprepo.rlm.models.{provider.dialect}")
        import_module("deeprepo.rlm.models.connection").load()
        prices.dollars(name, Usage())


def warm(name: str) -> None:
    """Start loading the modules behind a model in a thread, while git is running."""
    Thread(target=load, args=(name,), name="warm", daemon=True).start()
