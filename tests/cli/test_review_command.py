import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import waits
from fakes import Repository
from recorded import BEFORE, Ended, deeprepo, process

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply, Server

CALLER = "    return quote(parcel.weight, express=True)"
SMALL = {"findings": [], "answer": "Nothing is wrong."}


def run(*arguments: str, cwd: Path, **env: str) -> Ended:
    """Run the command in this process, with only the given environment and without a terminal."""
    return deeprepo("review", *arguments, cwd=cwd, **{"HOME": str(cwd.parent), **env})


def apart(*arguments: str, cwd: Path, **env: str) -> Ended:
    """Run the command as a user does, in a process that forks another one for the review."""
    return process("review", *arguments, cwd=cwd, **{"HOME": str(cwd.parent), **env})


def test_forgotten_caller_is_reported_without_a_key(changed: Repository) -> None:
    """Without --fail-on, the exit code is 0, and the output says that no model was used."""
    done = apart(cwd=changed.folder)
    assert done.returncode == 0, done.stderr
    assert "shop/labels.py:5" in done.stdout
    assert CALLER.strip() in done.stdout
    assert "no model" in done.stdout
    assert "No model is configured" in done.stderr
    assert len(done.stderr.strip()) <= 120


def test_fail_on_sets_the_exit_code(changed: Repository) -> None:
    """The exit code is 1 if a finding reaches the threshold, and 0 otherwise."""
    assert run("--fail-on", "high", cwd=changed.folder).returncode == 1
    assert run("--fail-on", "critical", cwd=changed.folder).returncode == 0


def test_staged_and_uncommitted_work_is_reviewed(changed: Repository) -> None:
    """Only the uncommitted fix of the caller is reviewed, without the rest of the branch."""
    changed.write({"shop/labels.py": BEFORE["shop/labels.py"].replace("express=True", "service='express', weight=1")})
    changed.git("add", "-A")
    for scope in ("--staged", "--uncommitted"):
        document = json.loads(run(scope, "--format", "json", cwd=changed.folder).stdout)
        assert [file["path"] for file in document["files"]] == ["shop/labels.py"]


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--repo", "/nowhere"], 2, "is not a folder"),
        (["nowhere..HEAD"], 2, "unknown revision 'nowhere'"),
        (["shop/labels.py"], 2, "is a file or folder, not a revision. Pass a range"),
        (["main", "feature"], 2, "feature"),
        (["main..main"], 0, "main is compared with itself"),
        (["HEAD"], 0, "To review only the last commit of HEAD, run `deeprepo review HEAD~1..HEAD`"),
        (["--staged"], 0, "nothing is staged"),
        (["--uncommitted"], 0, "no uncommitted changes"),
        (["--staged", "--uncommitted"], 2, "use only one of"),
        (["--strategy", "magic"], 2, "magic"),
        (["--format", "pdf"], 2, "pdf"),
        (["--fail-on", "terrible"], 2, "terrible"),
        (["--max-usd", "-1"], 2, "--max-usd"),
        (["--quota=x"], 2, "'--quota': write a whole number"),
        (["--quota=-1"], 2, "write a number of at least 0"),
        (["--nonsense"], 2, "--nonsense"),
        (["--strategy", "rlm"], 2, "needs a model"),
        (["--worker", "gpt-5"], 2, "provider/model"),
        (["--worker", "nobody/model"], 2, "unknown provider 'nobody'"),
        (["--worker", "openai/gpt-5"], 2, "OPENAI_API_KEY"),
        (["--output", "/nowhere/out.md"], 2, "there is no folder /nowhere"),
        (["--output", "."], 2, "it is a folder"),
        (["--worker", "compatible/m"], 2, "DEEPREPO_BASE_URL"),
    ],
)
def test_bad_input_gets_an_explanation(changed: Repository, arguments: list[str], code: int, sentence: str) -> None:
    """Bad input has the right exit code and an explanation, but no traceback."""
    done = run(*arguments, cwd=changed.folder)
    assert done.returncode == code
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_static_findings_are_delivered_if_the_provider_is_down(changed: Repository) -> None:
    """If the provider fails, static findings are delivered, marked as partial, with exit code 3."""
    with doubles.in_thread(Server(Reply("no", status=401))) as refusing:
        done = run(
            "--strategy",
            "parts",
            "--worker",
            "compatible/m",
            "--format",
            "json",
            cwd=changed.folder,
            DEEPREPO_BASE_URL=refusing.openai_url,
        )
    assert done.returncode == 3, done.stderr
    document = json.loads(done.stdout)
    assert [finding["source"] for finding in document["findings"]] == ["contracts + ty"]
    assert document["partial"] is True
    assert refusing.count == 1


