import asyncio
import json
from functools import cache
from pathlib import Path

import pytest
from families import few

from deeprepo.rlm.errors import ProviderRefused
from deeprepo_evals.train import Rollout, Task, policies, roll, score
from deeprepo_evals.train.reward import COVERAGE
from deeprepo_evals.train.run import provider_failed
from deeprepo_sandbox.scripted import Script, ScriptedModel

WHOLE, CHANGE, CLEAN = Task(1, 10), Task(7, 20, "change"), Task(5, 10, clean=True)


@cache
def rolled(name: str, task: Task) -> Rollout:
    """Run a scripted root on a task."""
    return asyncio.run(roll(task, policies.root(f"scripted/{name}"), policies.worker("scripted/reader", task)))


def earned(name: str, task: Task) -> float:
    return score(rolled(name, task).facts).reward


@pytest.mark.parametrize(
    "task", few([WHOLE, CHANGE, Task(3, 60), Task(3, 60, "change"), CLEAN], 1), ids=lambda task: task.name
)
def test_honest_exhaustive_root_earns_nearly_everything(task: Task) -> None:
    """The honest, exhaustive root earns more than 0.9 in either scope, at each size, and on clean code."""
    assert earned("honest", task) > 0.9


@pytest.mark.parametrize("task", few([WHOLE, CHANGE, CLEAN], 0), ids=lambda task: task.name)
@pytest.mark.parametrize("name", few(["empty", "paths", "bullets", "reported", "alone", "spray"], 0, 5))
def test_reward_hacking_earns_almost_nothing(name: str, task: Task) -> None:
    """Empty answers, lists of paths, generic bullets and a finding on every sixth line earn less than 0.2."""
    assert earned(name, task) < 0.2


@pytest.mark.parametrize("name", ["calls", "giant"])
def test_reading_without_reporting_earns_only_the_coverage(name: str) -> None:
    """Reading everything without reporting earns a third, less than any finding adds to it."""
    assert earned(name, WHOLE) == pytest.approx(COVERAGE)


def test_silence_on_clean_code_is_rewarded_only_after_reading() -> None:
    """On clean code, silence earns everything after reading all code, and nothing without reading."""
    assert (earned("calls", CLEAN), earned("empty", CLEAN)) == (1.0, 0.0)


def over(root: Script) -> Rollout:
    """Run another root on the small code base."""
    model = ScriptedModel(root, "p/root", price=0.0)
    return asyncio.run(roll(WHOLE, model, policies.worker("scripted/reader", WHOLE)))


def test_provider_failure_does_not_count_against_the_root() -> None:
    """If the root's provider fails, the rollout is marked and must not be scored."""
    broken = over(lambda _: ProviderRefused("p refused the key"))
    assert (broken.failure, provider_failed(broken)) == ("ProviderRefused", True)


def test_labels_are_in_no_prompt(tmp_path: Path) -> None:
    """No prompt contains a label's kind or explanation."""
    path = tmp_path / "rollout.jsonl"
    asyncio.run(roll(WHOLE, policies.root("scripted/empty"), policies.worker("scripted/reader", WHOLE), trace=path))
    said = "\n".join(
        row["text"] for line in path.read_text().splitlines() if (row := json.loads(line))["kind"] == "message"
    )
    assert said
    assert not [label for label in WHOLE.code().labels if label.why in said or label.kind in said]
