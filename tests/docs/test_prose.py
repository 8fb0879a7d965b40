"""The prose rules of `.ci/prose.py`: what they refuse and what they let pass. `make lint` reads the repository by them."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / ".ci" / "prose.py"
SPEC = importlib.util.spec_from_file_location("prose", PROGRAM)
assert SPEC is not None
assert SPEC.loader is not None
PROSE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(PROSE)

REFUSED = [
    "The cap is none: what a call could cost is reserved.",
    "Its page makes the App at GitHub for you.",
    "Whoever may write comments `/deeprepo review`.",
    "5 findings: 4 high, 1 medium, 1 of them in short.",
    "What no code proves and no second call confirms is not said.",
    "Leaves with 0 (clean), 1 (findings at or above the level).",
    "The review is open: it ended before its time.",
    "strategy offline: asked for",
    "More than 20 commands in an hour are not carried out. The next one is, in 56 minutes.",
    "surcharge() is renamed to fee(), but f.py still calls it.",
    "cut: fastify.js:fastify: 40 of its 229 uses are listed",
    "Text from a change made harmless: nobody is mentioned.",
    "A use that is no call stands in the ledger.",
    "Where GitHub refuses a place, the finding is in the summary.",
]
PLAIN = [
    "The cap is enforced: the maximum cost of a call is reserved before it is sent.",
    "A set-up page registers the GitHub App for you.",
    "Anyone with write access can comment `/deeprepo review`.",
    "5 findings (4 high, 1 medium); 1 collapsed.",
    "Findings that are neither proven by static analysis nor confirmed by a second call are not posted.",
    "Exit codes: 0 clean, 1 findings at or above --fail-on, 2 usage error, 3 provider or internal error, 130 interrupted",
    "The review is incomplete: a cap was reached. Strategy: offline (requested).",
    "Rate limit reached (20 commands per hour). Try again in 56 minutes.",
    "`surcharge()` was renamed to `fee()`, but `f.py` still calls the old name.",
    "Showing 40 of 229 uses of `fastify`.",
    "Escape untrusted text for GitHub Markdown: neutralise mentions, links, images and commands.",
    "There is no key, and nothing is no longer open. The folder where it is stored has a name.",
]


def problems(text: str, name: str = "page.md") -> list[str]:
    """What the rules find in a file of this name."""
    return list(PROSE.problems(Path(name), text))


@pytest.mark.parametrize("sentence", REFUSED)
def test_translated_sentences_are_refused(sentence: str) -> None:
    """With their line, and with what to write instead."""
    found = problems(f"# Title\n\n{sentence}\n")
    assert found
    assert all(line.startswith("page.md:3: ") and "write: " in line for line in found)


@pytest.mark.parametrize("sentence", PLAIN)
def test_plain_sentences_pass(sentence: str) -> None:
    """The alternatives that the rules name do not break another rule."""
    assert problems(f"{sentence}\n") == []


def test_code_in_a_page_is_not_read() -> None:
    """Neither code spans nor fenced blocks."""
    assert problems("`whoever`\n\n```\nwhoever\n```\n") == []


def test_docstrings_help_texts_and_errors_are_read() -> None:
    """Each with its line; names that are private and other strings are left alone."""
    code = '"""Whoever."""\n\nHELP = dict(help="Whoever.")\n\n\ndef _own():\n    """Whoever."""\n    word = "whoever"\n    raise ValueError(f"{word}: this is no name")\n'
    assert sorted(line.split(":")[1] for line in problems(code, "code.py")) == ["1", "3", "9"]


def test_phrases_are_read() -> None:
    """One form or several."""
    words = '[phrases]\none = "fine"\ntwo = ["{n} is told.", "{n} are told."]\n'
    assert [line.partition(" ")[0] for line in problems(words, "en.toml")] == ["en.toml:3:"] * 2


@pytest.mark.parametrize(("text", "status"), [("A plain sentence.\n", 0), ("Whoever may write.\n", 1)])
def test_the_exit_status_is_that_of_a_linter(tmp_path: Path, text: str, status: int) -> None:
    """`make lint` runs the program over the whole repository and fails if there is a problem."""
    page = tmp_path / "page.md"
    page.write_text(text)
    assert subprocess.run([sys.executable, PROGRAM, page], stdout=subprocess.DEVNULL, check=False).returncode == status
