import hashlib
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes import Repository
from recorded import branches, deeprepo, process, review, scripted

from deeprepo_sandbox import providers as doubles


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a repository, its review and the review's journal; the server has stopped."""
    folder = tmp_path_factory.mktemp("recorded")
    repository = branches(Repository(folder / "repository"))
    with doubles.in_thread(scripted()) as server:
        env = {"PYTHONHASHSEED": "1", "COMPATIBLE_API_KEY": "sk-planted-1234567890"}
        done = review(
            repository,
            folder / "j.jsonl",
            server.openai_url,
            "--format",
            "json",
            "--output",
            str(folder / "json"),
            **env,
        )
        assert done.returncode == 0, done.stderr
        (folder / "requests").write_text(str(server.count))
    return folder


@pytest.fixture
def copy(recorded: Path, tmp_path: Path) -> Path:
    """Return a copy of the recorded folder that a test may damage."""
    return Path(shutil.copytree(recorded, tmp_path / "copy"))


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_replay_output_is_identical(recorded: Path, tmp_path: Path) -> None:
    """Output is equal byte for byte, without a server, with another hash seed and without HTTP libraries."""
    for name in ("openai", "anthropic", "httpx2", "aiohttp"):
        (tmp_path / f"{name}.py").write_text("raise ImportError('not here')\n")
    path = f"{tmp_path}:{Path(__file__).parents[2]}"
    env = {"PYTHONHASHSEED": "2", "PYTHONPATH": path}
    done = process("replay", str(recorded / "j.jsonl"), "--format", "json", cwd=recorded, **env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (recorded / "json").read_text()
    assert json.loads(done.stdout)["findings"]


def test_secrets_in_instructions_are_masked(tmp_path: Path) -> None:
    """Models and journal only have masks. Reviewing again costs nothing, and the replay is equal."""
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
    done = deeprepo("replay", str(journal), "--format", "json", cwd=repository.folder)
    assert (done.returncode, done.stdout) == (0, (tmp_path / "second").read_text()), done.stderr


def test_changed_prompt_is_reported_with_its_turn_and_beginning(copy: Path) -> None:
    """The error for a changed prompt names the turn, the model and how the prompt begins."""
    journal, lines = copy / "j.jsonl", rows(copy / "j.jsonl")
    for row in lines:
        if row["kind"] == "message" and row["text"] == "Question 4?":
            row["text"] = "Question four?"
        if "key" in row and row["kind"] in {"request", "call"} and row["at"] == "root:2" and row["role"] == "worker":
            row["key"] = row["key"][::-1]
    journal.write_text("".join(json.dumps(row) + "\n" for row in lines))
    done = deeprepo("replay", str(journal), cwd=copy)
    assert done.returncode == 3
    assert "in turn 2 of root, the worker (compatible/worker)" in done.stderr
    assert "whose last message begins: 'Question 0?'" in done.stderr


def test_replay_of_a_deleted_repository_accepts_a_clone(copy: Path) -> None:
    """A replay without its repository exits with 3 and suggests --repo, which makes the output equal."""
    journal, gone = copy / "j.jsonl", copy / "elsewhere"
    text = journal.read_text().replace(json.dumps(str(copy.parent))[1:-1], "")
    lines = [json.loads(line) for line in text.splitlines()]
    lines[0]["pull"]["git_dir"] = str(gone / ".git")
    journal.write_text("".join(json.dumps(row) + "\n" for row in lines))
    done = deeprepo("replay", str(journal), cwd=copy)
    assert (done.returncode, "no longer exists. Pass another clone" in done.stderr) == (3, True)
    Repository(copy / "empty").commit({"a": "b"})
    done = deeprepo("replay", str(journal), "--repo", str(copy / "empty"), cwd=copy)
    assert (done.returncode, "does not contain" in done.stderr) == (3, True)
    done = deeprepo("replay", str(journal), "--repo", str(copy / "repository"), "--format", "json", cwd=copy)
    assert done.stdout == (copy / "json").read_text(), done.stderr


def test_unfinished_journal_names_the_command_that_continues_it(copy: Path) -> None:
    """An unfinished journal exits with 3 and names where it ends and the command that continues it."""
    journal, lines = copy / "j.jsonl", rows(copy / "j.jsonl")
    end = next(
        at for at, row in enumerate(lines) if row["kind"] == "turn" and row["number"] == 2 and row["run"] == "root"
    )
    journal.write_text("".join(json.dumps(row) + "\n" for row in lines[: end + 1]))
    done = deeprepo("replay", str(journal), cwd=copy)
    assert done.returncode == 3
    assert "ends in the middle of the review, after turn 2 of root" in done.stderr
    assert "deeprepo review --journal" in done.stderr


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "does not exist. Record a review in it"),
        ("# Notes\n", "is not a journal recorded by"),
        ("", "contains no review"),
    ],
)
def test_invalid_journal_is_a_usage_error(tmp_path: Path, content: str | None, sentence: str) -> None:
    """A file that is no journal is exit code 2 for both commands that read one."""
    if content is not None:
        (tmp_path / "file").write_text(content)
    for command in ("replay", "trace"):
        done = deeprepo(command, str(tmp_path / "file"), cwd=tmp_path)
        assert (done.returncode, sentence in done.stderr) == (2, True), done.stderr


