"""How a review without models starts for hooks: which parser reads its options, which modules it loads."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from fakes import Repository
from recorded import deeprepo

from bot.cli.by_code import StaticReviewOptions, parse
from bot.cli.commands import SUMMARIES

ROOT = Path(__file__).parents[2]
SECONDS = re.compile(r'"seconds": [\d.e-]+|[\d.]+ s\b')
HEAVY = {
    "pydantic", "typer", "pydantic_settings", "jinja2", "yaml", "pygments", "detect_secrets", "requests", "importlib.metadata",
    "tarfile", "configparser",
}  # fmt: skip
RUN = (
    "import sys\nfrom bot.__main__ import main\ntry:\n    main()\nfinally:\n    print(end=' '.join(['', *sys.modules]))"
)
OURS = {
    "bot.review.agent.loop",
    "bot.review.strategies.estimate",
    "bot.findings.claims",
    "bot.review.workers",
    "bot.review.strategies.rlm",
    "bot.values.host",
    "bot.config.server",
    "bot.features.organization.values",
    "bot.features.own_checks.values",
    "bot.features.reproduction.values",
    "deeprepo.impact.languages.javascript",
    "pathspec",
}


def test_published_hooks_use_the_fast_parser() -> None:
    """The fast parser understands the command lines of our published hooks."""
    published = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_bytes())
    read = [parse(hook["entry"].split()[1:]) for hook in published]
    assert read == [
        StaticReviewOptions(staged=True, fail_on="high"),
        StaticReviewOptions(fail_on="high"),
    ]
    assert all(options is not None and options.may_come_from_hook for options in read)


def test_ranges_use_the_fast_parser() -> None:
    """The fast parser also understands ranges and formats, as people and scripts write them."""
    options = parse(["review", "main..HEAD", "-q", "--format", "json", "--effort", "none"])
    assert options == StaticReviewOptions(change="main..HEAD", form="json", quiet=True)
    assert not options.may_come_from_hook
    uncommitted = parse(["review", "--uncommitted", "--effort", "none"])
    assert uncommitted == StaticReviewOptions(uncommitted=True)


@pytest.mark.parametrize(
    "line",
    ["review", "review --staged", "review main..HEAD", "review main HEAD --effort none", "review --effort none --fail-on",
     "review --effort none --fail-on worst", "review --effort none --format yaml", "review --effort low",
     "review --strategy rlm", "review --effort none --help", "review --effort none --", "review - --effort none", "config"],
)  # fmt: skip
def test_all_other_command_lines_use_the_full_parser(line: str) -> None:
    """The full parser handles all other options and reports mistakes."""
    assert parse(line.split()) is None


@pytest.mark.parametrize("form", ["console", "json"])
@pytest.mark.parametrize("scope", ["", "main..feature", "--uncommitted", "main..main", "nowhere..feature"])
def test_both_parsers_report_the_same(changed: Repository, scope: str, form: str) -> None:
    """Findings, messages and exit code are equal; `--effort=none` is only understood by the full parser."""
    changed.write({"shop/rates.py": "def quote(weight):\n    return weight\n"})
    line = f"review {scope} --fail-on high --format {form}".split()
    lines = [[*line, *effort.split()] for effort in ("--effort none", "--effort=none")]
    assert [parse(line) is None for line in lines] == [False, True]
    short, long = (
        deeprepo(*line, cwd=changed.folder, HOME=str(changed.folder.parent), DEEPREPO_EFORT="low") for line in lines
    )
    assert "DEEPREPO_EFORT is not a deeprepo setting" in short.stderr
    assert (short.returncode, short.stderr) == (long.returncode, long.stderr)
    assert SECONDS.sub("", short.stdout) == SECONDS.sub("", long.stdout)


@pytest.mark.parametrize(
    "line",
    [
        "--version",
        "review --staged --effort none --fail-on high --quiet",
        "review HEAD~1.. --effort none",
    ],
)
def test_commands_that_scripts_run_often_load_no_heavy_modules(line: str, tmp_path: Path) -> None:
    """Imports take most of such a command's time, so its two processes load only what they need."""
    repo = Repository(tmp_path)
    repo.commit({"a.py": "def total(a):\n    return 0\n"})
    repo.commit({"a.py": "def total(a):\n    return a\n"})
    repo.write({"a.py": "def total(a, b):\n    return a + b\n"})
    repo.git("add", "--all")
    modules = _loaded(line, tmp_path, said=json.dumps({"cwd": str(tmp_path), "session_id": "s1"}))
    assert modules.isdisjoint(HEAVY | OURS)


def test_repository_with_settings_does_not_load_pydantic_settings(tmp_path: Path) -> None:
    """Only pydantic is loaded to check the repository's file."""
    repo = Repository(tmp_path)
    repo.commit({".deeprepo.yml": "fail_on: high\n", "a.py": "a = 1\n"})
    repo.write({"a.py": "a = 2\n"})
    modules = _loaded("review --uncommitted --effort none", tmp_path)
    assert modules.isdisjoint({"pydantic_settings", "typer", "jinja2"})
    assert "pydantic" in modules


def test_help_loads_no_commands_and_no_rendering(tmp_path: Path) -> None:
    """`--help` lists every command without loading heavy modules."""
    modules = _loaded("--help", tmp_path)
    assert modules.isdisjoint({*HEAVY - {"typer"}, "rich", "asyncio", "bot.levels"})
    shown = subprocess.run(
        [sys.executable, "-m", "bot", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert all(f"\n  {name} " in shown.stdout for name in SUMMARIES)


def _loaded(line: str, folder: Path, said: str = "") -> set[str]:
    """Return the names of all modules that a command loads."""
    env = {"PATH": os.environ["PATH"], "HOME": str(folder.parent / "home"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", RUN, *line.split()],
        cwd=folder,
        env=env,
        input=said,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.rpartition("\n")[2].split())
