import pytest
from fakes import Repository
from sample import AFTER, BEFORE


@pytest.fixture
def shop(repository: Repository) -> Repository:
    """A branch whose change removes a check, in a shop whose owner has switched runs on."""
    repository.commit(BEFORE, "before")
    repository.git("checkout", "-qb", "feature")
    repository.commit(AFTER, "after")
    return repository
