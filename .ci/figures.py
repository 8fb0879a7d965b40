"""Run `eval roots` and `eval context`, and write their figures: `python .ci/figures.py` (four minutes of CPU time).

docs/contributing/figures.json has a row for each problem, and docs/contributing/measurements.md the tables. All models are
scripted, and the seeds are fixed, so that every run gives the same figures.
"""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from deeprepo_evals.context import plan_options as context_options
from deeprepo_evals.context import run as context
from deeprepo_evals.results import Row
from deeprepo_evals.roots import plan_options as roots_options
from deeprepo_evals.roots import run as roots
from deeprepo_evals.roots import scripted

DOCS = Path(__file__).resolve().parent.parent / "docs/contributing"
JSON, PAGE = DOCS / "figures.json", DOCS / "measurements.md"
POINTS = ",".join(
    f"scripted/exhaustive:{calls}" for calls in (46, 31, 15, 3)
)  # besides the three roots: more or less delegation
HONEST = "scripted/honest"
STEPS = ("rlm-only", "fanout", "rlm")  # the methods of the tasks with several steps
Figures = Mapping[str, Sequence[Mapping[str, Any]]]


def plans() -> tuple[list[roots.Plan], list[context.Plan]]:
    """What is run: all default experiments, roots that delegate more or less, and tasks with several steps."""
    of_roots = [
        roots_options.plan(",".join(scripted.ROOTS), "", "", "", ""),
        roots_options.plan(POINTS, "", "rlm-only", "", ""),
    ]
    steps = context_options.tasks("hop1,hop2", "300k", "", "1-4")
    return of_roots, [
        context.Plan(context_options.tasks("", "", "", ""), context_options.methods(""), HONEST, HONEST),
        context.Plan(steps, context_options.methods(",".join(STEPS)), HONEST, HONEST),
    ]


def of_roots(row: Row) -> dict[str, Any]:
    """The figures of one review."""
    found = {name: row.result[name] for name in ("dispatches", "delegated", "matched", "labels", "turns")}
    return {"root": row.item["root"], "strategy": row.item["strategy"], **found, "usd": round(row.result["usd"], 3)}


def of_context(row: Row) -> dict[str, Any]:
    """Whether one method solved one problem."""
    return {name: row.item[name] for name in ("task", "size", "position", "seed", "method")} | {
        "right": row.result["correct"]
    }


async def measure() -> Figures:
    """Run everything."""
    first, second = plans()
    reviews = [row for plan in first for row in (await roots.carry_out(plan, None)).rows]
    problems = [(await context.carry_out(plan)).rows for plan in second]
    return {
        "roots": [of_roots(row) for row in reviews],
        "context": [of_context(row) for row in problems[0]],
        "steps": [of_context(row) for row in problems[1]],
    }


def tables(figures: Figures) -> dict[str, str]:
    """Return each table of the page by its name."""
    rows = [
        (
            row["root"].removeprefix("scripted/"), row["strategy"], f"{row['dispatches']} ({row['delegated']})",
            f"{row['matched']}/{row['labels']}", f"${row['usd']:.3f}",
        )
        for row in figures["roots"]
    ]  # fmt: skip
    head = ("root", "strategy", "worker calls (asked for by the root)", "found", "cost")
    return {"roots": _table(head, rows), "context": _solved(figures["context"]), "steps": _solved(figures["steps"])}


def _solved(rows: Iterable[Mapping[str, Any]]) -> str:
    cells: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        cells[row["task"]][row["method"]].append(row["right"])
    methods = list(next(iter(cells.values())))
    lines = [(task, *(f"{sum(found[one])}/{len(found[one])}" for one in methods)) for task, found in cells.items()]
    return _table(("task", *methods), lines)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))


def with_tables(page: str, figures: Figures) -> str:
    """Return the page with its tables replaced. Each follows a comment with its name."""
    for name, table in tables(figures).items():
        page = re.sub(
            rf"(?<=<!-- make figures: {name} -->\n\n)(?:\|.*\n)*\n*", lambda _, table=table: f"{table}\n\n", page
        )
    return page


if __name__ == "__main__":
    measured = asyncio.run(measure())
    rows = {name: ",\n".join(map(json.dumps, each)) for name, each in measured.items()}
    JSON.write_text("{" + ",\n".join(f'"{name}": [\n{each}\n]' for name, each in rows.items()) + "}\n")
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), measured), encoding="utf-8")
