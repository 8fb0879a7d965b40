"""Start-up, own time and memory: what a review costs before any model has thought.

    python -m benchmarks.start [--repo CLONE] [--rounds 5]

CLONE: a clone of The-PR-Agent/pr-agent; its commit 90a3537a (7 files, +314/-13) is the change that peers were measured on.
Without it a change of the same size over 200 made-up files is used.
"""

import argparse
import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

from benchmarks.table import Row, Run, interleaved, measured, report

COMMIT = "90a3537a"
HELP_SECONDS, OWN_SECONDS, OWN_MB, BATCH_SECONDS, BATCH = 0.25, 1.5, 150, 0.35, 64
BLOCK = f"answers = llm_batch([f'Question {{n}}: what is wrong?' for n in range({BATCH})])\nprint(len(answers))"
PYTHON = [sys.executable, "-m", "bot"]


def main() -> int:
    """Run every measurement; the exit code says whether the promises hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        repo = str(asked.repo) if asked.repo else _made_up(Path(scratch, "repo"))
        change = f"{COMMIT}^..{COMMIT}" if asked.repo else "main..feature"
        rows = [
            *_start(asked.rounds),
            *_own(repo, change, scratch, asked.rounds),
            *_batch(repo, change, scratch, asked.rounds),
        ]
    return report("start", rows)


def _start(rounds: int) -> Iterator[Row]:
    runs = interleaved(
        {"help": lambda: measured([*PYTHON, "--help"]), "bare": lambda: measured([sys.executable, "-c", "pass"])},
        rounds,
    )
    yield Row("deeprepo --help", runs["help"].wall, HELP_SECONDS, "s", f"bare Python {runs['bare'].wall:.3f} s")


def _own(repo: str, change: str, scratch: str, rounds: int) -> Iterator[Row]:
    """Whole reviews by the command line, with a model that answers at once, and without one."""
    review = [*PYTHON, "review", change, "--repo", repo, "--format", "json", "--output", f"{scratch}/review.json"]
    with _server(f"{scratch}/own.log", 0, "set_answer('done')") as (openai, anthropic):

        def fanout(worker: str, url: str) -> Run:
            env = {"DEEPREPO_BASE_URL": url, "ANTHROPIC_API_KEY": "none"}
            return measured([*review, "--strategy", "fanout", "--worker", worker], env)

        runs = interleaved(
            {
                "openai": lambda: fanout("compatible/worker", openai),
                "anthropic": lambda: fanout("anthropic/worker", anthropic),
                "offline": lambda: measured([*review, "--strategy", "offline"]),
            },
            rounds,
        )
    peer = "pr-agent 0.49.0: 4.4-5.8 s, 285 MB; OCR 1.12.4: 0.5-0.8 s, 71 MB (published with the change)"
    yield Row("7 files, +300, fanout, 0 ms model (OpenAI dialect)", runs["openai"].wall, OWN_SECONDS, "s", peer)
    yield Row("  its peak memory", runs["openai"].peak_mb, OWN_MB, "MB")
    yield Row("the same, Anthropic dialect", runs["anthropic"].wall, unit="s")
    yield Row("  its peak memory", runs["anthropic"].peak_mb, unit="MB")
    yield Row("the same, offline", runs["offline"].wall, OWN_SECONDS, "s")
    yield Row("  its peak memory", runs["offline"].peak_mb, OWN_MB, "MB")


def _batch(repo: str, change: str, scratch: str, rounds: int) -> Iterator[Row]:
    """A scripted root that asks 64 workers in one block: from its first request to its second, as the server saw them."""
    walls, counts = [], []
    for number in range(rounds):
        log = Path(scratch, f"batch-{number}.log")
        with _server(str(log), 200, BLOCK, "set_answer('done')") as (openai, _):
            command = [*PYTHON, "review", change, "--repo", repo, "--strategy", "rlm-only", "--quiet"]
            models = ["--root", "compatible/root", "--worker", "compatible/worker"]
            run = measured([*command, *models], {"DEEPREPO_BASE_URL": openai})
        if run.status:
            raise SystemExit(run.out[-2000:])
        seen = [line.split() for line in log.read_text().splitlines()]
        roots = [float(at) for at, model in seen if model == "root"]
        walls.append(roots[1] - roots[0])
        counts.append(sum(model == "worker" for _, model in seen))
    yield Row(
        f"{BATCH} worker calls of 200 ms from one block",
        median(walls),
        BATCH_SECONDS,
        "s",
        "limit 0.200 s; rlms 1.17, dspy 1.77 s (published)",
    )
    yield Row("  requests at the server, most", max(counts), BATCH)
    yield replace(Row("  requests at the server, fewest", min(counts), BATCH), least=True)


@contextlib.contextmanager
def _server(log: str, delay_ms: int, *blocks: str) -> Iterator[tuple[str, str]]:
    command = [sys.executable, "-m", "benchmarks.clocked", log, str(delay_ms), *blocks]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        openai, anthropic = (process.stdout.readline() if process.stdout else "").split()
        yield openai, anthropic
    finally:
        process.terminate()
        process.wait()


def _made_up(folder: Path) -> str:
    """200 modules that import each other; the change adds 45 lines to each of seven."""
    folder.mkdir()

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid")
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)

    def module(number: int, functions: int) -> str:
        lines = [f"from package.m{(number + 1) % 200} import f0 as other\n"]
        lines += [
            f"\ndef f{n}(value):\n    if value:\n        return other(value) + {n}\n    return None\n\n"
            for n in range(functions)
        ]
        return "".join(lines)

    git("init", "-q", "-b", "main")
    for name, functions in (("main", 5), ("feature", 13)):
        (folder / "package").mkdir(exist_ok=True)
        for number in range(200 if name == "main" else 7):
            (folder / "package" / f"m{number}.py").write_text(module(number, functions))
        git("checkout", "-q", "-B", name)
        git("add", "-A")
        git("commit", "-qm", name)
    return str(folder)


if __name__ == "__main__":
    raise SystemExit(main())
