import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from families import few

from bot import cli
from deeprepo_evals import results
from deeprepo_evals.report import plots
from deeprepo_evals.report.parts import Plot, Point, Series
from deeprepo_evals.reviews import outcome
from deeprepo_evals.reviews.cases import Case, Defect, Span
from deeprepo_evals.reviews.outcome import MeasuredFinding, Outcome

EVIL = '</td><script>alert("x")</script>'
METHODS = ("direct", "rlm")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Finished runs of two experiments; a name in them is hostile."""
    place = tmp_path_factory.mktemp("runs")
    return [reviews(place / "reviews.jsonl"), context(place / "context.jsonl")]


@pytest.fixture(scope="module")
def page(runs: list[Path]) -> str:
    """The page, written once."""
    out = runs[0].with_name("report.html")
    assert cli.run(["eval", "report", *map(str, runs), "--out", str(out)]) == 0
    return out.read_text("utf-8")


def reviews(path: Path) -> Path:
    """Two reviewers over a case of each kind."""
    with results.Run(path, "reviews") as run:
        for kind in ("natural", "clean"):
            defects = (Defect("d", (Span("a.py", 1, 1),), "same-hunk"),) if kind == "natural" else ()
            case = Case(id=f"{kind}-1", kind=kind, clone="a/b", base="0" * 40, defects=defects)
            for reviewer in ("fanout", EVIL):
                said = (MeasuredFinding("a.py", 1, 1, "found"),) if kind == "natural" else ()
                told = Outcome(findings=said, input=9_000, units=4, units_read=3, dependents=2)
                item = {"case": case.id, "digest": "", "reviewer": reviewer, "round": 1, "settings": {}}
                run.keep(item, outcome.as_row(case, told))
    return path


def context(path: Path) -> Path:
    """Two methods over a sweep of positions."""
    spent = {"calls": 1, "tokens": 100, "usd": 0.0, "seconds": 0.1, "turns": 0}
    with results.Run(path, "context") as run:
        for method in METHODS:
            for position in (0.0, 0.5, "last"):
                item = {"task": "needle", "size": 8_000, "position": position, "method": method}
                right = method == "rlm" or position == 0.0
                told = {"correct": right, "verdict": "right" if right else "missed", "expected": ["1"]}
                run.keep(item, {**told, **spent})
    return path


@pytest.mark.slow
def test_one_page_holds_tables_and_plots_of_every_experiment(page: str) -> None:
    """Recall, coverage, accuracy by position, and where the figures come from."""
    for words in (
        "natural: recall against prompt tokens per PR",
        "natural: coverage",
        "needle, 8,000 characters: right by position",
        "reviews.jsonl: 4 results",
        "<td>0.75</td>",
    ):
        assert words in page
    assert page.count("<svg") == page.count("<figure")


def test_the_page_needs_no_network_and_runs_nothing(page: str) -> None:
    """No address is loaded, names from results are text, and the page forbids scripts."""
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert not re.findall(r"(?:src|(?<!:)href)=\"(?!#)[^\"]*\"", page)
    assert "url(http" not in page
    assert "default-src 'none'" in page


def test_the_page_is_well_formed(page: str) -> None:
    """Every element that is opened is closed in its place, and no two carry one name."""

    class Checker(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.open: list[str] = []
            self.names: list[str] = []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.names += [value or "" for name, value in attrs if name == "id"]
            if tag != "meta":
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag

    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert len(checker.names) == len(set(checker.names))


@pytest.mark.parametrize("form", few(["dots", "bars", "grid"], 2))
def test_a_plot_is_drawn_in_the_colours_of_the_page(form: str) -> None:
    """So that it can be read in the dark too; the same values give the same drawing."""
    labels = () if form == "dots" else ("0", "1")
    series = tuple(Series(name, (Point(0, 0.5, 0.4, 0.6), Point(1, 0.0, 0.0, 0.1))) for name in ("a & b", "c$d$"))
    plot = Plot("A plot", form, series, "x", "y", labels)  # type: ignore[arg-type]
    drawn = plots.svg(plot)
    assert ET.fromstring(drawn).tag.endswith("svg")  # noqa: S314 - our own drawing
    assert "var(--ink)" in drawn
    assert "var(--s1)" in drawn
    assert set(re.findall(r"#[0-9a-f]{6}\b", drawn)) <= {"#000000"}
    assert "c$d$" in drawn
    assert plots.svg(plot) == drawn


@pytest.mark.parametrize(
    ("content", "said"),
    [("", "hold no results yet"), ("what is this\n", "line 1 is not a result"), (None, "cannot be read")],
)
def test_files_that_hold_no_results_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None, said: str
) -> None:
    """Exit code 2, and no page is written."""
    run, out = tmp_path / "run.jsonl", tmp_path / "report.html"
    if content is not None:
        run.write_text(content)
    assert cli.run(["eval", "report", str(run), "--out", str(out)]) == 2
    assert said in capsys.readouterr().err
    assert not out.exists()


def test_without_matplotlib_a_sentence_says_what_to_install(runs: list[Path], tmp_path: Path) -> None:
    """The extra is named."""
    words = f"['eval', 'report', {str(runs[0])!r}, '--out', {str(tmp_path / 'r.html')!r}]"
    code = f"import sys; sys.modules['matplotlib'] = None; from bot import cli; sys.exit(cli.run({words}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "install deeprepo-evals" in done.stderr
