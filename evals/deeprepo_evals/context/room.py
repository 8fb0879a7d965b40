"""One problem in progress: its text as files of a git repository, and the product's engine over them."""

import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from json import loads
from pathlib import Path

from bot import __version__, coverage
from bot.checkout import Checkout, git
from bot.context import data_files
from bot.journal.codec import Start
from bot.journal.writer import Journal
from bot.llm.budget import Budget
from bot.llm.calls import Calls
from bot.ports import Model
from bot.review.session import Session
from bot.values import Dependents, Limits, PullRequest
from deeprepo_evals.context.problems import Problem
from deeprepo_evals.context.reader import Reader

PART = 400_000  # characters of one file; the checkout opens no file above 2 MB
WHO = b"committer deeprepo <eval@example.invalid> 1767268800 +0000\n"


@dataclass(frozen=True, slots=True)
class Pair:
    """Who orchestrates and answers, and who reads; they may be one."""

    root: Model
    worker: Model

    async def close(self) -> None:
        """Close the connections."""
        for model in {id(model): model for model in (self.root, self.worker)}.values():
            await model.close()


@dataclass(frozen=True, slots=True)
class Room:
    """What a method works with."""

    problem: Problem
    files: Mapping[str, str]  # the text, cut at line ends; of a JSON document its values by key path
    session: Session
    reader: Reader
    root: Model
    window: int  # characters that fit into one prompt


@asynccontextmanager
async def opened(problem: Problem, pair: Pair, limits: Limits, window: int, trace: Path | None) -> AsyncIterator[Room]:
    """A room for one problem; what it opened is closed at the end, the models are not."""
    files = _files(problem)
    calls = Calls(Budget(limits), Journal(trace))
    reader = Reader(pair.worker, calls)
    try:
        with tempfile.TemporaryDirectory(prefix="deeprepo-eval-") as folder:
            pull = await _stored(files, folder, problem.question)
            calls.journal.begin(Start(pull, {"window": window}, pair.root.name, pair.worker.name, __version__))
            async with Checkout(pull) as tree:
                nobody = Dependents()
                session = Session(
                    pull=pull,
                    files=(),
                    units=(),
                    dependents=nobody,
                    tree=tree,
                    tracker=coverage.start((), (), nobody),
                    calls=calls,
                    worker=reader,
                    checks=reader,
                    root=pair.root,
                    reader=pair.worker,
                )
                yield Room(problem, files, session, reader, pair.root, window)
    finally:
        calls.journal.close()


@lru_cache(maxsize=1)  # all methods get the same problem, one after the other
def _files(problem: Problem) -> Mapping[str, str]:
    """The text in files that end at line ends. The harness knows what a data file is: its values, each with its key path."""
    text, folder = problem.text, "text"
    if problem.form == "json":
        text, folder = "\n".join(f"{path}: {value}" for path, value in data_files.paths(loads(text))), "keys"
    files: dict[str, str] = {}
    start = 0
    while start < len(text):
        cut = text.rfind("\n", start, start + PART) + 1 if start + PART < len(text) else len(text)
        end = cut if cut > start else start + PART
        files[f"{folder}/{len(files) + 1:03}.txt"] = text[start:end]
        start = end
    return files


async def _stored(files: Mapping[str, str], folder: str, title: str) -> PullRequest:
    """The files as one commit of a fresh repository without a work tree."""
    rows = [b"commit refs/heads/main\n", WHO, b"data 0\n"]
    for path, text in files.items():
        blob = text.encode()
        rows.append(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(blob), blob))
    here = {"GIT_DIR": folder}
    await git.output("init", "--quiet", "--bare", folder, cwd=folder)
    await git.output("-c", "core.compression=0", "fast-import", "--quiet", cwd=folder, env=here, stdin=b"".join(rows))
    head = (await git.output("rev-parse", "refs/heads/main", cwd=folder, env=here)).decode().strip()
    return PullRequest(title, "", head, head, "text", "text", folder)
