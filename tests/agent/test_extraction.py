import json
from collections.abc import Mapping
from typing import Any

import pytest

from deeprepo.rlm.repl import extraction
from deeprepo.rlm.values import Completion, ToolCall, Usage


def of(text: str = "", *calls: Mapping[str, Any]) -> str:
    return extraction.of(
        Completion(text, Usage(), calls=tuple(ToolCall(str(i), "execute_python", c) for i, c in enumerate(calls)))
    )


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


def test_call_of_a_function_is_code() -> None:
    """A model that calls a function of the REPL as a tool, or writes the call as JSON, has it called."""
    arguments, code = {"prompt": "q"}, "print(llm_query(**{'prompt': 'q'}))"
    assert of(f'{F}json\n{{"name": "llm_query", "arguments": {json.dumps(arguments)}}}\n{F}') == code
    assert extraction.of(Completion("", Usage(), calls=(ToolCall("1", "llm_query", arguments),))) == code
    assert of(f'{F}json\n{{"a": 1}}\n{F}') == ""
