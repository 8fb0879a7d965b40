"""Choose a review's models, and the URL and key for each provider.

`DEEPREPO_BASE_URL_<PROVIDER>` sets the URL of one provider. `DEEPREPO_BASE_URL` applies to the provider of
the models that the person who runs deeprepo has chosen. A repository's settings can choose models, but never
URLs. Otherwise, the gateway at this URL would receive the keys of all providers that a repository mentions.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Any

from bot import config
from bot.config import Config, Settings
from bot.errors import MissingPart, UsageError
from bot.machine import extras
from deeprepo.rlm import PACKAGES, is_installed
from deeprepo.rlm.errors import NotInstalled
from deeprepo.rlm.models import LOCAL, NOTHING_SAID, PROVIDERS, TIMEOUT, connect, prices, provider_of
from deeprepo.rlm.models.provider import Provider, is_private
from deeprepo.rlm.values import UNLISTED, Limits, Model, Sampling, Usage, is_amount, provider_name

if TYPE_CHECKING:
    from bot.review.opening import Models
    from deeprepo.rlm.models.local import Function

# The provider, root model and worker model to use if no model is configured. The first one with a key is
# chosen.
PREFERRED = (
    ("anthropic", "anthropic/claude-sonnet-5-5", "anthropic/claude-haiku-5-5"),
    ("openai", "openai/gpt-5.4", "openai/gpt-5.4-mini"),
)

# The budget in dollars that allows a model with an unknown price. Its calls count at the highest price.
MIN_USD_FOR_UNLISTED = 5.0
CUSTOM_NAMES = {"azure", "bedrock"}  # providers whose customers choose the names of deployed models
HIGH_EFFORT_TURNS = 24  # limit for the root model's turns at effort high
COMMON_VARIABLE = "DEEPREPO_BASE_URL"


@dataclass(frozen=True, slots=True)
class Access:
    """How a program that uses the library calls one model. This overrides the environment.

    `function` is set if the program itself implements the model. Reprs hide the key and the URL.
    """

    key: str | None = field(default=None, repr=False)
    base_url: str | None = field(default=None, repr=False)
    sampling: Sampling = NOTHING_SAID
    rate: prices.Rate | None = None
    concurrency: int | None = None
    function: "Function | None" = None


FROM_ENVIRONMENT: Mapping[str, Access] = {}  # the environment determines how all models are called


def provider_of_common_url(
    common: str | None, first_models: Iterable[str | None], else_named: Iterable[str | None] = ()
) -> str | None:
    """Return the provider that DEEPREPO_BASE_URL (`common`) applies to, or None if it is not set.

    This is the provider of `first_models`, or else of `else_named`. Raises UsageError if there are several.
    """
    if not common:
        return None
    for models in (first_models, else_named):
        providers = {provider_name(model) for model in models if model}
        candidates = {name for name in providers if name in PROVIDERS and not config.base_url(name)}
        without_url = {name for name in candidates if PROVIDERS[name].base_url is None}
        candidates = without_url if len(candidates) > 1 and len(without_url) == 1 else candidates
        if len(candidates) > 1:
            variables = " and ".join(f"{COMMON_VARIABLE}_{name.upper()}" for name in sorted(candidates))
            raise UsageError(f"{COMMON_VARIABLE} applies to one provider, but the models use several. Set {variables}")
        if providers:
            return next(iter(candidates), None)
    return "compatible"


def address(provider: str, flags: Mapping[str, Any], settings: Settings) -> str | None:
    """Return the configured URL for a provider, or None for the provider's default URL.

    Raises UsageError if DEEPREPO_BASE_URL is set but it is unclear for which provider, because code could
    then be sent to the wrong server.
    """
    address = config.base_url(provider)
    if address or not settings.base_url:
        return address
    chosen = (settings.root, settings.worker), (flags.get("root"), flags.get("worker"))
    if provider == provider_of_common_url(settings.base_url, *chosen):
        return settings.base_url
    if not any(model for models in chosen for model in models):
        raise UsageError(
            f"{COMMON_VARIABLE} is set, but it is unclear for which provider. Set {COMMON_VARIABLE}_{provider.upper()} instead, or choose "
            "the model with DEEPREPO_WORKER or --worker"
        )
    return None


@dataclass(frozen=True, slots=True)
class Connections:
    """Connects to models.

    `settings` are the environment's settings, `flags` contain the models given on the command line, and
    `access` is for models that a program configures.
    """

    settings: Settings
    flags: Mapping[str, Any] = field(default_factory=dict)
    access: Mapping[str, Access] = field(default_factory=dict)

    def connect(self, name: str, timeout: float = TIMEOUT) -> Model:
        """Return a model by name. Raises MissingPart if its client is not installed, and UsageError."""
        provider, access = provider_of(name), self.access.get(name, Access())
        if access.function is not None:
            from deeprepo.rlm.models.local import FunctionModel

            return FunctionModel(name, access.function)
        if provider.name not in LOCAL:
            extras.need("models")
        try:
            return connect(
                name,
                access.key or config.provider_key(provider.key_variable),
                self._url(name, provider),
                timeout,
                region=config.first_set(provider.region_variables),
                project=config.first_set(provider.project_variables),
                sampling=access.sampling,
                rate=self._rate(name),
                concurrency=access.concurrency,
            )
        except NotInstalled as missing:
            raise MissingPart(str(missing), extras.install(missing.extra)) from None

    def check_known(self, names: Iterable[str | None], usd: float | None) -> None:
        """Raise UsageError for a model that is not in the price list, unless the budget `usd` allows it."""
        for name in filter(None, names):
            provider = provider_of(name)
            is_set = self._url(name, provider) or self._rate(name)
            if usd is None or usd >= MIN_USD_FOR_UNLISTED or is_set or not is_installed(prices.LIST):
                continue
            near = _nearest(name)
            if near is None:
                continue
            example = near or next((row[1] for row in PREFERRED if row[0] == provider.name), "")
            hint = f"Did you mean {example}? " if example else ""
            raise UsageError(
                f"{name}: unknown model. {hint}If the model is newer than this version's price list, allow at least ${MIN_USD_FOR_UNLISTED:.0f} "
                "(--max-usd, budget.usd): its calls are counted at the highest price"
            )

    def models(self, settings: Config) -> "Models":
        """Return a review's models, none offline. Raises UsageError if a strategy lacks a model."""
        from bot.review.opening import Models
        from bot.review.strategies import WITHOUT_ROOT

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

    def is_own(self, name: str) -> bool:
        """Return whether a model is a program, or a server at a private address."""
        provider = provider_of(name)
        url = self._url(name, provider) or provider.base_url
        return provider.name in LOCAL or (url is not None and is_private(url))

    def price(self, name: str) -> Callable[[Usage], float | None]:
        """Return the function that prices a model's usage, without connecting to it."""
        return partial(prices.dollars, name, rate=self._rate(name), is_own=self.is_own(name))

    def _rate(self, name: str) -> prices.Rate | None:
        """Return the price that the program or the operator has set for a model, or None."""
        return self.access.get(name, Access()).rate or rates(self.settings).get(name)

    def _url(self, name: str, provider: Provider) -> str | None:
        named = self.access.get(name, Access()).base_url or address(provider.name, self.flags, self.settings)
        return named or config.first_set(provider.url_variables)


