from collections.abc import Mapping
from typing import Any

from bot.agent.repl import extraction
from bot.values import Completion, ToolCall, Usage


def of(text: str = "", *calls: Mapping[str, Any]) -> str:
    return extraction.of(
        Completion(text, Usage(), calls=tuple(ToolCall(str(i), "execute_python", c) for i, c in enumerate(calls)))
    )


def test_blocks_are_joined() -> None:
    """Several blocks are one cell, in order."""
    assert of("```python\na = 1\n```\nand\n```python\nprint(a)\n```") == "a = 1\nprint(a)"


def test_other_languages_are_left_out_beside_python() -> None:
    """A diff or JSON shown beside the code is not run."""
    assert of("```diff\n-a\n+b\n```\n```python\nprint(1)\n```\n```json\n{}\n```") == "print(1)"


def test_invalid_block_does_not_swallow_the_next() -> None:
    """A block with a syntax error ends at its own fence."""
    assert of("```python\nprint(1\n```\n```python\nprint(2)\n```") == "print(1\nprint(2)"


def test_assigned_names() -> None:
    """What a block assigns at its top level is known by name."""
    block = "a = 1\nb, c = 2, 3\nd: int = 4\ndef f(x):\n    inner = 1\nfor i, j in []:\n    pass\nimport json\na == 2\nx.y = 1"
    assert extraction.assigned_names(block) == ["a", "b", "c", "d", "f", "i", "j", "json"]
