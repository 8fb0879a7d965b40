import pytest
from fakes import Repository
from recorded import AFTER, BEFORE


@pytest.fixture
def changed(repository: Repository) -> Repository:
    """A branch that gives a function a new signature and forgets one caller."""
    repository.commit(BEFORE, "before")
    repository.git("checkout", "-qb", "feature")
    repository.commit(AFTER, "Name the service\n\nInstead of a flag.")
    return repository
