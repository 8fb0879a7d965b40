import pytest
from reviewed import Folder, figures


@pytest.mark.slow
def test_harness_shows_the_caller_that_the_diff_lacks(shop: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    """The product shows the model the forgotten caller, which is missing from the diff."""
    found = figures(capsys, shop.command("--oracle", "--baseline", "diff-only"))
    assert found["omit", "parts", "recall", ""] == 1
    assert found["omit", "diff-only", "recall", ""] == 0
    assert found["omit", "diff-only", "shown in a prompt", ""] == 1
    assert found["omit", "parts", "recall", "caller named"] == 1
    assert found["natural", "diff-only", "recall", ""] == found["natural", "parts", "recall", ""] == 1
    assert found["natural", "parts", "recall", "since: 2025"] == 1


def test_diff_only_reviewer_scores_zero_on_twins(shop: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    """A reviewer that only reads the diff scores 0, because both twins have the same diff."""
    found = figures(capsys, shop.command("--oracle", "--baseline", "diff-only", "--kind", "twins"))
    assert found["twins", "parts", "hits - reports", ""] == 1
    assert found["twins", "parts", "reports on good", ""] == 0
    assert found["twins", "diff-only", "hits - reports", ""] == 0


def test_offline_review_finds_the_forgotten_caller(shop: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    """The static checks find the forgotten caller."""
    found = figures(capsys, shop.command("--strategy", "offline", "--kind", "omit,clean"))
    assert found["omit", "offline", "recall", "caller named"] == 1
    assert found["clean", "offline", "findings per PR", ""] == 0
