"""Review a change, find out what it affects, and ask questions about texts of up to 100 MB.

    import deeprepo

    deeprepo.review(".", "main..feature").to_markdown()
    deeprepo.analyze(".", "main..feature").uses
    deeprepo.RLM(root="anthropic/claude-sonnet-5-5").run("Who signed?", Path("contracts")).answer

`docs/library.md` has examples, and `docs/api.md` lists every name. `API_VERSION` is the version of the names, their parameters and
their fields, and follows semantic versioning: none of them is removed within a major version. Modules that start with an underscore
and the `bot` package are not public.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deeprepo._analyze import analyze, analyze_async
    from deeprepo._errors import (
        BudgetSpent,
        DeepRepoError,
        ExecutionError,
        NothingToReview,
        ProviderError,
        UsageError,
    )
    from deeprepo._review import review, review_async
    from deeprepo._rlm import RLM, Session
    from deeprepo._values import (
        Broken,
        Budget,
        Call,
        Consumer,
        Cost,
        Definition,
        Dependent,
        Event,
        Evidence,
        File,
        Finding,
        Impact,
        Model,
        Result,
        Review,
        Started,
        Turn,
        Use,
    )

API_VERSION = "2.0.0"
_HOMES = {  # each loads when it is first used: `import deeprepo` itself takes some milliseconds
    "_review": ("review", "review_async"),
    "_analyze": ("analyze", "analyze_async"),
    "_rlm": ("RLM", "Session"),
    "_errors": ("DeepRepoError", "UsageError", "NothingToReview", "BudgetSpent", "ProviderError", "ExecutionError"),
}

__all__ = [
    "API_VERSION",
    "RLM",
    "Broken",
    "Budget",
    "BudgetSpent",
    "Call",
    "Consumer",
    "Cost",
    "DeepRepoError",
    "Definition",
    "Dependent",
    "Event",
    "Evidence",
    "ExecutionError",
    "File",
    "Finding",
    "Impact",
    "Model",
    "NothingToReview",
    "ProviderError",
    "Result",
    "Review",
    "Session",
    "Started",
    "Turn",
    "UsageError",
    "Use",
    "__version__",
    "analyze",
    "analyze_async",
    "review",
    "review_async",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the package's own names
    if name == "__version__":
        return import_module("bot").__version__
    if name not in __all__:
        raise AttributeError(f"module 'deeprepo' has no attribute {name!r}")
    home = next((home for home, names in _HOMES.items() if name in names), "_values")
    if home in ("_review", "_analyze", "_rlm"):
        import_module("deeprepo._errors").check_package()
    value = globals()[name] = getattr(import_module(f"deeprepo.{home}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