def test_uncommitted_work_is_replayed_while_unchanged(tmp_path: Path) -> None:
    """Uncommitted files are read again; if they have changed, the replay fails with exit code 3."""
    repository, journal = branches(Repository(tmp_path / "repository")), tmp_path / "j.jsonl"
    repository.write({"package/m1.py": "def step_1(value):\n    return value * undefined_name\n"})
    offline = ("--strategy", "offline", "--journal", str(journal), "--format", "json")
    done = deeprepo("review", "--uncommitted", *offline, cwd=repository.folder)
    assert "undefined_name" in done.stdout, done.stderr
    again = deeprepo("replay", str(journal), "--format", "json", cwd=repository.folder)
    assert again.stdout == done.stdout, again.stderr
    repository.write({"package/m1.py": "x = 1\n"})
    again = deeprepo("replay", str(journal), cwd=repository.folder)
    assert (again.returncode, "have changed since the review" in again.stderr) == (3, True)


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


def test_trace_shows_turns_children_coverage_and_cost(recorded: Path) -> None:
    """`deeprepo trace` prints a readable tree, with totals that match the number of requests."""
    done = deeprepo("trace", str(recorded / "j.jsonl"), cwd=recorded)
    assert done.returncode == 0, done.stderr
    for words in (
        "main..feature", "strategy  rlm", "workers, outside the root model's turns", "turn 1", "asked  6 calls", "root.1  child",
        "NameError", "coverage", "changed code  4 reviewed", "money", "root  7 calls", "workers  12 calls",
        "confirmations  2 calls", "2 findings",
    ):  # fmt: skip
        assert words in done.stdout, words
    figures = [int(figure.replace(",", "")) for figure in re.findall(r"([\d,]+) (?:calls?,|in,|out,)", done.stdout)]
    *places, root, workers, opinions = zip(figures[::3], figures[1::3], figures[2::3], strict=True)
    calls = int((recorded / "requests").read_text())
    for rows_of_calls in (places, (root, workers, opinions)):
        assert [sum(column) for column in zip(*rows_of_calls, strict=True)] == [calls, 100 * calls, 20 * calls]
    rows_shown = [row.strip(" │├└─") for row in done.stdout.splitlines()]
    assert rows_shown.index("root.1  child") > next(n for n, row in enumerate(rows_shown) if "print(rlm_query" in row)
    every = deeprepo("trace", "--calls", str(recorded / "j.jsonl"), cwd=recorded)
    assert "Question 3?" in every.stdout
    assert len(every.stdout.splitlines()) > len(done.stdout.splitlines())


@pytest.mark.slow
def test_trace_option_replaces_only_an_older_trace(tmp_path: Path, repositories: Callable[[str], Repository]) -> None:
    """--trace replaces an older trace but no other file, and a trace can be replayed like a journal."""
    repository, trace = branches(repositories("repository")), tmp_path / "t.jsonl"
    with doubles.in_thread(scripted()) as server:
        for _ in range(2):
            done = review(repository, tmp_path / "j", server.openai_url, "--trace", str(trace), "--format", "json")
            assert done.returncode == 0, done.stderr
    assert sum(row["kind"] == "review" for row in rows(trace)) == 1
    assert deeprepo("replay", str(trace), "--format", "json", cwd=tmp_path).stdout == done.stdout
    notes = tmp_path / "notes.md"
    notes.write_text("mine\n")
    for option in ("--trace", "--journal"):
        refused = deeprepo(
            "review", "main..feature", option, str(notes), "--strategy", "offline", cwd=repository.folder
        )
        assert (refused.returncode, notes.read_text()) == (2, "mine\n")
    both = deeprepo(
        "review", "main..feature", "--trace", "a", "--journal", "b", "--strategy", "offline", cwd=repository.folder
    )
    assert (both.returncode, "use either --journal or --trace" in both.stderr) == (2, True)


@pytest.mark.parametrize(("field", "value"), [("base", "--output={}"), ("head", "main"), ("base_tip", "\x1b]0;x\x07")])
def test_only_commit_ids_from_a_journal_reach_git(copy: Path, field: str, value: str) -> None:
    """A stranger's journal cannot pass options to git, and errors escape its control characters."""
    victim = copy / "profile"
    victim.write_text("my own\n")
    lines = rows(copy / "j.jsonl")
    lines[0]["pull"][field] = value.format(victim)
    (copy / "j.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = deeprepo("replay", str(copy / "j.jsonl"), "--repo", str(copy / "repository"), cwd=copy)
    assert done.returncode == 2
    assert f"pull.{field} is " in done.stderr
    assert "not the id of an object" in done.stderr
    assert "\x1b" not in done.stderr
    assert victim.read_text() == "my own\n"
