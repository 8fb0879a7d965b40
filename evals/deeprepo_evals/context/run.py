"""Which problems are put to which methods, and what each comes to. An item is plain JSON; its result too."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deeprepo.rlm.errors import BadAnswer, BudgetSpent, ProviderError, ProviderRefused
from deeprepo.rlm.values import Cost, Limits
from deeprepo_evals import models, results
from deeprepo_evals.context import cast, methods, problems, room, score, scripted
from deeprepo_evals.context.methods import COMPARED, DEPTHS, METHODS, MethodAnswer
from deeprepo_evals.context.problems import PLACED, Position, Problem, Task
from deeprepo_evals.context.room import Pair, Room, Spent

SHOWN = 400  # characters of an answer that are kept
EXPERIMENT = "context"
NOTHING = Spent()


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked for."""

    tasks: tuple[Task, ...]
    methods: tuple[str, ...]
    root: str
    worker: str
    window: int = 200_000  # characters that fit into one prompt; what the seeds' model had
    turns: int = 12
    rounds: int = 1
    own: Mapping[str, tuple[str, Problem]] = field(
        default_factory=dict
    )  # the person's own problems, as `own.read` gives them
    depths: tuple[int, ...] = (1,)  # of the roots

    @property
    def free(self) -> bool:
        """Whether no model of it costs anything."""
        return all(name.startswith(scripted.PREFIX) for name in (self.root, self.worker))


@dataclass(slots=True)
class Purse:
    """Dollars that the whole run may cost; None: no cap."""

    usd: float | None = None
    spent_usd: float = 0.0

    def limits(self, turns: int) -> Limits:
        """What one problem may cost at most: all that is left."""
        left = None if self.usd is None else max(0.0, self.usd - self.spent_usd)
        return Limits(usd=left, tokens=None, calls=None, seconds=None, turns=turns)


def tasks(
    kinds: Sequence[str], sizes: Sequence[int], positions: Sequence[Position], seeds: Sequence[int]
) -> Iterator[Task]:
    """Every kind at every size; at every position where there is one fact to place. Raises UsageError for one that cannot be made."""
    for seed in seeds:
        for size in sizes:
            for kind in kinds:
                for at in positions if kind in PLACED else (None,):
                    task = Task(kind, size, at, seed)
                    problems.check(task)
                    yield task


def items(plan: Plan) -> list[dict[str, Any]]:
    """The plan as items. All methods of a task stand together, so that its text is made once."""
    asked: list[dict[str, Any]] = [
        *({"task": task.kind, "size": task.size, "position": task.position, "seed": task.seed} for task in plan.tasks),
        *({"task": name, "size": None, "position": None, "own": key} for key, (name, _) in plan.own.items()),
    ]
    return [
        {
            "form": problems.FORM,
            **one,
            "method": method,
            **depth,
            "root": plan.root,
            "worker": plan.worker,
            "window": plan.window,
            "turns": plan.turns,
            "round": number,
        }
        for one in asked
        for number in range(1, plan.rounds + 1)
        for method in plan.methods
        for depth in ([{"depth": at} for at in DEPTHS[method] or plan.depths] if method in DEPTHS else [{}])
    ]


async def do(
    item: results.Item,
    problem: Problem,
    pair: Pair,
    purse: Purse,
    *,
    trace: Path | None = None,
    allowed: Spent = NOTHING,
    clock: Callable[[], float] = time.monotonic,
) -> results.Result:
    """One problem put to one method. Raises ProviderError where a provider failed, BudgetSpent where the purse is empty."""
    path = trace / f"{results.key(EXPERIMENT, item)}.jsonl" if trace is not None else None
    limits = purse.limits(item["turns"])
    opening = room.open_room(
        problem,
        pair,
        limits,
        item["window"],
        path,
        depth=item.get("depth", 1),
        tools=[methods.searching(problem)] if item["method"] == "codeact-bm25" else (),
        holds_text=item["method"] not in methods.WITHOUT_TEXT,
        allowed=allowed,
    )
    async with opening as opened:
        started = clock()
        refused = False
        try:
            said = await METHODS[item["method"]](opened)
            _fail(opened)
        except ProviderRefused as error:
            said, refused = MethodAnswer("", note=str(error)), True
        finally:
            cost = opened.calls.budget.cost()
            purse.spent_usd += _dollars(cost)
        graded = score.grade(said.answer, problem.expected, problem.question, problem.scoring)
        verdict, points = ("refused", 0.0) if refused else graded
        told = {
            "verdict": verdict,
            "correct": verdict == "right",
            "score": points,
            "answer": said.answer[:SHOWN],
            "note": (said.note or " ".join(opened.calls.budget.notes))[:SHOWN],
        }
        facts = {"expected": problem.expected, "length": len(problem.text), "ends": list(problem.ends)}
        return {**told, **facts, **_cost_fields(cost), "seconds": round(clock() - started, 3), "turns": said.turns}


async def carry_out(
    plan: Plan,
    *,
    out: Path | None = None,
    trace: Path | None = None,
    usd: float | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> results.Ended:
    """Do what is left of a plan. Raises UsageError for what cannot be done at all."""
    rows, purse = items(plan), Purse(usd)
    with results.Run(out, EXPERIMENT) as kept:
        if not kept.left(rows):  # then no model has to be reached
            return results.Ended(tuple(kept.rows(rows)), 0)
        async with cast.open_cast(plan.root, plan.worker) as pair:

            async def do_one(item: results.Item) -> results.Result:
                problem = _problem(plan, item)
                say(f"{item['task']} of {len(problem.text):,} characters, {item['method']}")
                allowed = _spent(kept, rows, item) if item["method"] == "majority" else NOTHING
                return await do(item, problem, pair(), purse, trace=trace, allowed=allowed)

            return await results.finish(kept, rows, do_one)


def _spent(kept: results.Run, rows: Sequence[results.Item], item: results.Item) -> Spent:
    """What `rlm-only`, else `rlm`, has spent on the same problem, at depth 1 if it was asked for. Raises ProviderError where that is not finished."""
    same = [name for name in item if name != "method"]
    beside = [row for row in rows if row["method"] in COMPARED and all(row[name] == item[name] for name in same)]
    beside.sort(key=lambda row: (COMPARED.index(row["method"]), row["depth"] != 1))
    for row in kept.rows(beside[:1]):
        return Spent(row.result["tokens"], row.result["usd"])
    raise ProviderError(f"{beside[0]['method']}, whose cost the majority may spend, is not finished")


def _problem(plan: Plan, item: results.Item) -> Problem:
    if "own" in item:
        return plan.own[item["own"]][1]
    return problems.make(Task(item["task"], item["size"], item["position"], item["seed"]))


def _fail(room: Room) -> None:
    """Raise what was not the model's answer: a problem of which something was not asked is not finished."""
    spent = room.calls.budget.refused
    if spent:
        raise BudgetSpent(spent)
    failures = room.calls.failures
    faults = [error for role, error in failures if role == "worker" and not isinstance(error, BadAnswer)]
    for fault in sorted(faults, key=lambda fault: isinstance(fault, ProviderRefused)):
        raise fault


def _dollars(cost: Cost) -> float:
    """For the cap: where nobody knows a price, tokens count as the budget counts them."""
    return models.usd_for_cap(cost)


def _cost_fields(cost: Cost) -> dict[str, Any]:
    return {
        "calls": cost.calls,
        "failed_calls": cost.failed_calls,
        "tokens": cost.usage.input + cost.usage.output,
        "input": cost.usage.input,
        "output": cost.usage.output,
        "usd": cost.usd,
        "root_usd": cost.root_usd,
    }
