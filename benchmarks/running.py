"""What two reproductions add to a review of a small repository: seconds and dollars; and what a killed one leaves.

    python -m benchmarks.running [--rounds 8] [--kills 12] [--seed 1]

The same review with and without `--run`, each as a process of its own, by turns. The provider is on loopback: it counts a token for four
characters, answers as slowly as a model does that writes 60 tokens a second, and bills at the listed price of the default models. Two checks
were removed; a test shows each, on head, base and with the suggestion, twice. Then `kill -9` at random moments of such a review, while a
test sleeps in the sandbox: no process, no mount, no file may be left.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.table import Row, report
from bot.models.prices import dollars
from bot.values import Usage
from bot.wiring.review import PREFERRED
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.processes import alive
from deeprepo_sandbox.providers import Reply, Server, verdict

PROVIDER = "openai"
CHARS_PER_TOKEN, TOKENS_PER_SECOND, FIRST_TOKEN = 4, 60.0, 0.7
MOST_SECONDS, MOST_USD = 90.0, 0.10  # that two reproductions may add
GONE_SECONDS = 20.0
NAMES = ("rate", "tax")
OPTIONS = ("review", "--strategy", "direct", "--format", "json", "-q", "main..feature")
HEAD = (
    "import unittest\nfrom shop.{name} import apply\n\n\nclass Negative(unittest.TestCase):\n    def test_it(self):\n"
)
PROOF = HEAD + "        with self.assertRaises(ValueError):\n            apply(2, -1)\n"
OPINION = {"verdict": "confirmed", "trigger": "apply(2, -1)", "author_would_change": True, "reason": "It was refused.", "limit": "none", "ground": ""}  # fmt: skip


@dataclass
class Model:
    """A provider: finds both removed checks, writes a test about each, and approves of it. `sleeps`: what a test waits with instead."""

    sleeps: str = ""
    usages: list[tuple[str, Usage]] = field(default_factory=list)
    tests: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        """Answer, as slowly as it is long."""
        text = json.dumps(body.get("messages"))
        asks_opinion = (
            "The claim, about" in text
            and "You check whether a test proves" not in text
            and "You write one test" not in text
        )
        data = dict(verdict(body, OPINION).data or {}) if asks_opinion else self._answer(text)
        usage = Usage(len(json.dumps(body)) // CHARS_PER_TOKEN, len(json.dumps(data)) // CHARS_PER_TOKEN)
        with self.lock:
            self.usages.append((str(body.get("model")), usage))
            self.tests += "test" in data
        delay = 0.0 if self.sleeps else FIRST_TOKEN + usage.output / TOKENS_PER_SECOND
        return Reply(data=data, usage=usage, delay=delay)

    def _answer(self, text: str) -> dict[str, Any]:
        if "You write one test" in text:
            name = next(name for name in NAMES if f"shop/{name}.py" in text)
            sleeping = f"        import subprocess; subprocess.run(['sleep', '{self.sleeps}'])\n"
            test = HEAD + sleeping if self.sleeps else PROOF
            return {"possible": True, "reason": "It was refused before.", "test": test.replace("{name}", name)}
        if "You check whether a test proves" in text:
            return {"reason": "It asserts what the code did before.", "proves": True}
        return {"answer": "Read.", "findings": [_finding(name) for name in NAMES if f"shop/{name}.py" in text]}


@dataclass(frozen=True)
class Timing:
    """One review."""

    seconds: float
    usd: float
    verdicts: tuple[str, ...]


def main() -> int:
    """Time both, then kill; the exit code says whether the promises hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1, help="of the random moments")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="running-") as scratch:
        folder = Path(scratch, "repository")
        _repository(folder)
        rows = [*_timed(folder, asked.rounds), *_killed(folder, asked.kills, random.Random(asked.seed))]  # noqa: S311 - moments, no secrets
    return report("running", rows)


def _timed(folder: Path, rounds: int) -> list[Row]:
    without, with_runs = [], []
    for _ in range(rounds):
        without.append(_review(folder, Model()))
        with_runs.append(_review(folder, Model(), "--run"))
    if not rounds:
        return []
    reproduced = sum(verdict == "reproduced" for one in with_runs for verdict in one.verdicts)
    alone, both = _p95([one.seconds for one in without]), _p95([one.seconds for one in with_runs])
    more = _p95([there.seconds - here.seconds for here, there in zip(without, with_runs, strict=True)])
    usd = statistics.mean(one.usd for one in with_runs) - statistics.mean(one.usd for one in without)
    return [
        Row("findings reproduced", reproduced, len(NAMES) * rounds, least=True, beside=f"{rounds} reviews"),
        Row("review without runs, p95", round(alone, 1), None, "s"),
        Row("review with two reproductions, p95", round(both, 1), None, "s"),
        Row("  longer, p95", round(more, 1), MOST_SECONDS, "s", "the same review without --run"),
        Row("  dearer", round(usd, 4), MOST_USD, "$", f"${statistics.mean(one.usd for one in without):.4f} without; default models"),
    ]  # fmt: skip


