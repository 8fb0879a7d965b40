"""Provide workers and prompts for questions about a text (`deeprepo.texts`)."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from bot import render
from bot.checkout.views import create_known_secrets
from bot.machine import build
from bot.values import PullRequest
from deeprepo.rlm.journal.codec import Start
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.loop import tools as common
from deeprepo.rlm.loop.tools import Work
from deeprepo.rlm.money.budget import Budget
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.repl.process import Async
from deeprepo.rlm.values import Limits, Model
from deeprepo.texts.callables import NAMES
from deeprepo.texts.dialogue import Inquiry, TextQuestion

if TYPE_CHECKING:
    from bot.ports import KnownSecrets
    from bot.review.session import Session

# The functions that need no files
COMMON: Mapping[str, Async] = {
    **common.SHARED,
    "budget": common.budget,
    "set_answer": common.set_answer,
    "FINAL": common.set_answer,
}


@dataclass(slots=True, kw_only=True)
class TextWork(Work):
    """The state of one root's run over a text."""

    inquiry: "TextInquiry"

    @property
    def calls(self) -> Calls:
        """The interface for calling models."""
        return self.inquiry.calls

    def model(self, name: str) -> Model:
        """Return the worker with this name, or the first one. Raises ValueError if the name is unknown."""
        named = self.inquiry.workers
        if name and name not in named:
            raise ValueError(f"there is no worker {name!r}: there is {', '.join(named) or 'one, without a name'}")
        return self.inquiry.readers[name or next(iter(named), "")]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextInquiry(Inquiry):
    """A running question. The files are only made when the root's code reads or searches them."""

    readers: Mapping[str, Model]  # the workers by name, or one without a name
    masks: "KnownSecrets"
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    sessions: "list[Session]" = field(default_factory=list)  # one, or none yet

    def work(self, depth: int) -> Work:
        """Return the state of a root with `depth` roots above it."""
        places = asyncio.Semaphore(1 if depth else common.MOST_CHILDREN)
        return TextWork(inquiry=self, depth=depth, deepest=self.question.depth - 1, places=places)

    def functions(self, work: Work) -> Mapping[str, Async]:
        """Return the functions for a root's code."""
        return {
            name: partial(common.masked, COMMON[name], work)
            if name in COMMON
            else partial(self._with_files, name, work)
            for name in NAMES[-1]
        }

    async def _with_files(self, name: str, work: Work, *arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401 - whatever it takes
        from bot.review.agent import text_files, tools

        async with self.lock:
            if not self.sessions:
                self.sessions.append(await text_files.open_session(self, self.readers, self.masks, self.stack))
        functions = tools.functions(text_files.state(self.sessions[0], work))
        return await functions[name](*arguments, **keywords)

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
    readers = worker if isinstance(worker, Mapping) else {"": worker}
    names = {name: model.name for name, model in readers.items() if name}
    entry = {**question.journal_entry, "settings": dict(settings or {}), **({"workers": names} if names else {})}
    digest = question.material.digest
    pull, masks = PullRequest(question.query, "", digest, digest, "text", "text", ""), create_known_secrets()
    try:
        first = next(iter(readers.values())).name
        notes = journal.begin(Start(asdict(pull), entry, root.name, first, build.name()))
        inquiry = TextInquiry(
            question=question,
            root=root,
            calls=Calls(Budget(limits), journal, masks),
            masks=masks,
            workers=names,
            readers=readers,
            notes=(*question.material.notes, *notes),
        )
        async with inquiry.stack:
            yield inquiry
    finally:
        journal.close()
