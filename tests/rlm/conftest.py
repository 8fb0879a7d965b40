import pytest
from fakes import Repository
from shop import AFTER, BEFORE, Table

from bot.values import PullRequest


@pytest.fixture(scope="session")
def change(tmp_path_factory: pytest.TempPathFactory) -> PullRequest:
    """A pull request that changes two files of a shop."""
    return Repository(tmp_path_factory.mktemp("shop") / "repository").change(dict(BEFORE), dict(AFTER))


@pytest.fixture
def table(change: PullRequest) -> Table:
    """A review of it, in which the test says who answers."""
    return Table(change)
