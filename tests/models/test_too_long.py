"""A prompt that is too long is recognized in every provider's wording, with the window if it is stated."""

import asyncio

import pytest
from talking import KEY, asked

from deeprepo.rlm import models
from deeprepo.rlm.errors import PromptTooLong, ProviderError, RateLimited
from deeprepo.rlm.models.failures import Refusal, translate
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Modes
from deeprepo_sandbox.providers.modes import TOO_LONG

UNSAID = {"groq", "bedrock", "ollama"}


def failure(name: str, modes: Modes, text: str) -> ProviderError:
    async def run() -> ProviderError:
        opened = doubles.anthropic_server if name.startswith("anthropic/") else doubles.openai_server
        async with opened("ok", modes=modes) as server:
            model = models.connect(name, KEY, server.base_url)
            try:
                with pytest.raises(ProviderError) as caught:
                    await model.complete(asked(text))
                return caught.value
            finally:
                await model.close()

    return asyncio.run(run())


@pytest.mark.parametrize("wording", sorted(TOO_LONG))
@pytest.mark.parametrize("name", ["compatible/m", "anthropic/m"])
def test_every_wording_raises_prompt_too_long(wording: str, name: str) -> None:
    """Every wording raises PromptTooLong, with the window if the provider states it."""
    error = failure(name, Modes(window=8_192, wording=wording), "x" * 60_000)
    assert isinstance(error, PromptTooLong)
    assert error.window == (None if wording in UNSAID else 8_192)


@pytest.mark.parametrize(
    "message",
    ["Rate limit reached for m on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.", "slow down"],
)
def test_temporary_rate_limit_is_not_a_too_long_prompt(message: str) -> None:
    """A rate limit that will pass doesn't count as a prompt that is too long."""
    assert isinstance(translate(Refusal(429, message), "openai/m"), RateLimited)
