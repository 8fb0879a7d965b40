"""Thinking as the providers show it: put into a reply, counted against its cap, and wanted back with the next request."""

import json
from collections.abc import Mapping
from typing import Any

from deeprepo_sandbox.providers.dialect import Invalid
from deeprepo_sandbox.providers.modes import Modes, cap

LOST_BLOCKS = (
    "messages.{at}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is enabled, "
    "a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` "
    "blocks)."
)
CHANGED_BLOCKS = "messages.{at}.content.0: Invalid `signature` in `thinking` block"
LOST_SIGNATURE = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and "
    "missing thought_signature may lead to degraded model performance."
)
LOST_REASONING = "The `{field}` in the thinking mode must be passed back to the API."


def block(number: int) -> dict[str, Any]:
    """A thinking block of Anthropic; every third is redacted."""
    if number % 3 == 0:
        return {"type": "redacted_thinking", "data": f"redacted-{number}"}
    return {"type": "thinking", "thinking": "", "signature": f"signature-{number}"}


def anthropic(body: Mapping[str, Any], whole: dict[str, Any], modes: Modes, number: int) -> None:
    """Put the thinking into a reply of Anthropic's dialect. A forced tool leaves no room for any."""
    forced = body.get("tool_choice", {}).get("type") in {"tool", "any"}
    thinks, most = 0 if forced else modes.thinks, cap(body)
    if not thinks:
        return
    whole["usage"]["output_tokens"] = min(most, whole["usage"]["output_tokens"] + thinks)
    if thinks >= most:
        whole.update(content=[], stop_reason="max_tokens")
    whole["content"].insert(0, block(number))


def openai(body: Mapping[str, Any], whole: dict[str, Any], modes: Modes, number: int) -> None:
    """Put the thinking into a reply of OpenAI's dialect."""
    choice, usage = whole["choices"][0], whole["usage"]
    message = choice["message"]
    if modes.thinks:
        most = cap(body)
        usage["completion_tokens"] = min(most, usage["completion_tokens"] + modes.thinks)
        usage["completion_tokens_details"] = {"reasoning_tokens": min(most, modes.thinks)}
        usage["total_tokens"] = usage["prompt_tokens"] + usage["completion_tokens"]
        if modes.thinks >= most:
            message.pop("tool_calls", None)
            message["content"], choice["finish_reason"] = "", "length"
    if modes.thinking in {"reasoning_content", "reasoning"}:
        message[modes.thinking] = f"let me think ({number})"
    elif modes.thinking == "reasoning_details":
        message["reasoning"] = f"let me think ({number})"
        message["reasoning_details"] = [
            {"type": "reasoning.text", "text": f"let me think ({number})", "signature": None, "index": 0},
            {"type": "reasoning.encrypted", "data": f"encrypted-{number}", "index": 1},
        ]
    elif modes.thinking == "thought_signature":
        for call in message.get("tool_calls", ())[:1]:  # of parallel calls, only the first is signed
            call["extra_content"] = {"google": {"thought_signature": f"signature-{number}"}}


def check(dialect: str, body: Mapping[str, Any], modes: Modes) -> None:
    """Refuse a dialogue from which the thinking of an earlier turn is gone, or in which it was changed."""
    if not modes.wants_thinking:
        return
    for at, message in enumerate(body.get("messages", ())):
        if message.get("role") != "assistant":
            continue
        if dialect == "anthropic":
            _check_blocks(at, message["content"])
        elif modes.thinking == "thought_signature" and message.get("tool_calls"):
            extra = message["tool_calls"][0].get("extra_content") or {}
            if not str(extra.get("google", {}).get("thought_signature", "")).startswith("signature-"):
                raise Invalid(LOST_SIGNATURE, code="INVALID_ARGUMENT")
        elif modes.thinking in {"reasoning_content", "reasoning", "reasoning_details"} and message.get("tool_calls"):
            field = modes.thinking
            if "let me think (" not in json.dumps(message.get(field)):
                raise Invalid(LOST_REASONING.format(field=field))


def _check_blocks(at: int, content: Any) -> None:  # noqa: ANN401 - a stranger's JSON
    blocks = content if isinstance(content, list) else []
    if not any(item["type"] == "tool_use" for item in blocks):
        return
    first = blocks[0]
    if first["type"] not in {"thinking", "redacted_thinking"}:
        raise Invalid(LOST_BLOCKS.format(at=at, found=first["type"]))
    number = str(first.get("signature") or first.get("data") or "").rpartition("-")[2]
    if not number.isdigit() or {k: v for k, v in first.items() if k != "cache_control"} != block(int(number)):
        raise Invalid(CHANGED_BLOCKS.format(at=at))
