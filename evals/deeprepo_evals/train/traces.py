"""Rollouts read back: from traces that verifiers wrote, or from results of `deeprepo eval train`. Both are JSON lines."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.errors import UsageError
from deeprepo_evals import results
from deeprepo_evals.train.facts import Facts
from deeprepo_evals.train.run import EXPERIMENT
from deeprepo_evals.train.tasks import Task

NAME = "deeprepo"  # of the entry in a trace's `info`


@dataclass(frozen=True, slots=True)
class SeenRollout:
    """One rollout. What a trace of another environment does not say is None."""

    task: str
    reward: float
    turns: int
    facts: Facts | None
    input: int | None
    output: int | None
    who: str = ""


def read(path: Path) -> list[SeenRollout]:
    """The finished rollouts of a file, or of the run folder of `vf-eval`. Raises UsageError with the file and line."""
    file = path / "traces.jsonl" if path.is_dir() else path
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the traces {file} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    found: list[SeenRollout] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found += _of(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError):
            if number == len(lines):
                continue  # a killed process left it half written
            raise UsageError(
                f"{file}, line {number} is neither a trace of verifiers nor a result of `eval train`"
            ) from None
    if not found:
        raise UsageError(f"{file} holds no finished rollout")
    return found


def by_root(rows: Iterable[results.Row]) -> dict[str, list[SeenRollout]]:
    """Results of this run, for each root."""
    found: dict[str, list[SeenRollout]] = {}
    for row in rows:
        found.setdefault(str(row.item["root"]), []).append(_result(row))
    return found


def _of(row: Mapping[str, Any]) -> Iterator[SeenRollout]:
    if row.get("experiment") == EXPERIMENT:
        yield _result(results.Row(**row))
        return
    for trace in row.get("traces", [row]):
        if trace["ok"]:
            yield _trace(trace)


def _result(row: results.Row) -> SeenRollout:
    facts = Facts.of(row.result["facts"])
    task = Task(*(row.item[name] for name in Task.__dataclass_fields__)).name
    return SeenRollout(
        task, row.result["reward"], facts.turns, facts, facts.root_input, facts.root_output, str(row.item["root"])
    )


def _trace(trace: Mapping[str, Any]) -> SeenRollout:
    rewards = [reward for reward in trace["rewards"].values() if reward is not None]
    given = (trace.get("info") or {}).get(NAME)
    facts = Facts.of(given) if given else None
    usages = [call["usage"] for call in trace.get("calls", ()) if call.get("usage")]
    turns = facts.turns if facts else sum(bool(node.get("sampled")) for node in trace["nodes"])
    data = trace["task"]["data"]
    return SeenRollout(
        task=str(data.get("name") or data.get("idx")),
        reward=sum(reward["score"] * reward.get("weight", 1.0) for reward in rewards),
        turns=turns,
        facts=facts,
        input=_sum(usages, "prompt_tokens"),
        output=_sum(usages, "completion_tokens"),
        who=str(trace["agent"]["config"].get("model") or ""),
    )


def _sum(usages: list[Mapping[str, Any]], name: str) -> int | None:
    return sum(int(usage.get(name) or 0) for usage in usages) if usages else None
