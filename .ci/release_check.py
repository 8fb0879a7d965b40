"""`make release-check`: what a release consists of, built and tried as its users get it.

It takes what `make dist` built, and checks: the wheel against the source and the image's context, the wheel in an empty environment with its
lock, the demo, a review, `serve --check`, and an upgrade of older data. Each step prints one line. The first that fails ends the check.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
BEFORE = {
    "prices.py": "def total(prices):\n    return sum(prices)\n",
    "shop.py": "from prices import total\n\nprint(total([1, 2]))\n",
}
AFTER = {"prices.py": "def total(prices, tax):\n    return sum(prices) * tax\n"}
BUILD = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d")
# A GitHub on loopback with a registered App, and `serve --check` against it. The sandbox is built for it.
SERVE_CHECK = """
import asyncio, os, pathlib, subprocess, sys, tempfile
from deeprepo_sandbox import github

async def main():
    with tempfile.TemporaryDirectory() as folder:
        async with github.github(pathlib.Path(folder, "gh"), webhook=None, secret="a webhook secret of the check") as gh:
            env = os.environ | {
                "DEEPREPO_DATA": f"{folder}/data", "DEEPREPO_GITHUB_API": gh.api, "DEEPREPO_APP_ID": gh.app_id,
                "DEEPREPO_PRIVATE_KEY": gh.private_key, "DEEPREPO_WEBHOOK_SECRET": gh.secret,
            }
            done = await asyncio.create_subprocess_exec(sys.argv[1], "serve", "--check", env=env)
            sys.exit(await done.wait())

asyncio.run(main())
"""


def run(*command: str | Path, cwd: Path = ROOT, **variables: str) -> str:
    """Run a program that must succeed, without this process's settings, and return what it prints."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("DEEPREPO_", "PYTHON"))}
    done = subprocess.run(
        command, cwd=cwd, env=env | variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))[:200]} ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


def say(sentence: str) -> None:
    """Report a step that succeeded."""
    sys.stdout.write(f"ok {sentence}\n")
    sys.stdout.flush()


def need(true: object, sentence: str) -> None:
    """End the check unless this is true."""
    if not true:
        sys.exit(f"!! {sentence}")


def only(pattern: str) -> Path:
    """Return the one file of dist/ with such a name."""
    found = list(DIST.glob(pattern))
    need(len(found) == 1, f"dist/ has {len(found)} files like {pattern}: run `make dist`")
    return found[0]


def names(wheel: Path) -> set[str]:
    """Return the files of a wheel."""
    return set(zipfile.ZipFile(wheel).namelist())


def built_in(folder: Path) -> set[str]:
    """Build a wheel in a folder, and return its files."""
    run(*BUILD, folder / "built", cwd=folder)
    return names(next((folder / "built").glob("*.whl")))


def image_context(folder: Path) -> None:
    """Copy into a folder what the Dockerfile copies from this one."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
    for step in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE):
        *sources, target = step.split()
        for source in sources:
            place = folder / target / Path(source).name if target.endswith("/") or target == "." else folder / target
            place.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (ROOT / source).is_dir() else shutil.copy2)(ROOT / source, place)


def same_everywhere(scratch: Path) -> None:
    """Compare the wheel with those that the source and the image's context give."""
    wheel = names(only("deeprepo_bot-*.whl"))
    with tarfile.open(only("deeprepo_bot-*.tar.gz")) as archive:
        archive.extractall(scratch / "source", filter="data")
    source = built_in(next((scratch / "source").iterdir()))
    need(source == wheel, f"the source builds another wheel: {sorted(source ^ wheel)[:5]}")
    say("the source builds the same wheel")
    image_context(scratch / "image")
    image = built_in(scratch / "image")
    need(image == wheel, f"the image's context builds another wheel: {sorted(image ^ wheel)[:5]}")
    say("the image's context builds the same wheel")


def installed(scratch: Path) -> Path:
    """Install the wheels into an empty environment, with the locked versions of everything else. Return its folder of programs."""
    run(sys.executable, "-m", "venv", scratch / "environment")
    programs = scratch / "environment" / "bin"
    pip = (programs / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-compile")
    run(*pip, "--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", ROOT / "requirements.lock")
    run(*BUILD, scratch / "sandbox", cwd=ROOT / "sandbox")
    run(*pip, "--no-deps", "--no-index", only("deeprepo_bot-*.whl"), *(scratch / "sandbox").glob("*.whl"))
    version = run(programs / "deeprepo", "--version", cwd=scratch).strip()
    need(f"deeprepo_bot-{version.split()[-1]}-" in only("deeprepo_bot-*.whl").name, f"the wheel calls itself {version}")
    say(f"{version} is installed in an empty environment")
    return programs


def review(programs: Path, folder: Path) -> None:
    """Review a change with a forgotten caller."""
    folder.mkdir()
    git = ("git", "-c", "user.name=release", "-c", "user.email=release@example.invalid")
    run(*git, "init", "--quiet", "--initial-branch=main", cwd=folder)
    for files in (BEFORE, AFTER):
        for name, text in files.items():
            (folder / name).write_text(text)
        run(*git, "add", "--all", cwd=folder)
        run(*git, "commit", "--quiet", "--message", "a change", cwd=folder)
    need(
        "shop.py:3" in run(programs / "deeprepo", "review", "HEAD~1..HEAD", cwd=folder), "the review misses the caller"
    )
    say("a review finds the forgotten caller")


def main() -> None:
    """Carry out every step."""
    with tempfile.TemporaryDirectory(prefix="deeprepo-release-") as folder:
        scratch = Path(folder)
        same_everywhere(scratch)
        programs = installed(scratch)
        shown = run(programs / "deeprepo", "demo", "--terminal", cwd=scratch)
        need("parcel/labels.py:8" in shown, "the demo doesn't show its first finding")
        say("the demo shows its findings")
        review(programs, scratch / "repository")
        told = run(programs / "python", "-c", SERVE_CHECK, programs / "deeprepo", cwd=scratch)
        need("!!" not in told and "ok GitHub App" in told, told)
        say("`serve --check` finds nothing wrong")
    museum = ROOT / "tests" / "stored"
    need(museum.is_dir(), "tests/stored, the data of earlier versions, is missing")
    run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", museum)
    say("the data of earlier versions is upgraded")


main()
