"""Count a word in long texts with our engine and with rlms, each in its own process: CPU time and peak memory.

python -m benchmarks.long [FOLDER with the peers]
"""

import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from statistics import median

from benchmarks import places, timing
from benchmarks.peer import Rlms

LINES = {"ASCII": "document 12: lorem ipsum dolor sit amet\n", "four-byte": "\U0001f600\U0001f680\U0001f602\n"}
TEXTS = (("ASCII", 20), ("ASCII", 100), ("four-byte", 100))  # kind and megabytes
FIGURES, ROUNDS = (("cpu", "s", 1.7), ("memory", "MB", 1.2)), 3  # figure, unit, and how many times what rlms takes


def main() -> int:
    """Run every measurement; the exit code says whether our promises hold."""
    from benchmarks import engine
    from benchmarks.ours import OwnAccount
    from benchmarks.peers import RLMS
    from benchmarks.table import Row, measured, report

    peers, rows = Path([*sys.argv, places.PEERS][1]), []

    def once(python: object, kind: type[timing.Engine], *text: object) -> dict[str, float]:
        with engine.played(1, kind) as (url, *_):
            done = measured([str(python), "-m", "benchmarks.long", kind.__name__, url, *map(str, text)])
        return timing.heard(done.out) or sys.exit(done.out[-3000:])

    for text in TEXTS:
        both = ((sys.executable, OwnAccount), (RLMS.python(peers), Rlms))
        runs = [[once(*who, *text) for who in both] for _ in range(ROUNDS)]
        for figure, unit, most in FIGURES:
            ours, theirs = (median(pair[at][figure] for pair in runs) for at in (0, 1))
            rows.append(Row(f"{text[1]} MB of {text[0]}: {figure}", ours, most * theirs, unit, f"rlms {theirs:.4g}"))
    return report("long", rows)


def ask(name: str, url: str, kind: str, size: str) -> int:
    """Ask once, in this process."""
    text = LINES[kind] * (int(size) * 1_000_000 // len(LINES[kind].encode()))
    if name == Rlms.__name__:
        Rlms(url).run("root-text", text)
    else:
        import deeprepo

        root = deeprepo.Model("compatible/root-text", base_url=url, api_key="none")
        deeprepo.RLM(root, budget=None).run("How often?", text)
    uses = getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)  # our process and the REPL's, or theirs alone
    memory = sum(use.ru_maxrss for use in (uses[:1] if name == Rlms.__name__ else uses)) / 1024
    timing.told({"cpu": sum(use.ru_utime + use.ru_stime for use in uses), "memory": memory})
    return 0


if __name__ == "__main__":
    raise SystemExit(ask(*sys.argv[1:]) if len(sys.argv) > len(LINES) else main())
