"""One question about a context in progress: the context as a git repository of its own, and the engine over it."""

import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from bot import __version__, config
from bot.agent.state import MAX_DEPTH
from bot.agent.texts.custom import CustomTool
from bot.agent.texts.material import Material
from bot.agent.texts.reader import Reader
from bot.agent.turns import Turns
from bot.brief import Brief
from bot.checkout import Checkout, git
from bot.checkout.masked import MaskedTree
from bot.journal.codec import Start
from bot.journal.writer import Journal
from bot.llm.budget import Budget
from bot.llm.calls import Calls
from bot.ports import Model
from bot.review import coverage
from bot.review.session import Session
from bot.review.survey import Survey
from bot.values import Dependents, Limits, PullRequest

WHO = b"committer deeprepo <deeprepo@example.invalid> 1767268800 +0000\n"  # the same context is the same commit


@dataclass(frozen=True, slots=True)
class TextQuestion:
    """What is asked of a context, and with what."""

    query: str
    material: Material
    tools: tuple[CustomTool, ...] = ()
    answer_form: str = ""  # what an answer must look like, as the end of "Finish with set_answer(text): "
    deepest: int = MAX_DEPTH  # how far below the root a run may start others; 0: it starts none

    @property
    def journal_entry(self) -> dict[str, Any]:
        """What the journal keeps of it beside the context."""
        tools = [[tool.name, tool.line] for tool in self.tools]
        return {"question": self.query, "answer_form": self.answer_form, "tools": tools, "depth": self.deepest}


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question, and what it is worked on with."""

    question: TextQuestion
    session: Session
    reader: Reader
    root: Model
    runs: list[Turns] = field(default_factory=list)  # of the root and of those that it started, as they end


@asynccontextmanager
async def open_inquiry(
    question: TextQuestion,
    root: Model,
    worker: Model,
    limits: Limits,
    journal: Journal | None = None,
    settings: Mapping[str, Any] | None = None,
) -> AsyncIterator[Inquiry]:
    """An inquiry; what it opened is closed at the end, the models are not."""
    journal = journal or Journal()
    calls = Calls(Budget(limits), journal)
    reader = Reader(worker, calls)
    try:
        with tempfile.TemporaryDirectory(prefix="deeprepo-text-") as folder:
            pull = await _commit(question.material.files, folder, question.query)
            brief = Brief(pull, config.resolve({}, None, config.Settings()))
            entry = {**question.journal_entry, "settings": dict(settings or {})}
            notes = journal.begin(Start(pull, entry, root.name, worker.name, __version__, limits.own))
            async with Checkout(pull) as tree:
                nobody = Dependents()
                session = Session(
                    survey=Survey(brief, (), (), nobody, tree, coverage.start((), (), nobody)),
                    tree=MaskedTree(tree, calls.masks),
                    calls=calls,
                    worker=reader,
                    checks=reader,
                    root=root,
                    reader=worker,
                    notes=[*question.material.notes, *notes],
                )
                yield Inquiry(question, session, reader, root)
    finally:
        journal.close()


async def _commit(files: Mapping[str, str], folder: str, title: str) -> PullRequest:
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
