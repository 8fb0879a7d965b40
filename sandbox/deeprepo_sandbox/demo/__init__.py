"""The sample repository and change that `deeprepo demo` reviews. `live` opens it as a pull request on a sandbox GitHub."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

SAMPLE = Path(__file__).parent / "sample"
REPAIRED = "Update the callers, keep the old name for other repositories, and read the token from the environment"
TITLE = "Replace the express flag with named services"
BODY = "Orders can now be shipped overnight. `quote` takes the service, and parcels are announced to the carrier. Closes #1."
ISSUE = "Ship overnight", "Customers ask for overnight shipping. The label should name the service that was ordered."
# The settings of the staged repository. `model` has the scripted answers to its checks.
SETTINGS = """request_changes: high
consumers: [acme/storefront]
quota: 8
instructions:
- {name: errors name the parcel, text: An error about a parcel names it by its `id`., path: parcel/carrier.py, must: true}
- {name: announced once, text: "A parcel is announced to the carrier once, even if its order is retried.", path: parcel/carrier.py, must: warn}
- {name: migrations, text: Drop a column only after a release that no longer reads it., path: migrations/**, must: warn}
"""
# An invented key, assembled here so that secret scanners don't report it in this repository.
TOKEN = "ghp_" + "R7tq2LwX9vKd4NzYb8Hc3MfJ6sPg" + "1aQeUoTi"


def build(folder: str) -> None:
    """Make a git repository with the branches `main` and `pull-request` in an empty folder."""
    sides = (("base", "main", "Rates and labels"), ("head", "pull-request", f"{TITLE}\n\n{BODY}"))
    _commit(folder, sides)


def build_user(folder: str) -> None:
    """Make the repository that uses the sample, with the one branch `main`, in an empty folder."""
    _commit(folder, (("user", "main", "Baskets"),))


def _commit(folder: str, sides: Sequence[tuple[str, str, str]]) -> None:
    """Make a git repository with one commit per part of the sample, each on its own branch."""
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
    """Return the files of the commit with which the author fixes the findings."""
    folder = SAMPLE / "next"
    return {path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.rglob("*.py"))}


_WHO = {"NAME": "deeprepo demo", "EMAIL": "demo@example.invalid", "DATE": "2026-01-01T12:00:00Z"}
