"""Basic calls in both dialects, with the real client libraries over HTTP."""

import pytest
from talking import ANSWER, ANTHROPIC, ASKED, OPENAI, TOOL, asked, complete, dialects, talk

from deeprepo.rlm.models import prices
from deeprepo.rlm.values import Message, Model, Prompt, ToolCall, Usage
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply, Server


@dialects
def test_structured_answer_is_returned_as_data_and_text(name: str) -> None:
    """An answer with a schema is returned as data and as text."""
    done = complete(name, {"findings": ["a bug"]}, asked(answer=ANSWER))
    assert (done.data, done.text, done.stop, done.calls) == (
        {"findings": ["a bug"]},
        '{"findings": ["a bug"]}',
        "end",
        (),
    )


@dialects
def test_tool_call_is_returned_with_its_arguments(name: str) -> None:
    """The model's call of the offered tool is returned with its arguments."""
    done = complete(name, doubles.code("print(1)"), asked(tool=TOOL))
    assert (done.stop, [(call.name, call.arguments) for call in done.calls]) == ("end", [("run", {"code": "print(1)"})])


@dialects
def test_whole_dialogue_is_accepted(name: str) -> None:
    """The provider accepts a dialogue with calls, results, a broken call and an empty turn."""
    dialogue = (
        Message("system", "You review code."),
        Message("user", ASKED),
        Message("assistant", "", (ToolCall("c1", "run", {"code": "a"}), ToolCall("c2", "run", {}, "{broken"))),
        Message("tool", "1", call_id="c1"),
        Message("tool", "", call_id="c2"),
        Message("user", "go on"),
        Message("assistant", "done?"),
        Message("system", "one turn is left"),
    )
    assert complete(name, "yes", Prompt(dialogue, tool=TOOL)).text == "yes"


@dialects
def test_refusal_has_no_data(name: str) -> None:
    """A model that declines ends with stop "refusal" and without data."""
    done = complete(name, Reply("No.", stop="refusal"), asked(answer=ANSWER))
    assert (done.stop, done.data) == ("refusal", None)


@dialects
def test_cached_tokens_have_a_reduced_price(name: str) -> None:
    """The input includes cached tokens, which cost the provider's reduced price."""

    async def use(model: Model, _: Server) -> tuple[Usage, float | None]:
        done = await model.complete(asked())
        return done.usage, model.price(done.usage)

    usage, usd = talk(name, Reply("x", usage=Usage(1000, 100, cache_read=900)), use)
    per_million = {OPENAI: (0.25, 0.025, 2.0), ANTHROPIC: (3.0, 0.3, 15.0)}[name]
    assert usage == Usage(1000, 100, cache_read=900)
    assert usd == pytest.approx((100 * per_million[0] + 900 * per_million[1] + 100 * per_million[2]) / 1e6)


def test_cache_writes_cost_more() -> None:
    """Tokens written to Anthropic's cache count as input and cost 25 % more."""
    done = complete(ANTHROPIC, Reply("x", usage=Usage(1000, 1, cache_write=1000)))
    assert (done.usage, prices.dollars(ANTHROPIC, done.usage)) == (
        Usage(1000, 1, cache_write=1000),
        pytest.approx((1000 * 3.75 + 15) / 1e6),
    )
