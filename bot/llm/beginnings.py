"""What prompts have in common at their beginning, which a provider reads from its cache if one of them was sent before the others."""

from collections.abc import Callable, Sequence

from bot.llm import capacity
from bot.ports import Model
from bot.values import Message, Prompt, Usage

SHARED = 3  # calls from which on one call fills the cache first
FEW = 1_024  # tokens of their common beginning from which on it does
FEW_OF = {"haiku": 4_096, "opus": 4_096, "gemini": 4_096}  # where a provider keeps longer beginnings only
KEPT = 240.0  # seconds that a provider keeps a beginning at least
MANY = 100_000  # tokens for comparing prices


class Beginnings:
    """The common beginnings that were sent in one review."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._sent: dict[tuple[str, tuple[Message, ...]], float] = {}  # when each was sent last, by model

    def first_alone(self, model: Model, prompts: Sequence[Prompt]) -> bool:
        """Whether the first of these prompts goes alone, so that the others find their common beginning in the provider's cache.

        It does only if the provider keeps a beginning of this length and charges less for it.
        """
        common_messages = prompts[0].messages[: _common(prompts)]
        least = next((tokens for word, tokens in FEW_OF.items() if word in model.name), FEW)
        if len(prompts) < SHARED or not common_messages or capacity.least_tokens(common_messages) < least:
            return False
        plain, cached_price = model.price(Usage(MANY)), model.price(Usage(MANY, cache_read=MANY))
        sent_before = self._sent.get((model.name, common_messages))
        now = self._clock()
        self._sent[model.name, common_messages] = now
        return bool(plain and cached_price is not None and cached_price < plain) and (
            sent_before is None or now - sent_before > KEPT
        )


def _common(prompts: Sequence[Prompt]) -> int:
    """How many messages all of these prompts begin with."""
    for at, messages in enumerate(zip(*(prompt.messages for prompt in prompts), strict=False)):
        if any(message != messages[0] for message in messages):
            return at
    return min(len(prompt.messages) for prompt in prompts)
