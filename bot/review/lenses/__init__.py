"""Choose the questions for a worker.

Each file is one question: the template `QUESTION`, and `wants`, which decides whether to ask it. A question
is only asked if the changed lines call for it, so a small change gets one or two. Each costs a sentence in
the prompt and no call. Questions are asked in the order of `LENSES`.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast

from bot.ports import Lens


class _LazyModule:
    """A module loaded on first use, because a review without a model asks no questions."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the module holds
        return getattr(import_module(self._name), name)


LENSES: Mapping[str, Lens] = {
    name: cast("Lens", _LazyModule(f"{__name__}.{name}"))
    for name in ("correctness", "contracts", "security", "data", "concurrency", "errors", "api", "tests")
}
