"""This build opens and continues the data of each older build in the museum. `make.py` adds data."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import old_demo
import psycopg
import pytest
from cli.recorded import deeprepo
from fakes import Repository
from whole import WORSE, Whole

from bot import storage
from bot.machine import build as this_build
from bot.stored import markers, reviews
from bot.values import ReviewJob
from bot.values.review import SCHEMA_VERSION
from bot.workflow.jobs import records
from deeprepo_sandbox import providers
from deeprepo_sandbox.demo import model

MUSEUM = Path(__file__).parent / "museum"
BUILDS = sorted(path.name for path in MUSEUM.iterdir())
RANGE = "main..pull-request"
MENDED = {"shop/price.py": 'def total(items):\n    """The sum."""\n    return sum(items)\n'}


def left(build: str) -> dict[str, Any]:
    """Return the data of a build's server."""
    found: dict[str, Any] = json.loads((MUSEUM / build / "server.json").read_text())
    return found


def row(build: str) -> dict[str, Any]:
    """Return the stored review in a build's database."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript("\n".join(left(build)["database"]))
        database.row_factory = sqlite3.Row
        return dict(database.execute("SELECT * FROM review").fetchone())


async def reviewed_by(at: Whole, build: str) -> int:
    """Open a pull request with this build's comments and stored review."""
    number = await at.reviewed(files=WORSE)
    pull, data = at.repo.repository.pulls[number], left(build)
    stored = await at.server.store.reviews.newest(at.pull(number))
    assert stored is not None
    base, head, _ = reviews.change(stored.output)
    old = row(build)
    ids = {old["head"]: head, json.loads(old["output"])["pull"]["base"]: base}

    def today(text: str) -> str:
        for before, now in ids.items():
            text = text.replace(before, now)
        return text

    del pull.review_comments[: -len(data["line_comments"])]  # 0.2.0 only listed findings outside the diff
    (summary,), (line,) = pull.comments, pull.review_comments
    (summary.body,) = map(today, data["comments"])
    (line.body,) = (today(each["body"]) for each in data["line_comments"])
    memory = old["memory"] and today(old["memory"].decode()).encode()
    await at.server.store.reviews.rewrite(stored.id, today(old["output"].decode()).encode(), memory)
    return number


def said(at: Whole, number: int) -> tuple[list[str], list[bool]]:
    """Return our thread comments without markers, and which of them are resolved."""
    comments = at.gh.pull(number).review_comments
    return [one.body.partition("\n")[2] for one in comments], [one.is_resolved for one in comments]


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("event", ["a push", "the same head"])
async def test_next_review_leaves_unchanged_findings_and_threads_alone(at: Whole, build: str, event: str) -> None:
    """No thread is answered, resolved or reopened, and the summary has the same findings."""
    number = await reviewed_by(at, build)
    before = said(at, number)
    if event == "a push":
        await at.pushed({"README.md": "# A shop\n\nOne more line.\n"})
    else:
        await at.said(number, "/deeprepo review")
    assert said(at, number) == before
    assert before[1] == [False]
    summary = at.summary(number)
    assert "2 findings (2 high)" in summary
    assert "No new findings" in summary


@pytest.mark.parametrize("build", BUILDS)
async def test_fixed_finding_is_still_resolved(at: Whole, build: str) -> None:
    """A finding whose lines are fixed is answered and resolved in the thread that another build opened."""
    number = await reviewed_by(at, build)
    await at.pushed(MENDED)
    bodies, resolved = said(at, number)
    assert resolved[0]
    assert "Fixed in" in bodies[-1]


@pytest.mark.parametrize("build", BUILDS)
async def test_fix_command_commits_the_fixes_of_another_builds_review(at: Whole, build: str) -> None:
    """`fix` commits the stored review's fixes."""
    number = await reviewed_by(at, build)
    assert "fixes finding 1" in await at.said(number, "/deeprepo fix")


