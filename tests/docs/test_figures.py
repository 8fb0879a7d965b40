"""The tables of the experiments agree with the recorded figures, and these with the program."""

import asyncio
import json
import runpy
from dataclasses import replace

import pytest
from doc_pages import ROOT

from deeprepo_evals.context import run as context
from deeprepo_evals.roots import run as roots

FIGURES = runpy.run_path(str(ROOT / ".ci/figures.py"))
RECORDED = json.loads(FIGURES["JSON"].read_text(encoding="utf-8"))
LONGEST = 100_000  # characters of the texts that are asked about again


def test_tables_on_the_page_match_the_recorded_figures() -> None:
    """`make figures` writes both."""
    page = FIGURES["PAGE"].read_text(encoding="utf-8")
    assert FIGURES["with_tables"](page, RECORDED) == page
    assert all(table in page for table in FIGURES["tables"](RECORDED).values())


@pytest.mark.slow
def test_recorded_figures_match_the_program() -> None:
    """The same seeds give the same figures: in the shorter texts, and for the root that delegates least."""
    (_, points), (plan, _) = FIGURES["plans"]()
    plan = replace(plan, tasks=tuple(task for task in plan.tasks if task.size <= LONGEST))
    again = [FIGURES["of_context"](row) for row in asyncio.run(context.carry_out(plan)).rows]
    assert again
    assert [row for row in again if row not in RECORDED["context"]] == []
    last = replace(points, contenders=points.contenders[-1:])
    (row,) = asyncio.run(roots.carry_out(last, None)).rows
    assert FIGURES["of_roots"](row) in RECORDED["roots"]