def test_ctrl_c_shows_the_findings_so_far(changed: Repository) -> None:
    """The model hangs and the user interrupts: static findings are shown, and the exit code is 130."""
    asked = threading.Event()

    def answer(_: object) -> Reply:
        asked.set()
        return Reply(fault="hang")

    with doubles.in_thread(Server(answer)) as hanging:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(changed.folder.parent),
            "PYTHONPATH": str(Path(__file__).parents[2]),
        }
        command = [sys.executable, "-m", "bot", "review", "--strategy", "parts", "--worker", "compatible/m"]
        process = subprocess.Popen(
            command,
            cwd=changed.folder,
            env={**env, "DEEPREPO_BASE_URL": hanging.openai_url},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with waits.ended(process):
            assert asked.wait(waits.patience())
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=waits.patience())
    assert process.returncode == 130, err
    assert "shop/labels.py:5" in out
    assert "interrupted" in out


def test_key_is_never_shown(changed: Repository) -> None:
    """A refused key appears neither on the terminal, in the review nor in a journal."""
    journal = changed.folder.parent / "journal.jsonl"
    with doubles.in_thread(Server(SMALL, key="another")) as refusing:
        done = run(
            "--worker", "openai/gpt-5.4", "--journal", str(journal), "--format", "json",
            cwd=changed.folder, DEEPREPO_BASE_URL=refusing.openai_url, OPENAI_API_KEY="sk-never-shown",
        )  # fmt: skip
    assert done.returncode == 3
    assert "sk-never-shown" not in done.stdout + done.stderr + journal.read_text()


def test_settings_come_from_the_base_and_not_from_the_head(repository: Repository) -> None:
    """Ignored paths in the base's file apply, those that the change adds do not."""
    repository.commit({".deeprepo.yml": "ignore: ['generated/']\n", "a.py": "x = 1\n"})
    repository.git("checkout", "-qb", "feature")
    repository.commit(
        {".deeprepo.yml": "ignore: ['*']\n", "a.py": "x = y_missing\n", "generated/b.py": "x = z_missing\n"}
    )
    document = json.loads(run("--format", "json", cwd=repository.folder).stdout)
    assert [finding["path"] for finding in document["findings"]] == ["a.py"]
    assert ["generated/b.py", "left out by .deeprepo.yml"] in [
        [f["path"], f["reason"]] for f in document["coverage"]["skipped_files"]
    ]
    repository.git("checkout", "-q", "main")
    repository.commit({".deeprepo.yml": "failon: low\n"})
    wrong = run("main..feature", cwd=repository.folder)
    assert (wrong.returncode, "line 1: unknown key failon; did you mean fail_on?" in wrong.stdout) == (0, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a_key_of_next_version: true\n", ".deeprepo.yml line 1: unknown key a_key_of_next_version"),
        ("a: [\n", ".deeprepo.yml line 2: this is not valid YAML"),
        ("quota: -1\nfail_on: many\n", ".deeprepo.yml line 2: fail_on: write one of"),
        ("- 1\n", ".deeprepo.yml line 1: the file must consist of"),
        ("models: {worker: nobody/x}\n", "Reviewed with static checks only: unknown provider 'nobody'"),
        (
            "models: {worker: anthropic/claude-haiku-5-5}\n",
            "Reviewed with static checks only: anthropic needs an API key",
        ),
        ("strategy: rlm\n", "Reviewed with static checks only: the strategy rlm needs a model"),
    ],
)
def test_invalid_settings_do_not_block_commits(repository: Repository, text: str, said: str) -> None:
    """The review of a git hook allows both a harmless commit and the one that repairs the settings, with a warning."""
    repository.commit({".deeprepo.yml": text, "a.py": "x = 1\n"})
    for files in ({"a.py": "x = 1\ny = 2\n"}, {".deeprepo.yml": "quota: 3\n"}):
        repository.write(files)
        repository.git("add", "-A")
        done = run("--staged", "--fail-on", "high", cwd=repository.folder, COLUMNS="300", GIT_PREFIX="")
        assert (done.returncode, said in done.stdout + done.stderr) == (0, True), done
        repository.git("commit", "-qm", "next")


def test_symlinked_settings_do_not_block_commits(repository: Repository) -> None:
    """A symbolic link on the base branch gets a warning, and the commit succeeds."""
    (repository.folder / ".deeprepo.yml").symlink_to("settings.yml")
    repository.commit({"settings.yml": "fail_on: low\n", "a.py": "x = 1\n"})
    repository.write({"a.py": "x = 1\ny = 2\n"})
    repository.git("add", "-A")
    done = run("--staged", "--fail-on", "high", cwd=repository.folder, COLUMNS="300")
    said = ".deeprepo.yml: it is a symbolic link, not a file, so nothing in it applies"
    assert (done.returncode, said in done.stdout) == (0, True), done


def test_demo_reviews_its_sample() -> None:
    """The demo finds forgotten callers, one in another repository, a token (masked) and an undefined name."""
    done = subprocess.run(
        [sys.executable, "-m", "bot", "demo", "--terminal"], capture_output=True, text=True, check=True
    )
    for words in (
        "parcel/labels.py:8",
        "parcel/nightly.py:10",
        "storefront:storefront/basket.py",
        '"***"',
        "parcel_id",
        "$0.00",
    ):
        assert words in done.stdout
