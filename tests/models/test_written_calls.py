"""Tool calls that models write as text, in each model family's markup, are recognized."""

import pytest

from deeprepo.rlm.models.answers import calls_in
from deeprepo.rlm.values import Schema

TOOL = Schema(
    "execute_python", "Run code.", {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}
)
CODE = "set_answer('42')"
JSON = '{"name": "execute_python", "arguments": {"code": "set_answer(\'42\')"}}'


@pytest.mark.parametrize(
    "text",
    [
        f"I look.\n<tool_call>\n{JSON}\n</tool_call>",
        "<function=execute_python><parameter=code>\nset_answer('42')\n</parameter></function>",
        '<function=execute_python>{"code": "set_answer(\'42\')"}</function>',
        '{"type": "function", "function": {"name": "execute_python", "parameters": {"code": "set_answer(\'42\')"}}}',
        f"[TOOL_CALLS][{JSON}]",
        '[TOOL_CALLS]execute_python[ARGS]{"code": "set_answer(\'42\')"}',
        f"<|python_tag|>{CODE}<|eom_id|>",
        f"<|python_tag|>{JSON}",
        f"Thoughts.\n<code>\n{CODE}\n</code>",
        '{"name": "execute_python", "arguments": "{\\"code\\": \\"set_answer(\'42\')\\"}"}',
        '<invoke name="execute_python"><parameter name="code">set_answer(\'42\')</parameter></invoke>',
        f"<execute_python><code>{CODE}</code></execute_python>",
        # DeepSeek's markup uses full-width bars
        '<｜tool▁call▁begin｜>function<｜tool▁sep｜>execute_python\n```json\n{"code": "set_answer(\'42\')"}',  # noqa: RUF001
    ],
)
def test_tool_call_in_text_is_recognized(text: str) -> None:
    """The tool's name and arguments suffice; any markup may surround them."""
    assert [dict(call.arguments) for call in calls_in(text, TOOL)] == [{"code": CODE}]


@pytest.mark.parametrize(
    "text",
    [
        "I would call execute_python now.",
        '{"answer": 1}',
        '{"name": "another_tool", "arguments": {"code": "x"}}',
        "Use `execute_python` for that.",
    ],
)
def test_prose_about_a_tool_is_not_a_call(text: str) -> None:
    """Text that only mentions the tool is not a call."""
    assert calls_in(text, TOOL) == ()
