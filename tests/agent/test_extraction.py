from collections.abc import Mapping
from typing import Any

import pytest

from deeprepo.rlm.repl import extraction
from deeprepo.rlm.values import Completion, ToolCall, Usage


def of(text: str = "", *calls: Mapping[str, Any]) -> str:
    return extraction.of(
        Completion(text, Usage(), calls=tuple(ToolCall(str(i), "execute_python", c) for i, c in enumerate(calls)))
    )


def test_code_blocks_are_joined_in_order() -> None:
    """Several blocks become one cell, in order."""
    assert of("```python\na = 1\n```\nand\n```python\nprint(a)\n```") == "a = 1\nprint(a)"


def test_blocks_in_other_languages_are_not_run() -> None:
    """A diff or JSON next to the code is not run."""
    assert of("```diff\n-a\n+b\n```\n```python\nprint(1)\n```\n```json\n{}\n```") == "print(1)"


def test_invalid_block_does_not_swallow_the_next() -> None:
    """A block with a syntax error ends at its own fence."""
    assert of("```python\nprint(1\n```\n```python\nprint(2)\n```") == "print(1\nprint(2)"


F = "```"


@pytest.mark.parametrize(
    "reply",
    [
        f"{F}python\nset_answer('x')\n{F}\nOutput:\n{F}\nFound 3 files in 2 folders\n{F}",
        f"Thought:\n{F}\nlook for the name, then answer\n{F}\nCode:\n{F}python\nset_answer('x')\n{F}",
        f"{F}python set_answer('x'){F}",
        f"{F}python\nset_answer('x'){F}",
        f"1. do:\n\n    {F}python\n    set_answer('x')\n    {F}",
        f"- do:\n  {F}python\n  set_answer('x')\n  {F}",
        f"\ufeff{F}python\nset_answer('x')\n{F}",
    ],
    ids=["imagined output", "thought", "one line", "closed late", "indented", "in a list", "byte order mark"],
)
def test_block_is_extracted_despite_surrounding_text_and_formatting(reply: str) -> None:
    """Text and formatting around a small model's code do not matter."""
    assert of(reply) == "set_answer('x')"


def test_invalid_labeled_block_stays_in_the_cell() -> None:
    """Two labeled blocks stay one cell even if one is invalid, so the root sees that error."""
    assert of(f"{F}python\nx = (1\n{F}\n{F}python\nprint(2)\n{F}") == "x = (1\nprint(2)"
