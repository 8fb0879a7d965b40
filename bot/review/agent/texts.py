"""Provide the reviewer's tools, workers and prompts for questions about a text (`deeprepo.texts`).

The text is stored as a Git commit.
"""

import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from typing import Any

from bot import config, render
from bot.brief import Brief
from bot.checkout import Checkout, git
from bot.checkout.shown import MaskedTree, create_known_secrets
from bot.errors import DeepRepoError
from bot.findings import read
from bot.machine import build
from bot.review import coverage
from bot.review.agent import tools
from bot.review.agent.state import RunState
from bot.review.context import file_questions
from bot.review.context.file_questions import Part, Sight
from bot.review.session import Session, WorkerReply
from bot.review.survey import Survey
from bot.values import Dependents, PullRequest, Source, Unit
from deeprepo.rlm.journal.codec import Start
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.loop.tools import Work
from deeprepo.rlm.money.budget import Budget
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.repl.process import Async
from deeprepo.rlm.values import Limits, Message, Model, Prompt, Schema
from deeprepo.texts.dialogue import Inquiry, TextQuestion

# Fixed, so that the same text gets the same commit ID
WHO = b"committer deeprepo <deeprepo@example.invalid> 1767268800 +0000\n"
ANSWER_TOKENS = 4_096  # tokens of one answer
_PROPERTIES = file_questions.schema().parameters["properties"]
LOOK_SCHEMA = Schema(
    name="look_at_text",
    description="Answer the question from the shown text, and from nothing else.",
    parameters=read.strict(**{name: _PROPERTIES[name] for name in ("answer", "found", "quotes")}),
)


@dataclass(slots=True)
class Reader:
    """A model that reads pieces of a text. Satisfies `review.session.Worker`."""

    model: Model
    calls: Calls

    @property
    def name(self) -> str:
        """The worker's name."""
        return f"worker {self.model.name}"

    async def review(self, units: Sequence[Unit], question: str = "") -> WorkerReply:  # noqa: ARG002 - the protocol's
        """Return an error, since a text has no code regions."""
        return WorkerReply("", error="a text has no units: ask(paths, question)")

    async def answer(self, parts: Sequence[Part], question: str) -> Sight:
        """Ask a question about these pieces of the text."""
        text = render.text("prompts/look.md.j2", files={part.label: part.text for part in parts}, question=question)
        system = Message("system", render.text("prompts/texts/reader_system.md.j2"))
        prompt = Prompt((system, Message("user", text)), answer=LOOK_SCHEMA, max_tokens=ANSWER_TOKENS)
        reply = (await self.calls.many(self.model, [prompt], "worker"))[0]
        if isinstance(reply, DeepRepoError):
            return Sight(error=str(reply))
        return file_questions.parse_reply(reply.data, Source("model", self.name), parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextInquiry(Inquiry):
    """A running question, with the tools of a review."""

    session: Session
    reader: Reader  # the first one if there are several

    def work(self, depth: int) -> Work:
        """Return the state of a root with `depth` roots above it."""
        source = Source("model", self.root.name, "root")
        return RunState(self.session, source, depth=depth, deepest=self.question.depth - 1)

    def functions(self, work: Work) -> Mapping[str, Async]:
        """Return the functions for a root's code."""
        return tools.functions(work) if isinstance(work, RunState) else {}

    def words(self, template: str, **values: object) -> str:
        """Render a prompt template for a root."""
        return render.text(f"prompts/texts/{template}.md.j2", **values)


@asynccontextmanager
async def open_inquiry(
    question: TextQuestion,
    root: Model,
    worker: Model | Mapping[str, Model],
    limits: Limits,
    journal: Journal | None = None,
    settings: Mapping[str, Any] | None = None,
) -> AsyncIterator[TextInquiry]:
    """Open an inquiry with one worker, or with several by name.

    At the end everything opened here is closed, but not the models.
    """
    journal = journal or Journal()
    masks = create_known_secrets()
    calls = Calls(Budget(limits), journal, masks)
    readers = {name: Reader(model, calls) for name, model in worker.items()} if isinstance(worker, Mapping) else {}
    reader = Reader(worker, calls) if not isinstance(worker, Mapping) else next(iter(readers.values()))
    try:
        with tempfile.TemporaryDirectory(prefix="deeprepo-text-") as folder:
            pull = await _commit(question.material.files, folder, question.query)
            brief = Brief(pull, config.resolve({}, None, config.Settings()))
            entry = {**question.journal_entry, "settings": dict(settings or {})}
            if readers:
                entry["workers"] = {name: one.model.name for name, one in readers.items()}
            notes = journal.begin(Start(asdict(pull), entry, root.name, reader.model.name, build.name(), limits.own))
            async with Checkout(pull) as tree:
                nobody = Dependents()
                session = Session(
                    survey=Survey(brief, (), (), nobody, tree, coverage.CoverageTracker((), (), nobody), masks=masks),
                    tree=MaskedTree(tree, masks),
                    calls=calls,
                    worker=reader,
                    analyzers=reader,
                    root=root,
                    reader=reader.model,
                    workers=readers,
                )
                yield TextInquiry(
                    question=question,
                    root=root,
                    calls=calls,
                    workers={name: one.model.name for name, one in readers.items()},
                    notes=(*question.material.notes, *notes),
                    session=session,
                    reader=reader,
                )
    finally:
        journal.close()


async def _commit(files: Mapping[str, str], folder: str, title: str) -> PullRequest:
    """Store the files as one commit in a new bare repository."""
    rows = [b"commit refs/heads/main\n", WHO, b"data 0\n"]
    for path, text in files.items():
        blob = text.encode()
        rows.append(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(blob), blob))
    env = {"GIT_DIR": folder}
    await git.output("init", "--quiet", "--bare", folder, cwd=folder)
    await git.output("-c", "core.compression=0", "fast-import", "--quiet", cwd=folder, env=env, stdin=b"".join(rows))
    head = (await git.output("rev-parse", "refs/heads/main", cwd=folder, env=env)).decode().strip()
    return PullRequest(title, "", head, head, "text", "text", folder)
