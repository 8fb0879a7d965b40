"""The same change in two trees: in `good` every unchanged user tolerates it, in `bad` all but one.

A reviewer that reads the diff alone must give both the same answer. One file per mechanism, each with MECHANISM and `propose(site)`.
"""

from collections.abc import Callable, Iterator, Mapping

from deeprepo_evals.plant.mutations import Site
from deeprepo_evals.plant.twins import empty, form, key
from deeprepo_evals.plant.twins.pair import Proposal, User

MECHANISMS: Mapping[str, Callable[[Site], Iterator[Proposal]]] = {
    module.MECHANISM: module.propose for module in (key, empty, form)
}

__all__ = ["MECHANISMS", "Proposal", "User"]
