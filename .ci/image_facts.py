"""What the finished image must be able to do, and what it must not: each a line that is printed."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import chroot
from dockerfile import Stage

BEFORE = {
    "prices.py": "def total(prices):\n    return sum(prices)\n",
    "shop.py": "from prices import total\n\nprint(total([1, 2]))\n",
}
AFTER = {"prices.py": "def total(prices, tax):\n    return sum(prices) * tax\n"}
PLACES = "/ /etc /home /opt/deeprepo /opt/deeprepo/bin /root /src /tmp /usr /usr/local/bin /var /var/tmp"
WRITABLE = ["sh", "-c", f'for place in {PLACES}; do touch "$place/probe" 2>/dev/null && echo "$place"; done; true']
TOOLS = ["sh", "-c", "for tool in cc c99 gcc g++ clang ld make; do command -v $tool; done; true"]
# The image holds the product alone; the sandbox distribution is mounted, and stages a GitHub around the image's own server.
SANDBOX = {"/sandbox": str(Path(__file__).resolve().parent.parent / "sandbox")}
DEMO = [
    "env",
    "PYTHONPATH=/sandbox",
    "python",
    "-c",
    "from deeprepo_sandbox.command import command; command(once=True)",
]
OWNER = 12345  # of a mounted repository: `--user "$(id -u):$(id -g)"`
STARTS = 60  # seconds that a server may take on a busy machine


def look(stage: Stage, root: Path, say: Callable[[str], None]) -> int:
    """Look at the finished root as its user; 0 where everything holds."""
    image = Image(stage, root)
    with tempfile.TemporaryDirectory() as scratch:
        folder = _sample(Path(scratch))
        facts = {
            "deeprepo --version answers": image.prints(["deeprepo", "--version"], "deeprepo"),
            "with the sandbox beside it: a webhook in, a review posted": image.prints(
                DEMO, "comments on lines", SANDBOX
            ),
            "deeprepo review finds the forgotten caller of a mounted repository, as its owner": _finds(image, folder),
            "nothing outside /data can be written": image.silent(WRITABLE),
            "there is no compiler": image.silent(TOOLS),
            "git is there": image.prints(["git", "--version"], "git version"),
            "the server answers its health check and stops when asked": _serves(image),
        }
    for fact, holds in facts.items():
        say(f"{'ok     ' if holds else 'FAILED '}{fact}")
    return 0 if all(facts.values()) else 1


class Image:
    """A finished root, used as a container would use it."""

    def __init__(self, stage: Stage, root: Path) -> None:
        user, folder = stage.last("USER"), stage.last("WORKDIR")
        if user is None or folder is None:
            raise SystemExit("the image names no user or no working folder")
        self.use = chroot.Use(int(user.rest.partition(":")[0]), folder.rest)
        self.stage, self.root = stage, root
        self.environment = {**chroot.ENVIRONMENT, **stage.environment()}

    def command(self, words: Sequence[str], use: chroot.Use | None = None) -> list[str]:
        """The command line that runs this in it."""
        return chroot.container(self.root, words, self.environment, use or self.use)

    def run(self, words: Sequence[str], use: chroot.Use | None = None) -> subprocess.CompletedProcess[str]:
        """Run it to its end."""
        return subprocess.run(
            self.command(words, use),
            capture_output=True,
            text=True,
            check=False,
            timeout=STARTS,
            stdin=subprocess.DEVNULL,
        )

    def prints(self, words: Sequence[str], text: str, mounts: Mapping[str, str] = MappingProxyType({})) -> bool:
        """Whether it works and prints this."""
        done = self.run(words, replace(self.use, mounts=mounts))
        holds = done.returncode == 0 and text in done.stdout + done.stderr
        if not holds:
            sys.stderr.write(done.stdout + done.stderr)
        return holds

    def silent(self, words: Sequence[str]) -> bool:
        """Whether it says nothing."""
        return not self.run(words).stdout.strip()


def _sample(folder: Path) -> Path:
    """A repository with a change that forgets a caller. It belongs to another user than the image's."""
    repository = folder / "repository"
    repository.mkdir(mode=0o755)
    who = ["-c", "user.name=sample", "-c", "user.email=sample@example.invalid", "-c", "init.defaultBranch=main"]

    def git(*words: str) -> None:
        subprocess.run(["git", *who, *words], cwd=repository, check=True, capture_output=True)

    git("init", "--quiet")
    for files in (BEFORE, AFTER):
        for name, text in files.items():
            (repository / name).write_text(text)
        git("add", "--all")
        git("commit", "--quiet", "--message", "change")
    subprocess.run(["chown", "--recursive", str(OWNER), repository], check=True)
    return repository


def _finds(image: Image, repository: Path) -> bool:
    """Whether a review of the mounted repository, as its owner, names the caller and leaves with 1 as it was asked to."""
    words = ["deeprepo", "review", "HEAD~1..HEAD", "--format", "json", "--fail-on", "high"]
    done = image.run(words, chroot.Use(OWNER, "/repo", "/tmp", {"/repo": str(repository)}))  # noqa: S108 - the image's own
    if done.returncode != 1:
        sys.stderr.write(done.stderr)
        return False
    return "shop.py" in json.dumps(json.loads(done.stdout)["findings"])


def _serves(image: Image) -> bool:
    """Whether the default command comes up, satisfies the health check as it stands, and leaves with 0 on STOPSIGNAL."""
    entry, command, stop = (image.stage.last(word) for word in ("ENTRYPOINT", "CMD", "STOPSIGNAL"))
    if entry is None or command is None or stop is None:
        return False
    with socket.create_server(("127.0.0.1", 0)) as probe:
        image.environment["DEEPREPO_PORT"] = str(probe.getsockname()[1])
    started = subprocess.Popen(
        image.command([*entry.words, *command.words]), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        healthy = _healthy(image)
        inside = Path(f"/proc/{started.pid}/task/{started.pid}/children").read_text().split()
        os.kill(int(inside[0]), getattr(signal, stop.rest))
        said, _ = started.communicate(timeout=STARTS)
        if not healthy or started.returncode:
            sys.stderr.write(said)
        return healthy and started.returncode == 0
    finally:
        started.kill()


def _healthy(image: Image) -> bool:
    """Whether the health check succeeds before long."""
    until = time.monotonic() + STARTS
    while time.monotonic() < until:
        if image.run(image.stage.health()).returncode == 0:
            return True
        time.sleep(0.5)
    return False
