"""What GitHub tells of each thing, as JSON: GitHub's own examples, filled with facts."""

import json
from datetime import datetime
from typing import Any

from deeprepo_sandbox.github.world import World


def stamp(moment: datetime | None) -> str | None:
    """A time as GitHub writes it."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


def rehome(example: Any, world: World, full_name: str, example_name: str = "octocat/Hello-World") -> Any:  # noqa: ANN401 - JSON
    """An example whose addresses lead into the sandbox, to a repository of it."""
    text = json.dumps(example).replace(example_name, full_name)
    return json.loads(text.replace("https://api.github.com", world.api).replace("https://github.com", world.origin))
