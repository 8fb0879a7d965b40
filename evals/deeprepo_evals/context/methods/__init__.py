"""Ways to answer a question about a long text, one file each with `async def run(room) -> Said`."""

from collections.abc import Awaitable, Callable, Mapping

from deeprepo_evals.context.methods import chunked, codeact, direct, fanout, retrieval, rlm, rlm_only
from deeprepo_evals.context.methods.method_answer import MethodAnswer
from deeprepo_evals.context.room import Room

METHODS: Mapping[str, Callable[[Room], Awaitable[MethodAnswer]]] = {
    "direct": direct.run,
    "chunked": chunked.run,
    "bm25": retrieval.run,
    "codeact": codeact.run,
    "rlm-only": rlm_only.run,
    "fanout": fanout.run,
    "rlm": rlm.run,
}

__all__ = ["METHODS", "MethodAnswer"]
