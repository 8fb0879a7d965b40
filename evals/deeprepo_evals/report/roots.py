"""Root models on the page: what each found and read, against what it took."""

from collections.abc import Iterator, Sequence
from typing import Any

from deeprepo_evals.report.parts import Plot, Point, Section, Series, Table
from deeprepo_evals.results import Row
from deeprepo_evals.roots import table as tables

HEAD = ("root, strategy", "reviews", "found", "95 %", "precision", "files read", "by workers", "worker calls", "dollars", "turns", "zero delegation")  # fmt: skip


def sections(rows: Sequence[Row]) -> Iterator[Section]:
    """One section; nothing where no review is finished."""
    names = dict.fromkeys((row.item["root"], row.item["strategy"]) for row in rows)
    found = {f"{root}, {strategy}": tables.figures(_of(rows, root, strategy)) for root, strategy in names}
    if found:
        table = Table(HEAD, tuple(_line(name, told) for name, told in found.items()))
        yield Section("Root models over planted defects", (), tuple(_plots(found)), (table,))


def _of(rows: Sequence[Row], root: str, strategy: str) -> list[Row]:
    return [row for row in rows if (row.item["root"], row.item["strategy"]) == (root, strategy)]


def _plots(figures: dict[str, dict[str, Any]]) -> Iterator[Plot]:
    for x, said in (("usd", "dollars per review"), ("dispatches", "worker calls per review")):
        dots = [(name, told[x], told["recall"]) for name, told in figures.items() if told[x] is not None]
        series = tuple(Series(name, (Point(at, y["value"], y["low"], y["high"]),)) for name, at, y in dots)
        if series and any(at for _, at, _ in dots):
            yield Plot(f"recall against {said}", "dots", series, said, "recall")
    read = [(name, told) for name, told in figures.items() if told["files"]]
    series = tuple(Series(name, _coverage(told)) for name, told in read)
    yield Plot("files read", "bars", series, "", "share of files", ("by anybody", "by workers"))


def _coverage(figures: dict[str, Any]) -> tuple[Point, ...]:
    return tuple(
        Point(at, figures[name] / figures["files"]) for at, name in enumerate(("files_read", "files_by_workers"))
    )


def _line(name: str, figures: dict[str, Any]) -> tuple[str, ...]:
    recall = figures["recall"]
    return (
        name,
        f"{figures['reviews']:,}",
        f"{figures['matched']} of {figures['labels']}",
        f"{recall['low']:.2f} to {recall['high']:.2f}",
        "-" if figures["precision"] is None else f"{figures['precision']:.2f}",
        f"{figures['files_read']:.0f} of {figures['files']:.0f}",
        f"{figures['files_by_workers']:.0f}",
        f"{figures['dispatches']:.1f}",
        "unknown" if figures["usd"] is None else f"{figures['usd']:.4f}",
        f"{figures['turns']:.1f}",
        f"{figures['zero_delegation']:.2f}",
    )
