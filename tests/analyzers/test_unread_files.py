"""A file that an analyzer did not check completely counts as not checked, and its findings stay open."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from fakes import Repository
from families import few
from pushes import Hand

from bot import config, diff
from bot.brief import Brief
from bot.checkout import Checkout
from bot.review.analyzer_worker import AnalyzerWorker
from bot.review.coverage import CoverageTracker
from bot.review.survey import Survey
from bot.values import Absence, ChangedFile, Dependents, Finding, Judgement, Review
from deeprepo.impact.ports import Tree

Files = Mapping[str, str | bytes | None]
CI = ".github/workflows/ci.yml"
PAY = "import os\n\n\ndef pay(cart):\n    return len(cart)\n"
BUG = PAY.replace("len(cart)", "undefined_helper(cart)")
ASSIGNED = "export function f(a) {\n  const x = 1;\n  x = a;\n  return x;\n}\n"
SHELL = '#!/bin/bash\nif [ "$1" > 3 ]; then echo x; fi\n'
WORKFLOW = (
    "on: issue_comment\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo hi\n"
)
INJECTED = WORKFLOW + '      - run: echo "${{ github.event.comment.body }}"\n'
IMAGE = "FROM debian:12\nCMD a\nCMD b\n"
BASE: Files = {"a.py": PAY, "a.js": "export const q = 1;\n", "r.sh": "#!/bin/bash\necho hi\n", CI: WORKFLOW}
FAULTS: Files = {"a.py": BUG, "a.js": ASSIGNED, "r.sh": SHELL, CI: INJECTED, "Dockerfile": IMAGE}


@pytest.fixture
def hand(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hand:
    """Return a helper that reviews a feature branch with static checks only."""
    (tmp_path / "scratch").mkdir()
    repository.commit({"README.md": "shop\n", **BASE}, "before")
    repository.git("checkout", "-qb", "feature")
    return Hand(repository, tmp_path / "scratch", monkeypatch)


def by_code(hand: Hand, files: Files, previous: Review | None = None) -> Review:
    """Commit the files and review the branch again."""
    hand.repository.commit(dict(files), "push")
    return hand.review(previous, worker=None, strategy="offline")


def open_files(review: Review) -> set[str]:
    """Return the files that a static check reports as not checked."""
    return {row.path for row in review.coverage.open if row.kind == "check"}


UNREAD = [
    ("a.js", ASSIGNED + "type T = number;\n"),
    ("a.js", "/* oxlint-disable */\n" + ASSIGNED),
    ("r.sh", SHELL + "exit 0\nunused() {\n"),
    (CI, INJECTED + "\tfoo\n"),
    ("Dockerfile", IMAGE + "FOO bar\n"),
    ("a.py", "# ruff: noqa\n" + BUG),
]


@pytest.mark.parametrize(("path", "text"), few(UNREAD, *range(0, len(UNREAD), 5)))
def test_partly_checked_file_is_open_and_its_finding_is_not_fixed(hand: Hand, path: str, text: str | bytes) -> None:
    """After a push that stops or silences the tool, the first push's finding is still open."""
    first = by_code(hand, {path: FAULTS[path]})
    (reported,) = (one.finding for one in first.reported)
    assert first.coverage.complete
    second = by_code(hand, {path: text}, first)
    assert ([one.title for one in second.still], second.findings_with_status("fixed")) == ([reported.title], ())
    assert (open_files(second), second.coverage.complete) == ({path}, False)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "import yaml\n\n\ndef f(x):\n    return yaml.load(x)  # noqa: S506\n"),
        ("a.js", "/* eslint-disable no-const-assign */\nconst n = 1;\nn = 2;\n"),
        ("r.sh", '#!/bin/sh\n# shellcheck disable=SC2071\nif [ "$1" > "2" ]; then echo more; fi\n'),
        ("Dockerfile", "FROM a:1\n# hadolint ignore=DL3021\nCOPY one two three\n"),
        (CI, WORKFLOW + '      - run: echo "${{ github.event.comment.body }}" # zizmor: ignore[template-injection]\n'),
    ],
)
def test_suppression_comment_from_the_base_still_applies(
    repository: Repository, hand: Hand, path: str, text: str
) -> None:
    """A suppression comment that exists in the base still applies when its line is edited."""
    repository.git("checkout", "-q", "main")
    repository.commit({path: text}, "with a comment")
    repository.git("checkout", "-q", "feature")
    repository.git("reset", "-q", "--hard", "main")
    edited = text.replace("load(x)", "load( x)").replace("n = 2", "n = 3").replace("more", "less")
    edited = edited.replace("three", "four").replace('"${{', '"x ${{')
    assert edited != text
    done = by_code(hand, {path: edited})
    assert (done.reported, open_files(done)) == ((), set())


class Forgetful:
    """An analyzer that raises an error for one file and does not list another file as checked."""

    NAME = "forgetful"

    def wants(self, file: ChangedFile) -> bool:
        """Want every file."""
        return bool(file.path)

    async def check(self, tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> Judgement:  # noqa: ARG002
        """Raise for `bad`, and leave `mute` out of the checked files."""
        paths = {file.path for file in files}
        if "bad" in paths:
            raise IndexError("list index out of range")
        return Judgement((), frozenset(paths - {"mute"}))

    def absence(self, finding: Finding, dependents: Dependents) -> Absence:  # noqa: ARG002
        """Always return "fixed", like an analyzer that cannot judge it."""
        return "fixed"


def test_file_that_an_analyzer_fails_on_or_omits_is_not_checked(repository: Repository) -> None:
    """The file that raises and the file that is not listed are both reported as not checked."""
    pull = repository.change({"x": "1\n"}, {"bad": "1\n", "mute": "1\n", "good": "1\n"})

    async def run() -> dict[str, str]:
        async with Checkout(pull) as tree:
            files = diff.read(await tree.change())
            tracker = CoverageTracker((), files, Dependents())
            survey = Survey(
                Brief(pull, config.resolve({}, None, config.Settings())), files, (), Dependents(), tree, tracker
            )
            await AnalyzerWorker({"forgetful": Forgetful()}, survey).review(())
        return {row.path: row.reason for row in tracker.coverage().open}

    left = asyncio.run(run())
    assert left.keys() == {"bad", "mute"}
    assert "an internal error (IndexError)" in left["bad"]


def test_link_named_like_code_is_reported_as_unread_once(hand: Hand) -> None:
    """The link is reported once as an unread file, and not by each analyzer too."""
    folder = hand.repository.folder
    (folder / "b.py").symlink_to("a.py")
    hand.repository.git("add", "-A")
    hand.repository.git("commit", "-qm", "a link")
    review = hand.review(None, worker=None, strategy="offline")
    assert [(row.kind, row.path) for row in review.coverage.open] == [("file", "b.py")]
