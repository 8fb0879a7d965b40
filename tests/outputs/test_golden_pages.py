import pytest
from golden_reviews import GOLDEN, REVIEWS, rendered


@pytest.mark.parametrize("name", sorted(REVIEWS))
def test_a_page_looks_as_it_was_approved(name: str) -> None:
    """Console, summary and comments are as in golden/; golden_reviews.py says how to renew them."""
    for file, text in rendered(name).items():
        assert (GOLDEN / file).read_bytes().decode() == text, f"{file} has changed: `make golden` renews it"


def test_there_are_enough_of_them() -> None:
    """Two dozen reviews and more, and no file is left over."""
    assert len(REVIEWS) >= 24
    kinds = ("console.txt", "summary.md", "inline.md")
    assert {path.name for path in GOLDEN.iterdir()} == {f"{name}.{kind}" for name in REVIEWS for kind in kinds}
