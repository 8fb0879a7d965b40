import pytest
from golden_reviews import GOLDEN, REVIEWS, rendered


@pytest.mark.parametrize("name", sorted(REVIEWS))
def test_page_matches_its_golden_file(name: str) -> None:
    """Console, summary and comments equal the files in golden/, which `make golden` updates."""
    for file, text in rendered(name).items():
        assert (GOLDEN / file).read_bytes().decode() == text, f"{file} has changed: `make golden` renews it"
