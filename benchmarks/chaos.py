"""Kill a scripted review (kill -9) at random moments and run it again until it finishes.

    python -m benchmarks.chaos [--kills 50] [--seed 1]
    python -m benchmarks.chaos --server [--pulls 30] [--kills 20] [--seed 1] [--store sqlite|postgres]

The model is a process of its own. It answers each request by its content after a delay, and wrongly at first for some of
them: 429, 500, an answer that does not fit its schema. Every request is written down. A round is one review with one journal,
killed up to five times. It must come to the same findings as a review that nobody disturbed, and no request that has its
reply in the journal may be sent again. `--server` kills whole servers instead: see `benchmarks/chaos_app.py`.
"""

import argparse
import asyncio
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks import chaos_app, loopback
from benchmarks.around import committed
from benchmarks.table import Row, report
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.honest import JUDGED
from deeprepo_sandbox.providers import PerModel, Reply, Server

MODULES, PROMPTS = 12, 12
PER_ROUND = 5  # kills of one review, before it is left alone
DELAY = 0.03  # seconds of a reply
PATIENCE = 120.0  # seconds for one run
COMPARED = ("findings", "coverage", "summary", "turns", "dropped", "strategy")
TURNS = (
    "said = ask_batch([([u['id']], 'What breaks here?') for u in units])\nprint(len(said), [s['findings'] for s in said])",
    f"print(llm_batch([f'Question {{n}}?' for n in range({PROMPTS})]))",
    "print(rlm_query('Who calls step_3?', ['package/m3.py']))\nprint(read('package/m1.py'))",
    "print(report('package/m5.py', '    return value - 5', 'The sign of step_5 has changed', 'It was a sum.', severity='high'))",
    f"set_answer('The signs have changed; read all of it.', {JUDGED})",
)
CHILD = ("print(ask(['package/m3.py'], 'Who calls it?')['answer'])", "set_answer('Nobody calls step_3.')")
FOUND = {
    "path": "package/m2.py",
    "quote": "    return value - 2",
    "line": 2,
    "title": "The sign of step_2 has changed",
    "why": "It was a sum.",
    "consequence": "Wrong totals.",
    "trigger": "step_2(1)",
    "severity": "high",
    "category": "logic",
    "evidence": [],
    "suggestion": None,
}
VERDICT = {"verdict": "confirmed", "trigger": "step(1)", "author_would_change": True, "reason": "It is so."}


@dataclass
class Tally:
    """What the rounds came to."""

    killed: int = 0
    rounds: int = 0
    other: list[str] = field(default_factory=list)  # rounds whose review is not the undisturbed one
    again: int = 0  # requests that were sent though their reply was in the journal
    unknown: int = 0  # requests at the server that the journal does not know
    in_flight: int = 0  # at a kill: the only ones that may be sent again
    requests: int = 0
    failed: int = 0


