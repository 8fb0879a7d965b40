"""What is measured of every engine, in a process of its own. The standard library only: peers run it in their own environment.

An engine is anything with `run(model)`, which plays the root model `model` of the scripted server to its end, and with
`block(code)`, one turn of code in the form that this engine's root must send it, `FINISH` and `BATCH` (its names in a block).
"""

import json
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

CALLS, TURNS, BATCHES, ROUNDS = 64, 40, 4, 2
WORKER_MS = 200


class Engine(Protocol):
    """One engine under test."""

    FINISH: str
    BATCH: str

    @staticmethod
    def block(code: str) -> Any:  # noqa: ANN401 - a text, or {"tool": code}
        """A root's reply that holds this code."""

    def run(self, model: str) -> None:
        """One whole run with this root."""


class Watch:
    """Seconds on the wall and on the processors."""

    wall = cpu = 0.0


@contextmanager
def watched() -> Iterator[Watch]:
    """Time a block of our own code; processes that it has waited for count."""
    watch, wall, cpu = Watch(), time.perf_counter(), _cpu()
    yield watch
    watch.wall, watch.cpu = time.perf_counter() - wall, _cpu() - cpu


def scripts(engine: type[Engine]) -> dict[str, list[Any]]:
    """The roots that the server must play for this engine."""
    one = f'r = {engine.BATCH}(["p%d" % i for i in range({CALLS})])\nprint(len(r))\n'
    each = CALLS // BATCHES
    four = (
        f'for k in range({BATCHES}):\n    r = {engine.BATCH}(["c%d-%d" % (k, i) for i in range({each})])\nprint(len(r))'
    )
    finish = engine.block(engine.FINISH)
    return {
        "root-finish": [finish],
        "root-batch": [engine.block(one + engine.FINISH)],
        "root-empty": [*(engine.block(f"x = {n}") for n in range(TURNS)), finish] * ROUNDS,
        "root-four": [engine.block(four), finish],
        "root-text": [engine.block("print(context.count('o'))"), finish],
    }


def measure(engine: Engine) -> dict[str, list[float]]:
    """Every figure as often as it was taken."""
    engine.run("root-finish")  # imports, connections
    found: dict[str, list[float]] = {"batch": [], "batch_cpu": [], "one_turn": [], "empty": [], "empty_cpu": []}
    for _ in range(ROUNDS):
        batch, bare, empty = (_timed(engine, f"root-{name}") for name in ("batch", "finish", "empty"))
        found["batch"].append(batch.wall)
        found["batch_cpu"].append(batch.cpu)
        found["one_turn"].append(bare.wall)
        found["empty"].append((empty.wall - bare.wall) / TURNS)
        found["empty_cpu"].append((empty.cpu - bare.cpu) / TURNS)
    return found


def told(found: object) -> None:
    """Hand the figures to the process that asked for them."""
    print("\nFIGURES " + json.dumps(found), flush=True)


def heard(out: str) -> Any:  # noqa: ANN401 - whatever was told
    """The figures in the output of a process, None if it printed no figures."""
    lines = [line for line in out.splitlines() if line.startswith("FIGURES ")]
    return json.loads(lines[-1].removeprefix("FIGURES ")) if lines else None


def _timed(engine: Engine, model: str) -> Watch:
    with watched() as watch:
        engine.run(model)
    return watch


def _cpu() -> float:
    uses = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(use.ru_utime + use.ru_stime for use in uses)
