"""The operations, each under GitHub's own name for it. A new one is a function and a line in its module's OPERATIONS."""

from deeprepo_sandbox.github.api import (
    actions,
    apps,
    checks,
    comments,
    data,
    pulls,
    reactions,
    repositories,
    review_comments,
    reviews,
    visitors,
)
from deeprepo_sandbox.github.call import Do

OPERATIONS: dict[str, Do] = {
    **actions.OPERATIONS,
    **apps.OPERATIONS,
    **checks.OPERATIONS,
    **comments.OPERATIONS,
    **data.OPERATIONS,
    **pulls.OPERATIONS,
    **reactions.OPERATIONS,
    **repositories.OPERATIONS,
    **review_comments.OPERATIONS,
    **reviews.OPERATIONS,
    **visitors.OPERATIONS,
}
