"""A model that judges nothing never makes a review clean, and an honest one always does."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository

from bot import verdict
from bot.outputs import json_file
from bot.values import Review, TypedChange
from bot.wiring.review import local_review
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply, Server, code
from deeprepo_sandbox.providers.reply import is_root

REFUSAL = "I cannot help with that."
FORM: dict[str, Any] = {"answer": "It is fine.", "findings": []}
NEW = "def total(rows):\n    return sum(rows) + 1\n"
WHOLE, ONE = ["shop/a.py | 2", "shop/b.py | 2"], ["shop/a.py | 2"]


def root_only(body: Mapping[str, Any]) -> Reply:
    """Return a root whose only block is a refusal, and readers that fill in the form without a list."""
    return code(f"print(diff())\nset_answer({REFUSAL!r})") if is_root(body) else Reply(data={**FORM, "files": []})


USELESS: Mapping[str, Any] = {
    "a refusal": Reply(text=REFUSAL),
    "empty text": Reply(text=" "),
    "an empty object": Reply(text="{}"),
    "a bare form": Reply(data={**FORM, "answer": "", "files": []}),
    "a form without the list": Reply(data={**FORM, "files": ["none", "a.py | 2", "other/a.py | 2", "shop/a.py"]}),
    "a root that refuses in code": root_only,
}


@pytest.fixture
def change(repository: Repository) -> Repository:
    """Commit a branch that changes two files."""
    repository.commit({"shop/a.py": NEW.replace(" + 1", ""), "shop/b.py": NEW.replace(" + 1", "")})
    repository.git("checkout", "-qb", "feature")
    repository.commit({"shop/a.py": NEW, "shop/b.py": NEW})
    return repository


def review(change: Repository, script: Any, effort: str = "medium", **flags: Any) -> tuple[Review, int]:  # noqa: ANN401
    """Return a review, and how many calls it made."""
    scratch = change.folder.parent / "scratch"
    scratch.mkdir(exist_ok=True)
    with doubles.in_thread(Server(script)) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEEPREPO_BASE_URL", server.openai_url)
        given = {"root": "compatible/a", "worker": "compatible/b", "effort": effort, **flags}
        return asyncio.run(local_review(TypedChange(str(change.folder)), given, str(scratch))), server.count


@pytest.mark.parametrize("effort", ["low", "medium", "high"])
@pytest.mark.parametrize("kind", USELESS)
def test_refused_change_is_never_clean(change: Repository, kind: str, effort: str) -> None:
    """The review is incomplete at every effort, names both files, and says what to do."""
    done, _ = review(change, USELESS[kind], effort)
    rows = [row for row in done.coverage.open if row.kind == "unit"]
    assert {(row.path, row.reason) for row in rows} == {
        (path, "no model answered for this file") for path in ("shop/a.py", "shop/b.py")
    }
    assert (verdict.of(done).conclusion, done.cut.fault) == ("incomplete", "provider")
    (note,) = [note for note in done.notes if note.startswith("No model answered for")]
    assert "shop/a.py, shop/b.py" in note
    assert "filter" in note


def test_provider_error_is_not_blamed_on_the_model(change: Repository) -> None:
    """If the provider fails, both files are open as well, but no note says that the model may be unsuitable."""
    done, _ = review(change, Reply(status=500))
    assert {row.path for row in done.coverage.open} == {"shop/a.py", "shop/b.py"}
    assert not any(note.startswith("No model answered for") for note in done.notes)


@pytest.mark.parametrize("effort", ["low", "medium", "high"])
def test_honest_answer_leaves_nothing_open(change: Repository, effort: str) -> None:
    """An answer that names both files makes the review complete."""
    done, _ = review(change, Reply(data={**FORM, "files": WHOLE}), effort)
    assert (verdict.of(done).conclusion, done.coverage.open) == ("clean", ())


def test_file_that_no_answer_names_stays_open_and_is_not_asked_about_again(change: Repository) -> None:
    """An answer that names one of two files judges that one, and costs no further call."""
    done, calls = review(change, Reply(data={**FORM, "files": ONE}), strategy="rlm")
    assert [row.path for row in done.coverage.open] == ["shop/b.py"]
    _, honest_calls = review(change, Reply(data={**FORM, "files": WHOLE}), strategy="rlm")
    assert calls == honest_calls


def test_upgrade_does_not_reuse_what_an_older_build_took_for_read(change: Repository, tmp_path: Path) -> None:
    """A stored review in which no model judged anything is followed by a review of the whole change."""
    first, _ = review(change, Reply(data={**FORM, "files": WHOLE}))
    document = json.loads(json_file.render(first))
    old = {name: value for name, value in document.items() if name != "judged_by_model"}
    failed_open = json.dumps(old | {"read_by_model": document["judged_by_model"]}).encode()
    again, calls = review(change, Reply(text=REFUSAL), previous=failed_open)
    assert calls
    assert verdict.of(again).conclusion == "incomplete"
    kept, calls = review(change, Reply(text=REFUSAL), previous=json.dumps(document).encode())
    assert (verdict.of(kept).conclusion, calls) == ("clean", 0)
