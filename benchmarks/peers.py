"""Install the tools that we compare with. Prints their versions and disk usage.

    python -m benchmarks.peers FOLDER [--python PYTHON] [--only NAME ...]

Installs each into a folder of its own below FOLDER, beside deeprepo itself with its lock. What cannot be installed is named in one
sentence; the others are installed all the same. PYTHON: an interpreter for peers that need a newer one than this.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import places

HOME = Path(__file__).parents[1]
CLIENT = "openai[aiohttp]>=3.51,<4"
OURS = "deeprepo"
USUAL = {"pip", "setuptools", "wheel"}  # an environment has them before anything is installed
MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Peer:
    """One of them: its exact version, and what it needs."""

    name: str
    package: str
    beside: tuple[str, ...] = ()
    least: tuple[int, int] = (3, 11)
    npm: bool = False
    program: str = ""

    def folder(self, peers: Path) -> Path:
        """Where it is installed."""
        return peers / self.name

    def python(self, peers: Path) -> Path:
        """The interpreter of its environment."""
        return self.folder(peers) / "bin" / "python"

    def command(self, peers: Path) -> Path | None:
        """Its program, None if it is not installed."""
        found = sorted(self.folder(peers).glob(self.program)) if self.program else []
        return found[0] if found else None


PR_AGENT = Peer("pr-agent", "pr-agent==0.49.0", least=(3, 12), program="bin/pr-agent")
# The binary itself: npm's launcher adds the start of node to it.
OCR = Peer(
    "OCR",
    "@alibaba-group/open-code-review@1.12.4",
    npm=True,
    program="node_modules/@alibaba-group/ocr-*/bin/opencodereview*",
)
RLMS = Peer("rlms", "rlms==0.1.3", beside=(CLIENT,))
DSPY = Peer("dspy", "dspy==3.4.1", beside=(CLIENT,))
ORIGINAL = Peer("deeprepo-cli", "deeprepo-cli==0.2.5", beside=(CLIENT,))
TY = Peer("ty", "ty==0.0.108", program="bin/ty")  # no reviewer: a quick look at a whole tree of Python
PEERS = (PR_AGENT, OCR, RLMS, DSPY, ORIGINAL, TY)


class NotInstalled(Exception):  # noqa: N818 - a sentence
    """What is missing, and what to do about it."""


def main() -> int:
    """Install them all; the exit code is 1 if any is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path(places.PEERS))
    parser.add_argument("--python", default="")
    parser.add_argument("--only", nargs="+", default=[*(peer.name for peer in PEERS), OURS], metavar="NAME")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    missing = 0
    for name, package, install in (
        *((peer.name, peer.package, lambda peer=peer: _install(peer, asked.folder, asked.python)) for peer in PEERS),
        (OURS, "this repository", lambda: _ours(asked.folder)),
    ):
        if name not in asked.only:
            continue
        try:
            install()
            megabytes, count = size(asked.folder / name)
            print(f"{name}: {package}, {megabytes:.0f} MB, {count} packages", flush=True)
        except NotInstalled as why:
            missing += 1
            print(f"{name} was not installed: {why}", file=sys.stderr, flush=True)
    return 1 if missing else 0


def size(folder: Path) -> tuple[float, int]:
    """Megabytes and packages that an installation adds to an empty environment; (0, 0) if the peer is not installed."""
    roots = [*folder.glob("lib/python3*/site-packages"), *folder.glob("node_modules")]
    kept = [
        path
        for root in roots
        for path in root.rglob("*")
        if path.is_file() and not path.is_symlink() and path.relative_to(root).parts[0].partition("-")[0] not in USUAL
    ]
    packages = {path.parent for path in kept if path.parent.suffix == ".dist-info"}
    if not packages:  # npm's form: a package has its package.json at its top
        packages = {
            path.parent for path in kept if path.name == "package.json" and path.parents[2].name == "node_modules"
        }
    return sum(path.stat().st_size for path in kept) / MEGABYTE, len(packages)


def _install(peer: Peer, peers: Path, named: str) -> None:
    """Install a peer from the registry. Raises NotInstalled."""
    folder = peer.folder(peers)
    if peer.npm:
        if shutil.which("npm") is None:
            raise NotInstalled("npm was not found: install Node.js")
        folder.mkdir(exist_ok=True)
        _run(
            "npm",
            "install",
            "--loglevel=error",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--prefix",
            str(folder),
            peer.package,
        )
        return
    _environment(folder, _interpreter(peer.least, named))
    _pip(folder, peer.package, *peer.beside)


def _ours(peers: Path) -> None:
    """Install deeprepo with the models' libraries, as its lock for the Action has them. Raises NotInstalled."""
    folder = peers / OURS
    _environment(folder, sys.executable)
    _pip(folder, "--no-deps", "--require-hashes", "-r", str(HOME / "requirements-action.lock"))
    _pip(folder, "--no-deps", str(HOME))


def _environment(folder: Path, python: str) -> None:
    _run(python, "-m", "venv", "--clear", str(folder))


def _pip(folder: Path, *arguments: str) -> None:
    python = str(folder / "bin" / "python")
    _run(python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", *arguments)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith(("ERROR", "npm error"))] or lines or ["no reason was given"]
        what = f"{Path(command[0]).name} ended with {done.returncode}"
        raise NotInstalled(f"{what}; the package registry must be reachable ({errors[0][:300]})")


def _interpreter(least: tuple[int, int], named: str) -> str:
    """A Python that is new enough: this one, the one that was named, one of the PATH or of pyenv. Raises NotInstalled."""
    for python in _interpreters(named):
        code = f"import sys; sys.exit(sys.version_info < {least})"
        try:
            if subprocess.run([python, "-c", code], capture_output=True, check=False).returncode == 0:
                return python
        except OSError:
            continue
    words = ".".join(map(str, least))
    raise NotInstalled(f"Python {words} or newer was not found: name one with --python /path/to/python")


def _interpreters(named: str) -> Iterator[str]:
    if named:
        yield named
    yield sys.executable
    names = [f"python3.{minor}" for minor in (12, 13, 14)]
    yield from names
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from (str(path) for name in names for path in sorted(root.glob(f"versions/*/bin/{name}")))


if __name__ == "__main__":
    raise SystemExit(main())
