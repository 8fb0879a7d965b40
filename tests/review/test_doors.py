"""Only two modules mask secrets: one for what models see and one for what is written out."""

import ast
import io
import tarfile
from pathlib import Path

import bot
from bot.checkout.views import archive_without_secrets, create_known_secrets
from bot.review import written

DOORS = {"bot/checkout/views.py", "bot/review/written.py"}
TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA2"
PASSWORD = "tr0ub4dor" + "&3xKq9"
HOUSE = Path(bot.__file__).parents[1]


def imported(path: Path) -> set[str]:
    """Return every module that a file imports, including imports inside functions."""
    nodes = list(ast.walk(ast.parse(path.read_bytes())))
    names = {f"{node.module}.{name.name}" for node in nodes if isinstance(node, ast.ImportFrom) for name in node.names}
    return names | {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}


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
