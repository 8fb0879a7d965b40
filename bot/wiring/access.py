"""Which models a review asks, and where each provider's calls go: an address is used with the key of its own provider, and with no other.

`DEEPREPO_BASE_URL_<PROVIDER>` names its provider. `DEEPREPO_BASE_URL` belongs to the provider of the models that the person
who runs deeprepo names. A repository's file may name models too, but never where they are: otherwise a gateway would be sent
the key of every provider that somebody's file mentions.
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

# Root and worker where a key is there and no model is named, in the order of preference.
PREFERRED = (
    ("anthropic", "anthropic/claude-sonnet-5-5", "anthropic/claude-haiku-5-5"),
    ("openai", "openai/gpt-5.4", "openai/gpt-5.4-mini"),
)

UNLISTED = (
    5.0  # dollars that a review must be allowed for a model of unknown price: each call counts as one of the dearest
)
RENAMED = {"azure", "bedrock"}  # providers at which a customer can name a deployed model freely
MISSPELT_FROM = 0.9  # of two names, from 0 to 1: one of them is misspelt
HIGH_TURNS = 24  # of a root at effort high
COMMON = "DEEPREPO_BASE_URL"


@dataclass(frozen=True, slots=True)
class Access:
    """How one model is called where a program says it instead of the environment. Key and address do not show themselves when printed.

    `function` is the model itself, where it is one of the program's own.
    """

    key: str | None = field(default=None, repr=False)
    base_url: str | None = field(default=None, repr=False)
    sampling: Sampling = NOTHING_SAID
    function: "Function | None" = None


NOTHING: Mapping[str, Access] = {}  # the environment says how every model is called


def owner(common: str | None, first_models: Iterable[str | None], else_named: Iterable[str | None] = ()) -> str | None:
    """Return the provider that DEEPREPO_BASE_URL belongs to: of the models of the environment, else of the flags.

    Raises UsageError if that is more than one.
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
    """Return the address to call this provider at, None for its own.

    Raises UsageError if DEEPREPO_BASE_URL is set and nobody said for which provider: the code would go elsewhere than expected.
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
    """How models are called: as the environment says (`settings`), for models that a person has typed (`flags`), and by a program (`access`)."""

    settings: Settings
    flags: Mapping[str, Any] = field(default_factory=dict)
    access: Mapping[str, Access] = field(default_factory=dict)

    def connect(self, name: str, timeout: float = TIMEOUT) -> Model:
        """Return a model by its name."""
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
        """Raise UsageError for a model that its provider's list lacks, unless the cap pays for one that is newer than the list."""
        for name in filter(None, names):
            provider = provider_of(name)
            if usd is None or usd >= UNLISTED or self._url(name, provider) or not is_installed(prices.LIST):
                continue
            near = _nearest(name)
            if near is None:
                continue
            example = near or next((row[1] for row in PREFERRED if row[0] == provider.name), "")
            hint = f"did you mean {example}? " if example else ""
            raise UsageError(
                f"{name}: unknown model. {hint}If the model is newer than this version's price list, allow at least ${UNLISTED:.0f} "
                "(--max-usd, budget.usd): its calls are counted at the highest price"
            )

    def models(self, settings: Config) -> Models:
        """Return root and worker of a review, or none: then it runs offline."""
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
        """Return the providers that are called at an address of this machine or of a private network: these bill nobody by the token."""
        providers = set()
        for model in filter(None, called_models):
            provider = provider_of(model.name)
            url = self._url(model.name, provider) or provider.base_url
            if provider.name not in OWN_SERVERS and url is not None and _is_private(url):
                providers.add(provider.name)
        return tuple(sorted(providers))

    def _url(self, name: str, provider: Provider) -> str | None:
        """Where a model is called, None for its provider's own address."""
        named = self.access.get(name, Access()).base_url or address(provider.name, self.flags, self.settings)
        return named or config.first(provider.url_variables)


def limits(settings: Config, own: tuple[str, ...] = (), worker: str = "") -> Limits:
    """Return the hard caps of one review, and how its models are called. A server of the user's own gets few calls at once."""
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
    """Return the settings with the models that a key brings, where nobody names one."""
    if settings.root or settings.worker or settings.strategy == "offline":
        return settings
    root, worker = named_models(settings)
    key_roles = [name for name, model in (("root", root), ("worker", worker)) if model]
    origins = {**settings.origins, **dict.fromkeys(key_roles, "the configured key")}
    return replace(settings, root=root or settings.root, worker=worker or settings.worker, origins=origins)


def _spelling(name: str) -> str:
    """The question whether a name was meant that is near to it: without the packages, only ours are known."""
    known = [model for _, *models in PREFERRED for model in models]
    near = [] if name in known else get_close_matches(name.lower(), known, 1, MISSPELT_FROM)
    return f"{name}: did you mean {near[0]}? " if near else ""


def keys() -> tuple[str, ...]:
    """Return the keys of providers that are set: no log shows them."""
    values = (config.key(provider.key_variable) for provider in PROVIDERS.values())
    return tuple(key.get_secret_value() for key in values if key)


def can_ask(settings: Config) -> bool:
    """Return whether a question can be put to a model."""
    return any(named_models(settings)) and settings.strategy != "offline"


def named_models(settings: Config | Settings) -> tuple[str | None, str | None]:
    """Return root and worker as they are named, else those of the first provider whose key is set."""
    if settings.root or settings.worker:
        return settings.root, settings.worker
    keyed = (models for provider, *models in PREFERRED if config.key(PROVIDERS[provider].key_variable))
    root, worker = next(keyed, (None, None))
    return root, worker


def model_fault(settings: Settings) -> UsageError | None:
    """Return why a model that the operator has configured cannot be asked on this machine; None if nothing is missing."""
    try:
        for name in filter(None, named_models(settings)):
            if provider_of(name).name not in LOCAL:
                extras.need("models")
    except UsageError as fault:
        return fault
    return None


def _nearest(name: str) -> str | None:
    """The listed model whose name is nearest to one that is on no list, "" if none is near, None if nobody can know it to be wrong."""
    provider, model = provider_name(name), name.partition("/")[2]
    known = prices.listed(provider)
    if provider in OWN_SERVERS | RENAMED or prices.VARIANT.search(model) or not known:
        return None
    if prices.dollars(name, Usage()) is not None:
        return None
    near = get_close_matches(model.lower(), known, 1, 0.8)
    return f"{provider}/{near[0]}" if near else ""


def _is_private(base_url: str) -> bool:
    """Whether an address is one of this machine or of a private network."""
    host = (urlsplit(base_url).hostname or "").lower()
    try:
        address = ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal", ".lan", ".localhost"))
    return address.is_private or address.is_loopback or address.is_link_local


def load(name: str) -> None:
    """Load all that is behind a model, its prices and its HTTP client too. `connect` reports a wrong name."""
    provider = PROVIDERS.get(name.partition("/")[0])
    if provider is not None and is_installed(*PACKAGES):
        import_module(f"deeprepo.rlm.models.{provider.dialect}")
        import_module("deeprepo.rlm.models.connection").load()
        prices.dollars(name, Usage())


def warm(name: str) -> None:
    """Begin to load what is behind a model in a thread, while git is waited for."""
    Thread(target=load, args=(name,), name="warm", daemon=True).start()
