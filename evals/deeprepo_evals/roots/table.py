"""The comparison in words: one row for each contender, and the split of its bill. Pure."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from deeprepo_evals import intervals, tables
from deeprepo_evals.results import Row

COLUMNS = (
    "root", "strategy", "dispatches", "by the root", "files read", "by workers", "found", "95 %", "precision", "dollars", "workers' part", "turns", "zero delegation",
)  # fmt: skip


def text(rows: Sequence[Row]) -> str:
    """The table."""
    return tables.align(COLUMNS, [_line(name, mine) for name, mine in _group(rows).items()])


def figures(rows: Sequence[Row]) -> dict[str, Any]:
    """One contender over all its code bases; dollars are None where a price is unknown."""
    found = [row.result for row in rows]
    usd, root_usd = _sum(found, "usd"), _sum(found, "root_usd")
    labels, matched = sum(r["labels"] for r in found), sum(r["matched"] for r in found)
    said = sum(r["findings"] for r in found)
    return {
        "reviews": len(found),
        "dispatches": _mean(found, "dispatches"),
        "delegated": _mean(found, "delegated"),
        "files": _mean(found, "files"),
        "files_read": _mean(found, "files_read"),
        "files_by_workers": _mean(found, "files_by_workers"),
        "labels": labels,
        "matched": matched,
        "recall": asdict(_recall(found)),
        "precision": matched / said if said else None,
        "usd": None if usd is None else usd / len(found),
        "worker_share": None if usd is None or root_usd is None or not usd else 1 - root_usd / usd,
        "turns": _mean(found, "turns"),
        "zero_delegation": sum(not r["delegated"] for r in found) / len(found),
    }


def _line(name: tuple[str, str], rows: Sequence[Row]) -> tuple[str, ...]:
    f = figures(rows)
    recall = f["recall"]
    return (
        *name,
        f"{f['dispatches']:.0f}",
        f"{f['delegated']:.0f}",
        f"{f['files_read']:.0f}/{f['files']:.0f}",
        f"{f['files_by_workers']:.0f}",
        f"{f['matched']}/{f['labels']}",
        f"{recall['low']:.2f}-{recall['high']:.2f}",
        "-" if f["precision"] is None else f"{f['precision']:.2f}",
        "unknown" if f["usd"] is None else f"${f['usd']:.3f}",
        "-" if f["worker_share"] is None else f"{f['worker_share']:.0%}",
        f"{f['turns']:.1f}",
        f"{f['zero_delegation']:.0%}",
    )


def _recall(rows: Sequence[Any]) -> intervals.Interval:
    """Over one code base the labels are drawn, over several the code bases."""
    if len(rows) == 1:
        return intervals.share(rows[0]["matched"], rows[0]["labels"])
    return intervals.bootstrap(rows, lambda rows: sum(r["matched"] for r in rows) / sum(r["labels"] for r in rows))


def _sum(rows: Iterable[Any], name: str) -> float | None:
    values = [result[name] for result in rows]
    return None if None in values else sum(values)


def _mean(rows: Sequence[Any], name: str) -> float:
    return statistics.fmean(result[name] for result in rows)


def _group(rows: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.item["root"], row.item["strategy"]), []).append(row)
    return groups
