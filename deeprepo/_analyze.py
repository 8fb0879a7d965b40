"""`deeprepo.analyze`."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from deeprepo._calls import Path, Progress, Scope, synchronous, workplace
from deeprepo._values import Broken, Definition, Dependent, File, Impact, Use, consumer, copy

if TYPE_CHECKING:
    from bot.values import ChangedFile, ChangedSymbol, Finding, Reference, TypedChange
    from deeprepo.impact.values import Definition as Written


async def analyze_async(
    repo: Path = ".",
    change: str | None = None,
    *,
    scope: Scope = "range",
    consumers: Sequence[Path] = (),
    on_progress: Progress | None = None,
) -> Impact:
    """Find the definitions that a change touches, the code that uses them, and the uses that it breaks.

    Args:
        repo: A folder in the repository.
        change: "BASE..HEAD", or only BASE. None compares HEAD with the default branch.
        scope: "staged" or "uncommitted" analyzes that work instead. `change` must then be None.
        consumers: Clones of repositories that use this one. Breaks there are reported too.
        on_progress: A function that receives short progress messages.

    This doesn't use a model and doesn't run code from the repository. Definitions, imports and calls are parsed in 16 languages.
    Other files are searched by name. Only direct uses are returned.
    """
    async with workplace(repo, change, scope) as (request, scratch):
        return await _compute(request, scratch, on_progress, consumers)


analyze = synchronous(analyze_async)


async def _compute(
    request: "TypedChange", scratch: str, on_progress: Progress | None, consumers: Sequence[Path]
) -> Impact:
    """Run a review's survey (`uses.find`) and its check of contracts (`uses.breaks`), without a model."""
    from bot import pipeline
    from bot.findings.quotes import check_quotes
    from bot.machine import extras
    from bot.review.analyzer_worker import load_analyzer
    from bot.values import Finding, Judgement
    from bot.wiring import review
    from deeprepo.impact.uses.budget import SearchLimits

    say = on_progress or (lambda _: None)
    repositories = tuple(os.fspath(one) for one in consumers)
    settings = {"effort": "none", "with_clones": repositories}
    brief = await review.brief(request, settings, scratch)
    # Selecting tests needs every reference, including those to definitions whose body changed.
    search = SearchLimits(sites=SearchLimits().contract_sites, install=extras.install)
    tools = replace(review.tools(brief, scratch, review.lines(say)), search=search)
    async with pipeline.survey(brief, tools) as subject:
        say("comparing references with the change")
        analyzer = load_analyzer("contracts")
        files = [file for file in subject.files if analyzer.wants(file)]
        judgement = Judgement((), frozenset())
        if files:
            judgement = await analyzer.check(subject.tree, files, subject.dependents)
        unread = dict(judgement.unjudged_files(files))
        found = (*judgement.findings, *subject.consumers.findings)
        checked = [await check_quotes(finding, subject.tree) for finding in found]
    findings = tuple(finding for finding in checked if isinstance(finding, Finding))
    values = (subject.pull, subject.files, subject.dependents, findings, unread, subject.consumers.reports)
    pull, changed, users, findings, unread, reports = subject.shown(values, findings)
    return Impact(
        base=pull.base,
        head=pull.head,
        files=tuple(map(_file, changed)),
        definitions=tuple(map(_definition, users.symbols)),
        dependents=tuple(copy(Dependent, row, names=tuple(sorted(row.names))) for row in users.files),
        uses=tuple(map(_use, users.references)),
        broken=tuple(one for item in findings for one in _broken(item)),
        consumers=tuple(map(consumer, reports)),
        notes=(*users.cut, *(f"{path or 'a check'}: {why}" for path, why in unread.items())),
    )


def _broken(item: "Finding") -> Iterator[Broken]:
    from bot.values.finding import ALSO_BROKEN

    first = _place(item)
    lines: dict[str, list[int]] = {first[0]: [first[1]]}
    for one in item.evidence:
        if one.note == ALSO_BROKEN:
            lines.setdefault(one.path, []).append(one.line)
    for path, numbers in lines.items():
        at = first[1] if path == first[0] else min(numbers)
        rows = (at, *sorted({*numbers} - {at}))
        yield copy(Broken, item, path=path, line=at, proven=item.verdict == "proven", lines=rows)


def _place(item: "Finding") -> tuple[str, int]:
    """Where something breaks; of a consumer's the first of its lines."""
    there = next((one for one in item.evidence if one.repository), None)
    return (item.path, item.start) if there is None else (there.path, there.line)


def _file(file: "ChangedFile") -> File:
    from deeprepo.impact.text.paths import is_test

    lines = {"lines_added": len(file.added_lines), "lines_removed": len(file.removed_lines)}
    return copy(File, file, **lines, test=is_test(file.path), skipped=file.skip or "")


def _definition(item: "ChangedSymbol") -> Definition:
    at, head = item.symbol, {"before": _signature(item.before), "after": _signature(item.after)}
    return copy(
        Definition, at, id=f"{at.path}:{at.name}", change=item.change, contract=item.contract, line=at.start, **head
    )


def _signature(one: "Written | None") -> str | None:
    return one.head if one is not None and one.signature is not None else None


def _use(row: "Reference") -> Use:
    return copy(Use, row, definition=row.symbol, text=row.text.strip(), sure=row.is_bound or row.missing)
