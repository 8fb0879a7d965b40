"""Second opinions that are asked for more than once while a review grows: each is given once."""

from collections.abc import Sequence

from bot.errors import DeepRepoError
from bot.findings.verify import Ask
from bot.values import Completion, Prompt


def remembered(ask: Ask) -> Ask:
    """The same second opinions, with every reply kept for the next time. What failed is asked for again.

    A finding that has changed since has another prompt, so it gets an opinion of its own.
    """
    given: dict[str, Completion] = {}

    async def answers(prompts: Sequence[Prompt]) -> Sequence[Completion | DeepRepoError]:
        asked = {text: prompt for prompt in prompts if (text := _text(prompt)) not in given}
        replies = dict(zip(asked, await ask(tuple(asked.values())) if asked else (), strict=True))
        given.update({text: reply for text, reply in replies.items() if isinstance(reply, Completion)})
        return [given[text] if (text := _text(prompt)) in given else replies[text] for prompt in prompts]

    return answers


def _text(prompt: Prompt) -> str:
    return "\0".join(message.text for message in prompt.messages)
