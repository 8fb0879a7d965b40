"""The maximum tokens of a reply, and the effort of a thinking model. Pure functions.

Thinking counts toward the cap on a reply. If the cap covered only the visible answer, a thinking model would stop
before its first word. So a model that may think gets more room than its answer needs. Unused room costs nothing.
"""

import re
import string
from collections.abc import Iterable, Sequence

from deeprepo.rlm.values import Effort, Message, Purpose, Usage, provider_name

# Tokens of a reply from a model that may think.
THINKING_ROOM: dict[Purpose, int] = {"verify": 8_192, "worker": 16_384, "root": 32_768}
LARGEST = 65_536  # tokens of one reply, however often it was cut off
SMALLEST_WINDOW = 2_048  # tokens of a model's context window
USEFUL = 1_024  # fewer tokens than this are not worth a call, unless its answer is expected to be shorter
# Calls in flight at once: at most; at first, at a server whose capacity is unknown; and where few calls are answered at once.
PLACES, FIRST_PLACES, FEW_PLACES = 64, 8, 4

# Families that never think according to their documentation. Any other model may think.
_PLAIN = re.compile(
    r"gpt-3|gpt-4|gpt-5[\w.]{0,60}-chat|chatgpt-4o|davinci|claude-(?:[123]\b|instant)|gemini-(?:1|2\.0)|deepseek-(?:chat|coder)"
    r"|mixtral|codestral|devstral|ministral|mistral-(?:7b|nemo|tiny)|pixtral|llama|command-(?:r|a-03)|grok-2|grok-code-fast"
    r"|qwen(?:1|2)|qwen3[\w.-]{0,60}(?:instruct|coder)|gemma-?[123]|phi-?[34](?!.{0,60}reasoning)|starcoder|kimi-k2-(?:instruct|0)",
    re.IGNORECASE,
)
# Families that accept an effort.
TAKES_EFFORT = re.compile(
    r"gpt-[5-9]|gpt-oss|\bo[1-9](?:-|$)|claude-(?:opus-4-[5-9]|(?:\w+-)?[5-9])|gemini-(?:2\.5|[3-9])|grok-(?:3-mini|[4-9])",
    re.IGNORECASE,
)


def places(name: str, *, is_own: bool) -> tuple[int, int]:
    """Return how many calls to a model may be in flight at first, and at most."""
    if provider_name(name) in {"ollama", "exec"}:
        return FEW_PLACES, FEW_PLACES
    return FIRST_PLACES if is_own else PLACES, PLACES


def may_think(name: str) -> bool:
    """Return whether `provider/model` may think before it answers, judging by its name."""
    return _PLAIN.search(name.partition("/")[2] or name) is None


def of(name: str, role: Purpose, visible: int) -> int:
    """Return the cap on a reply with an answer of `visible` tokens."""
    return max(visible, THINKING_ROOM[role]) if may_think(name) else visible


def effort(name: str, role: Purpose, effort_wanted: Effort | None) -> Effort | None:
    """Return how long the model should think, or None to leave it to the provider.

    Workers and confirmations need little.
    """
    if not may_think(name):
        return None
    if effort_wanted is not None:
        return effort_wanted
    if not TAKES_EFFORT.search(name.partition("/")[2] or name):
        return None  # a server that does not know the field may reject it
    return "medium" if role == "root" else "low"


LIKELY_CHARS = 3.0  # characters of code per token
# At worst, a tokenizer makes one token per byte, but letters and blanks are always combined.
LETTERS, BLANKS = string.ascii_letters.encode(), b" \t\n"
LETTERS_PER_TOKEN, BLANKS_PER_TOKEN = 1.3, 2.0  # for text without words, such as base64
FRAME = 16  # tokens around a message
REFUSE = frozenset({"anthropic", "bedrock", "vertex"})  # providers that report a prompt that is too long
_BLANKS = re.compile(r"\s{2,}")
_RUNS = re.compile(r"(\S)\1{3,}")
_LEAST = 1_000  # tokens; a shorter prompt fits into every window, and its estimate is unreliable
_HALF = 500  # tokens; a server that reports fewer probably doesn't count


def most_tokens(texts: Iterable[str]) -> int:
    """Return the maximum tokens that these texts can have, because a cap on money must apply to any text."""
    raw = "".join(texts).encode("utf-8", "surrogatepass")
    others = len(raw.translate(None, LETTERS + BLANKS))  # digits, signs and bytes of other scripts: one token each
    letters = len(raw.translate(None, BLANKS)) - others
    blanks = len(raw) - others - letters
    return int(others + letters / LETTERS_PER_TOKEN + blanks / BLANKS_PER_TOKEN) + 1


def least_tokens(messages: Sequence[Message]) -> int:
    """Return roughly the minimum tokens of these messages. Blanks and repeated characters count little."""
    size = sum(len(_RUNS.sub(r"\1\1\1", _BLANKS.sub(" ", message.text))) for message in messages)
    return int(size / 3.5)


def is_silently_truncated(name: str, messages: Sequence[Message], usage: Usage) -> bool:
    """Return whether the server has read only part of the prompt, because it reports less than half of the expected tokens.

    A tokenizer may differ from the estimate by a third, but not by half. Servers with Anthropic's dialect reject a prompt
    that is too long, and some don't count the instructions.
    """
    if name.partition("/")[0] in REFUSE:
        messages = [message for message in messages if message.role != "system"]
    most = sum(len(message.text) for message in messages) / 3.5
    if not _HALF <= usage.input < most:  # a quick test for most prompts
        return False
    size = least_tokens(messages)
    return size >= _LEAST and usage.input < size / 2
