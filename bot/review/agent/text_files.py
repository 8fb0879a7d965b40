"""Provide a text's files to the reviewer's tools: as a Git commit, which is made when it is first needed."""

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

from bot import config, render
from bot.brief import Brief
from bot.checkout import Checkout, git
from bot.checkout.views import MaskedTree
from bot.errors import DeepRepoError
from bot.findings import read
from bot.ports import KnownSecrets
from bot.review import coverage
from bot.review.agent.state import RunState
from bot.review.context import file_questions
from bot.review.context.file_questions import Part, Sight
from bot.review.session import Session, WorkerReply
from bot.review.survey import Survey
from bot.values import Dependents, PullRequest, Source, Unit
from deeprepo.rlm.loop.tools import Work
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Message, Model, Prompt, Schema
from deeprepo.texts.dialogue import Inquiry
from deeprepo.texts.material import Material

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


async def open_session(
    inquiry: Inquiry, models: Mapping[str, Model], masks: KnownSecrets, stack: AsyncExitStack
) -> Session:
    """Commit the text's files, and return a session over them with these readers, which the stack closes."""
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="deeprepo-text-"))
    pull = await _commit(inquiry.question.material, folder, inquiry.question.query)
    tree = await stack.enter_async_context(Checkout(pull))
    calls, nobody = inquiry.calls, Dependents()
    readers = {name: Reader(model, calls) for name, model in models.items()}
    reader = next(iter(readers.values()))
    brief = Brief(pull, config.resolve({}, None, config.Settings()))
    return Session(
        survey=Survey(brief, (), (), nobody, tree, coverage.CoverageTracker((), (), nobody), masks=masks),
        tree=MaskedTree(tree, masks),
        calls=calls,
        worker=reader,
        analyzers=reader,
        root=inquiry.root,
        reader=reader.model,
        workers=readers if inquiry.workers else {},
    )


def state(session: Session, work: Work) -> RunState:
    """Return a root's state for the tools. What they note is noted in `work`."""
    source = Source("model", session.root.name if session.root is not None else "", "root")
    return RunState(session, source, notes=work.notes, refusals=work.refusals, errors=work.errors)


async def _commit(material: Material, folder: str, title: str) -> PullRequest:
    rows = [b"commit refs/heads/main\n", WHO, b"data 0\n"]
    for path, text in material.texts():
        blob = text.encode()
        rows.append(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(blob), blob))
    env = {"GIT_DIR": folder}
    await git.output("init", "--quiet", "--bare", folder, cwd=folder)
    await git.output("-c", "core.compression=0", "fast-import", "--quiet", cwd=folder, env=env, stdin=b"".join(rows))
    head = (await git.output("rev-parse", "refs/heads/main", cwd=folder, env=env)).decode().strip()
    return PullRequest(title, "", head, head, "text", "text", folder)
