"""Estimates by a model's name alone."""

import pytest

from bot.values import density, tokens


@pytest.mark.parametrize(
    ("name", "dense"),
    [
        ("anthropic/claude-sonnet-5-5", True),
        ("bedrock/us.anthropic.claude-opus-4-7-v1:0", True),
        ("openrouter/anthropic/claude-opus-4.8", True),
        ("anthropic/claude-sonnet-4-5", False),
        ("anthropic/claude-sonnet-4-20250514", False),
        ("openai/gpt-5.4", False),
    ],
)
def test_denser_tokenizers(name: str, dense: bool) -> None:
    """Claude's newer tokenizer makes 30 % more tokens of the same text."""
    assert (density(name) < density("")) is dense
    assert (tokens("x" * 3_500, name) > 1_200) is dense
