"""The compilers and checkers that say whether a package builds, each over many packages at once."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.refactorings.model import Files
from benchmarks.refactorings.writing import ROOT

CACHE = Path(".cache/compilers")
Errors = dict[int, list[str]]  # number of a package that does not build -> what the judge says, a line for each error
HERE = Path(__file__).resolve().parent
INSTALL = {
    "rustc": "apt-get install rustc cargo",
    "javac": "apt-get install default-jdk-headless",
    "go": "apt-get install golang-go",
    "g++": "apt-get install g++",
    "tsc": f"npm install --prefix {CACHE} typescript@7",
    "ty": f"python -m pip install --target {CACHE}/python ty",
}


def program(name: str) -> str | None:
    """Return the path of a compiler, None if it is not installed."""
    own = {"tsc": CACHE / "node_modules/.bin/tsc", "ty": CACHE / "python/bin/ty"}.get(name)
    if own is not None and own.exists():
        return str(own.resolve())
    beside = Path(sys.executable).with_name(name)
    return str(beside) if beside.exists() else shutil.which(name)


def written(folder: Path, packages: Sequence[Files], *, is_flat: bool = True) -> None:
    """Write the packages below a folder; flat ones share it, and each gets another root name."""
    for number, files in enumerate(packages):
        own = f"{ROOT}_{number}"
        for path, text in files.items():
            at = folder / (path.replace(ROOT, own) if is_flat else f"{own}/{path}")
            at.parent.mkdir(parents=True, exist_ok=True)
            at.write_text(re.sub(rf"\b{ROOT}\b", own, text) if is_flat else text, encoding="utf-8")


def _run(command: Sequence[str], cwd: Path, more: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **(more or {})},
    )
    return done.stdout


def _of_output(output: str, pattern: str) -> Errors:
    errors: Errors = {}
    for line in output.splitlines():
        if (match := re.search(pattern, line)) is not None:
            errors.setdefault(int(match[1]), []).append(line)
    return errors


def _each(one: Callable[[int], list[str]], count: int) -> Errors:
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return {number: lines for number, lines in enumerate(threads.map(one, range(count))) if lines}


def rust(folder: Path, packages: Sequence[Files]) -> Errors:
    """Return what rustc refuses."""
    written(folder, packages, is_flat=False)

    def one(number: int) -> list[str]:
        command = [
            "rustc",
            "--edition",
            "2021",
            "--crate-type",
            "lib",
            "--crate-name",
            ROOT,
            "--emit",
            "metadata",
            "--cap-lints",
            "allow",
        ]
        out = _run([*command, "-o", f"{number}.rmeta", "src/lib.rs"], folder / f"{ROOT}_{number}")
        return [line for line in out.splitlines() if "error" in line or line.lstrip().startswith("-->")]

    return _each(one, len(packages))


def java(folder: Path, packages: Sequence[Files]) -> Errors:
    """Return what javac refuses."""
    out = _run(["java", str(HERE / "Judge.java"), _listed(folder, packages, "/src")], folder)
    return _of_output(out, rf"^{re.escape(str(folder))}/{ROOT}_(\d+)/src\t")


def go(folder: Path, packages: Sequence[Files]) -> Errors:
    """Return what the type checker of go's own tools refuses."""
    out = _run(["go", "run", str(HERE / "Judge.go"), _listed(folder, packages), ROOT], folder)
    return _of_output(out, rf"^{re.escape(str(folder))}/{ROOT}_(\d+)\t")


def _listed(folder: Path, packages: Sequence[Files], below: str = "") -> str:
    """Write the packages and a list of their folders; return its path."""
    written(folder, packages, is_flat=False)
    listed = folder / "folders"
    listed.write_text("".join(f"{folder}/{ROOT}_{number}{below}\n" for number in range(len(packages))))
    return str(listed)


def cpp(folder: Path, packages: Sequence[Files]) -> Errors:
    """Return what g++ refuses."""
    written(folder, packages, is_flat=False)

    def one(number: int) -> list[str]:
        here = folder / f"{ROOT}_{number}"
        sources = sorted(str(path.relative_to(here)) for path in here.rglob("*.cc"))
        out = _run(["g++", "-std=c++20", "-fsyntax-only", "-w", "-I.", *sources], here)
        return [line for line in out.splitlines() if "error:" in line]

    return _each(one, len(packages))


def typescript(folder: Path, packages: Sequence[Files]) -> Errors:
    """Return what tsc refuses."""
    cut = [{path: text for path, text in files.items() if path.endswith(".ts")} for files in packages]
    written(folder, cut, is_flat=False)
    options = '{"strict": true, "noEmit": true, "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "types": []}'
    (folder / "tsconfig.json").write_text(f'{{"compilerOptions": {options}, "include": ["**/*.ts"]}}')
    out = _run([program("tsc") or "tsc", "-p", ".", "--pretty", "false"], folder)
    return _of_output(out, rf"^{ROOT}_(\d+)/.*error TS")


def python_runs(folder: Path, packages: Sequence[Files]) -> Errors:
    """Return what Python cannot run: every user is called."""
    written(folder, packages)

    def one(number: int) -> list[str]:
        command = [sys.executable, "-S", "-B", f"{ROOT}_{number}_main.py"]
        done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
        return [f"run: {line}" for line in done.stderr.splitlines()] if done.returncode else []

    return _each(one, len(packages))


def ty_errors(folder: Path) -> Errors:
    """Return what ty refuses in a folder of packages."""
    (folder / "ty.toml").write_text("")
    ty = program("ty") or "ty"
    out = _run([ty, "check", "--output-format", "concise", "--no-progress", "--exclude", "*_main.py", "."], folder)
    return _of_output(out, rf"^{ROOT}_(\d+)/.*: error\[")


def python_(folder: Path, packages: Sequence[Files]) -> Errors:
    """Return what cannot be run, or what ty refuses."""
    ran, checked = python_runs(folder, packages), ty_errors(folder)
    return {number: ran.get(number, []) + checked.get(number, []) for number in {*ran, *checked}}


Judge = Callable[[Path, Sequence[Files]], Errors]
JUDGES: Mapping[str, tuple[Judge, Sequence[str]]] = {
    "Rust": (rust, ["rustc"]),
    "Java": (java, ["javac"]),
    "Go": (go, ["go"]),
    "C++": (cpp, ["g++"]),
    "TypeScript": (typescript, ["tsc"]),
    "Python": (python_, ["ty"]),
}
