"""A question about a context, and what it is worked on with."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rlm.loop.root import RootRun
from rlm.loop.work import Work
from rlm.money.budget import Budget
from rlm.money.calls import Calls
from rlm.repl.process import Async
from rlm.texts.callables import CustomTool
from rlm.texts.material import Material
from rlm.texts.typed import AnswerType
from rlm.values import Model


@dataclass(frozen=True, slots=True)
class TextQuestion:
    """What is asked of a context, and with what."""

    query: str
    material: Material
    tools: tuple[CustomTool, ...] = ()
    answer_form: str = ""  # what an answer must look like, as the end of "Finish with set_answer(text): "
    depth: int = 1  # as the paper counts: 0: the root has nobody to ask; 1: workers; 2: roots of its own, whose workers are the last
    answer_type: AnswerType | None = None  # None: the answer is a text
    instructions: Callable[[str], str] = str  # of a root, made from ours

    @property
    def journal_entry(self) -> dict[str, Any]:
        """What the journal keeps of it beside the context."""
        tools = [[tool.name, tool.line] for tool in self.tools]
        typed = {"schema": self.answer_type.schema} if self.answer_type is not None else {}
        return {"question": self.query, "answer_form": self.answer_form, "tools": tools, "depth": self.depth, **typed}


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry(ABC):
    """The first question about a context, and what it and further ones are worked on with. Who opens it brings tools and words."""

    question: TextQuestion
    root: Model
    calls: Calls
    workers: Mapping[str, str] = field(default_factory=dict)  # the models by name, where there are several
    notes: tuple[str, ...] = ()  # sentences about the context for the reader of the answer
    runs: list[RootRun] = field(default_factory=list)  # of the root and of those that it started, as they begin

    @abstractmethod
    def work(self, depth: int) -> Work:
        """Return the state of a root that so many others stand above."""

    @abstractmethod
    def functions(self, work: Work) -> Mapping[str, Async]:
        """Return what the root's code may call, more names than it may find among them."""

    @abstractmethod
    def words(self, template: str, **values: object) -> str:
        """Return a text of this name for a root: system, seed, next, turn, child, last_call."""

    def renew(self) -> None:
        """Begin a further question: with the whole budget, and with what was answered before."""
        self.calls.renew(Budget(self.calls.budget.limits))
        self.runs.clear()