def main() -> int:
    """Run the rounds; the exit code says whether the promise holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, help="number of kills (default: 50 of reviews, 20 of servers)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random moments")
    parser.add_argument("--server", action="store_true", help="kill whole servers instead")
    parser.add_argument("--pulls", type=int, default=30, help="number of pull requests on the servers")
    parser.add_argument(
        "--store", choices=["sqlite", "postgres"], action="append", help="database of the servers (default: both)"
    )
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        _serve(asked.serve)
        return 0
    asked.kills = asked.kills or (20 if asked.server else 50)
    if asked.server:
        stores = asked.store or ("sqlite", "postgres")
        return report("chaos", [row for store in stores for row in asyncio.run(chaos_app.rows(store, asked))])
    chance = random.Random(asked.seed)  # noqa: S311 - moments, no secrets
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="chaos-") as scratch:
        folder = Path(scratch)
        modules = {
            branch: {f"package/m{n}.py": f"def step_{n}(value):\n    return value {sign} {n}\n" for n in range(MODULES)}
            for branch, sign in (("main", "+"), ("feature", "-"))
        }
        committed(folder / "repository", modules)
        calm = _round(folder, "calm", chance, 0, 0, Tally())
        tally = Tally()
        while tally.killed < asked.kills:
            tally.rounds += 1
            kills = min(PER_ROUND, asked.kills - tally.killed)
            review = _round(folder, f"round-{tally.rounds}", chance, kills, calm.requests, tally)
            tally.other += [
                f"round {tally.rounds}: {name}" for name in COMPARED if review.told[name] != calm.told[name]
            ]
    print("\n".join(tally.other))
    return report("chaos", _rows(tally, asked.kills, time.monotonic() - started))


def _rows(tally: Tally, kills: int, seconds: float) -> list[Row]:
    return [
        Row(
            "kill -9 at random moments",
            tally.killed,
            kills,
            least=True,
            beside=f"{tally.rounds} reviews, {seconds:.0f} s",
        ),
        Row("reviews that came out otherwise", len({name.partition(":")[0] for name in tally.other}), 0),
        Row("finished calls that were sent again", tally.again, 0, beside=f"of {tally.requests} requests"),
        Row("requests that the journal does not know", tally.unknown, 0),
        Row("  in flight at a kill, outcome unknown", tally.in_flight),
        Row("  answered with a failure, tried again", tally.failed),
    ]


@dataclass
class Done:
    """One review that came to its end."""

    told: dict[str, Any]
    requests: int


def _round(folder: Path, name: str, chance: random.Random, kills: int, expected: int, tally: Tally) -> Done:
    """One review, killed this often, and what its journal and the server say of it."""
    log, journal, out = (folder / f"{name}.{end}" for end in ("log", "jsonl", "json"))
    with loopback.started("chaos", "--serve", str(log)) as (url, _):
        while kills:
            process = _review(folder, journal, out, url)
            if not _kill_later(process, log, chance, expected):
                break  # it was done before its time had come
            tally.killed += 1
            kills -= 1
        else:
            process = _review(folder, journal, out, url)
        _, said = process.communicate(timeout=PATIENCE)
    if process.returncode:
        raise SystemExit(f"{name} left with {process.returncode}: {said.decode()[-2000:]}")
    _count(log, journal, tally)
    return Done(json.loads(out.read_text()), len(_seen(log)))


def _kill_later(process: "subprocess.Popen[bytes]", log: Path, chance: random.Random, expected: int) -> bool:
    """Wait for a random number of requests and a moment more, then kill; False where the review ended by itself."""
    until = len(_seen(log)) + chance.randint(0, max(1, expected // 3))
    while process.poll() is None and len(_seen(log)) < until:
        time.sleep(0.002)
    time.sleep(chance.uniform(0, 2 * DELAY))
    if process.poll() is not None:
        return False
    process.kill()
    process.communicate()
    return True


def _count(log: Path, journal: Path, tally: Tally) -> None:
    """Hold the server's book against the journal."""
    rows = [
        json.loads(line) for line in journal.read_text().splitlines() if line.startswith("{") and line.endswith("}")
    ]
    tally.again += chaos_app.paid_again(rows)[0]
    sent = sum(row["kind"] == "request" for row in rows)
    calls = sum(row["kind"] == "call" for row in rows)
    failed = sum(row["kind"] == "call" and "error" in row for row in rows)
    seen = Counter(_seen(log))
    tally.requests += seen.total()
    tally.failed += failed
    tally.in_flight += sent - calls
    tally.unknown += max(0, seen.total() - sent)
    tally.again += max(0, seen.total() - len(seen) - failed - (sent - calls))  # by the server's own book


def _seen(log: Path) -> list[str]:
    return log.read_text().split() if log.exists() else []


def _review(folder: Path, journal: Path, out: Path, url: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "bot", "review", "main..feature", "--repo", str(folder / "repository"), "--quiet"]
    command += ["--root", "compatible/root", "--worker", "compatible/worker"]
    command += ["--journal", str(journal), "--format", "json", "--output", str(out)]
    home = str(Path(__file__).parents[1])
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": home, "DEEPREPO_BASE_URL": url}
    return subprocess.Popen(command, env=env, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def _serve(log: Path) -> None:
    """Answer by content. The first answer to some requests is a failure; which, their content decides too."""
    seen: Counter[str] = Counter()
    file = log.open("a", buffering=1)

    def first(body: Mapping[str, Any]) -> Reply | None:
        mark = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        file.write(f"{mark}\n")
        seen[mark] += 1
        odd = int(mark[:4], 16) % 48
        if seen[mark] > 1:
            return None
        if odd == 0:
            return Reply("down", status=500)  # waits a second or two before the next try
        busy, prose = Reply("busy", status=429, retry_after="0"), Reply("no JSON", delay=DELAY)
        is_second = "That answer cannot be used" in str(body["messages"])  # two useless answers would end the call
        return busy if odd < 5 else prose if odd < 9 and not is_second else None

    def worker(body: Mapping[str, Any]) -> Reply:
        text = str(body["messages"])
        found = [FOUND] if "value - 2" in text else []
        known = first(body)
        if known is not None and (known.status != 200 or "response_format" in body):
            return known
        return (
            Reply(data={"answer": "Read.", "findings": found}, delay=DELAY)
            if "response_format" in body
            else Reply("Yes.", delay=DELAY)
        )

    def root(body: Mapping[str, Any]) -> Reply:
        known, text = first(body), str(body["messages"])
        if known is not None and known.status != 200:
            return known
        if "response_format" in body:
            return replace(doubles.verdict(body, VERDICT), delay=DELAY)
        turns = CHILD if "You were given one task" in text else TURNS
        said = sum(message["role"] == "assistant" for message in body["messages"])
        return Reply(calls=doubles.code(turns[min(said, len(turns) - 1)]).calls, delay=DELAY)

    loopback.serve(Server(PerModel({"root": root, "worker": worker})))


if __name__ == "__main__":
    raise SystemExit(main())
