"""What a rollout came to, in figures: the only thing that the reward looks at."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from bot.values import CoverageRow, Review
from deeprepo.rlm.errors import BudgetSpent
from deeprepo.rlm.journal.codec import Row
from deeprepo.rlm.loop.root import ENDS
from deeprepo.rlm.values import tokens
from deeprepo_evals import match
from deeprepo_evals.plant.values import CodeBase

PAR_READINGS, PAR_BASE = 2, 10_000  # reading the whole code base twice costs nothing; tokens of instructions beside it


@dataclass(frozen=True, slots=True)
class Facts:
    """One rollout. Plain numbers, so that a trace can carry them."""

    units: int  # of the change
    read: int  # of these, whose file a worker's answer names, or stood whole in a free prompt that a worker answered
    labels: int  # planted defects
    findings: int  # that were handed in and stood the check of their quotes
    matched: int  # of these, one to one: path, line and class of a label in a file of which a worker has read a unit
    proven: int  # of these, with the line that proves it
    turns: int
    most_turns: int
    answered: bool  # it ended by handing in an answer
    delegated: int  # calls of workers that the root asked for
    worker_tokens: int  # input of all workers' calls
    par_tokens: int  # up to here that is no waste
    root_input: int = 0  # tokens
    root_output: int = 0
    errors: int = 0  # blocks that raised

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """Back from a trace; what another version has written beside is left out."""
        return cls(**{known.name: row[known.name] for known in fields(cls) if known.name in row})


@dataclass(slots=True)
class Till:
    """Listens to the journal: who was asked how much, and what the root's model failed of."""

    spent_tokens: dict[str, list[int]] = field(default_factory=dict)  # role -> input and output tokens
    delegated_calls: int = 0
    was_capped: bool = False  # a cap has stopped some call
    texts: dict[str, str] = field(default_factory=dict)  # the text of each message, by its id
    asked: dict[str, list[str]] = field(default_factory=dict)  # the messages of each request, by its key
    shown: list[str] = field(default_factory=list)  # what workers were shown and then answered
    failure: str = ""  # the kind of the error that ended the root
    why: str = ""

    def __call__(self, row: Row) -> None:
        """One line."""
        self.was_capped |= row["kind"] == "failed" and row["error"] == BudgetSpent.__name__
        if row["kind"] == "failed" and row["role"] == "root":
            self.failure, self.why = row["error"], row["text"]
        if row["kind"] == "message":
            self.texts[row["id"]] = row["text"]
        if row["kind"] == "request":
            self.asked[row["key"]] = row["messages"]
        if row["kind"] != "call" or "usage" not in row:
            return
        sums = self.spent_tokens.setdefault(row["role"], [0, 0])
        sums[0] += row["usage"][0]
        sums[1] += row["usage"][1]
        if row["role"] == "worker":
            self.shown += [self.texts[name] for name in self.asked.get(row["key"], ()) if name in self.texts]
        self.delegated_calls += row["role"] == "worker" and row["at"].startswith("root")


def facts_of(review: Review, code: CodeBase, till: Till, most_turns: int) -> Facts:
    """The figures of one review."""
    rows = [row for row in review.coverage.readings if row.kind == "unit"]
    findings = [placed.finding for placed in review.reported]
    # A free prompt has no form in which a worker could name files
    opened = {row.path for row in rows if _by_worker(row)}
    opened |= {path for path, text in code.files.items() if any(text in shown for shown in till.shown)}
    seen = [label for label in code.labels if label.path in opened]  # what is reported of other files is a guess
    found = match.match(findings, seen)
    root, worker = (till.spent_tokens.get(role, [0, 0]) for role in ("root", "worker"))
    return Facts(
        units=len(rows),
        read=sum(row.path in opened for row in rows),
        labels=len(code.labels),
        findings=len(findings),
        matched=len(found.pairs),
        proven=found.proven,
        turns=len(review.turns),
        most_turns=most_turns,
        answered=not any(note.startswith(_ends()) for note in review.notes),
        delegated=till.delegated_calls,
        worker_tokens=worker[0],
        par_tokens=PAR_READINGS * sum(map(tokens, code.files.values())) + PAR_BASE,
        root_input=root[0],
        root_output=root[1],
        errors=sum(turn.observation.error is not None for turn in review.turns),
    )


def _by_worker(row: CoverageRow) -> bool:
    return any(by.startswith("worker ") for by in row.by.split(", "))


def _ends() -> tuple[str, ...]:
    """How the sentences begin by which a run tells that it did not end with an answer."""
    return tuple(words.partition("{")[0] for words in ENDS.values())
