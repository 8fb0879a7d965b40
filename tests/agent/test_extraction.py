from collections.abc import Mapping
from typing import Any

import pytest

from bot.agent.repl import extraction
from bot.values import Completion, ToolCall, Usage


def of(text: str = "", *calls: Mapping[str, Any]) -> str:
    return extraction.of(
        Completion(text, Usage(), calls=tuple(ToolCall(str(i), "execute_python", c) for i, c in enumerate(calls)))
    )


@pytest.mark.parametrize("language", ["python", "repl", "", "py", "Python"])
def test_any_fence_is_code(language: str) -> None:
    """Code in a fence of any name is taken."""
    assert of(f"I look first.\n```{language}\nprint(1)\n```\nThen more.") == "print(1)"


def test_tool_call_wins_over_text() -> None:
    """Where a tool was called, fences in the text are talk."""
    assert of("```python\nprint('text')\n```", {"code": "print('tool')"}) == "print('tool')"


def test_blocks_are_joined() -> None:
    """Several blocks are one cell, in order."""
    assert of("```python\na = 1\n```\nand\n```python\nprint(a)\n```") == "a = 1\nprint(a)"


def test_other_languages_are_left_out_beside_python() -> None:
    """A diff or JSON shown beside the code is not run."""
    assert of("```diff\n-a\n+b\n```\n```python\nprint(1)\n```\n```json\n{}\n```") == "print(1)"


def test_fence_inside_a_string() -> None:
    """A Markdown fence inside a string does not end the block."""
    inner = 'prompt = """Review:\n```python\nx = 1\n```\nand answer."""\nprint(llm_query(prompt))'
    assert of(f"```python\n{inner}\n```\nDone.") == inner


def test_longer_fences_and_tildes() -> None:
    """A block closes with its own kind of fence only."""
    assert of("````python\nt = '```'\n````") == "t = '```'"
    assert of("~~~\nprint(1)\n~~~") == "print(1)"


def test_unclosed_fence() -> None:
    """A fence that never closes runs to the end."""
    assert of("```python\nprint(1)\n") == "print(1)"


def test_invalid_block_does_not_swallow_the_next() -> None:
    """A block with a syntax error ends at its own fence."""
    assert of("```python\nprint(1\n```\n```python\nprint(2)\n```") == "print(1\nprint(2)"


def test_fenced_tool_argument() -> None:
    """A model that fences the code inside the tool call is understood."""
    assert of("", {"code": "```python\nprint(1)\n```"}) == "print(1)"


def test_no_code() -> None:
    """Prose, inline code, FINAL in prose and a tool call without code are no code."""
    for reply in (of("I would call `print(1)`; FINAL(done)"), of("", {}), of("", {"code": 3}), of("")):
        assert reply == ""


def test_assigned_names() -> None:
    """What a block assigns at its top level is known by name."""
    block = "a = 1\nb, c = 2, 3\nd: int = 4\ndef f(x):\n    inner = 1\nfor i, j in []:\n    pass\nimport json\na == 2\nx.y = 1"
    assert extraction.assigned_names(block) == ["a", "b", "c", "d", "f", "i", "j", "json"]
