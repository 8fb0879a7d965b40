import asyncio
import sys
from collections.abc import Callable

import pytest
import step
from fakes import Repository

from bot import diff
from bot.analyzers import linter_run
from bot.analyzers.checks.oxlint import Oxlint
from bot.analyzers.linters import Linter
from bot.checkout import Checkout
from bot.findings.quotes import check_quotes
from bot.review.analyzer_worker import load_analyzer
from bot.values import Dependents, Finding, PullRequest

CI = ".github/workflows/g.yml"
LINTERS = ("oxlint", "shellcheck", "zizmor", "hadolint")
WORKFLOW = """\
on: issue_comment
permissions: {}
jobs:
  greet:
    runs-on: ubuntu-latest
    steps:
      - run: echo hello
"""
INJECTED = '      - run: echo "${{ github.event.comment.body }}"\n'
# linter, path, content before and after the change, the reported rule and line
CASES = [
    ("oxlint", "src/a.ts", "const n = 1;\n", "const n = 1;\nn = 2;\n", "no-const-assign", 2),
    ("oxlint", "web/b.jsx", "", "export const o = {a: 1, a: 2};\n", "no-dupe-keys", 1),
    ("shellcheck", "run.sh", "#!/bin/sh\n", '#!/bin/sh\nif [ "$1" > "2" ]; then echo more; fi\n', "SC2071", 2),
    ("zizmor", ".github/workflows/g.yml", WORKFLOW, WORKFLOW + INJECTED, "template-injection", 8),
    ("hadolint", "deploy/Dockerfile", "FROM a:1\n", "FROM a:1\nCOPY one two three\n", "DL3021", 2),
]


def look(pull: PullRequest, name: str) -> list[Finding]:
    """Return the findings about a change, after checking that their quotes match the files."""
    return judged(pull, name)[0]


def judged(pull: PullRequest, name: str) -> tuple[list[Finding], list[tuple[str, str]]]:
    """Return the findings about a change, and the files that were not checked with the reason."""

    async def run(tree: Checkout, files: step.Files) -> tuple[list[Finding], list[tuple[str, str]]]:
        linter = load_analyzer(name)
        judgement = await linter.check(tree, [file for file in files if linter.wants(file)], Dependents())
        assert all([isinstance(await check_quotes(finding, tree), Finding) for finding in judgement.findings])
        return list(judgement.findings), list(judgement.unjudged)

    return step.over(pull, run)


@pytest.mark.parametrize(("name", "path", "before", "after", "rule", "line"), CASES)
def test_fault_added_by_the_change_is_found(
    repository: Repository, name: str, path: str, before: str, after: str, rule: str, line: int
) -> None:
    """The real linter finds a fault that the change adds, with its name, rule and line."""
    (finding,) = look(repository.change({path: before, "x": "1\n"}, {path: after}), name)
    assert (finding.source, finding.rule, finding.path, finding.start) == (name, rule, path, line)


@pytest.mark.parametrize(("name", "path", "before", "after", "rule", "line"), CASES)
def test_fault_in_the_base_is_not_reported(
    repository: Repository, name: str, path: str, before: str, after: str, rule: str, line: int
) -> None:
    """A fault that the base already has is not reported, even if its line moves."""
    del before, rule, line
    comment = "// more\n" if name == "oxlint" else "# more\n"
    moved = comment + after if name != "shellcheck" else after.replace("\n", "\n# more\n", 1)
    assert look(repository.change({path: after}, {path: moved}), name) == []


OWN = (
    "secrets.GROUP env.ADDRESS github.event.inputs.tag github.actor github.event.repository.default_branch github.event.release.body"
    " github.event.pull_request.base.repo.default_branch github.event.client_payload.issue.title"
)


def test_linter_settings_in_the_repository_are_ignored(repository: Repository) -> None:
    """Linter settings in the repository that turn rules off or load code have no effect."""
    settings = {
        ".oxlintrc.json": '{"rules": {"no-const-assign": "off"}, "jsPlugins": ["./evil.js"]}',
        ".eslintignore": "*\n",
        ".shellcheckrc": "disable=all\n",
        ".hadolint.yaml": "ignored: [DL3021]\n",
        "zizmor.yml": "rules: {template-injection: {disable: true}}\n",
    }
    before = {path: text for _, path, text, *_ in CASES if text}
    pull = repository.change({**settings, **before, "x": "1\n"}, {path: after for _, path, _, after, *_ in CASES})
    assert {finding.rule for name in LINTERS for finding in look(pull, name)} == {rule for *_, rule, _ in CASES}


