"""The worker over a text: the product's own look at files (overlapping pieces, verbatim quotes) with a reader's instructions."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot import render
from bot.context import file_questions
from bot.context.file_questions import Part, Sight
from bot.errors import BadAnswer, BudgetSpent, DeepRepoError, ProviderError
from bot.findings import read
from bot.llm.calls import Calls
from bot.ports import Model
from bot.review.session import WorkerReply
from bot.values import Completion, Message, Prompt, Schema, Source, Unit

MAX_TOKENS = 4_096  # of one answer
_PROPERTIES = file_questions.schema().parameters["properties"]
LOOK = Schema(
    name="look",
    description="Answer the question from the shown text, and from nothing else.",
    parameters=read.strict(**{name: _PROPERTIES[name] for name in ("answer", "found", "quotes")}),
)


@dataclass(slots=True)
class Reader:
    """Satisfies `review.session.Worker`. `faults` are failures that are not the model's answer: the problem has to be tried again."""

    model: Model
    calls: Calls
    faults: list[DeepRepoError] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Who it is."""
        return f"worker {self.model.name}"

    async def review(self, units: Sequence[Unit], question: str = "") -> WorkerReply:  # noqa: ARG002 - the protocol's
        """There is no change here, so there are no units."""
        return WorkerReply("", error="a text has no units: ask(paths, question)")

    async def look(self, parts: Sequence[Part], question: str) -> Sight:
        """What these pieces of the text say to a question."""
        text = render.text("prompts/look.md.j2", files={part.label: part.text for part in parts}, question=question)
        system = Message("system", render.text("prompts/texts/reader_system.md.j2"))
        prompt = Prompt((system, Message("user", text)), answer=LOOK, max_tokens=MAX_TOKENS)
        reply = (await self.many([prompt]))[0]
        if isinstance(reply, DeepRepoError):
            return Sight(error=str(reply))
        return file_questions.answer(reply.data, Source("model", self.name), parts)

    async def prompt(self, texts: Sequence[str]) -> list[WorkerReply]:
        """Free prompts, answered in prose."""
        replies = await self.many([Prompt((Message("user", text),), max_tokens=MAX_TOKENS) for text in texts])
        return [WorkerReply("", error=str(r)) if isinstance(r, DeepRepoError) else WorkerReply(r.text) for r in replies]

    async def many(self, prompts: Sequence[Prompt]) -> list[Completion | ProviderError | BudgetSpent]:
        """Replies in their order."""
        replies = await self.calls.many(self.model, prompts, "worker")
        self.faults += [r for r in replies if isinstance(r, DeepRepoError) and not isinstance(r, BadAnswer)]
        return replies
