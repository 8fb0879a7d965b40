"""Code that proves a large, two-file case is shown next to the definition whose result it uses."""

import pytest
import step
from fakes import Repository

from bot.checkout import Checkout
from bot.diff import units
from bot.review.context.builder import ContextBuilder
from bot.review.context.searches import Searches
from bot.review.pairs.altered_definitions import USES_TOKENS
from deeprepo.impact import uses
from deeprepo_evals import public
from deeprepo_evals.reviews import case_files
from deeprepo_evals.reviews.cases import LARGE, Case, Edit

# Only the rest of their repositories, such as a manifest, can resolve these calls.
NEEDS_ITS_REPOSITORY = {
    "large-delay-unit-helix",
    "large-level-keys-monolog",
    "large-limit-largest-hyper",
    "large-local-time-framework",
}
CASES = [
    case
    for case in case_files.read(public.CASES, (LARGE,))
    if case.variant == "bad" and case.defects[0].scope == "two hops" and case.twin not in NEEDS_ITS_REPOSITORY
]


def files(edits: tuple[Edit, ...]) -> dict[str, str | bytes | None]:
    """Return the files that the edits write, with empty lines for quotes from the original repository."""
    written: dict[str, str | bytes | None] = {}
    for edit in edits:
        lines = "".join(f"{line if isinstance(line, str) else ''}\n" for line in edit.lines)
        written[edit.path] = f"{written.get(edit.path, '')}{lines}"
    return written


@pytest.mark.parametrize("case", CASES, ids=[case.twin for case in CASES])
def test_proof_in_another_file_is_shown_next_to_the_definition(repository: Repository, case: Case) -> None:
    """Each proof is shown to the pass over pairs and to a worker, however the caller passes the result on."""
    pull = repository.change({"README": "", **files((*case.around, *case.before))}, files(case.change))

    async def run(tree: Checkout, changed: step.Files) -> list[set[tuple[str, str]]]:
        parts = units.cut(changed, await uses.find(tree, changed), await step.texts(tree, changed))
        builder = ContextBuilder(Searches(tree, changed, parts), follows=True)
        units_changed = [unit for unit in parts if unit.path == case.defects[0].spans[0].file]
        pairs = [await builder.uses([unit], USES_TOKENS) for unit in units_changed]
        ways = [part.all for part in pairs], [await builder.of(units_changed)]
        return [{(one.path, row.text) for part in way for one in part for row in one.rows} for way in ways]

    shown_to_pairs, shown_to_worker = step.over(pull, run)
    for proof in case.defects[0].evidence:
        edit = next(one for one in (*case.around, *case.before, *case.change) if one.path == proof.file)
        assert (proof.file, edit.lines[proof.line - max(1, edit.start)]) in shown_to_pairs & shown_to_worker
