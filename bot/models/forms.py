"""The forms in which a request can be made to an OpenAI-compatible server, and which to try after a refusal."""

import re
from dataclasses import dataclass, replace
from typing import Literal

from bot.models.failures import SPOILT, TOO_LONG, Refusal
from bot.models.provider import Tokens
from bot.values import Prompt

TOKENS: tuple[Tokens, ...] = ("max_completion_tokens", "max_tokens")
SCHEMA = re.compile(r"response.?format|json.?schema|structured output", re.IGNORECASE)
TOOLS = re.compile(r"\btools?\b|tool.?(choice|use|call)|function.?call", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Form:
    """How to say three things that servers disagree on: the cap of a reply, a structured answer, an offered tool."""

    tokens: Tokens
    answer: Literal["schema", "tool", "text"] = "schema"
    tools: bool = True


def other(form: Form, refusal: Refusal, prompt: Prompt) -> Form | None:
    """The form to try after this refusal, None where another form would not help."""
    if TOO_LONG.search(refusal.message) or refusal.code in SPOILT:
        return None
    if any(name in refusal.words for name in TOKENS):
        return replace(form, tokens=TOKENS[1 - TOKENS.index(form.tokens)])
    if prompt.answer and form.answer == "schema" and SCHEMA.search(refusal.words):
        return replace(form, answer="tool")
    if prompt.answer and form.answer == "tool" and TOOLS.search(refusal.words):
        return replace(form, answer="text")
    if prompt.tool and form.tools and TOOLS.search(refusal.words):
        return replace(form, tools=False)
    return None
