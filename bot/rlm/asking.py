"""How the root's code asks others: the worker about paths, free prompts in batches, a child root about a task of its own."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from bot.findings.merge import fingerprint
from bot.rlm.notebook import MAX_DEPTH, Notebook
from bot.rlm.work import Answer
from bot.values import Finding, Unit

MAX_PROMPTS = 1_000  # of one batch
LOOK_CHARS = 120_000  # of the files of one question
Paths = str | Iterable[str]


async def ask(book: Notebook, paths: Paths, question: str = "") -> dict[str, Any]:
    """What the worker says about these paths (or unit ids), and what it found there."""
    wanted = [paths] if isinstance(paths, str) else [str(path) for path in paths]
    units, others = _sorted_out(book, wanted)
    book.asked += 1
    answers = []
    if units:
        answers.append(await book.work.worker.review(units, question))
    if others:
        answers.append(await _look(book, others, question))
    if not answers:
        answers.append(Answer("", error="no path was given: ask([path, ...], question)"))
    return _told(book, answers)


async def ask_batch(book: Notebook, requests: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """Many questions at once, answered in order; each is (paths, question)."""
    pairs = [_pair(request) for request in list(requests)[:MAX_PROMPTS]]
    return list(await asyncio.gather(*(ask(book, paths, question) for paths, question in pairs)))


async def llm_query(book: Notebook, prompt: str) -> str:
    """One free prompt to the worker model."""
    return (await llm_batch(book, [prompt]))[0]


async def llm_batch(book: Notebook, prompts: Sequence[str]) -> list[str]:
    """Free prompts to the worker model, in parallel, answered in order. A slot that failed says so."""
    if isinstance(prompts, str):
        raise TypeError("llm_batch takes a list of prompts; llm_query takes one")
    texts = [str(prompt) for prompt in prompts]
    over = len(texts) - MAX_PROMPTS
    book.asked += len(texts)
    answers = await book.work.worker.prompt(texts[:MAX_PROMPTS]) if texts else []
    book.batch = [answer.text if not answer.error else f"[worker error: {answer.error}]" for answer in answers]
    book.batch += [f"[worker error: a batch takes at most {MAX_PROMPTS} prompts]"] * max(0, over)
    return book.batch


async def last_batch(book: Notebook) -> list[str]:
    """The answers of the last batch: paid for, and so kept even where the block failed after it."""
    return book.batch


async def rlm_query(book: Notebook, task: str, paths: Paths = ()) -> str:
    """A root of its own for a task: same tools, same budget, its answer as text."""
    if book.child is None:
        return "[no root model is configured: ask(paths, question) asks the worker]"
    if book.depth >= MAX_DEPTH:
        return f"[a run at depth {MAX_DEPTH} starts no further one: ask(paths, question) asks the worker]"
    book.asked += 1
    return await book.child(task, [paths] if isinstance(paths, str) else list(paths), book.depth + 1)


def _pair(request: Sequence[Any]) -> tuple[Paths, str]:
    if isinstance(request, str):
        return request, ""
    match list(request):
        case [paths, str(question)]:
            return paths, question
        case paths:
            return paths, ""


def _sorted_out(book: Notebook, wanted: Sequence[str]) -> tuple[list[Unit], list[str]]:
    """The units meant by paths and ids, and the paths that are no part of the change."""
    known = {unit.id: unit for unit in book.work.units}
    units: dict[str, Unit] = {}
    others = []
    for word in dict.fromkeys(wanted):
        mine = [known[word]] if word in known else [unit for unit in book.work.units if unit.path == word]
        units.update({unit.id: unit for unit in mine})
        others += [] if mine else [word]
    return list(units.values()), others


async def _look(book: Notebook, paths: Sequence[str], question: str) -> Answer:
    blobs = await book.work.tree.read_many(paths)
    room, files = LOOK_CHARS, {}
    for path in (path for path in paths if path in blobs):
        files[path] = blobs[path].decode("utf-8", "replace")[: max(0, room)]
        room -= len(files[path])
    missing = [path for path in paths if not files.get(path)]
    error = f"not read, because they do not exist or do not fit: {', '.join(missing[:20])}" if missing else ""
    files = {path: text for path, text in files.items() if text}
    if not files:
        return Answer("", error=error)
    said = await book.work.worker.look(files, question)
    return Answer(said.text, said.findings, "; ".join(filter(None, (said.error, error))))


def _told(book: Notebook, answers: Sequence[Answer]) -> dict[str, Any]:
    found = [finding for answer in answers for finding in answer.findings]
    book.offered.update({key(finding): finding for finding in found})
    error = "; ".join(answer.error for answer in answers if answer.error)
    if error:
        book.errors.setdefault(error)
    text = "\n".join(answer.text for answer in answers if answer.text)
    return {
        "answer": text or (f"[worker error: {error}]" if error else ""),
        "findings": [told(finding) for finding in found],
        "error": error,
    }


def key(finding: Finding) -> tuple[str, str, str]:
    """By what a finding is recognised when the root hands on what a worker found."""
    return fingerprint(finding), finding.title, finding.rule or str(finding.start)


def told(finding: Finding) -> dict[str, Any]:
    """A finding as the root's code sees it: exactly the arguments of report()."""
    return {
        "path": finding.path,
        "quote": finding.quote,
        "title": finding.title,
        "why": finding.why,
        "consequence": finding.consequence,
        "severity": finding.severity,
        "category": finding.category,
        "evidence": [[item.path, item.quote] for item in finding.evidence],
        "start": finding.start,
        "suggestion": finding.suggestion,
    }
