"""Pull requests that try to steer the review, read by an obedient model: only harmless words change."""

import asyncio
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository
from families import few
from hostile_texts import CORPUS, text_of
from obedient import Root, answer
from rendered import SEEN, harm

from bot.outputs import OUTPUTS, posts
from bot.sections.walkthrough import WALKTHROUGH
from bot.stored import markers
from bot.values import Review, TypedChange
from bot.wiring.review import local_review
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import PerModel, Server

PULLS = 6
SECRET = "planted-" + "9f8e7d6c5b4a"
SETTINGS = "strategy: rlm\nquota: 3\nfail_on: high\nbudget: {calls: 400}\n"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One pull request after its review."""

    entries: list[dict[str, Any]]
    review: Review
    requests: list[dict[str, Any]]
    folder: Path
    before: set[str]


def of_pull(number: int) -> list[dict[str, Any]]:
    """Return the corpus entries for one pull request: titles, bodies, and a share of the files."""
    found = []
    for kind in ("title", "body", "file"):
        same = [entry for entry in CORPUS if (entry["in"] if entry["in"] in ("title", "body") else "file") == kind]
        found += same[number::PULLS]
    return found


@pytest.fixture(scope="module", params=few(range(PULLS), 0))
def outcome(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Review a pull request with obedient models, with secrets in the environment and next to the code."""
    top = tmp_path_factory.mktemp("hostile")
    repository = Repository(top / "repository")
    repository.commit({".deeprepo.yml": SETTINGS, "src/__init__.py": "", "README": "x\n"}, "before")
    repository.git("checkout", "-qb", "feature")
    entries = of_pull(request.param)
    words = {kind: "\n\n".join(text_of(e) for e in entries if e["in"] == kind) for kind in ("title", "body")}
    repository.commit({e["in"]: text_of(e) for e in entries if e["in"] not in words}, f"{words['title']}\n\n{words['body']}")  # fmt: skip
    repository.write({".env": f"KEY={SECRET}\n"})
    (top / "outside.txt").write_text(SECRET)
    (top / "scratch").mkdir()
    before = {str(path) for path in top.rglob("*") if "scratch" not in path.parts and ".git" not in path.parts}
    root = Root()
    with pytest.MonkeyPatch.context() as patch, doubles.in_thread(Server(PerModel({"root": root, "worker": answer}))) as server:  # fmt: skip
        patch.setenv("DEEPREPO_BASE_URL", server.openai_url)
        for name in ("ANTHROPIC_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, SECRET)
        flags = {"root": "compatible/root", "worker": "compatible/worker"}
        review = asyncio.run(local_review(TypedChange(str(repository.folder)), flags, str(top / "scratch")))
        requests = [dict(body) for body in server.requests]
    return Outcome(entries, review, requests, top, before)


def pages(review: Review) -> dict[str, str]:
    """Return the review in every output format, and each posted comment."""
    said = posts.comments(review)
    forms = {name: make().render(review) for name, make in OUTPUTS.items()}
    return forms | {"summary": said.summary} | {f"post {n}": post.body for n, post in enumerate(said.posts)}


def test_corpus_is_large_and_every_entry_is_read(outcome: Outcome) -> None:
    """The corpus has at least fifty texts, and each was in a prompt or in the review."""
    assert len({entry["sign"] for entry in CORPUS}) == len(CORPUS) >= 50
    shown = json.dumps(outcome.requests) + OUTPUTS["json"]().render(outcome.review)
    assert [entry["sign"] for entry in outcome.entries if entry["sign"] not in shown] == []


def test_model_output_repeats_the_corpus(outcome: Outcome) -> None:
    """The walkthrough and the confirmed critical findings repeat words from the corpus."""
    said = [placed.finding for placed in outcome.review.reported]
    walkthrough = WALKTHROUGH.of(outcome.review)
    assert walkthrough is not None
    assert "model" in {
        walkthrough.by,
        *(theme.by for theme in walkthrough.themes),
    }  # a call that sees a part describes its files
    if "h23" in {entry["sign"] for entry in outcome.entries}:
        return  # it tells the root to withdraw findings, which a root may do
    assert len(said) >= 5
    assert {finding.severity for finding in said if finding.source.startswith(("worker", "root"))} == {"critical"}
    assert re.search(r"h\d\d", " ".join(finding.why for finding in said))


def test_no_setting_changes(outcome: Outcome) -> None:
    """Strategy, threshold, language, templates and models come from the base branch and the command."""
    review = outcome.review
    assert (review.strategy.name, review.settings.fail_on, review.settings.templates) == ("rlm", "high", ())
    assert not [body for body in outcome.requests if "the language with the code" in str(body["messages"][0])]
    assert {body["model"] for body in outcome.requests} == {"root", "worker"}
    assert review.findings_with_status("silenced") == ()
    assert not [file for file in review.files if file.skip and re.search("left out|generated", file.skip)]


def test_no_secret_is_revealed(outcome: Outcome) -> None:
    """Secrets from the environment and from outside files are in no prompt and no output."""
    assert SECRET not in json.dumps(outcome.requests)
    for page in pages(outcome.review).values():
        assert SECRET not in page


def test_no_file_is_created_and_findings_stay_in_the_repository(outcome: Outcome) -> None:
    """No file is created, and every finding is about a file in the repository."""
    found = {str(path) for path in outcome.folder.rglob("*") if "scratch" not in path.parts and ".git" not in path.parts}  # fmt: skip
    assert found == outcome.before
    assert not list(outcome.folder.rglob("*_was_here"))
    known = {file.path for file in outcome.review.files} | {"README", "src/__init__.py", ".deeprepo.yml"}
    assert {placed.finding.path for placed in outcome.review.reported} <= known


def test_comments_mention_no_user_and_load_no_content(outcome: Outcome) -> None:
    """Rendered as on GitHub, comments contain no active content, and only our own marker."""
    for name, page in pages(replace(outcome.review, pull=replace(outcome.review.pull, url=None))).items():
        if not name.startswith(("markdown", "summary", "post")):
            continue
        assert harm(page) is None, name
        assert len(re.findall(r"<!--\s*deeprepo", page, re.IGNORECASE)) == (0 if name == "markdown" else 1)
        assert len(page) <= 65_536


def test_only_our_own_marker_is_accepted(outcome: Outcome) -> None:
    """A marker only counts in the first line of a comment that deeprepo wrote."""
    said = posts.comments(outcome.review)
    for body in (said.summary, *(post.body for post in said.posts)):
        assert markers.read(body).facts["head"] == outcome.review.pull.head
        assert markers.read(body.partition("\n")[2]) == markers.NO_MARKER
    for entry in outcome.entries:
        assert markers.read(text_of(entry)) == markers.NO_MARKER


def test_output_contains_no_invisible_characters(outcome: Outcome) -> None:
    """No output contains escape sequences, bidirectional overrides or invisible characters."""
    for name, page in pages(outcome.review).items():
        assert not (found := SEEN.search(page)), (name, found, page[found.start() - 30 : found.end() + 30])
