"""A simulated Python installation in which importing a package that only an extra installs fails."""

import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
UV = Path(sys.executable).parent / "uv"
PRODUCT = "deeprepo-bot"
OURS = {PRODUCT, "deeprepo-sandbox", "deeprepo-evals"}
SHARED = ("google", "opentelemetry")  # namespace packages that several distributions install into
# Python runs sitecustomize.py at startup, so subprocesses started by a review have the same restrictions.
CUSTOMIZED = """
import sys


class Refused:
    missing = frozenset({missing!r})

    def find_spec(self, name, path=None, target=None):
        if name in self.missing:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)


sys.meta_path.insert(0, Refused())
"""


def path(folder: Path, *installed: str) -> str:
    """Return a PYTHONPATH that simulates an installation of one distribution with only these extras."""
    place = folder / "customized"
    place.mkdir()
    (place / "sitecustomize.py").write_text(CUSTOMIZED.format(missing=sorted(missing(*installed, of=PRODUCT))))
    return f"{place}:{ROOT}"


def missing(*installed: str, of: str = PRODUCT) -> set[str]:
    """Return the packages and modules installed here that the simulated installation can't import."""
    names = _names()
    there = {name for name in _brought(of, frozenset(installed)) if name in names}
    return {name for key in names.keys() - there - OURS for name in names[key]} - {
        name for key in there | OURS for name in names.get(key, ())
    }


def locked(place: Path, lock: Path) -> Path:
    """Install a lock file's packages, with their hashes, in a new environment, and return its Python."""
    python = place / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    install = [UV, "pip", "install", "--quiet", "--no-cache", "--no-deps", "--require-hashes", "--only-binary", ":all:"]
    subprocess.run([*install, "--python", python, "-r", lock], check=True, capture_output=True)
    return python


def deeprepo(folder: Path, path: str, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the deeprepo command in a folder, with only these environment variables set."""
    place = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "PYTHONPATH": path, "COLUMNS": "120"}
    command = [sys.executable, "-P", "-m", "bot", *arguments]
    return subprocess.run(command, cwd=folder, env=place | env, capture_output=True, text=True, check=False)


def _brought(name: str, extras: frozenset[str]) -> set[str]:
    """Return the distribution and all its dependencies, for these extras."""
    wanted, seen = [(canonicalize_name(name), extras)], set[tuple[str, frozenset[str]]]()
    while wanted:
        if (one := wanted.pop()) not in seen:
            seen.add(one)
            wanted.extend(_required(*one))
    return {name for name, _ in seen}


def _required(name: str, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    try:
        rows = distribution(name).requires or []
    except PackageNotFoundError:
        return  # a dependency for another platform
    for row in map(Requirement, rows):
        if row.marker is None or any(row.marker.evaluate({"extra": extra}) for extra in {"", *extras}):
            yield canonicalize_name(row.name), frozenset(row.extras)


@cache
def _names() -> dict[str, set[str]]:
    """Map each installed distribution to the names that it can be imported as."""
    return {canonicalize_name(one.name): set(_modules(one)) for one in distributions()}


def _modules(one: Distribution) -> Iterator[str]:
    for file in one.files or ():
        first, *below = file.parts
        if first in SHARED and len(below) > 1:
            yield f"{first}.{below[0]}"
        elif below and first not in SHARED and file.suffix in {".py", ".so", ".pyd"}:
            yield first
        elif not below and file.suffix in {".py", ".so", ".pyd"}:
            yield first.partition(".")[0]