def rates(settings: Settings) -> Mapping[str, prices.Rate]:
    """Return the prices in DEEPREPO_PRICES by model. Raises UsageError if they can't be read."""
    found = dict[str, prices.Rate]()
    for part in filter(None, map(str.strip, (settings.prices or "").split(","))):
        name, _, rate = part.rpartition("=")
        try:
            given, made = map(float, rate.split("/"))
        except ValueError:
            given = made = -1.0
        if not (name and is_amount(given) and is_amount(made)):
            raise UsageError(
                f"DEEPREPO_PRICES: {part!r} is not a price. Write provider/model=INPUT/OUTPUT, in dollars per million tokens"
            )
        found[name.strip()] = given, made
    return found


def limits(settings: Config) -> Limits:
    """Return a review's limits and call settings."""
    return Limits(
        usd=settings.usd,
        calls=settings.calls,
        seconds=settings.seconds,
        context=settings.context,
        effort=settings.thinking,
        turns=HIGH_EFFORT_TURNS if settings.effort == "high" else Limits().turns,
    )


def in_force(settings: Config) -> Config:
    """Return the settings with the models that a review will use, also if only a key determines them."""
    if settings.root or settings.worker or settings.strategy == "offline":
        return settings
    root, worker = named_models(settings)
    key_roles = [name for name, model in (("root", root), ("worker", worker)) if model]
    origins = {**settings.origins, **dict.fromkeys(key_roles, "the configured key")}
    return replace(settings, root=root or settings.root, worker=worker or settings.worker, origins=origins)


def keys() -> tuple[str, ...]:
    """Return all providers' keys that are set, so that logs can hide them."""
    values = (config.provider_key(provider.key_variable) for provider in PROVIDERS.values())
    return tuple(key.get_secret_value() for key in values if key)


def can_ask(settings: Config) -> bool:
    """Return whether a model is configured and the settings allow asking it."""
    return any(named_models(settings)) and settings.strategy != "offline"


def named_models(settings: Config | Settings) -> tuple[str | None, str | None]:
    """Return the configured root and worker, or else those of the first preferred provider with a key."""
    if settings.root or settings.worker:
        return settings.root, settings.worker
    keyed = (models for provider, *models in PREFERRED if config.provider_key(PROVIDERS[provider].key_variable))
    root, worker = next(keyed, (None, None))
    return root, worker


def model_fault(settings: Settings) -> UsageError | None:
    """Return why the operator's models can't be used on this machine, or None if they can."""
    try:
        for name in filter(None, named_models(settings)):
            if provider_of(name).name not in LOCAL:
                extras.need("models")
    except UsageError as fault:
        return fault
    return None


def _nearest(name: str) -> str | None:
    """Return the most similar listed model, "" if none is similar, or None if the name may be valid."""
    provider, model = provider_name(name), name.partition("/")[2]
    known = prices.listed(provider)
    if provider in UNLISTED | CUSTOM_NAMES or prices.VARIANT.search(model) or not known:
        return None
    if prices.dollars(name, Usage()) is not None:
        return None
    near = get_close_matches(model.lower(), known, 1, 0.8)
    return f"{provider}/{near[0]}" if near else ""


def load(name: str) -> None:
    """Import the modules that a model needs, including prices and HTTP client. Ignore unknown names."""
    provider = PROVIDERS.get(name.partition("/")[0])
    if provider is not None and is_installed(*PACKAGES):
        import_module(f"deeprepo.rlm.models.{provider.dialect}")
        import_module("deeprepo.rlm.models.connection").load()
        prices.dollars(name, Usage())


def load_in_background(name: str) -> None:
    """Start importing the modules that a model needs in a thread, while git is running."""
    Thread(target=load, args=(name,), name="load-model", daemon=True).start()
