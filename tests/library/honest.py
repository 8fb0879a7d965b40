"""The evaluation's scripted honest model behind a real socket, speaking OpenAI's API."""

import json
from collections.abc import Mapping
from typing import Any

from deeprepo.rlm.values import Completion, Message, Prompt, Schema, ToolCall, Usage
from deeprepo_evals.context.scripted import honest
from deeprepo_sandbox.providers import Reply
from deeprepo_sandbox.scripted import CHARS_PER_TOKEN


def reply(body: Mapping[str, Any]) -> Reply:
    """Return the honest model's answer to a request."""
    prompt = _prompt(body)
    said = honest.reply(prompt)
    asked = sum(len(message.text) for message in prompt.messages)
    if isinstance(said, Completion):
        return Reply(calls=said.calls, usage=said.usage)
    text = said if isinstance(said, str) else json.dumps(dict(said))  # type: ignore[arg-type]
    usage = Usage(asked // CHARS_PER_TOKEN + 1, len(text) // CHARS_PER_TOKEN + 1)
    return Reply(text=said, usage=usage) if isinstance(said, str) else Reply(data=said, usage=usage)  # type: ignore[arg-type]


def _prompt(body: Mapping[str, Any]) -> Prompt:
    messages = tuple(
        Message(
            given["role"],
            given.get("content") or "",
            tuple(
                ToolCall(call["id"], call["function"]["name"], json.loads(call["function"]["arguments"]))
                for call in given.get("tool_calls") or ()
            ),
            given.get("tool_call_id", ""),
        )
        for given in body["messages"]
    )
    form = body.get("response_format") or {}
    answer = Schema(form["json_schema"]["name"], "", form["json_schema"]["schema"]) if form else None
    offered = [tool["function"] for tool in body.get("tools") or ()]
    tool = Schema(offered[0]["name"], "", offered[0]["parameters"]) if offered else None
    return Prompt(messages, answer, tool)
