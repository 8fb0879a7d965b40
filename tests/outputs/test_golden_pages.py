import pytest
from golden_reviews import GOLDEN, REVIEWS, rendered


@pytest.mark.parametrize("name", sorted(REVIEWS))
def test_page_matches_its_golden_file(name: str) -> None:
    """Console, summary and comments equal the files in golden/, which `make golden` updates."""
    for file, text in rendered(name).items():
        assert (GOLDEN / file).read_bytes().decode() == text, f"{file} has changed: `make golden` renews it"


def test_golden_folder_has_enough_reviews_and_no_other_files() -> None:
    """There are at least 24 reviews, and golden/ has no other files."""
    assert len(REVIEWS) >= 24
    kinds = ("console.txt", "summary.md", "inline.md")
    assert {path.name for path in GOLDEN.iterdir()} == {f"{name}.{kind}" for name in REVIEWS for kind in kinds}
