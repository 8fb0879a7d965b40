"""The parts of a workflow's step: the pipeline over a change that lies on the runner, and the keys that the step was given."""

import tempfile
from collections.abc import Callable, Mapping

from bot import config
from bot.config import action
from bot.config.action import Inputs
from bot.errors import UsageError
from bot.models import PROVIDERS, named
from bot.outputs import OUTPUTS, posts, state
from bot.outputs.posts import Comments
from bot.payloads import Change
from bot.values import PullRef, Review
from bot.wiring import child, tasks
from bot.wiring.local import LOCAL

SHORTEST = 20  # characters of a key that can be kept from being guessed


async def reviewed(change: Change, file: str, say: Callable[[str], None]) -> Review:
    """Review a change. `file`: where the base branch keeps its settings."""
    with tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch:

        async def attempt(left_out: Mapping[str, str]) -> Review:
            return await child.run(tasks.step, change, file, scratch, left_out, caps=LOCAL, say=say)

        return await child.leaving_out(attempt)


def lend(inputs: Inputs) -> None:
    """Put the key of the input `api-key` where its provider's is looked for. Raises UsageError where nobody says whose it is."""
    if inputs.api_key is None or not inputs.api_key.get_secret_value().strip():
        return
    name = inputs.provider or (inputs.worker or inputs.root or "").partition("/")[0]
    if not name:
        raise UsageError("the input api-key is set, but not whose it is: set `provider`, or `worker: provider/model`")
    action.lend(named(f"{name}/any").key_variable, inputs.api_key)


def keys() -> tuple[str, ...]:
    """The providers' keys that this step has."""
    found = (config.key(provider.key_variable) for provider in PROVIDERS.values())
    return tuple(key.get_secret_value() for key in found if key)


def secret() -> bytes | None:
    """What the state of a round is signed with: made from the first key that is long enough to keep a secret."""
    strong = next((key for key in keys() if len(key) >= SHORTEST), None)
    return state.secret(strong) if strong else None


def comments(review: Review, pull: PullRef, signed: bytes | None) -> Comments:
    """What is posted, with the state for the next round in the summary."""
    return posts.comments(review, lambda done: state.pack(done, pull, signed))


def earlier(summary: str, pull: PullRef, signed: bytes | None) -> bytes | str:
    """The last review, from the summary comment that stands; or why it cannot be had."""
    return state.unpack(summary, pull, signed)


def page(review: Review, form: str) -> str:
    """The review in one of its forms, for a file."""
    return OUTPUTS[form]().render(review)
