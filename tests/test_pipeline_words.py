"""The base branch decides a review's language and templates."""

import asyncio
import re
from pathlib import Path

import pytest
from fakes import Repository

from bot.outputs import posts
from bot.values import Review, TypedChange
from bot.wiring.review import local_review
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Server

SETTINGS = "language: de\nstrategy: {}\n"
CODE = "def total(rows):\n    return sum(rows)\n"
WRONG = "def total(rows):\n    if len(rows) is 1000:\n        return 0\n    return sum(rows)\n"


def reviewed(repository: Repository, settings: str, patch: pytest.MonkeyPatch, server: Server | None = None) -> Review:
    """Review a change to one function, with these settings on the base branch."""
    repository.commit(
        {".deeprepo.yml": settings, ".deeprepo/templates/inline.md.j2": "OWN {{ title }}\n", "a.py": CODE}
    )
    repository.git("checkout", "-qb", "feature")
    repository.commit({".deeprepo.yml": "language: fr\n", ".deeprepo/templates/inline.md.j2": "EVIL", "a.py": WRONG})
    flags = {"worker": "compatible/worker"} if server else {}
    if server:
        patch.setenv("DEEPREPO_BASE_URL", server.openai_url)
    scratch = repository.folder.parent / "scratch"
    Path(scratch).mkdir()
    request = TypedChange(str(repository.folder))
    return asyncio.run(local_review(request, flags, str(scratch)))


def test_language_and_templates_come_from_the_base_branch(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pull request's own language and templates are ignored."""
    review = reviewed(repository, SETTINGS.format("offline"), monkeypatch)
    made = posts.comments(review)
    assert "<summary>What was checked" in made.summary  # built-in phrases stay English in all languages
    assert [post.body.split("\n")[1][:3] for post in made.posts] == ["OWN"] * len(made.posts) != []


def test_system_prompt_asks_for_the_configured_language(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system prompt ends with the base branch's language."""
    with doubles.in_thread(Server({"answer": "", "findings": []})) as server:
        reviewed(repository, SETTINGS.format("parts"), monkeypatch, server)
    first = server.requests[0]["messages"][0]
    assert (first["role"], 'the language with the code "de"' in str(first["content"])) == ("system", True)
    assert "fr" not in re.findall(r'the language with the code "(..)"', str(server.requests))
