"""What is asked of a worker, one file per question: `QUESTION`, the template with its words, and `wants`, the reason to ask it.

A change gets the questions that its own lines call for, so a small one gets one or two. All questions of a prompt are in
that prompt: a lens costs a sentence, never a call. The order is the order of the questions.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast

from bot.ports import Lens


class _LazyModule:
    """A module that is loaded when it is first used: a review without a model asks no question."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the module holds
        return getattr(import_module(self._name), name)


LENSES: Mapping[str, Lens] = {
    name: cast("Lens", _LazyModule(f"{__name__}.{name}"))
    for name in ("correctness", "contracts", "security", "data", "concurrency", "errors", "api", "tests")
}
