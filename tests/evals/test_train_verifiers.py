import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from deeprepo_evals.train import policies
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply

vf = pytest.importorskip(
    "verifiers.v1",
    reason="verifiers takes 565 MB and is no part of the development environment: `make train TRAIN=folder` runs these",
)
ID = "deeprepo-orchestration"
CONFIGS = Path(__file__).parents[2] / "evals" / "configs"


@pytest.fixture
def policy() -> Iterator[str]:
    """The address of a server whose models are the scripted roots, plus two that fail."""

    def script(body: Mapping[str, Any]) -> Reply:
        if body["model"] == "broken":
            return Reply(status=401)
        if body["model"] == "overlong":
            return Reply(
                status=400, text="This model's maximum context length is 32768 tokens", error="context_length_exceeded"
            )
        blocks = policies.blocks(body["model"])
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        return doubles.code(blocks[min(turn, len(blocks) - 1)])

    with doubles.in_thread(doubles.Server(script)) as server:
        yield server.openai_url


def evaluated(policy: str, model: str, folder: Path, *options: str, tasks: int = 2) -> list[dict[str, Any]]:
    """Run `vf-eval` in a subprocess and return its traces."""
    command = [
        str(Path(sys.executable).with_name("vf-eval")), ID, "--model", model, "--client.base-url", policy,
        "--client.api-key-var", "NO_KEY", "--env.taskset.num-tasks", str(tasks), "--env.taskset.split", "eval",
        "--env.taskset.sizes", "[10]", "--num-rollouts", "2", "--no-rich", "--no-push", "-o", str(folder), "--run.name", model, *options,
    ]  # fmt: skip
    env = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    written = folder / model / "traces.jsonl"
    assert written.exists(), done.stderr[-2000:]
    return [trace for line in written.read_text().splitlines() for trace in json.loads(line)["traces"]]


def reward(trace: Mapping[str, Any]) -> float:
    return float(trace["rewards"]["orchestration"]["score"])


def test_honest_policy_earns_nearly_everything_through_verifiers(policy: str, tmp_path: Path) -> None:
    """The honest root earns more than 0.9, in one dialogue with the product's own prompts."""
    traces = evaluated(policy, "honest", tmp_path)
    assert len(traces) == 4
    assert all(trace["ok"] and reward(trace) > 0.9 for trace in traces)
    first = traces[0]
    assert (first["metrics"]["coverage"], first["metrics"]["zero_delegation"]) == (1.0, 0.0)
    assert [node["message"]["role"] for node in first["nodes"]][:4] == ["system", "user", "assistant", "tool"]
    assert "You work in a Python REPL" in first["nodes"][0]["message"]["content"]


def test_failing_provider_is_an_error_and_not_a_zero_reward(policy: str, tmp_path: Path) -> None:
    """A failing provider makes the rollout an error; a policy that exceeds its own context is scored."""
    (broken, *_) = evaluated(policy, "broken", tmp_path, tasks=1)
    assert (broken["ok"], broken["rewards"]) == (False, {})
    (overlong, *_) = evaluated(policy, "overlong", tmp_path, tasks=1)
    assert (overlong["ok"], reward(overlong)) == (True, 0.0)


@pytest.mark.parametrize("name", ["grpo.toml", "grpo-tiny.toml"])
def test_shipped_training_configurations_are_valid(name: str) -> None:
    """The shipped training configurations are valid for the environment, which rejects unknown keys."""
    orchestrator = tomllib.loads((CONFIGS / name).read_text())["orchestrator"]
    sources = [*orchestrator["train"]["source"], *orchestrator.get("eval", {}).get("source", ())]
    made = [vf.resolve_env_config(source["env"]) for source in sources]
    assert all(env.taskset.id == ID and env.agent.runtime.type == "subprocess" for env in made)
    assert [len(list(vf.load_taskset(env.taskset))) for env in made] == [env.taskset.num_tasks for env in made]
