"""The research journal's three roots through the product's engine, and planted cases through the oracle: counts, not times."""

import asyncio
from collections.abc import Iterator

from benchmarks.table import Row
from deeprepo_evals.roots import journal, plan_options, run, scripted

DELEGATED = {
    "exhaustive": (61, 225),
    "satisficing": (9, 35),
    "failing": (0, 0),
}  # calls of workers, files that they were shown


def rows() -> Iterator[Row]:
    """61, 9 and 0 calls over 289 files, the journal's dollars, and what the harness adds to each root."""
    found = asyncio.run(run.carry_out(plan_options.plan("", "", "", "", "1"), None)).rows
    told = {(row.item["root"].removeprefix(scripted.PREFIX), row.item["strategy"]): row.result for row in found}
    for name, (calls, files) in DELEGATED.items():
        alone, helped = told[name, "rlm-only"], told[name, "rlm"]
        off = abs(alone["delegated"] - calls) + abs(alone["files_by_workers"] - files)
        yield Row(f"{name} root, 289 files: calls and files off the journal's {calls} and {files}", off, 0)
        dollars = journal.BEHAVIOURS[name].total_usd
        part = 1 - alone["root_usd"] / alone["usd"]
        yield Row(f"{name} root: dollars off the journal's ${dollars:g}, share (workers' part {part:.0%})", abs(alone["usd"] / dollars - 1), 0.005)  # fmt: skip
        yield Row(f"{name} root, defects found of {alone['labels']}: rlm-only", alone["matched"])
        yield Row(
            f"{name} root, defects found of {helped['labels']}: rlm", helped["matched"], alone["matched"], least=True
        )
        yield Row(f"{name} root, rlm: files not read by a worker", helped["files"] - helped["files_by_workers"], 0)
    single = told["exhaustive", run.BASELINE]
    yield Row(f"single call of 180,000 characters, defects found of {single['labels']}", single["matched"])
