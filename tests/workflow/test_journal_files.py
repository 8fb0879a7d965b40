import os
from pathlib import Path

from bot.workflow import journals


def test_a_journal_that_no_database_knows_is_an_orphan(tmp_path: Path) -> None:
    """On PostgreSQL one process forgets a repository; the files of the others are found by that. A new file is left alone."""
    (tmp_path / journals.FOLDER).mkdir()
    for name, written in (("70-1-base-head", 100.0), ("71-1-base-head", 100.0), ("72-1-base-head", 300.0)):
        path = journals.path(tmp_path, name)
        path.touch()
        os.utime(path, (written, written))
    assert journals.orphans(tmp_path, 200.0, {"70-1-base-head"}) == [journals.path(tmp_path, "71-1-base-head")]
