import pytest
from fakes import Repository
from recorded import AFTER, BEFORE


@pytest.fixture
def changed(repository: Repository) -> Repository:
    """Return a repository whose branch changes a function's signature and forgets one caller."""
    repository.commit(BEFORE, "before")
    repository.git("checkout", "-qb", "feature")
    repository.commit(AFTER, "Name the service\n\nInstead of a flag.")
    return repository
