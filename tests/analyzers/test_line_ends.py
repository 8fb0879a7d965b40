"""A file is lines as git sees them, whatever else ends a line for a program."""

import pytest
import step
from fakes import Repository
from families import few

from bot.analyzers import ANALYZERS, ruff
from bot.analyzers.linters import UNREAD, Linter
from bot.checkout import Checkout
from bot.values import Dependents, Judgement, PullRequest
from deeprepo.impact import families
from deeprepo.impact.declarations import yaml_lines
from deeprepo.impact.reading.faults import faults
from deeprepo.impact.text.lines import FEEDS

ENDS = {"CR": "\r", "CRLF": "\r\n", "CRCRLF": "\r\r\n", "FF": "\x0c", "NEL": "\x85", "LS": "\u2028", "PS": "\u2029"}
# linter, path, a text with a place in a comment, the code of the line with the fault
FAULTS = [
    ("ruff", "m.py", "def f(a):\n    # one%s    # two\n    b = undefined_thing\n    return a\n", "    b = undefined_thing"),
    ("oxlint", "a.js", "/* one%stwo */\nexport function f(a) {\n  debugger;\n}\n", "  debugger;"),
    ("shellcheck", "r.sh", '#!/bin/bash\n# one%s# two\nif [ "$1" > 3 ]; then echo x; fi\n', 'if [ "$1" > 3 ]; then echo x; fi'),
    ("hadolint", "Dockerfile", "# one%s# two\nFROM a:1\nCOPY one two three\n", "COPY one two three"),
]  # fmt: skip


def look(pull: PullRequest, linter: Linter | None = None, name: str = "") -> Judgement:
    """What a linter finds in a change."""

    async def run(tree: Checkout, files: step.Files) -> Judgement:
        analyzer = linter or ANALYZERS[name](families.LANGUAGES)
        return await analyzer.check(tree, files, Dependents())

    return step.over(pull, run)


@pytest.mark.parametrize("end", few([*ENDS], 4))
@pytest.mark.parametrize(("name", "path", "text", "line"), FAULTS)
def test_a_fault_is_on_the_line_that_git_counts(
    repository: Repository, end: str, name: str, path: str, text: str, line: str
) -> None:
    """Or nothing is said, and the file is open."""
    whole = text % ENDS[end]
    judged = look(repository.change({"x": "1\n"}, {path: whole}), name=name)
    number = 1 + [row.rstrip("\r") for row in whole.split("\n")].index(line)
    assert [(one.start, one.quote) for one in judged.findings] == [(number, line)] or (
        not judged.findings and (path, UNREAD) in judged.unjudged
    )
    assert judged.findings or name not in ("ruff", "oxlint")


def test_lines_that_end_twice_are_read_to_the_end(repository: Repository) -> None:
    """A file whose every line ends in two carriage returns and a line feed: the fault, its first definition and its fix."""
    body = (
        "import os\n\n\ndef f(a):\n    return a\n\n\ndef f(a):\n    if not a in (1,):\n        return undefined_thing\n"
    )
    judged = look(repository.change({"x": "1\n"}, {"m.py": body.replace("\n", "\r\r\n")}), name="ruff")
    found = {one.rule: one for one in judged.findings}
    assert (found["F821"].start, found["F811"].start) == (10, 8)
    assert [item.line for item in found["F811"].evidence] == [4]
    assert judged.unjudged == ()


def test_a_linter_that_counts_in_ways_unknown_is_not_believed(repository: Repository) -> None:
    """The last line, which it was given to report, is not where it should be: nothing is said, and the file is open."""

    class Unknown(ruff.Ruff):
        ends = FEEDS

    unknown = Unknown()
    judged = look(repository.change({"x": "1\n"}, {"m.py": FAULTS[0][2] % "\r"}), unknown)
    assert (judged.findings, judged.unjudged) == ((), (("m.py", UNREAD),))


def test_parsers_of_data_count_as_git_does() -> None:
    """The line of a text in YAML, and of what does not parse in YAML and Python."""
    for end in ("\r", "\u2028", "\r\r\n"):
        ((key, _),) = yaml_lines.rows(yaml_lines.load(f"# a{end}# b\nkey: value\n"))
        assert key.line == 2 + end.count("\n")
        assert faults("a.yml", f"# a{end}# b\nkey: [\n".encode()) == {3 + end.count("\n")}
    assert faults("a.py", b"# a\r# b\ndef f():\n") == {2}


def test_a_problem_of_the_settings_is_on_the_line_that_git_counts(repository: Repository) -> None:
    """An unknown key below a comment with a carriage return in it."""
    settings = b"# a\r# b\nfail_on: high\nunheard_of: 1\n"
    judged = look(repository.change({"x": "1\n"}, {".deeprepo.yml": settings}), name="settings")
    assert [(one.start, one.quote) for one in judged.findings] == [(3, "unheard_of: 1")]
