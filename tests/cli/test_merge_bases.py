"""With several merge bases, the diff may miss what a merge brought in, so the review stays incomplete."""

import histories
import pytest
from fakes import Repository
from recorded import deeprepo

BAR: dict[str, str | bytes | None] = {".deeprepo.yml": "fail_on: critical\n"}


@pytest.mark.parametrize("name", ["crossed", "the main branch merged in again and again"])
def test_several_merge_bases_make_a_review_partial_and_fail_a_threshold(repository: Repository, name: str) -> None:
    """The review fails a threshold and says what to do, also for a commit without a branch."""
    repository.commit({**histories.START, **BAR})
    histories.draw(repository.folder, (histories.SEVERAL_BASES | histories.ONE_BASE)[name])
    head = repository.git("rev-parse", "feature")
    for change in ("main..feature", f"main..{head}"):
        done = deeprepo("review", change, "--strategy", "offline", cwd=repository.folder)
        said = " ".join(done.stdout.split())
        assert done.returncode == (name in histories.SEVERAL_BASES), done.stdout
        assert ("merge main into the branch again" in said) == (name in histories.SEVERAL_BASES)
        assert ("No problems found" in said and "Not checked:" not in said) != (name in histories.SEVERAL_BASES)
