"""The walkthrough from a model: no extra calls, only the change's files, and kept for later reviews."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository
from markdown_it import MarkdownIt

from bot.outputs import json_file, markdown
from bot.sections.walkthrough import WALKTHROUGH, Walkthrough
from bot.values import Review, TypedChange
from bot.wiring.review import local_review
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply, Server

CODE = "def total(rows):\n    return sum(rows)\n"
NEW = "def total(rows):\n    return sum(rows) + 1\n"
OVERVIEW = "Totals are one higher. This matters to every bill."
PHRASES = {"a.py": "raises each total by one", "b.py": "counts the rows twice"}


def walkthrough_of(review: Review) -> Walkthrough:
    """Return a review's walkthrough."""
    told = WALKTHROUGH.of(review)
    assert told is not None
    return told


def says(overview: str = OVERVIEW, more: tuple[object, ...] = (), first: str = "b.py") -> Any:  # noqa: ANN401
    """Return a model that answers the walkthrough fields for the files shown in its prompt."""

    def answer(body: Mapping[str, Any]) -> Reply:
        asked = json.dumps(body.get("response_format", {}))
        shown = str(body["messages"][-1]["content"])
        files = [f"{path} | 2 | Sums | {phrase}." for path, phrase in PHRASES.items() if f"--- {path}" in shown]
        told: dict[str, object] = {"files": [*files, *more]} if '"files"' in asked else {}
        told |= {"overview": overview, "look_first": first} if '"overview"' in asked else {}
        return Reply(data={"answer": "", "findings": [], **told})

    return answer


class Desk:
    """A repository with two changed files that a model reviews."""

    def __init__(self, repository: Repository, scratch: Path, patch: pytest.MonkeyPatch) -> None:
        self.repository, self.scratch, self.patch = repository, scratch, patch
        self.bodies: list[dict[str, Any]] = []
        repository.commit({".deeprepo.yml": "strategy: direct\n", "a.py": CODE, "b.py": CODE})
        repository.git("checkout", "-qb", "feature")
        repository.commit({"a.py": NEW, "b.py": NEW})
        scratch.mkdir()

    def review(self, answer: Any, earlier: Review | None = None, **flags: Any) -> Review:  # noqa: ANN401
        """Run one review."""
        with doubles.in_thread(Server(answer)) as server:
            self.patch.setenv("DEEPREPO_BASE_URL", server.openai_url)
            past = json_file.render(earlier).encode() if earlier else None
            given = {"worker": "compatible/worker", "previous": past, **flags}
            done = asyncio.run(local_review(TypedChange(str(self.repository.folder)), given, str(self.scratch)))
            self.bodies = [dict(body) for body in server.requests]
        return done


@pytest.fixture
def desk(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(repository, tmp_path / "scratch", monkeypatch)


def phrases(review: Review) -> dict[str, str]:
    return {row.path: row.phrase for theme in walkthrough_of(review).themes for row in theme.rows}


def test_one_call_returns_the_review_and_the_walkthrough(desk: Desk) -> None:
    """A single call returns the overview, the theme, the phrases and the start location."""
    done = desk.review(says())
    told = walkthrough_of(done)

    assert len(desk.bodies) == 1
    assert told is not None
    assert (told.overview, told.by) == (OVERVIEW, "model")
    assert [theme.title for theme in told.themes] == ["Sums"]
    assert phrases(done) == PHRASES
    assert told.first is not None
    assert told.first.path == "b.py"
    assert f"{OVERVIEW}\n\n**Start at** `b.py:" in markdown.render(done)


def test_model_text_is_limited_and_inert(desk: Desk) -> None:
    """In a model's walkthrough, unknown files are dropped, long texts cut, and markup is inert."""
    evil = "@acme/all <img src=x> ![p](http://e.example/p) /deeprepo cancel | x |" * 40
    done = desk.review(
        says(f"{evil}\n```mermaid\nclick", ("etc/passwd | 2 | T | leaks", f"a.py | 2 | {evil} | {evil}"), "etc/passwd")
    )
    page = markdown.render(done)
    shown = page + MarkdownIt().enable("table").render(page)

    assert "etc/passwd" not in page + json_file.render(done)
    assert len(walkthrough_of(done).overview) <= 901
    assert max(map(len, phrases(done).values())) <= 330
    assert not [live for live in ("@acme", "<img src=x", '="http', "\n/deeprepo", "```mermaid\nclick") if live in shown]


def test_later_review_keeps_the_text_for_unchanged_files(desk: Desk) -> None:
    """A later review keeps an unchanged file's phrase and the first overview."""
    first = desk.review(says())
    desk.repository.commit({"b.py": NEW.replace("1", "2")})
    now = {**PHRASES, "b.py": "adds two"}

    def later(body: Mapping[str, Any]) -> Reply:
        return Reply(
            data={"answer": "", "findings": [], "files": ["b.py | 2 | Sums | adds two"], "overview": "It adds two now."}
        )

    second = desk.review(later, first)
    assert phrases(second) == now
    assert "--- a.py" not in str(desk.bodies)
    assert walkthrough_of(second).overview == OVERVIEW
    third = desk.review(later, second)
    assert phrases(third) == now
    assert desk.bodies == []
