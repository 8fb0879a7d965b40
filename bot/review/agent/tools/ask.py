"""Let the root's code ask workers about paths."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot import render
from bot.review.agent.state import RunState
from bot.review.agent.tools import beyond
from bot.review.context import file_questions
from bot.review.context.file_questions import Part, Sight
from bot.review.session import Worker
from bot.values import Finding, Unit
from deeprepo.impact.concurrency import together

# Entries of `units` and of pr["files"] are dicts; a root may pass them as they are.
Entry = Mapping[str, Any]
Paths = str | Entry | Iterable[str | Entry]


async def ask(state: RunState, paths: Paths, question: str = "", worker: str = "") -> dict[str, Any]:
    """Return what the worker says about these paths (or unit ids), and what it found there."""
    return _reply(state, await _answers(state, state.worker(worker), paths, question))


def _target(path: str | Entry) -> str:
    return str(path.get("id") or path.get("path") or "") if isinstance(path, Mapping) else str(path)


async def _answers(state: RunState, worker: Worker, paths: Paths, question: str) -> list[Sight]:
    targets = [_target(path) for path in ([paths] if isinstance(paths, str | Mapping) else paths)]
    units, others = _split_targets(state, targets)
    if not targets:
        return [Sight(error="no path was given: ask([path, ...], question)")]
    prompts, unread = await _plan(state, others)
    if units and len(prompts) == 1 and _fit(units, prompts[0]):
        # What is asked about together is shown together.
        files = {part.label: part.text for part in prompts[0]}
        shown = render.text("prompts/look.md.j2", files=files, question=question)
        sight = await _review(state, worker, units, shown)
        if not sight.error:
            return [replace(sight, read=(*sight.read, *prompts[0])), *unread]
    answers = [await _review(state, worker, units, question)] if units else []
    return [*answers, *await together(*(worker.answer(parts, question) for parts in prompts)), *unread]


def _fit(units: Sequence[Unit], parts: Sequence[Part]) -> bool:
    return (
        sum(map(len, [*(unit.text for unit in units), *(part.text for part in parts)])) <= file_questions.PROMPT_CHARS
    )


async def ask_batch(state: RunState, requests: Sequence[Sequence[Any]], worker: str = "") -> list[dict[str, Any]]:
    """Ask many questions at once, answered in order; each is (paths, question)."""
    pairs, chosen = [_pair(request) for request in requests], state.worker(worker)
    replies = await together(*(_answers(state, chosen, paths, question) for paths, question in pairs))
    # Reply in the order of the requests, not of the answers, so that a resumed run does the same.
    return [_reply(state, answers) for answers in replies]


def _pair(request: Sequence[Any]) -> tuple[Paths, str]:
    if isinstance(request, str):
        return request, ""
    match list(request):
        case [paths, str(question)]:
            return paths, question
        case paths:
            return paths, ""


def _split_targets(state: RunState, targets: Sequence[str]) -> tuple[list[Unit], list[str]]:
    units_by_id = {unit.id: unit for unit in state.session.units}
    units: dict[str, Unit] = {}
    others = []
    for word in dict.fromkeys(targets):
        mine = (
            [units_by_id[word]] if word in units_by_id else [unit for unit in state.session.units if unit.path == word]
        )
        units.update({unit.id: unit for unit in mine})
        others += [] if mine else [word]
    return list(units.values()), others


async def _review(state: RunState, worker: Worker, units: Sequence[Unit], question: str) -> Sight:
    reply = await worker.review(units, question)
    unread = {unit.id for unit in state.session.tracker.unread()}
    parts = tuple(Part(u.path, "", u.start, u.end, whole=False) for u in units if u.id not in unread)
    return Sight(reply.text, None, (), reply.findings, parts, reply.error)


async def _plan(state: RunState, paths: Sequence[str]) -> tuple[list[list[Part]], list[Sight]]:
    """Return the prompts in which these files are read whole, and an error for those that aren't read."""
    blobs = await state.session.tree.read_many(paths)
    texts = {path: blobs[path].decode("utf-8", "replace") for path in paths if blobs.get(path)}
    texts |= await beyond.texts(state, paths)
    prompts, left_out = file_questions.plan(texts)
    missing = [path for path in paths if path in left_out or path not in texts]
    error = f"not read, because they do not exist or do not fit: {', '.join(missing[:20])}"
    return prompts, [Sight(error=error)] if missing else []


def _reply(state: RunState, answers: Sequence[Sight]) -> dict[str, Any]:
    """Return an answer for the root's code. `found` is False only if everything was read."""
    findings = [finding for answer in answers for finding in answer.findings]
    state.offered_findings += findings
    error = "; ".join(answer.error for answer in answers if answer.error)
    if error:
        state.errors.setdefault(error)
    whole = file_questions.together(answers)
    return {
        "answer": whole.text or (f"[worker error: {error}]" if error else ""),
        "found": whole.is_found,
        "quotes": [[item.path, item.quote, item.line] for item in whole.quotes],
        "read": [f"{part.path}:{part.first}-{part.last}" for part in whole.read],
        "findings": [as_dict(finding) for finding in findings],
        "error": error,
    }


def as_dict(finding: Finding) -> dict[str, Any]:
    """Return a finding as a dict whose keys are the arguments of report()."""
    before = fields(finding, "path", "quote", "title", "why", "consequence", "severity", "category")
    evidence = [[item.path, item.quote] for item in finding.evidence]
    return {**before, "evidence": evidence, **fields(finding, "start", "suggestion", "trigger")}


def fields(value: object, *names: str) -> dict[str, Any]:
    """Return some fields of a value, by name."""
    return {name: getattr(value, name) for name in names}
