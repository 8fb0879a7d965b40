"""GitHub's API description and example payloads from npm. Tests are skipped if npm can't fetch them."""

import hashlib
import json
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

# The SHA-512 of each package on the registry.
PINNED = {
    "@octokit/openapi@23.0.2": "a55f0cecbf46636dc0c9b36f4e6a369f28e6a669edebedac444fedaabd192d070f4b8967c3bbb979918d9b044d9010b70fb8195db171e401f32d455105718386",
    "@octokit/webhooks-examples@7.6.1": "0dee94dd707a3b70ed09aedb2a008ccd31dd7a8a6aa99e92362bcc6099caeb989eaca2f5027348034b644580914bb970193efdd9df8fb3559b7c796ca3a3329d",
}
FETCHING_SECONDS = 600


def packed(name: str, folder: Path) -> Path:
    """Fetch a pinned package and check its hash. Skip the test if npm or the registry is unavailable."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    command = [npm, "pack", "--silent", "--ignore-scripts", name]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, text=True, timeout=FETCHING_SECONDS)
    if done.returncode != 0:
        pytest.skip(f"{name} cannot be fetched: {done.stderr.strip()[-200:]}")
    file = folder / done.stdout.strip().splitlines()[-1]
    with file.open("rb") as tar:
        assert hashlib.file_digest(tar, "sha512").hexdigest() == PINNED[name]
    return file


def member(file: Path, name: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return the content of a JSON file in a package."""
    with tarfile.open(file) as tar:
        found = tar.extractfile(f"package/{name}")
        assert found is not None, name
        return json.load(found)
