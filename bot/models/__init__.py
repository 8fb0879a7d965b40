"""Whoever answers prompts, one file per dialect. A provider is one line in PROVIDERS; a model is named `provider/model`.

The libraries behind the dialects take 0.4 to 0.9 s to import, so `connect` loads the one that is asked for and no other.
"""

from importlib import import_module
from threading import Thread

from bot.errors import UsageError
from bot.models import prices
from bot.models.provider import Key, Provider, address, check_key
from bot.ports import Model

TIMEOUT = 120.0  # seconds until a reply must have arrived in full

PROVIDERS: dict[str, Provider] = {
    provider.name: provider
    for provider in (
        Provider("anthropic", "anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
        Provider("azure", "openai", None, "AZURE_OPENAI_API_KEY", tokens="max_completion_tokens"),
        Provider("cerebras", "openai", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
        Provider("compatible", "openai", None, "COMPATIBLE_API_KEY", needs_key=False),  # any server by its base URL
        Provider("deepseek", "openai", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
        Provider("fireworks", "openai", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
        Provider("gemini", "openai", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
        Provider("groq", "openai", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
        Provider("mistral", "openai", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
        Provider("ollama", "openai", "http://127.0.0.1:11434/v1", "OLLAMA_API_KEY", needs_key=False),
        Provider("openai", "openai", "https://api.openai.com/v1", "OPENAI_API_KEY", tokens="max_completion_tokens"),
        Provider("openrouter", "openai", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        Provider("together", "openai", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
        Provider("xai", "openai", "https://api.x.ai/v1", "XAI_API_KEY"),
    )
}


def named(name: str) -> Provider:
    """The provider of `provider/model`, the first segment. Raises UsageError with a sentence that says what to do."""
    provider, slash, model = name.partition("/")
    if not slash or not provider or not model:
        raise UsageError(f"{name!r} names no model: write provider/model, for example openai/gpt-5-mini")
    if provider not in PROVIDERS:
        raise UsageError(f"unknown provider {provider!r}: known are {', '.join(sorted(PROVIDERS))}")
    return PROVIDERS[provider]


def connect(name: str, key: Key = None, base_url: str | None = None, timeout: float = TIMEOUT) -> Model:
    """A model by its name. Nothing is sent before the first call; a server given by `base_url` may need no key."""
    provider = named(name)
    url = address(provider, base_url)
    check_key(provider, key, base_url)
    if provider.dialect == "anthropic":
        from bot.models.anthropic import AnthropicModel

        return AnthropicModel(name, key, url, timeout)
    from bot.models.openai import OpenAIModel

    official = base_url is None or base_url.rstrip("/") == provider.base_url
    return OpenAIModel(name, key, url, timeout, tokens=provider.tokens if official else "max_tokens")


def library(name: str) -> tuple[str, ...]:
    """The modules behind a model."""
    provider = PROVIDERS.get(name.partition("/")[0])
    if provider is None:
        return ()
    return (f"bot.models.{provider.dialect}", *(["genai_prices.data_snapshot"] if prices.listed(name) else []))


def warm(name: str) -> None:
    """Begin to load the library behind a model in a thread, while git is waited for. A wrong name is told by `connect`."""
    modules = library(name)
    if modules:
        Thread(target=lambda: [import_module(module) for module in modules], name="warm", daemon=True).start()


__all__ = ["PROVIDERS", "TIMEOUT", "Key", "Provider", "connect", "library", "named", "warm"]
