"""Estimates by a model's name alone."""

import pytest

from bot.values import Message, Prompt, cacheable, density, tokens


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


def test_what_a_provider_keeps() -> None:
    """Long instructions are worth one call ahead of the rest; short ones, and servers that cache nothing, are not."""
    long, short = (Prompt((Message("system", "x" * n), Message("user", "y" * 90_000))) for n in (9_000, 900))
    assert cacheable("openai/gpt-5.4", long) > 1_024
    assert cacheable("anthropic/claude-sonnet-5-5", long) > 1_024
    assert cacheable("anthropic/claude-haiku-5-5", long) == 0
    assert [cacheable(name, short) for name in ("openai/gpt-5.4", "anthropic/claude-sonnet-5-5")] == [0, 0]
    assert cacheable("ollama/qwen", long) == 0
