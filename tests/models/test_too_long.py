"""A prompt that is too long is recognized in every provider's wording. A cap that is too large is lowered instead."""

import asyncio

import pytest
from talking import KEY, asked

from bot.secrets.masking import Masks
from deeprepo.rlm import models
from deeprepo.rlm.errors import PromptTooLong, ProviderError, RateLimited
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.models.failures import Refusal, translate
from deeprepo.rlm.money.budget import Budget
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Limits, Message, Prompt
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Modes
from deeprepo_sandbox.providers.modes import COUNTS_CAP, TOO_LONG

UNSAID = {"groq", "bedrock", "ollama", "unsaid with cap"}


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


@pytest.mark.parametrize("wording", sorted(COUNTS_CAP))
@pytest.mark.parametrize("window", [8_192, 16_384, 24_576, 32_768, 40_960])
@pytest.mark.parametrize("role", ["root", "worker"])
def test_small_window_lowers_the_cap_on_the_reply(wording: str, window: int, role: str) -> None:
    """A prompt that fits is answered, whatever the window: in 2 requests if it is stated, else in at most 6. The run remembers it."""

    async def run() -> tuple[int, int]:
        async with doubles.openai_server("fine", modes=Modes(window=window, wording=wording)) as server:
            model = models.connect("compatible/Qwen/Qwen3-8B", KEY, server.base_url)
            calls = Calls(Budget(Limits()), Journal(), Masks(), chance=lambda: 0.0)
            try:
                for text in (
                    "契約は二〇二七年に終了する。" * 430,
                    "again",
                ):  # 6,020 characters, in JSON as many as 9,030 tokens
                    texts = text if window > 16_384 else text[:3_000]
                    reply = await calls.complete(model, Prompt((Message("user", texts),)), role)
                    assert reply.text == "fine"
                return server.count, len(calls.budget.notes)
            finally:
                await model.close()

    count, notes = asyncio.run(run())
    assert count <= (7 if wording in UNSAID else 3)
    assert notes == 0
