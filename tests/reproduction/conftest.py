import pytest
from fakes import Repository
from sample import AFTER, BEFORE


@pytest.fixture
def shop(repository: Repository) -> Repository:
    """A feature branch that removes a check, in a repository with runs enabled."""
    repository.commit(BEFORE, "before")
    repository.git("checkout", "-qb", "feature")
    repository.commit(AFTER, "after")
    return repository