@pytest.mark.parametrize("build", BUILDS)
async def test_ignore_works_in_a_thread_from_another_build(at: Whole, build: str) -> None:
    """`ignore` in the thread is answered without an internal error, and other threads do not change."""
    number = await reviewed_by(at, build)
    ignored = await at.said(number, "/deeprepo ignore meant so", to=at.gh.pull(number).review_comments[0].id)
    assert ignored
    assert "error inside" not in ignored
    assert not [body for body in said(at, number)[0] if "Fixed in" in body]


@pytest.mark.parametrize("build", BUILDS)
async def test_old_data_does_not_fail_a_merge_queue(at: Whole, build: str) -> None:
    """Without a threshold, neither a finding nor an unreadable review fails a queue."""
    from test_whole_checks import queue

    number = await reviewed_by(at, build)
    before = said(at, number)
    assert await queue(at, number) != "failure"
    assert said(at, number) == before


@pytest.mark.parametrize("build", BUILDS)
async def test_database_is_migrated(tmp_path: Path, build: str) -> None:
    """Checking a database changes nothing. Opening it keeps its review."""
    file = tmp_path / "deeprepo.db"

    def content() -> list[str]:
        with closing(sqlite3.connect(file)) as database:
            return [*database.iterdump()]

    with closing(sqlite3.connect(file)) as database:
        database.executescript("\n".join(left(build)["database"]))
    await is_checked_and_opened(f"sqlite:///{file}", content)


@pytest.mark.parametrize("build", BUILDS)
async def test_postgresql_database_is_migrated(postgres: Callable[..., str], build: str) -> None:
    """PostgreSQL behaves like SQLite."""
    url = postgres()

    def content() -> list[tuple[Any, ...]]:
        with psycopg.connect(url) as database:
            version = database.execute("SELECT version_num FROM alembic_version").fetchall()
            return [*version, *database.execute("SELECT table_name, column_name FROM information_schema.columns")]

    with psycopg.connect(url, autocommit=True) as database:
        database.execute("\n".join(left(build)["postgres"]).encode())
    await is_checked_and_opened(url, content)


async def is_checked_and_opened(url: str, content: Callable[[], list[Any]]) -> None:
    """Check a database, which changes nothing, and open it."""
    before = content()
    assert await storage.check(url) == ""
    assert content() == before
    async with storage.open_store(url) as store:
        assert len((await store.listing.page(None, 9)).rows) == 1


@pytest.mark.parametrize("build", BUILDS)
def test_stored_review_job_is_read_correctly(build: str) -> None:
    """A stored job that asks for a review is read as such."""
    found = [records.read(text) for text in left(build)["asks"]]
    assert {type(job) for job in found} == {ReviewJob}
    (job,) = [job for job in found if isinstance(job, ReviewJob) and job.trigger == "opened"]
    assert (job.pull.name, job.pull.number, job.actor) == ("shop", 1, "colleague")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Create the demo's repository, whose commit IDs are always the same."""
    folder = tmp_path / "repo"
    folder.mkdir()
    old_demo.build(folder)
    return folder


def writer(journal: Path) -> str:
    """Return the build that wrote a journal."""
    return str(json.loads(journal.read_text().partition("\n")[0])["version"])


@pytest.mark.parametrize("build", BUILDS)
def test_killed_review_is_resumed_or_paid_again_with_a_note(repo: Path, tmp_path: Path, build: str) -> None:
    """The note names the build that started the review, and does not claim that settings changed."""
    journal = tmp_path / "killed.jsonl"
    shutil.copyfile(MUSEUM / build / "killed.jsonl", journal)
    words = (
        "review",
        "--effort",
        "medium",
        "--strategy",
        "parts",
        "--format",
        "json",
        "--journal",
        str(journal),
        RANGE,
    )
    with providers.in_thread(providers.Server(model.answer)) as double:
        keys = {"OPENAI_API_KEY": "sk-pretended-and-long-enough", "DEEPREPO_BASE_URL": double.openai_url}
        keys |= {"DEEPREPO_ROOT": model.NAME, "DEEPREPO_WORKER": model.NAME}
        done = deeprepo(*words, cwd=repo, **keys)
        paid = len(double.requests)
    review = json.loads(done.stdout)
    named = [note for note in review["notes"] if f"Another build (deeprepo {writer(journal)}) began" in note]
    assert len(named) == (writer(journal) != this_build.name())
    assert "other settings" not in " ".join(review["notes"])
    assert len(review["findings"]) == 7
    assert 0 < paid <= 3


