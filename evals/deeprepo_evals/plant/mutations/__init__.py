"""How a defect gets into a function: one file per class, each with CLASS and `propose(site)`.

Each file says why its change cannot leave the behaviour as it was. That holds for the function by itself; whether a program ever
calls it so is for the callers, whom a label names.
"""

from collections.abc import Callable, Iterator, Mapping

from deeprepo_evals.plant.mutations import (
    arguments,
    awaiting,
    boundary,
    caller,
    closing,
    condition,
    default,
    guard,
    key,
    operator,
)
from deeprepo_evals.plant.mutations.site import Edit, Mutation, Scene, Site, Spot

MUTATIONS: Mapping[str, Callable[[Site], Iterator[Mutation]]] = {
    module.CLASS: module.propose
    for module in (boundary, condition, operator, guard, awaiting, closing, arguments, default, key, caller)
}

__all__ = ["MUTATIONS", "Edit", "Mutation", "Scene", "Site", "Spot"]
