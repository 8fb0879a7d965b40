"""Real models of an experiment, by their names, with the keys and addresses of the environment; and what they count under its cap."""

from bot import config
from bot.wiring import access
from deeprepo.rlm.models import provider_of
from deeprepo.rlm.models.provider import address, check_key
from deeprepo.rlm.money.budget import unknown
from deeprepo.rlm.values import Cost, Model


def check(name: str) -> str:
    """The name, behind which a model can be. Raises UsageError: no such name, or its key is missing."""
    provider = provider_of(name)
    base_url = access.address(provider.name, {"worker": name}, config.environment())
    address(provider, base_url)
    check_key(provider, config.provider_key(provider.key_variable), base_url)
    return name


def connect(name: str) -> Model:
    """A model that a person has typed as an option of a command, connected as the environment says."""
    return access.Connections(config.environment(), {"worker": name}).connect(name)


def usd_for_cap(cost: Cost) -> float:
    """The dollars of a finished piece of work for a cap over many of them. A server of the user's own bills nobody."""
    if cost.usd is not None:
        return cost.usd
    settings = config.environment()
    is_owned = all(access.Connections(settings, {"worker": model}).is_own(model) for model in cost.models)
    return 0.0 if is_owned else unknown(cost.usage)
