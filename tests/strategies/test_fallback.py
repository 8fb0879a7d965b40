"""Without a root that works, models read the change in one prompt or in parts."""

import json
import os
import subprocess
import sys

import pytest
from children import UNLOCKED
from fakes import Repository
from shop import AFTER, BEFORE, FINDING, REPORT, Table, called
from waits import patience

from bot.review import strategies
from bot.review.analyzer_worker import AnalyzerWorker
from bot.review.session import Session
from bot.values import Transcript
from deeprepo.rlm.values import Completion, Limits, Usage
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.honest import JUDGED
from deeprepo_sandbox.providers import Reply, Server

PROSE = Completion("I have read it, and it is fine.", Usage(100, 10))


def ran(table: Table, strategy: str) -> tuple[Transcript, Session]:
    """Run a strategy to its end."""

    async def step(session: Session) -> tuple[Transcript, Session]:
        session.analyzers = AnalyzerWorker({}, session.survey)
        return await strategies.run(strategy, session), session

    return table.run(step)


@pytest.fixture
def table(repository: Repository) -> Table:
    """Return a change whose worker reports one finding."""
    answer = {"answer": "Read.", "findings": [FINDING]}
    return Table(repository.change(dict(BEFORE), dict(AFTER)), worker=lambda _: answer)


@pytest.mark.skipif(sys.platform != "linux", reason="the filter is Linux's")
@pytest.mark.parametrize("strategy", ["root", "rlm"])
def test_change_is_read_without_a_root_if_no_repl_starts(repository: Repository, strategy: str) -> None:
    """The review is complete, and a note says why the root did not look around."""
    repository.commit(dict(BEFORE), "before")
    repository.git("checkout", "-qb", "feature")
    repository.commit(dict(AFTER), "after")
    options = ("main..feature", "--root", "compatible/a", "--worker", "compatible/b", "--strategy", strategy)
    code = f"{UNLOCKED}\nimport runpy, sys\nsys.argv[1:] = {('review', *options, '--format', 'json', '--quiet')}\n"
    with doubles.in_thread(Server(Reply(data={"answer": "Read.", "findings": [FINDING]}))) as server:
        done = subprocess.run(
            [sys.executable, "-c", f"{code}runpy.run_module('bot', run_name='__main__')"],
            check=False, capture_output=True, text=True, cwd=repository.folder, timeout=patience(),
            env={**os.environ, "DEEPREPO_BASE_URL": server.openai_url},
        )  # fmt: skip
    review = json.loads(done.stdout)
    assert [row["title"] for row in review["findings"] if row["status"] == "new"] == [FINDING["title"]]
    assert review["coverage"]["complete"]
    assert "so the root model did not look around" in " ".join(review["notes"])


def test_root_that_writes_no_code_is_replaced_after_two_turns(table: Table) -> None:
    """One reminder is enough. The change then gets read by the worker, and a note says so."""
    table.root = [PROSE, PROSE, PROSE, PROSE]
    transcript, session = ran(table, "root")
    assert len(transcript.turns) == 2
    assert [finding.title for finding in transcript.findings] == [FINDING["title"]]
    assert session.tracker.unread() == ()
    assert "wrote no working Python in 2 turns" in " ".join(transcript.notes)


def test_root_that_works_leaves_nothing_to_the_worker(table: Table) -> None:
    """Its first message shows the whole change, so no other prompt is needed."""
    table.root = [called(f"{REPORT}\nset_answer('One problem.', {JUDGED})")]
    transcript, session = ran(table, "root")
    assert (len(session.worker.model.prompts), session.tracker.unread()) == (0, ())  # type: ignore[union-attr]
    assert [finding.source for finding in transcript.findings] == ["root scripted/root"]


def test_change_is_split_for_a_window_of_8000_tokens(repository: Repository) -> None:
    """Each prompt fits into the window, and together they show the whole change."""
    files: dict[str, str | bytes | None] = {
        f"shop/part_{n}.py": "".join(f"def step_{k}(rows):\n    return rows[{k}] + {n}\n\n\n" for k in range(60))
        for n in range(12)
    }
    table = Table(repository.change({"README": "x\n"}, files), limits=Limits(usd=None, context=8_000))
    transcript, session = ran(table, "parts")
    prompts = session.worker.model.prompts  # type: ignore[union-attr]
    assert len(prompts) > 1
    assert all(sum(len(message.text) for message in prompt.messages) < 4 * 8_000 for prompt in prompts)
    assert (session.tracker.unread(), transcript.partial) == ((), False), (
        transcript.notes,
        session.results.notes,
        transcript.turns,
        transcript.fault,
    )
