"""Analyzers count lines as git does: only a line feed ends a line, whatever a linter counts."""

import pytest
import step
from fakes import Repository
from families import few

from bot.analyzers.linters import UNREAD, Linter
from bot.checkout import Checkout
from bot.review.analyzer_worker import load_analyzer
from bot.values import Dependents, Judgement, PullRequest

ENDS = {"CR": "\r", "CRLF": "\r\n", "CRCRLF": "\r\r\n", "FF": "\x0c", "NEL": "\x85", "LS": "\u2028", "PS": "\u2029"}
# linter, path, text with a place for a line end in a comment, the faulty line
FAULTS = [
    ("ruff", "m.py", "def f(a):\n    # one%s    # two\n    b = undefined_thing\n    return a\n", "    b = undefined_thing"),
    ("oxlint", "a.js", "/* one%stwo */\nexport function f(a) {\n  debugger;\n}\n", "  debugger;"),
    ("shellcheck", "r.sh", '#!/bin/bash\n# one%s# two\nif [ "$1" > 3 ]; then echo x; fi\n', 'if [ "$1" > 3 ]; then echo x; fi'),
    ("hadolint", "Dockerfile", "# one%s# two\nFROM a:1\nCOPY one two three\n", "COPY one two three"),
]  # fmt: skip


def look(pull: PullRequest, linter: Linter | None = None, name: str = "") -> Judgement:
    """Return the judgement of a linter, or of the analyzer with this name, for a change."""

    async def run(tree: Checkout, files: step.Files) -> Judgement:
        analyzer = linter or load_analyzer(name)
        return await analyzer.check(tree, files, Dependents())

    return step.over(pull, run)


@pytest.mark.parametrize("end", few([*ENDS], 4))
@pytest.mark.parametrize(("name", "path", "text", "line"), FAULTS)
def test_linter_fault_has_the_line_number_that_git_uses(
    repository: Repository, end: str, name: str, path: str, text: str, line: str
) -> None:
    """A linter's fault is reported on git's line number, or the file is reported as not checked."""
    whole = text % ENDS[end]
    judged = look(repository.change({"x": "1\n"}, {path: whole}), name=name)
    number = 1 + [row.rstrip("\r") for row in whole.split("\n")].index(line)
    assert [(one.start, one.quote) for one in judged.findings] == [(number, line)] or (
        not judged.findings and (path, UNREAD) in judged.unjudged
    )
    assert judged.findings or name not in ("ruff", "oxlint")
