"""If code can create a removed name without declaring it, deeprepo does not prove that the name is missing."""

import pytest
import step
from contract_findings import causes
from fakes import Repository
from made_names import MADE, UNMADE, Change

from bot.checkout import Checkout
from bot.review.analyzer_worker import load_analyzer
from bot.values import Verdict
from deeprepo.impact import uses


def proven(repository: Repository, case: Change) -> list[str]:
    """Return the titles of proven findings from the contract checks and the type checkers."""

    async def run(tree: Checkout, files: step.Files) -> list[str]:
        dependents = await uses.find(tree, files)
        titles = []
        for checker in [load_analyzer(name) for name in ("ty", "tsc")]:
            judgement = await checker.check(tree, [file for file in files if checker.wants(file)], dependents)
            titles += [finding.title for finding in judgement.findings if finding.verdict == Verdict.PROVEN]
        return titles

    pull = repository.change(*case)
    own = [finding.title for finding in causes(pull) if finding.verdict == Verdict.PROVEN]
    return own + step.over(pull, run)


@pytest.mark.parametrize("case", MADE)
def test_name_that_code_can_create_is_not_proven_missing(repository: Repository, case: str) -> None:
    """The changed code can create the name at run time, so nothing is reported as proven."""
    assert proven(repository, MADE[case]) == []


@pytest.mark.parametrize("case", UNMADE)
def test_name_that_no_code_creates_is_proven_missing(repository: Repository, case: str) -> None:
    """Without code that creates the name, the break is proven."""
    assert proven(repository, UNMADE[case]) != []
