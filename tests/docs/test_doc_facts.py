"""Check statements in the documentation against the program."""

import re
from pathlib import Path

import doc_pages
import pytest
from doc_pages import PAGES, ROOT

from bot import config
from bot.app import manifest
from bot.app.running_server import Metrics
from bot.config import reference
from bot.render import load
from bot.workflow.commands import COMMANDS
from deeprepo.rlm.models import PROVIDERS

APP, USING, SERVER = (ROOT / "docs" / f"{name}.md" for name in ("deploy", "using", "server"))
VARIABLE = re.compile(r"\bDEEPREPO_[A-Z_]*[A-Z]\b")


def rows(page: Path, heading: str) -> list[list[str]]:
    """Return the rows of the first table below a heading, without its header."""
    below = page.read_text().partition(f"{heading}\n")[2]
    table = re.search(r"(?:^\|.*\n)+", below, re.MULTILINE)
    assert table, f"{doc_pages.name(page)} has no table below {heading!r}"
    return [[cell.strip() for cell in line.strip("|\n").split(" | ")] for line in table[0].splitlines()[2:]]


def quoted(cell: str) -> list[str]:
    """Return the code spans in a cell."""
    return re.findall(r"`([^`]+)`", cell)


def test_configuration_reference_matches_the_program_output(capsys: pytest.CaptureFixture[str]) -> None:
    """docs/configuration.md equals the output of `deeprepo config --reference`."""
    from bot.cli import main

    assert main(["config", "--reference"]) == 0
    assert capsys.readouterr().out == (ROOT / "docs" / "configuration.md").read_text()


def test_configuration_reference_is_complete() -> None:
    """Every review setting, server variable and provider key has a row."""
    tables = reference.tables()
    names = {name for table in tables.values() for row in table for name in quoted(row.name)}
    last = {part for name in names for part in name.removesuffix("[]").split(".")}  # sections are settings too
    assert set(config.DEFAULTS) <= last
    assert {name.removesuffix("_FILE") for name in reference.variables()} <= names
    printed = (ROOT / "docs" / "configuration.md").read_text()
    assert all(f"`{provider.key_variable}`" in printed for provider in PROVIDERS.values() if provider.key_variable)
    assert all(row.about and row.form for table in tables.values() for row in table)


@pytest.mark.parametrize("page", PAGES, ids=doc_pages.name)
def test_documented_variables_exist(page: Path) -> None:
    """Every variable on a page is read by the program."""
    known = set(VARIABLE.findall((ROOT / "docs" / "configuration.md").read_text()))
    code = "".join(path.read_text() for path in [*(ROOT / "bot" / "config").glob("*.py"), ROOT / "docker-compose.yml"])
    found = set(VARIABLE.findall(page.read_text())) - known
    assert [name for name in sorted(found) if name not in code and not name.startswith("DEEPREPO_ACTION_")] == []


def test_app_permissions_and_events_match_the_setup_page() -> None:
    """The pages list the permissions and events that the setup page requests."""
    below = rows(APP, "### Permissions")
    assert {quoted(name)[0]: level for name, level, _ in below} == manifest.PERMISSIONS
    events = rows(APP, "### Events")
    assert {event for cells in events for event in quoted(cells[0])} == set(manifest.EVENTS)


def test_commands_are_listed() -> None:
    """The table lists every command that a comment may contain, as it is typed, with what `help` says about it."""
    table = [(typed, about) for typed, about, _ in rows(USING, "## Commands")]
    assert table == [(f"`/deeprepo {one.usage}`", load().say(one.phrase)) for one in COMMANDS.values()]


def test_metrics_are_listed() -> None:
    """The table lists exactly the metrics that /metrics returns."""
    told = re.findall(r"^# TYPE (deeprepo_\w+) ", Metrics().render({}, {}, 0.0).decode(), re.MULTILINE)
    listed = {quoted(cells[0])[0] for cells in rows(SERVER, "## Metrics")} - {"process_*"}
    assert listed == {name for name in told if not name.endswith("_created")}


@pytest.mark.parametrize("page", PAGES, ids=doc_pages.name)
def test_named_files_exist(page: Path) -> None:
    """Every file or folder in the repository that a page names exists."""
    spans = doc_pages.spans(page)
    paths = [
        span
        for span in spans
        if re.fullmatch(r"(bot|deeprepo|tests|templates|benchmarks|docs|evals|sandbox)/[\w./-]+", span)
        and "NAME" not in span
    ]
    assert [path for path in paths if not (ROOT / path).exists()] == []
