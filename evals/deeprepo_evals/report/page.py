"""The page: rows of finished runs in, one HTML file out that needs nothing else."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from bot import __version__
from bot.errors import UsageError
from deeprepo_evals import results
from deeprepo_evals.report import plots
from deeprepo_evals.report.parts import Section
from deeprepo_evals.results import Row
from deeprepo_evals.words import text

# Which module tells of which experiments, in the order of the page. A new one is a file with `sections`.
TELLERS: Mapping[str, tuple[str, ...]] = {
    "reviews": ("reviews", "judgements"),
    "context": ("context",),
    "roots": ("roots",),
}
Teller = Callable[[Sequence[Row]], Iterator[Section]]


@dataclass(frozen=True, slots=True)
class Source:
    """Where the figures come from, as the page says it."""

    name: str
    rows: int
    versions: tuple[str, ...]
    first: str
    last: str


def write(paths: Sequence[Path], out: Path) -> int:
    """Write the page; how many results are behind it. Raises UsageError before anything is written."""
    if out.is_dir() or not out.parent.is_dir():
        raise UsageError(f"{out} cannot be written: name a file in a folder that exists")
    rows = results.read(paths)
    text = html(rows, [_source(path) for path in paths])
    try:
        out.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror}") from error
    return len(rows)


def html(rows: Sequence[Row], sources: Sequence[Source]) -> str:
    """The page as text. Raises UsageError where the rows tell of nothing."""
    found = [section for section in _sections(rows) if section.tables or section.plots]
    if not found:
        raise UsageError(
            "these files hold no results yet: run `deeprepo eval context`, `roots` or `reviews` with --out"
        )
    drawn = {plot.title: plots.svg(plot) for section in found for plot in section.plots}
    return text("report/page.html.j2", sections=found, drawn=drawn, sources=sources, version=__version__)


def _sections(rows: Sequence[Row]) -> Iterator[Section]:
    for name, experiments in TELLERS.items():
        mine = [row for row in rows if row.experiment in experiments]
        if mine:
            teller: Teller = import_module(f"deeprepo_evals.report.{name}").sections
            yield from teller(mine)


def _source(path: Path) -> Source:
    rows = results.read([path])
    times = sorted(row.time for row in rows if row.time)
    versions = tuple(sorted({row.version for row in rows}))
    return Source(path.name, len(rows), versions, times[0] if times else "", times[-1] if times else "")
