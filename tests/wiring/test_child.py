import asyncio
import inspect
import os
import select
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import child_tasks as tasks
import pytest
import waits
from waits import patience

from bot import errors
from bot.config.reference import AS_FILE
from bot.errors import DeepRepoError, StorageError
from bot.wiring import child

ROOT = Path(__file__).parents[2]


async def test_child_returns_its_value_and_progress_messages() -> None:
    """Values are returned, and progress messages arrive before them."""
    said: list[str] = []

    assert await child.run(tasks.echo, 1, b"two", caps=tasks.CAPS, say=said.append) == (1, b"two")
    await asyncio.sleep(0)
    assert said == ["one"]


def test_child_environment_has_model_keys_but_no_server_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child gets model keys, but neither the App's secrets nor GitHub tokens."""
    secrets = {f"DEEPREPO_{name}{end}".upper() for name in set(AS_FILE) - {"app_id"} for end in ("", "_file")}
    secrets |= {"GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"}
    secrets |= {f"DEEPREPO_ACTION_{name}_TOKEN" for name in ("GITHUB", "ORGANIZATION", "CONSUMERS")}
    for name in (*secrets, "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "x")

    names = child.call(tasks.variables, caps=tasks.CAPS)
    assert not secrets & names
    assert "ANTHROPIC_API_KEY" in names


def made(kind: type[DeepRepoError]) -> DeepRepoError:
    """Return an error of this kind, with a value for each constructor argument."""
    given = {
        "remedy": "install it",
        "status": 422,
        "retry_after": 3.5,
        "behind": True,
        "window": 8192,
        "most": 4096,
        "usage": (1, 2),
    }
    takes = [name for name in inspect.signature(kind.__init__).parameters if name in given]
    return kind("a sentence", **{name: given[name] for name in takes})


KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, DeepRepoError)]


@pytest.mark.parametrize("error", [made(kind) for kind in KINDS], ids=[kind.__name__ for kind in KINDS])
def test_own_errors_keep_their_type_message_and_attributes(error: DeepRepoError) -> None:
    """The type, message and attributes of our own errors are preserved."""
    with pytest.raises(type(error), match=str(error)) as caught:
        child.call(tasks.raises, error, caps=tasks.CAPS)
    assert type(caught.value) is type(error)
    assert vars(caught.value) == vars(error)
    assert caught.value.args == error.args


def test_every_error_attribute_is_covered_by_the_test() -> None:
    """`made` covers all constructor parameters of our errors, so that the test above checks each."""
    for kind in KINDS:
        takes = set(inspect.signature(kind.__init__).parameters) - {"self", "message", "args", "kwargs"}
        assert takes == set(vars(made(kind)))


def test_unexpected_error_includes_its_traceback() -> None:
    """An unexpected error is a bug, so the traceback is kept for the log."""
    with pytest.raises(RuntimeError, match="LookupError: nothing there") as caught:
        child.call(tasks.raises, LookupError("nothing there"), caps=tasks.CAPS)
    assert "child_tasks.py" in str(caught.value.__cause__)


def test_child_stuck_on_a_file_is_ended_and_the_error_names_the_file() -> None:
    """The child is stopped even if it holds the interpreter's lock, and the error names the file."""
    with pytest.raises(child.ChildEnded, match="1 seconds of CPU time") as caught:
        child.call(tasks.hang, "src/a b.py", caps=tasks.CAPS)
    assert caught.value.path == "src/a b.py"


@pytest.mark.slow
def test_compute_limit_restarts_at_each_event_loop_turn() -> None:
    """The limit applies to each stretch without a turn of the event loop, not to the whole task."""
    assert child.call(tasks.steady, 4.0, caps=replace(tasks.CAPS, cpu=2)) >= 4.0


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
def test_memory_of_a_childs_processes_counts() -> None:
    """The limit counts the memory of child processes such as git."""
    with pytest.raises(child.ChildEnded, match="memory limit of 512 MB"):
        child.call(tasks.swell, caps=tasks.CAPS)


async def test_cancel_waits_until_the_child_has_cleaned_up(tmp_path: Path) -> None:
    """Cancelling waits until the child has cleaned up and ended."""
    begun = asyncio.Event()
    doing = asyncio.create_task(child.run(tasks.waits, tmp_path, caps=tasks.CAPS, say=lambda _: begun.set()))
    await waits.told(begun, doing)
    doing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await doing
    assert (tmp_path / "closed").exists()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "begun").read_text()), 0)


class Sink:
    """A line store whose first commit fails."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.tries = 0

    def put(self, text: str) -> None:
        """Add a line."""
        self.lines.append(text)

    async def wait_stored(self) -> None:
        """Fail once."""
        self.tries += 1
        if self.tries == 1:
            raise StorageError("the database does not answer")


def test_parent_stores_lines_before_the_child_continues() -> None:
    """If a line can't be stored, the child gets the error."""
    sink = Sink()
    assert asyncio.run(child.run(tasks.keeps, caps=tasks.CAPS, keep=sink)) == "the database does not answer"
    assert (sink.lines, sink.tries) == (["one", "two"], 2)


@pytest.mark.skipif(sys.platform != "linux", reason="needs numbers of processes that can be waited for")
def test_child_and_its_processes_end_with_the_parent() -> None:
    """If the parent is killed, the child and its own processes end too."""
    parent = subprocess.Popen(
        [sys.executable, tasks.__file__], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    with waits.ended(parent):
        assert parent.stdout is not None
        watched = [os.pidfd_open(int(word)) for word in parent.stdout.readline().split()]
        parent.send_signal(signal.SIGKILL)
        parent.wait(patience())
        for one in watched:
            assert select.select([one], [], [], 20)[0]
            os.close(one)
        assert len(watched) == 2
