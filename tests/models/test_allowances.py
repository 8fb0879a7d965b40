"""What heads of replies say about rate limits."""

import asyncio
from datetime import UTC, datetime

import pytest
from talking import ANTHROPIC, KEY, asked, dialects

from bot import models
from bot.errors import RateLimited
from bot.models.allowances import allowance, seconds_in, until
from bot.models.failures import read
from bot.values import Allowance
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Modes

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("6m0s", 360.0),
        ("1h2m3s", 3723.0),
        ("120ms", 0.12),
        ("7.66s", 7.66),
        ("20", 20.0),
        ("2026-01-01T12:00:30Z", 30.0),
        ("1767268830000", 30.0),
        ("soon", None),
        ("", None),
    ],
)
def test_times(text: str, seconds: float | None) -> None:
    """Durations, numbers and dates, as the providers write them."""
    assert until(text, NOW) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        (
            {
                "x-ratelimit-remaining-requests": "59",
                "x-ratelimit-remaining-tokens": "149984",
                "x-ratelimit-reset-tokens": "6m0s",
            },
            Allowance(59, 149_984, 360.0),
        ),
        (
            {
                "anthropic-ratelimit-requests-remaining": "4",
                "anthropic-ratelimit-input-tokens-remaining": "9000",
                "anthropic-ratelimit-input-tokens-reset": "2026-01-01T12:00:30Z",
                "anthropic-ratelimit-tokens-remaining": "12000",
            },
            Allowance(4, 9_000, 30.0),
        ),
        ({"x-ratelimit-remaining-tokens": "many"}, None),
        ({}, None),
    ],
)
def test_allowances(headers: dict[str, str], found: Allowance | None) -> None:
    """What is left of requests and tokens, and when they are full again."""
    assert allowance(headers, NOW) == found


@dialects
def test_over_the_wire(name: str) -> None:
    """A reply says what is left, a refusal too, with the time to wait."""

    async def run() -> tuple[Allowance | None, RateLimited]:
        opened = doubles.anthropic_server if name == ANTHROPIC else doubles.openai_server
        async with opened("ok", modes=Modes(tokens_per_minute=1_000), clock=lambda: 0.0) as server:
            model = models.connect(name, KEY, server.base_url)
            done = await model.complete(asked("x" * 2_800))
            with pytest.raises(RateLimited) as caught:
                await model.complete(asked("x" * 2_800))
            await model.close()
            return done.allowance, caught.value

    left, error = asyncio.run(run())
    assert left is not None
    assert (left.tokens or 0) < 300
    assert left.reset_seconds == pytest.approx(45, abs=4)
    assert isinstance(error.allowance, Allowance)
    assert error.retry_after == pytest.approx(27, abs=4)


def test_times_in_bodies() -> None:
    """Google names the wait in the details of its error, OpenAI in a sentence."""
    google = {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED"}
    detail = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.07s"}
    assert read(429, [{"error": {**google, "details": [detail]}}], {}).retry_after == 34.07
    assert read(429, {"error": {"message": "Please try again in 1m2s. Visit"}}, {}).retry_after == 62.0
    assert (seconds_in("try again in 20 seconds"), seconds_in("try again later")) == (20.0, None)
