"""Carry out the Dockerfile without an engine, and look at what comes out: root, Linux and debootstrap are all it takes.

Every stage gets a root of its own, unpacked from the packages of the distribution that the base image is made of. In it the RUN
commands are executed as they stand. The result is then used as a container would use it: another user, a read-only root, nothing of
the source tree in sight.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import chroot
import dockerfile
import image_facts
from dockerfile import Stage, Step

HERE = Path(__file__).resolve().parent.parent
SUITE = "trixie"
PACKAGES = "ca-certificates,python3,python3-pip,python3-venv"


def main() -> int:
    """Build, look, and say what holds; 1 where something does not."""
    options = _options()
    stages = dockerfile.read((HERE / "Dockerfile").read_text())
    if SUITE not in stages[-1].base:
        raise SystemExit(f"the base image {stages[-1].base} is not made of Debian {SUITE}: mend SUITE in {__file__}")
    folder = Path(options.folder).resolve()
    base = _base(folder / f"base-{SUITE}", options.debootstrap)
    roots: dict[str, Path] = {}
    for stage in stages:
        say(f"stage {stage.name}")
        roots[stage.name] = _build(stage, base, folder / f"stage-{stage.name}", roots, options.bind)
    return image_facts.look(stages[-1], roots[stages[-1].name], say)


def say(line: str) -> None:
    """Tell the person who waits."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", default=".cache/image", help="where the roots are unpacked")
    parser.add_argument("--debootstrap", default="debootstrap", help="the program that unpacks a root")
    parser.add_argument(
        "--bind", action="append", default=[], help="a path of this machine that pip needs for its index"
    )
    options = parser.parse_args()
    if os.geteuid() or not sys.platform.startswith("linux"):
        raise SystemExit("image-check changes its root folder: run it as root, on Linux")
    if not shutil.which(options.debootstrap):
        raise SystemExit("debootstrap was not found: install it, or name it with DEBOOTSTRAP=/path/to/debootstrap")
    return options


def _base(folder: Path, program: str) -> Path:
    """A root with Python in it, unpacked once. `python` stands where the base image has it."""
    if (folder / ".ready").exists():
        return folder
    say(f"unpacking Debian {SUITE} into {folder}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run(
        [program, "--variant=minbase", f"--include={PACKAGES}", SUITE, folder], check=True, stdout=sys.stderr
    )
    for name in ("python", "python3"):
        (folder / "usr/local/bin" / name).symlink_to("/usr/bin/python3")
    (folder / ".ready").touch()
    return folder


def _build(stage: Stage, base: Path, root: Path, roots: dict[str, Path], binds: Sequence[str]) -> Path:
    """The root that a stage leaves behind."""
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(["cp", "--archive", "--reflink=auto", base, root], check=True)
    where, environment = "/", dict(chroot.ENVIRONMENT)
    for step in stage.steps:
        if step.word == "RUN":
            say(f"  RUN {' '.join(step.rest.split())[:100]}")
            indexes = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
            given = {**indexes, **environment}
            if code := chroot.run(root, ["/bin/sh", "-c", step.rest], where, given, binds=binds).returncode:
                raise SystemExit(f"RUN failed with exit code {code}; its output is above")
        elif step.word == "WORKDIR":
            where = step.rest
            (root / where.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif step.word == "ENV":
            environment |= Stage("", "", (step,)).environment()
        elif step.word == "COPY":
            _copy(step, root, where, roots)
    return root


def _copy(step: Step, root: Path, where: str, roots: dict[str, Path]) -> None:
    """Copy from the source tree or from another stage. Compiled Python stays behind, as .dockerignore has it."""
    words = step.words
    source = roots[words.pop(0).removeprefix("--from=")] if words[0].startswith("--from=") else HERE
    *names, target = words
    into = root / str(Path(where, target)).lstrip("/")
    for name in names:
        found = source / name.lstrip("/")
        if found.is_dir():
            ignored = shutil.ignore_patterns("__pycache__") if source == HERE else None
            shutil.copytree(found, into, symlinks=True, ignore=ignored, dirs_exist_ok=True)
        else:
            into.mkdir(parents=True, exist_ok=True)
            shutil.copy2(found, into)


if __name__ == "__main__":
    sys.exit(main())