@pytest.mark.parametrize("build", BUILDS)
def test_previous_review_file_is_used(repo: Path, build: str) -> None:
    """Static findings are still open, and can be fixed."""
    file = str(MUSEUM / build / "review.json")
    words = ("review", "--strategy", "offline", "--previous", file, "--format", "json", "main..pull-request")
    review = json.loads(deeprepo(*words, cwd=repo).stdout)
    status = {finding["status"] for finding in review["findings"] if finding["verdict"] == "proven"}
    assert status == {"still"}
    assert not [finding for finding in review["findings"] if finding["status"] == "fixed"]
    assert deeprepo("fix", file, "--patch", cwd=repo).stdout


@pytest.mark.parametrize("build", BUILDS)
def test_ignore_file_still_applies(repo: Path, build: str) -> None:
    """Every static finding is ignored, and a warning names the file."""
    branch = Repository(repo)
    branch.git("checkout", "--quiet", "main")
    branch.commit({".deeprepo/ignore.yml": (MUSEUM / build / "ignore.yml").read_text()}, "ignore")
    words = ("review", "--strategy", "offline", "--format", "json", "main..pull-request")
    review = json.loads(deeprepo(*words, cwd=repo).stdout)
    assert [finding["status"] for finding in review["findings"]] == ["silenced"] * 5
    assert ".deeprepo/ignore.yml still applies" in str(review)


async def reviewed_by_a_newer_build(at: Whole) -> int:
    """Open a pull request whose stored review and markers have a form that only a later build knows."""
    number = await at.reviewed(files=WORSE)
    stored = await at.server.store.reviews.newest(at.pull(number))
    memory = await at.server.store.reviews.memory(at.pull(number))
    assert stored is not None
    assert memory is not None

    def later(data: bytes) -> bytes:
        return json.dumps(json.loads(data) | {"schema_version": SCHEMA_VERSION + 1}).encode()

    await at.server.store.reviews.rewrite(stored.id, later(stored.output), later(memory))
    pull, form = at.repo.repository.pulls[number], f'"form": "{markers.FORM}"'
    for comment in (*pull.comments, *pull.review_comments):
        assert form in comment.body
        comment.body = comment.body.replace(form, f'"form": "{markers.FORM + 1}"')
    return number


@pytest.mark.parametrize("event", ["a push", "the same head", "mended"])
async def test_newer_data_is_left_alone_after_a_rollback(at: Whole, event: str) -> None:
    """A later build's data is recognized, and nothing is answered, resolved, repeated or failed for it."""
    from test_whole_checks import queue

    number = await reviewed_by_a_newer_build(at)
    before, threads = said(at, number), len(at.gh.pull(number).review_comments)
    assert await queue(at, number) != "failure"
    for words in ("/deeprepo fix", "/deeprepo ignore 1 meant so"):
        answer = await at.said(number, words)
        assert "written by a newer deeprepo" in answer, answer
        assert "error inside" not in answer
    if event == "a push":
        await at.pushed({"README.md": "# A shop\n\nOne more line.\n"})
    elif event == "mended":
        await at.pushed(MENDED)
    else:
        await at.said(number, "/deeprepo review")
    assert said(at, number) == before
    assert len(at.gh.pull(number).review_comments) == threads
    assert len([one for one in at.gh.pull(number).comments if "## deeprepo" in one.body]) == 1
