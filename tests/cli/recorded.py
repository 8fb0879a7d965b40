"""Run a scripted review of a real repository as a user would, and record its journal."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from fakes import Repository
from reported import reported
from waits import patience

from bot import cli
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import PerModel, Reply, Server

HOME = Path(__file__).parents[2]
BEFORE = {
    "shop/__init__.py": "",
    "shop/rates.py": "def quote(weight, express=False):\n    return weight\n",
    "shop/labels.py": "from shop.rates import quote\n\n\ndef label(parcel):\n    return quote(parcel.weight, express=True)\n",
}
AFTER = {"shop/rates.py": "def quote(weight, *, service):\n    return weight\n"}
MODULES = 4
QUESTIONS = 6
TURNS = (
    "said = ask_batch([([u['id']], 'What breaks here?') for u in units])\nprint(len(said))",
    f"print(llm_batch([f'Question {{n}}?' for n in range({QUESTIONS})]))\nfor word in {{'b', 'a', 'c'}}:\n    print(word)",
    "print(rlm_query('Who calls step_3?', ['package/m3.py']))\nprint(nonsense)",
    "print(report('package/m1.py', '    return value - 1', 'The sign of step_1 has changed', 'It was a sum.', severity='high'))",
    "set_answer('The signs have changed.')",
)
CHILD = ("print(ask(['package/m3.py'], 'Who calls it?')['answer'])", "set_answer('Nobody calls step_3.')")
FOUND = reported("package/m2.py", "    return value - 2", 2, "The sign of step_2 has changed")
VERDICT = {"verdict": "confirmed", "trigger": "step(1)", "author_would_change": True, "reason": "It is so."}


def branches(repository: Repository) -> Repository:
    """Commit modules on main, and a feature branch that flips a sign in each."""
    for branch, sign in (("main", "+"), ("feature", "-")):
        repository.git("checkout", "-qB", branch)
        repository.commit(
            {f"package/m{n}.py": f"def step_{n}(value):\n    return value {sign} {n}\n" for n in range(MODULES)}, branch
        )
    return repository


def worker(body: Mapping[str, Any]) -> Reply:
    """Answer as the worker: a verdict, one finding if its code is shown, or prose if no JSON format is requested."""
    if "verdict" in body.get("response_format", {}).get("json_schema", {}).get("name", ""):
        return doubles.verdict(body, VERDICT)
    found = [FOUND] if "value - 2" in str(body["messages"]) else []
    return Reply(data={"answer": "Read.", "findings": found}) if "response_format" in body else Reply("Yes.")


def root(body: Mapping[str, Any]) -> Reply:
    """Answer as the root: its next turn, given its earlier messages, or a verdict if one is asked for."""
    if "response_format" in body:
        return doubles.verdict(body, VERDICT)
    turns = CHILD if "You were given one task" in str(body["messages"]) else TURNS
    said = sum(message["role"] == "assistant" for message in body["messages"])
    return Reply(calls=doubles.code(turns[min(said, len(turns) - 1)]).calls)


def scripted() -> Server:
    """Return a server with both scripted models."""
    return Server(PerModel({"root": root, "worker": worker}))


@dataclass(frozen=True)
class Ended:
    """The result of a finished command."""

    returncode: int
    stdout: str
    stderr: str


def deeprepo(*arguments: str, cwd: Path, **env: str) -> Ended:
    """Run the command line in this process, with only the given environment and without a terminal."""
    clean = {"PATH": os.environ["PATH"], "HOME": str(cwd), **env}
    before, out, err = dict(os.environ), StringIO(), StringIO()
    os.environ.clear()
    os.environ.update(clean)
    try:
        with contextlib.chdir(cwd), redirect_stdout(out), redirect_stderr(err):
            code = cli.main(list(arguments))
    finally:
        os.environ.clear()
        os.environ.update(before)
    return Ended(code, out.getvalue(), err.getvalue())


def started(*arguments: str, cwd: Path, **env: str) -> "subprocess.Popen[str]":
    """Start the command in a separate process."""
    clean = {"PATH": os.environ["PATH"], "HOME": str(cwd), "PYTHONPATH": str(HOME), **env}
    command = [sys.executable, "-m", "bot", *arguments]
    return subprocess.Popen(command, cwd=cwd, env=clean, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def process(*arguments: str, cwd: Path, **env: str) -> Ended:
    """Run the command in a separate process until it ends."""
    running = started(*arguments, cwd=cwd, **env)
    out, err = running.communicate(timeout=patience(120))
    return Ended(running.returncode, out, err)


def review(repository: Repository, journal: Path, url: str, *arguments: str, **env: str) -> Ended:
    """Review the branch with the strategy rlm: workers first, then a root model with its turns."""
    models = ("--strategy", "rlm", "--root", "compatible/root", "--worker", "compatible/worker")
    record = ("--journal", str(journal))
    return deeprepo(
        "review", "main..feature", *models, *record, *arguments, cwd=repository.folder, DEEPREPO_BASE_URL=url, **env
    )