def _killed(folder: Path, kills: int, chance: random.Random) -> list[Row]:
    left: dict[str, int] = {"processes": 0, "mounts": 0, "files": 0}
    begun = 0
    for number in range(kills):
        mark = f"{8_000_000 + os.getpid()}.{number + 1}"
        mounts = _mounts()
        with tempfile.TemporaryDirectory(prefix="scratch-") as scratch:
            model = Model(mark)
            with doubles.in_thread(Server(model)) as server:
                process = _started(folder, server.openai_url, scratch, "--run")
                _until(lambda model=model, process=process: model.tests > 0 or process.poll() is not None)
                time.sleep(chance.uniform(0, 1.5))  # before the sandbox begins, in its probe, or while the test sleeps
                begun += bool(alive(mark))
                process.kill()
                process.wait()
            _until(lambda mark=mark: not alive(mark))
            left["processes"] += bool(alive(mark))
            left["mounts"] += len(_mounts() - mounts)
            left["files"] += sum(1 for path in Path(scratch).rglob("*") if "deeprepo_" in path.name and path.is_file())
    if not kills:
        return []
    return [
        Row("kill -9 at random moments of a run", kills, beside=f"{begun} while the test slept in the sandbox"),
        *(Row(f"  {name} left", count, 0) for name, count in left.items()),
    ]


def _review(folder: Path, model: Model, *more: str) -> Timing:
    with doubles.in_thread(Server(model)) as server, tempfile.TemporaryDirectory(prefix="scratch-") as scratch:
        began = time.monotonic()
        process = _started(folder, server.openai_url, scratch, *more)
        out, _ = process.communicate()
        seconds = time.monotonic() - began
    usd = sum(dollars(f"{PROVIDER}/{name}", usage) or 0.0 for name, usage in model.usages)
    verdicts = tuple(row["verdict"] for row in json.loads(out)["findings"])
    return Timing(seconds, usd, verdicts)


def _started(folder: Path, address: str, scratch: str, *more: str) -> "subprocess.Popen[bytes]":
    _, root, worker = next(row for row in PREFERRED if row[0] == PROVIDER)
    words = [*OPTIONS[:1], *more, *OPTIONS[1:-1], "--root", root or "", "--worker", worker or "", OPTIONS[-1]]
    environment = {
        "PATH": os.environ["PATH"], "HOME": scratch, "TMPDIR": scratch, "PYTHONPATH": str(Path(__file__).parents[1]),
        "DEEPREPO_BASE_URL": address, "OPENAI_API_KEY": "sk-pretended", "DEEPREPO_RUN_CACHE": f"{scratch}/cache",
    }  # fmt: skip
    return subprocess.Popen([sys.executable, "-m", "bot", *words], cwd=folder, env=environment, stdout=subprocess.PIPE)


def _finding(name: str) -> dict[str, Any]:
    return {
        "path": f"shop/{name}.py", "quote": "    return amount * rate", "line": 2, "title": f"A negative amount of {name} is no longer refused",
        "why": "The check was removed.", "consequence": "A wrong total.", "trigger": "apply(2, -1)", "severity": "high", "category": "logic",
        "evidence": [], "claims": [],
        "suggestion": "    if amount < 0:\n        raise ValueError(amount)\n    return amount * rate",
    }  # fmt: skip


def _repository(folder: Path) -> None:
    """Two modules with a check each, which the branch `feature` removes; the owner has switched runs on."""
    check = "    if amount < 0:\n        raise ValueError(amount)\n"
    texts = {".deeprepo.yml": "run: {test: 'python3 -m unittest -v {file}'}\n", "shop/__init__.py": ""}
    texts |= {f"shop/{name}.py": f"def apply(rate, amount):\n{check}    return amount * rate\n" for name in NAMES}
    tested = "import unittest\nfrom shop.{0} import apply\n\n\nclass T(unittest.TestCase):\n    def test_plain(self):\n        self.assertEqual(apply(2, 3), 6)\n"
    texts |= {f"tests/test_{name}.py": tested.replace("{0}", name) for name in NAMES}
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)

    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)

    git("init", "-qb", "main")
    git("config", "user.name", "bench")
    git("config", "user.email", "bench@localhost")
    git("add", ".")
    git("commit", "-qm", "before")
    git("checkout", "-qb", "feature")
    for name in NAMES:
        module = folder / "shop" / f"{name}.py"
        module.write_text(module.read_text().replace(check, ""))
    git("commit", "-qam", "after")


def _until(done: Any) -> None:  # noqa: ANN401 - a function without arguments
    until = time.monotonic() + GONE_SECONDS * 6
    while not done() and time.monotonic() < until:
        time.sleep(0.02)


def _mounts() -> frozenset[str]:
    return frozenset(Path("/proc/self/mounts").read_text().split("\n"))


def _p95(values: list[float]) -> float:
    """The 95th percentile; of fewer than twenty, the largest."""
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.95))]


if __name__ == "__main__":
    sys.exit(main())
