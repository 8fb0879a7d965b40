"""How often a model was asked, by whom, and what that cost: the calls of root and worker in one row."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from deeprepo.rlm.values import Completion, Model, Prompt, Usage

Role = Literal["root", "worker"]


@dataclass(slots=True)
class Tally:
    """The answered calls of one review, in their order."""

    roles: list[Role] = field(default_factory=list)
    places: list[str] = field(default_factory=list)  # "root:3": asked in the root's third turn; empty: by the harness
    at: Callable[[], str] = str  # where the review is
    refusal: Callable[[], str] = str  # why a call was not sent, if one was not
    usage: dict[Role, Usage] = field(default_factory=lambda: {"root": Usage(), "worker": Usage()})
    usd: dict[Role, float | None] = field(default_factory=lambda: {"root": 0.0, "worker": 0.0})

    def note(self, role: Role, usage: Usage, usd: float | None) -> None:
        """One more answer."""
        self.roles.append(role)
        self.places.append(self.at())
        self.usage[role] += usage
        before = self.usd[role]
        self.usd[role] = None if before is None or usd is None else before + usd

    @property
    def delegated_calls(self) -> int:
        """The workers' calls that the root asked for, by itself or through a child."""
        return sum(role == "worker" and at.startswith("root") for role, at in zip(self.roles, self.places, strict=True))


class CountedModel:
    """A model whose answers are counted. Satisfies `ports.Model`."""

    def __init__(self, model: Model, role: Role, tally: Tally) -> None:
        self.name = model.name
        self._model, self._role, self._tally = model, role, tally

    async def complete(self, prompt: Prompt) -> Completion:
        """One request; a failed one does not count."""
        reply = await self._model.complete(prompt)
        self._tally.note(self._role, reply.usage, self._model.price(reply.usage))
        return reply

    def price(self, usage: Usage) -> float | None:
        """Dollars for this usage."""
        return self._model.price(usage)

    async def close(self) -> None:
        """Nothing: the connection is kept for the next review."""
