"""Models that play: they cost nothing, so that what is measured is the harness.

"scripted/honest" understands the questions and answers from what its prompt holds and from nothing else; "scripted/lazy" does so
from the first message that it has as a root, without a look at the rest; "scripted/guesser"
always has an answer; "scripted/garbage" writes words without sense, also if a form is demanded.
"""

from collections.abc import Callable, Mapping

from deeprepo.rlm.values import Completion, Prompt, ToolCall, Usage
from deeprepo_evals.context.scripted import honest
from deeprepo_evals.context.scripted.markers import passages
from deeprepo_sandbox.scripted import Reply, ScriptedModel

PREFIX = "scripted/"
GUESS = "12345"


def connect(name: str) -> ScriptedModel:
    """One of them by its name; a fresh one for each problem, because it keeps its prompts."""
    return ScriptedModel(PLAYS[name], name, price=0.0)


def _garbage(_: Prompt) -> Reply:
    return "Lorem ipsum dolor sit amet, consectetur adipiscing elit."


def _guesser(prompt: Prompt) -> Reply:
    """Never says that it does not know; as a reader it claims a line that does not stand there."""
    if prompt.tool is not None:
        return Completion("", Usage(), calls=(ToolCall("c", prompt.tool.name, {"code": f"FINAL('{GUESS}')"}),))
    if prompt.answer is not None:
        labels = list(passages(prompt.messages[-1].text))
        quote = {"path": labels[0] if labels else "", "quote": f"The number is {GUESS}."}
        return {"answer": GUESS, "found": True, "quotes": [quote]}
    return GUESS


PLAYS: Mapping[str, Callable[[Prompt], Reply]] = {
    "scripted/honest": honest.reply,
    "scripted/lazy": honest.at_once,
    "scripted/guesser": _guesser,
    "scripted/garbage": _garbage,
}
