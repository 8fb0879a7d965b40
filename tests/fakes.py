"""A git repository for tests. It is real and quick to write to."""

import os
import subprocess
from pathlib import Path

import objects

from bot.values import PullRequest

WHO = "NAME@example.invalid <EMAIL@example.invalid> 1767268800 +0000"  # the identity that `env` below gives to git


class Repository:
    """A git repository in a folder, isolated from the user's and the system's git configuration."""

    def __init__(self, folder: Path, *, branch: str = "main") -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            **{
                f"GIT_{who}_{what}": f"{what}@example.invalid"
                for who in ("AUTHOR", "COMMITTER")
                for what in ("NAME", "EMAIL")
            },
            "GIT_AUTHOR_DATE": "2026-01-01T12:00:00Z",
            "GIT_COMMITTER_DATE": "2026-01-01T12:00:00Z",
        }
        self._first = dict(self.env)
        if (folder / ".git").exists():
            self.git("init", "--quiet", f"--initial-branch={branch}")
        else:
            objects.init(folder, branch)

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run git here and return its standard output."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=self.env, input=stdin, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    def write(self, files: dict[str, str | bytes | None]) -> None:
        """Write these files; None deletes a file."""
        for name, content in files.items():
            path = self.folder / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, files: dict[str, str | bytes | None], message: str = "change") -> str:
        """Write the files, commit everything, and return the commit's SHA."""
        self.write(files)
        made = objects.commit(self.folder, WHO, message) if self.env == self._first else None
        if made is not None:
            return made
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def change(self, before: dict[str, str | bytes | None], after: dict[str, str | bytes | None]) -> PullRequest:
        """Commit `before` and then `after`, and return them as a pull request."""
        base = self.commit(before, "before")
        head = self.commit(after, "after")
        return self.pull(base, head)

    def pull(self, base: str, head: str) -> PullRequest:
        """Return a pull request between two commits."""
        return PullRequest("A change", "", base, head, "main", "feature", str(self.folder / ".git"))
