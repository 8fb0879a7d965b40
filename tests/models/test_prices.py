"""Prices of models, or None if a price is unknown."""

import pytest

from deeprepo.rlm.models.prices import dollars
from deeprepo.rlm.values import Usage

MILLION = Usage(1_000_000, 0)


@pytest.mark.parametrize(
    ("name", "usd"),
    [
        ("openai/gpt-5-mini", 0.25),
        ("openai/gpt-5-mini-2025-08-07", 0.25),
        ("anthropic/claude-haiku-4-5", 1.0),
        ("anthropic/claude-haiku-4-5-20251001", 1.0),
        ("anthropic/claude-opus-4-5", 5.0),
        ("compatible/gpt-5-mini", 0.25),
        ("compatible/anthropic/claude-opus-4-5", 5.0),
    ],
)
def test_listed_model_has_its_list_price(name: str, usd: float) -> None:
    """A listed model has its list price, also under its dated name."""
    assert dollars(name, MILLION) == pytest.approx(usd)


@pytest.mark.parametrize(
    "name",
    [
        "openai/gpt-5-mini-next",
        "anthropic/claude-sonnet-4-5-turbo",
        "anthropic/claude-opus-4-15",
        "anthropic/gpt-5-mini",
        "ollama/llama3.1",
        "compatible/gpt-5-mini-next",
        "openrouter/minimax/minimax-m2-huge",
        "openrouter/agentica-org/deepcoder-14b-preview:nitro",
        "nobody/model",
        "nonsense",
    ],
)
def test_unknown_price_is_none(name: str) -> None:
    """An unknown price is None: neither zero nor the price of a model with a similar name."""
    assert dollars(name, MILLION) is None


def test_own_server_has_only_a_price_that_was_set() -> None:
    """The list has no prices of servers at a private address."""
    assert dollars("compatible/gpt-5-mini", MILLION, is_own=True) is None
    assert dollars("compatible/gpt-5-mini", Usage(2_000_000, 1_000_000), (0.5, 2.0), is_own=True) == 3.0
