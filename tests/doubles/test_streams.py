"""The test servers' streams can be read by the providers' own libraries.

The libraries are imported inside the test, because few test processes need them.
"""

import asyncio
from typing import Any

from deeprepo.rlm.values import ToolCall
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply

CALLS = (ToolCall("a", "run", {"code": "print(1)\n" * 20}), ToolCall("b", "run", {"code": "x"}))


def test_official_clients_can_read_the_streams() -> None:
    """The libraries assemble the streams into what the script defined."""
    import anthropic
    import openai

    async def run() -> tuple[Any, Any]:
        async with doubles.openai_server(Reply("hello " * 30, calls=CALLS), delay=0.05) as server:
            client = openai.AsyncOpenAI(api_key="k", base_url=server.openai_url, max_retries=0)
            asked: Any = [{"role": "user", "content": "x"}]
            tools: Any = [{"type": "function", "function": {"name": "run", "parameters": {"type": "object"}}}]
            async with client.chat.completions.stream(model="m", messages=asked, tools=tools) as chat:
                completion = await chat.get_final_completion()
            await client.close()
            other = anthropic.AsyncAnthropic(api_key="k", base_url=server.anthropic_url, max_retries=0)
            given: Any = [{"name": "run", "input_schema": {"type": "object"}}]
            async with other.messages.stream(model="m", max_tokens=99, messages=asked, tools=given) as message:
                final = await message.get_final_message()
            await other.close()
            return completion, final

    completion, final = asyncio.run(run())
    said = completion.choices[0].message
    assert (said.content, [call.id for call in said.tool_calls]) == ("hello " * 30, ["a_0", "b_1"])
    assert said.tool_calls[0].function.arguments.count("print") == 20
    assert [block.type for block in final.content] == ["text", "tool_use", "tool_use"]
    assert final.content[1].input == {"code": "print(1)\n" * 20}
