"""What was typed, as a plan or as columns of a table."""

from typing import Any

from bot.errors import UsageError
from deeprepo_evals.plant.reader import NAME as READER
from deeprepo_evals.train import policies
from deeprepo_evals.train.run import Plan
from deeprepo_evals.train.tasks import SIZES


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


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
