"""What is written without a review, and what tests may see, contains no secrets."""

import io
import tarfile

from bot.checkout.views import archive_without_secrets, create_known_secrets
from bot.review import written

TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA2"
PASSWORD = "tr0ub4dor" + "&3xKq9"


def test_output_written_without_a_review_is_masked() -> None:
    """Commands, comments, answers about files and test output are masked without a review."""
    line = f'password = "{PASSWORD}"'
    masks = create_known_secrets()
    masks.learn(line, "shop/db.py")
    outgoing = [
        written.of_typed_words(f"what is {TOKEN}?"),
        written.of_post(f"The branch {TOKEN} was pushed to."),
        written.of_files(f"shop/db.py:1: {line}", {"shop/db.py": line}),
        written.of_run(f"{TOKEN} {PASSWORD}", masks),
    ]
    assert [one for one in outgoing if TOKEN in one or PASSWORD in one] == []
    assert ["***" in one for one in outgoing] == [True] * len(outgoing)


def test_secret_is_masked_in_every_file_of_a_test_archive() -> None:
    """A secret from one file is masked in all files, under whatever name they contain it."""
    made = io.BytesIO()
    with tarfile.TarFile(fileobj=made, mode="w") as archive:
        for name, text in {"work/a.py": f"use({PASSWORD!r})\n", "work/b.py": f"password = {PASSWORD!r}\n"}.items():
            about = tarfile.TarInfo(name)
            about.size = len(text)
            archive.addfile(about, io.BytesIO(text.encode()))
    shown = archive_without_secrets(made.getvalue(), "work/")
    assert PASSWORD.encode() not in shown
    assert shown.count(b"MASKED_SECRET_") == 2
