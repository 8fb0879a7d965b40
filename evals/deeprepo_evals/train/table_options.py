"""What was typed, as a plan or as columns of a table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bot.errors import UsageError
from deeprepo_evals.plant.reader import NAME as READER
from deeprepo_evals.train import policies, traces
from deeprepo_evals.train.run import Plan
from deeprepo_evals.train.tasks import SIZES
from deeprepo_evals.train.traces import SeenRollout


def plan(roots: str, worker: str, files: str, **rest: Any) -> Plan:  # noqa: ANN401 - fields of Plan
    """The rollouts that were asked for. Raises UsageError."""
    names = tuple(policies.check(name, root=True) for name in _parts(roots)) or policies.policies()
    try:
        sizes = tuple(int(part) for part in _parts(files)) or SIZES
    except ValueError:
        raise UsageError(f"{files!r} is not a number of files: write whole numbers with commas between them") from None
    made = Plan(names, policies.check(worker or READER, root=False), sizes=sizes, **rest)
    made.items()
    return made


def columns(texts: Sequence[str]) -> Mapping[str, list[SeenRollout]]:
    """Sets of rollouts by their names, in the typed order. Raises UsageError."""
    found: dict[str, list[SeenRollout]] = {}
    for word in texts:
        name, given, path = word.partition("=")
        if not given or not name or not path:
            raise UsageError(f"{word!r} has no name: write NAME=FILE, for example before=outputs/base")
        found.setdefault(name, []).extend(traces.read(Path(path)))
    return found


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
