"""A sample change and the repository around it: what `deeprepo demo` reviews. `live` stages it on a GitHub of one's own."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

SAMPLE = Path(__file__).parent / "sample"
REPAIRED = "Callers follow the new signature; the old name stays for others; the token comes from the environment"
TITLE = "Replace the express flag by named services"
BODY = "Orders can now be shipped overnight. `quote` takes the service, and parcels are announced to the carrier. Closes #1."
ISSUE = "Ship overnight", "Customers ask for overnight shipping. The label should name the service that was ordered."
# The settings of the staged repository. `model` has the scripted answers to its checks.
SETTINGS = """request_changes: high
quota: 8
run: {test: 'python3 -m unittest -v {file}', seconds: 30}
instructions:
- {name: errors name the parcel, text: An error about a parcel names it by its `id`., path: parcel/carrier.py, must: true}
- {name: announced once, text: "A parcel is announced to the carrier once, even if its order is tried again.", path: parcel/carrier.py, must: warn}
- {name: migrations, text: A migration that drops a column comes after a release that stopped reading it., path: migrations/**, must: warn}
"""
# A pretended key, put together here so that no scanner of this repository stumbles over it.
TOKEN = "ghp_" + "R7tq2LwX9vKd4NzYb8Hc3MfJ6sPg" + "1aQeUoTi"


def build(folder: str) -> None:
    """Make a git repository with the branches `main` and `pull-request` in an empty folder."""
    sides = (("base", "main", "Rates and labels"), ("head", "pull-request", f"{TITLE}\n\n{BODY}"))
    _commit(folder, sides)


def build_user(folder: str) -> None:
    """Make the repository that uses the sample, with the one branch `main`, in an empty folder."""
    _commit(folder, (("user", "main", "Baskets"),))


def _commit(folder: str, sides: Sequence[tuple[str, str, str]]) -> None:
    """A git repository with a commit of each part of the sample, on a branch of its own."""
    who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _WHO.items()}
    env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": folder, "GIT_CONFIG_NOSYSTEM": "1", **who}

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=folder, env=env, check=True, capture_output=True)

    git("init", "--quiet", "--initial-branch=main")
    for side, branch, message in sides:
        if branch != "main":
            git("checkout", "--quiet", "-b", branch)
        shutil.copytree(SAMPLE / side, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        carrier = Path(folder, "parcel", "carrier.py")
        if carrier.exists():
            carrier.write_text(carrier.read_text().replace("@TOKEN@", TOKEN))
        git("add", "--all")
        git("commit", "--quiet", "--message", message)


def repair() -> dict[str, str]:
    """What the author pushes once the review was read: the files of the next commit."""
    folder = SAMPLE / "next"
    return {path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.rglob("*.py"))}


_WHO = {"NAME": "deeprepo demo", "EMAIL": "demo@example.invalid", "DATE": "2026-01-01T12:00:00Z"}
