"""Clients for models: one file per API dialect, one line in PROVIDERS per provider. Models are named `provider/model`.

The client libraries take 0.4 to 0.9 s to import, so `connect` imports only the one that it needs.
"""

from itertools import starmap
from operator import attrgetter
from typing import TYPE_CHECKING

from deeprepo.rlm import PACKAGES, is_installed
from deeprepo.rlm.errors import NotInstalled, UsageError
from deeprepo.rlm.models.provider import Key, Provider, Tokens, address, check_key, is_private, key_text
from deeprepo.rlm.values import COMMAND, FUNCTION, Model, Sampling, provider_name

if TYPE_CHECKING:
    from deeprepo.rlm.models.connection import HttpModel

NOTHING_SAID = Sampling()
# Maximum seconds between two pieces of a reply. A thinking model may send nothing for a long time.
TIMEOUT = 300.0

# Servers with the OpenAI dialect that need nothing but an address.
ADDRESSES = {
    "cerebras": "https://api.cerebras.ai/v1",
    "deepseek": "https://api.deepseek.com/v1",
    "fireworks": "https://api.fireworks.ai/inference/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta/openai",
    "groq": "https://api.groq.com/openai/v1",
    "mistral": "https://api.mistral.ai/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "together": "https://api.together.xyz/v1",
    "xai": "https://api.x.ai/v1",
}
OTHERS = (
    Provider("anthropic", "https://api.anthropic.com", dialect="anthropic"),
    Provider(
        "azure", None, "AZURE_OPENAI_API_KEY", tokens="max_completion_tokens", headers=("api-key",),
        url_variables=("AZURE_OPENAI_ENDPOINT",),
    ),
    Provider(
        "bedrock", None, "AWS_BEARER_TOKEN_BEDROCK", dialect="anthropic", needs_key=False, cloud="bedrock",
        region_variables=("AWS_REGION", "AWS_DEFAULT_REGION"),
    ),
    Provider("compatible", None, needs_key=False),  # any server by its base URL
    Provider("ollama", "http://127.0.0.1:11434/v1", needs_key=False),
    Provider("openai", "https://api.openai.com/v1", tokens="max_completion_tokens"),
    Provider(
        "vertex", None, "", dialect="anthropic", needs_key=False, cloud="vertex",
        region_variables=("CLOUD_ML_REGION", "GOOGLE_CLOUD_LOCATION"),
        project_variables=("ANTHROPIC_VERTEX_PROJECT_ID", "GOOGLE_CLOUD_PROJECT"),
    ),
)  # fmt: skip
PROVIDERS = {
    provider.name: provider
    for provider in sorted((*OTHERS, *starmap(Provider, ADDRESSES.items())), key=attrgetter("name"))
}

LOCAL = {name: Provider(name, None, "", needs_key=False) for name in ("exec", "function")}  # models without an HTTP API


def provider_of(name: str) -> Provider:
    """Return the provider of a model named `provider/model`. Raises UsageError if the name is invalid."""
    if (local := provider_name(name)) in LOCAL and name.partition(":")[2].strip():
        return LOCAL[local]
    provider, slash, model = name.partition("/")
    if not slash or not provider or not model:
        raise UsageError(f"{name!r} is not a full model name. Write provider/model, for example openai/gpt-5.4-mini")
    if provider not in PROVIDERS:
        raise UsageError(
            f"unknown provider {provider!r}: there is {', '.join(PROVIDERS)}. For any other server with the OpenAI API, such as vLLM, "
            f"write compatible/{model} and give its address"
        )
    return PROVIDERS[provider]


def connect(
    name: str,
    key: Key = None,
    base_url: str | None = None,
    timeout: float = TIMEOUT,
    *,
    region: str | None = None,
    project: str | None = None,
    sampling: Sampling = NOTHING_SAID,
    rate: "tuple[float, float] | None" = None,
    concurrency: int | None = None,
) -> Model:
    """Return a model by its name, without connecting yet. A server at a `base_url` may need no key.

    `timeout` is the maximum number of seconds between two pieces of a reply, or for a command's whole reply.
    `region` and `project` are only used for cloud models. `rate` is the price in US dollars per million tokens of input and of
    output, and `concurrency` the number of calls in flight, if the defaults don't apply.
    """
    provider = provider_of(name)
    if name.startswith(FUNCTION):
        raise UsageError(f"{name} is a function. Pass it from your program with deeprepo.RLM(root=...)")
    if name.startswith(COMMAND):
        from deeprepo.rlm.models.local import CommandModel

        if sampling != NOTHING_SAID:
            raise UsageError(f"{name} is a command. Set sampling options in the command itself")
        return CommandModel(name, timeout)
    if not is_installed(*PACKAGES):
        raise NotInstalled(f"{name} needs packages that are not installed", "models")
    check_key(provider, key, base_url)
    url = "" if provider.cloud else address(provider, base_url)
    model: HttpModel
    if provider.cloud:
        from deeprepo.rlm.models import clouds

        model = clouds.connect(provider, name, key, base_url, timeout, region, project)
    elif provider.dialect == "anthropic":
        from deeprepo.rlm.models.anthropic import AnthropicModel, client_of

        model = AnthropicModel(name, url, timeout, client_of(key, url, timeout))
    else:
        from deeprepo.rlm.models.openai import OpenAIModel

        foreign = provider.base_url is not None and url != provider.base_url
        headers = provider.headers or (("x-api-key",) if (foreign or provider.base_url is None) and key else ())
        tokens: Tokens = "max_tokens" if foreign else provider.tokens  # more servers support the older name
        model = OpenAIModel(name, key, url, timeout, tokens, headers)
    model.sample(sampling)
    model.rate, model.concurrency, model.is_own = (
        rate,
        concurrency,
        is_private(url or base_url or "https://public.example"),
    )
    # A hash, which doesn't reveal the key
    model.account = hash((url or (provider.cloud, base_url, region, project), key_text(key)))
    return model
