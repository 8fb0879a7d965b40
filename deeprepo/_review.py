"""`deeprepo.review`."""

import asyncio
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from deeprepo._calls import Path, Progress, Scope, call_outside_loop, workplace
from deeprepo._errors import UsageError
from deeprepo._values import Budget, Evidence, Finding, Model, Review, access, consumer, copy, cost, model_name

if TYPE_CHECKING:
    from bot.values import CoverageRow
    from bot.values import Review as _Inner

Effort = Literal["none", "low", "medium", "high"]


def review(
    repo: Path = ".",
    change: str | None = None,
    *,
    scope: Scope = "range",
    root: str | Model | None = None,
    worker: str | Model | None = None,
    effort: Effort | None = None,
    budget: float | Budget | None = None,
    journal: Path | None = None,
    consumers: Sequence[Path] = (),
    on_progress: Progress | None = None,
) -> Review:
    """Review a change in a local repository.

    Args:
        repo: A folder in the repository.
        change: "BASE..HEAD", or only BASE. None reviews HEAD against the default branch.
        scope: "staged" or "uncommitted" reviews that work instead. `change` must then be None.
        root: The model that orchestrates and confirms findings: "provider/model" or a `Model`.
        worker: The cheaper model that reads the code. Default: the root.
        effort: "none" (no model), "low", "medium" or "high". Default: the repository's setting, or "medium".
        budget: Dollars, or a `Budget`. Default: the settings, or $1.00.
        journal: A file that records every call. The same call resumes from it and doesn't pay twice.
        consumers: Clones of repositories that use this one. Breaks there are reported too.
        on_progress: A function that receives short progress messages.

    If you don't choose a model and the environment doesn't contain a key, the review runs without a model. No code from the
    repository is run.
    """
    flags, keys = _flags(root, worker, effort, budget, journal, consumers), access(root, worker)
    with workplace(repo, change, scope) as (request, scratch):
        from bot.wiring.review import local_review

        say = on_progress or (lambda _: None)
        inner_review = call_outside_loop(
            lambda: asyncio.run(local_review(request, flags, scratch, say, warn=say, access=keys))
        )
    if inner_review.cut.fault == "interrupted":
        raise KeyboardInterrupt
    return _public_review(inner_review)


async def review_async(
    repo: Path = ".",
    change: str | None = None,
    *,
    scope: Scope = "range",
    root: str | Model | None = None,
    worker: str | Model | None = None,
    effort: Effort | None = None,
    budget: float | Budget | None = None,
    journal: Path | None = None,
    consumers: Sequence[Path] = (),
    on_progress: Progress | None = None,
) -> Review:
    """Review a change in the caller's event loop. Parameters, result and errors are those of `review`."""
    flags, keys = _flags(root, worker, effort, budget, journal, consumers), access(root, worker)
    with workplace(repo, change, scope) as (request, scratch):
        from bot.wiring.review import local_review

        say = on_progress or (lambda _: None)
        return _public_review(
            await local_review(request, flags, scratch, say, keep_on_cancel=False, warn=say, access=keys)
        )


def _flags(
    root: str | Model | None,
    worker: str | Model | None,
    effort: Effort | None,
    budget: float | Budget | None,
    journal: Path | None,
    consumers: Sequence[Path],
) -> dict[str, Any]:
    if effort is not None and effort not in get_args(Effort):
        raise UsageError(f"effort={effort!r} is not one of {', '.join(get_args(Effort))}")
    budget_given = budget if isinstance(budget, Budget) else Budget(budget, None, None, None)
    flags = {
        "root": model_name(root),
        "worker": model_name(worker),
        "effort": effort,
        "journal": journal,
        "with_clones": tuple(os.fspath(one) for one in consumers),
        "usd": budget_given.usd,
        "tokens": budget_given.tokens,
        "calls": budget_given.calls,
        "seconds": budget_given.seconds,
    }
    return {name: value for name, value in flags.items() if value is not None}


def _place(row: "CoverageRow") -> str:
    return f"{row.path}{f':{row.line}' if row.line else ''} {row.name}: {row.reason}"


def _public_review(inner_review: "_Inner") -> Review:
    """The stable face of a review."""
    coverage = inner_review.coverage
    return Review(
        base=inner_review.pull.base,
        head=inner_review.pull.head,
        strategy=inner_review.strategy.name,
        summary=inner_review.summary,
        findings=tuple(
            copy(Finding, finding, evidence=tuple(copy(Evidence, item) for item in finding.evidence))
            for finding in inner_review.open_findings
        ),
        complete=coverage.complete and not inner_review.cut.partial,
        open=tuple(map(_place, coverage.open)),
        relying=tuple(map(_place, coverage.relying)),
        interrupted_by=inner_review.cut.fault,
        notes=inner_review.notes,
        consumers=tuple(map(consumer, inner_review.consumers)),
        cost=cost(inner_review.cost),
        seconds=inner_review.seconds,
        _inner=inner_review,
    )