def test_file_with_a_syntax_error_does_not_stop_the_check(repository: Repository) -> None:
    """Files with syntax errors produce no findings, and the other files are still checked."""
    broken = {
        "b.ts": "function (((\n",
        "b.sh": "if [ ; then\n",
        ".github/workflows/b.yml": "jobs: [\n",
        "b.Dockerfile": "FRM {\n",
    }
    pull = repository.change({"x": "1\n"}, {**broken, **{path: after for _, path, _, after, *_ in CASES}})
    assert {finding.rule for name in LINTERS for finding in look(pull, name)} == {rule for *_, rule, _ in CASES}
    alone = repository.change({"y": "1\n"}, {path: text + " " for path, text in broken.items()})
    assert [finding for name in LINTERS for finding in look(alone, name)] == []


def test_missing_linter_checks_no_file(repository: Repository) -> None:
    """A missing linter checks no file, and a program of that name on PATH is not used instead."""

    async def wanted(linter: Linter) -> bool:
        async with Checkout(repository.change({"x": "1\n"}, {"a.ts": "let a;\n"})) as tree:
            return any(linter.wants(file) for file in diff.read(await tree.change()))

    real, absent = Oxlint(), type("Absent", (Oxlint,), {"NAME": "git"})()
    assert (asyncio.run(wanted(real)), linter_run.program("git"), asyncio.run(wanted(absent))) == (True, None, False)


def test_every_enabled_rule_exists() -> None:
    """Every rule in oxlint.toml is known to oxlint; an unknown rule would have no effect."""
    status, out, _ = asyncio.run(linter_run.run("oxlint", ["--rules"], {}))
    known = {row.split("|")[1].strip() for row in out.decode().splitlines() if row.startswith("| ")}
    assert (status, Oxlint().rules.keys() - known) == (0, set())


@pytest.mark.parametrize(
    ("name", "path", "first", "line"),
    [
        ("ruff", "a.py", "", "a\n"),
        ("ruff", "a.py", "", "x is 1\n"),
        ("oxlint", "a.js", "const x = 1;\n", "x = 1;\n"),
        ("shellcheck", "a.sh", "#!/bin/sh\n", "[ a = b ]\n"),
        ("hadolint", "Dockerfile", "FROM a:1\n", "COPY a b c\n"),
    ],
)
def test_work_does_not_grow_with_the_number_of_reports(
    repository: Repository, name: str, path: str, first: str, line: str
) -> None:
    """Only the first 100 reports of a rule are examined, so sixteen times as many take less than four times the calls."""
    few, many = (
        calls(lambda number=number: judged(repository.change({"x": "1\n"}, {path: first + line * number}), name))
        for number in (200, 3_200)
    )
    assert many < 4 * few


def calls(action: Callable[[], object]) -> int:
    """Return how many functions an action calls and returns from."""
    events = 0

    def count(*_: object) -> None:
        nonlocal events
        events += 1

    sys.setprofile(count)
    try:
        action()
    finally:
        sys.setprofile(None)
    return events


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of another process")
def test_linter_over_its_memory_limit_leaves_the_file_unchecked(repository: Repository) -> None:
    """A command that makes shellcheck exceed its memory limit leaves the file not checked."""
    text = "#!/bin/sh\na" + " \\\n && a" * 5_000 + "\n"
    found, left = judged(repository.change({"x": "1\n"}, {"a.sh": text}), "shellcheck")
    why = "did not check this file, because it needed more than 1,024 MiB of memory"
    assert (found, left) == ([], [("a.sh", why)])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the CPU time of another process")
def test_linter_timeout_on_one_file_does_not_affect_others(repository: Repository) -> None:
    """If hadolint is too slow on one file, that file is reported and the other one is still checked."""
    slow = "FROM a:1\n" + "RUN b\n" * 20_000
    broken = "FROM a:1\nCOPY one two three\n"
    change = repository.change({"x": "1\n"}, {"a/Dockerfile": slow, "b/Dockerfile": broken})
    found, left = judged(change, "hadolint")
    assert [(finding.path, finding.rule) for finding in found] == [("b/Dockerfile", "DL3021")]
    ((path, why),) = left
    assert path == "a/Dockerfile"
    assert "did not check this file, because it was stopped after" in why
