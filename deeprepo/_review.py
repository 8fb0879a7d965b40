"""`deeprepo.review`."""

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal, get_args

from deeprepo._calls import Path, Progress, Scope, synchronous, workplace
from deeprepo._errors import UsageError
from deeprepo._values import Budget, Evidence, Finding, Model, Review, consumer, copy, cost, names_and_access

if TYPE_CHECKING:
    from bot.values import CoverageRow
    from bot.values import Review as _Inner

Effort = Literal["none", "low", "medium", "high"]


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
    if effort is not None and effort not in get_args(Effort):
        raise UsageError(f"effort={effort!r} is not one of {', '.join(get_args(Effort))}")
    names, keys = names_and_access(root, worker)
    given = {
        "root": names[0],
        "worker": names[1],
        "effort": effort,
        "journal": journal,
        "with_clones": tuple(os.fspath(one) for one in consumers),
        **asdict(budget if isinstance(budget, Budget) else Budget(budget, None, None, None)),
    }
    flags, say = {name: value for name, value in given.items() if value is not None}, on_progress or (lambda _: None)
    async with workplace(repo, change, scope) as (request, scratch):
        from bot.wiring.review import local_review

        return _public_review(
            await local_review(request, flags, scratch, say, keep_on_cancel=False, warn=say, access=keys)
        )


review = synchronous(review_async)


def _place(row: "CoverageRow") -> str:
    return f"{row.path}{f':{row.line}' if row.line else ''} {row.name}: {row.reason}"


def _public_review(inner_review: "_Inner") -> Review:
    from bot.sections.overlooked import OVERLOOKED

    coverage = inner_review.coverage
    return copy(
        Review,
        inner_review,
        base=inner_review.pull.base,
        head=inner_review.pull.head,
        strategy=inner_review.strategy.name,
        findings=tuple(
            copy(Finding, finding, evidence=tuple(copy(Evidence, item) for item in finding.evidence))
            for finding in inner_review.open_findings
        ),
        complete=coverage.complete and not inner_review.cut.partial,
        open=tuple(map(_place, coverage.open)),
        relying=tuple(map(_place, coverage.relying)),
        overlooked=tuple(f"{row.path}:{row.line} {row.says or row.name}" for row in OVERLOOKED.of(inner_review)),
        interrupted_by=inner_review.cut.fault,
        consumers=tuple(map(consumer, inner_review.consumers)),
        cost=cost(inner_review.cost),
        _inner=inner_review,
    )
