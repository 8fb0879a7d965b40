"""Unknown names in the settings give a warning, and the review still runs."""

from small_changes import ByCode

SETTINGS = "analyzers: [contracts, contacts]\n"
BEFORE = {"a.py": "def total(rows):\n    return rows\n", "b.py": "from a import total\n\ntotal([])\n"}


def test_unknown_check_name_is_ignored_with_a_note(by_code: ByCode) -> None:
    """With an unknown check name in the settings, the other checks run and a note reports the name."""
    review = by_code({".deeprepo.yml": SETTINGS, **BEFORE}, {"a.py": "def total(rows, tax):\n    return rows, tax\n"})
    assert [placed.finding.path for placed in review.reported] == ["b.py"]
    assert sum("is unknown" in note for note in review.notes) == 1
