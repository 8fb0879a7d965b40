from collections.abc import Mapping
from typing import Any

import pytest
from shop import AFTER, BEFORE, FINDING, Table

from bot.review.session import Session, WorkerReply
from deeprepo.rlm.errors import ProviderError, ProviderRefused
from deeprepo.rlm.values import Prompt


@pytest.fixture
def change(repository: Any) -> Any:  # noqa: ANN401 - the fixtures' own types
    """Return the shop's change."""
    return repository.change(dict(BEFORE), dict(AFTER))


def asked(change: Any, again: list[Mapping[str, Any]] | ProviderError) -> tuple[WorkerReply, list[Prompt]]:  # noqa: ANN401
    """Return the reply of a worker whose finding lacks a trigger, when `again` answers the retry."""
    prompts: list[Prompt] = []

    def worker(prompt: Prompt) -> Mapping[str, Any] | ProviderError:
        prompts.append(prompt)
        sent_back = len(prompt.messages) > 2
        if sent_back and isinstance(again, ProviderError):
            return again
        return {"answer": "", "findings": again if sent_back else [{**FINDING, "trigger": " "}]}

    async def step(session: Session) -> WorkerReply:
        return await session.worker.review(session.units)

    return Table(change, worker=worker).run(step), prompts


def test_finding_without_a_trigger_is_completed_by_one_retry(change: Any) -> None:  # noqa: ANN401
    """A finding without a trigger is completed with one more call in the same conversation."""
    answer, prompts = asked(change, [FINDING])
    assert [finding.trigger for finding in answer.findings] == ["show(Cart(items=[]))"]
    assert answer.dropped_count == 0
    assert len(prompts) == 2
    assert "missing: the trigger" in prompts[1].messages[-1].text
    assert prompts[1].messages[:2] == prompts[0].messages


@pytest.mark.parametrize("again", [[], [{**FINDING, "consequence": ""}]])
def test_finding_still_incomplete_after_the_retry_is_dropped(change: Any, again: list[Mapping[str, Any]]) -> None:  # noqa: ANN401
    """A finding that is still incomplete after one retry is dropped and counted."""
    answer, prompts = asked(change, again)
    assert (answer.findings, answer.dropped_count, len(prompts)) == ((), 1, 2)


def test_incomplete_finding_stays_if_the_retry_failed(change: Any) -> None:  # noqa: ANN401
    """An incomplete finding stays if the retry failed because of the provider."""
    answer, prompts = asked(change, ProviderRefused("no more calls for this key"))
    assert ([finding.title for finding in answer.findings], answer.dropped_count) == ([FINDING["title"]], 0)
    assert len(prompts) == 2
