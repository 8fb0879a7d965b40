"""Record reviews with `--journal` and DEEPREPO_JOURNAL."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from fakes import Repository
from recorded import branches, deeprepo, review, scripted

from deeprepo_sandbox import providers as doubles


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_secrets_in_instructions_are_masked(tmp_path: Path) -> None:
    """Models and journal only have masks, and reviewing again costs nothing."""
    repository, journal = Repository(tmp_path / "repository"), tmp_path / "j.jsonl"
    tokens = [f"ghp_{hashlib.sha256(word.encode()).hexdigest()[:36]}" for word in ("one", "two", "three", "four")]
    file = (
        "ignore:\n- {path: 'x/**', kind: F841, reason: 'never TWO'}\n"
        "- {path: '**', kind: claims, reason: 'The key THREE is old'}\n"
        "instructions:\n- {path: '**', text: 'Tests use the token ONE'}\n"
        "- {name: keys, text: 'No line may hold FOUR', must: warn}\n"
    )
    for word, token in zip(("ONE", "TWO", "THREE", "FOUR"), tokens, strict=True):
        file = file.replace(word, token)
    repository.git("checkout", "-qB", "main")
    repository.commit({".deeprepo.yml": file}, "settings")
    branches(repository)
    with doubles.in_thread(scripted()) as server:
        outs = []
        for name in ("first", "second"):
            done = review(repository, journal, server.openai_url, "--format", "json", "--output", str(tmp_path / name))
            assert done.returncode in (0, 1), done.stderr
            outs.append(server.count)
    assert outs[0] == outs[1] > 0
    text = journal.read_text()
    assert not [token for token in tokens if token in text]
    first = rows(journal)[0]["brief"]["settings"]
    assert all("MASKED_SECRET_" in str(first[name]) for name in ("instructions", "ignore"))
    assert str(first).count("MASKED_SECRET_") == len(tokens)


def test_journal_folder_has_one_journal_per_change(repositories: Callable[[str], Repository], tmp_path: Path) -> None:
    """A folder in the environment serves every review; the same change reuses its own file."""
    repository = branches(repositories("repository"))
    journals = tmp_path / "journals"
    journals.mkdir()
    repository.write({"new.py": "x = 1\n"})
    for change in ("main..feature", "--uncommitted", "main..feature"):
        done = deeprepo(
            "review", change, "--strategy", "offline", cwd=repository.folder, DEEPREPO_JOURNAL=str(journals)
        )
        assert done.returncode == 0, done.stderr
    reviews = [sum(row["kind"] == "review" for row in rows(path)) for path in journals.iterdir()]
    assert sorted(reviews) == [1, 2]


def test_file_that_is_no_journal_is_not_overwritten(repositories: Callable[[str], Repository], tmp_path: Path) -> None:
    """The option refuses a file that deeprepo did not write."""
    repository, notes = branches(repositories("repository")), tmp_path / "notes.md"
    notes.write_text("mine\n")
    options = ("--journal", str(notes), "--strategy", "offline")
    refused = deeprepo("review", "main..feature", *options, cwd=repository.folder)
    assert (refused.returncode, notes.read_text()) == (2, "mine\n")
