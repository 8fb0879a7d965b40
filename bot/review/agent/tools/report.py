"""Let the root's code report findings and end the run."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot import render
from bot.findings import merge, read
from bot.findings.issues import from_root
from bot.findings.quotes import MAX_QUOTE, find_quote, with_true_text
from bot.review import own_checks
from bot.review.agent.state import RunState
from bot.review.agent.tools import ask
from bot.review.agent.tools.read import why_not_absent
from bot.review.session import as_shown, verified
from bot.values import CATEGORIES, SEVERITIES, Basis, Evidence, Finding
from bot.values.finding import AGAINST
from deeprepo.rlm.loop import tools as common
from deeprepo.rlm.repl.frames import Value

MAX_REFUSALS = 20  # that are recorded of one block


async def report(
    state: RunState,
    path: str,
    quote: str,
    title: str,
    why: str,
    consequence: str = "",
    severity: str = "medium",
    category: str = "logic",
    evidence: Sequence[Any] = (),
    start: int = 0,
    suggestion: str | None = None,
    trigger: str = "",
    instead_of: str = "",
) -> str:
    """Report a finding: return its id and what became of the report, or "refused: " and the reason. Its quotes are looked up in the tree.

    `instead_of`: the id of a finding that this one corrects. The passes that reported it then count for this one.
    """
    if severity not in SEVERITIES:
        return _refuse(state, title, f"severity must be one of {', '.join(SEVERITIES)}")
    if not str(title).strip() or not str(why).strip():
        return _refuse(state, title, "title and why must say something")
    finding = Finding(
        path=str(path),
        quote=str(quote),
        title=render.title(str(title)),
        why=read.reason(str(title), str(why)),
        consequence=str(consequence or "").strip(),
        severity=severity,
        category=category if category in CATEGORIES else "other",
        basis=Basis((state.source,)),
        start=int(start or 0),
        evidence=_evidence(evidence),
        suggestion=suggestion,
        trigger=" ".join(str(trigger or "").split()),
    )
    return await _admit(state, _original(state, finding), instead_of)


async def agree(state: RunState, id: str, path: str, quote: str, severity: str = "") -> str:  # noqa: A002 - the name that models know
    """Support another pass's finding with the line that decides, or a search that finds nothing.

    What code has found keeps its severity.
    """
    found, line = _standing(state, id), await _line(state, str(path), str(quote))
    if isinstance(found, str):
        return found
    if line is None and await state.session.tree.read(str(path)) is not None:
        why = f"{path} has no such line: quote the line that decides, whole and verbatim"
        return _refuse(state, f"agree({id})", why)
    if line is None and (why := await why_not_absent(state, str(quote), str(path))):
        return _refuse(state, f"agree({id})", why)
    if severity and severity not in SEVERITIES:
        return _refuse(state, f"agree({id})", f"severity must be one of {', '.join(SEVERITIES)}")
    sources = dict.fromkeys((*found.basis.sources, state.source))
    is_own = line is None or (line.path == found.path and found.start <= line.line <= found.end)
    evidence = found.evidence if line is None or is_own or line in found.evidence else (*found.evidence, line)
    severity = found.severity if found.basis.has_check or not severity else severity
    rows, basis = state.session.results.findings, replace(found.basis, sources=tuple(sources))
    rows[rows.index(found)] = replace(found, evidence=evidence, basis=basis, severity=severity)
    return f"supported, now {severity}" if severity != found.severity else "supported"


async def drop(state: RunState, id: str, reason: str, path: str = "", quote: str = "") -> str:  # noqa: A002, ARG001 - the names that models know; the code holds why
    """Take a finding back. A proven one stays, and a quoted line that speaks against it may only collapse it."""
    found = _standing(state, id)
    if isinstance(found, str):
        return found
    if found.is_masked:
        why = "code has found a secret there, and you are shown a placeholder: people decide about it"
        return _refuse(state, f"drop({id})", why)
    if found.proven:
        return await _challenge(state, found, str(path), str(quote))
    state.session.results.findings.remove(found)
    return "dropped"


def _standing(state: RunState, id: str) -> Finding | str:  # noqa: A002
    """Return the finding with this ID, or why there is none."""
    name = next(iter(str(id).split()), "")[: common.NOTE_CHARS]
    rows = state.session.results.findings
    found = next((one for one in rows if as_shown(state.session, one).fingerprint == name), None)
    return found or _refuse(state, name, f"there is no finding {name}; findings() lists those that stand")


async def _line(state: RunState, path: str, quote: str) -> Evidence | None:
    """Return the place of a quote, or None if the tree doesn't have it."""
    session = state.session
    found = await find_quote(session.tree, path, quote) if len(quote) <= MAX_QUOTE else None
    if found is None:
        return None
    return await with_true_text(Evidence(path, quote, found[1], found[0]), session.survey.tree)


async def _challenge(state: RunState, finding: Finding, path: str, quote: str) -> str:
    """Add the quoted line to a proven finding, if it exists. A confirmation then decides whether to collapse it."""
    line = await _line(state, path, quote)
    if line is None:
        # Text under review may talk a root out of a guess, but not out of a proven fact
        why = (
            "code has proven it. drop(id, reason, path, quote) with the verbatim line that makes it false challenges it"
        )
        return _refuse(state, f"drop({as_shown(state.session, finding).fingerprint})", why)
    # First, so that a broken line that is quoted against the finding stays one of its locations in a merge
    challenged = replace(finding, evidence=(replace(line, note=AGAINST), *finding.evidence))
    rows = state.session.results.findings
    rows[rows.index(finding)] = challenged
    return f"challenged with {path}:{line.line}: it stays, and a confirmation decides whether it is shown collapsed"


async def findings(state: RunState) -> list[dict[str, Any]]:
    """Return every finding that stands so far, with its id, line, state and who found it."""
    return [
        {"id": f.fingerprint, "line": f.start, "by": f.source, "state": f.verdict.state, **ask.as_dict(f)}
        for f in [as_shown(state.session, one) for one in state.session.results.findings]
    ]


async def budget(state: RunState) -> dict[str, Any]:
    """Return the remaining budget, without its seconds, which would differ in a resumed run."""
    code = state.session.consumer_code
    looks = {"looks_at_consumers": code.left} if code is not None and code.names else {}
    return {**await common.budget(state), **looks}


async def set_answer(
    state: RunState, text: Value, files: Value = (), overview: Value = "", look_first: Value = "", **answers: Value
) -> str:
    """Take the root's summary and its answers to what the first message asks; the run ends after this block.

    A mapping holds all of them by name.
    """
    if isinstance(text, dict) and isinstance(text.get("text"), str):
        return await set_answer(state, **text)
    said = await common.set_answer(state, text)
    take_answers(state, {"files": files, "overview": overview, "look_first": look_first, **answers})
    return said


def take_answers(state: RunState, data: Mapping[str, Any]) -> None:
    """Record what a root hands in with its summary: the files that it judged, and its notes. A child's are ignored."""
    if state.depth:
        return
    session = state.session
    if session.survey.brief.settings.requirements:
        units = session.tracker.fresh()
        questions = own_checks.questions(session.survey, units)
        session.results.answers += questions.answers(data, units) if questions is not None else ()
    state.named = read.judged(data)
    session.results.issues = from_root(data.get("issues"), session.pull.issues) or session.results.issues
    notes = read.reader_notes(data, whole=True) if session.takes_notes else None
    session.results.reader_notes += [notes] if notes is not None else []


async def _admit(state: RunState, finding: Finding, instead_of: str) -> str:
    checked_finding = await verified(state.session, finding)
    if isinstance(checked_finding, str):
        return _refuse(state, finding.title, checked_finding)
    is_listed = instead_of in {row.fingerprint for row in state.session.results.listed}
    old = _standing(state, instead_of) if instead_of and not is_listed else None
    if isinstance(old, Finding) and await drop(state, instead_of, "corrected") == "dropped":
        passes = (source for source in old.basis.sources if source.kind == "model")
        sources = tuple(dict.fromkeys((*checked_finding.basis.sources, *passes)))
        checked_finding = replace(checked_finding, basis=replace(checked_finding.basis, sources=sources))
    current, before = merge.add_or_replace(state.session.results.findings, checked_finding)
    which = as_shown(state.session, current).fingerprint
    state.refusals.pop(finding.title, None)
    if before is not None and current == replace(before, basis=replace(before.basis, sources=current.basis.sources)):
        return f"refused: it is reported already, as {which} by {before.source}, and this adds nothing"
    lost_proofs = len(finding.evidence) - len(checked_finding.evidence)
    lost = f"{lost_proofs} of {len(finding.evidence)} evidence quotes were not found in the tree and were left out"
    note = f"; {current.verdict.state}" + (f"; {lost}" if lost_proofs > 0 else "")
    if before is None:
        outcome = f"accepted at {current.path}:{current.start}"
    elif current.title == before.title and current.why == before.why:
        outcome = "updated: it keeps its words and takes what is new in yours"
    else:
        outcome = f"updated: it replaces {as_shown(state.session, before).fingerprint} ({before.title!r}), which is about the same lines"
    outcome = f"{which} {outcome}{note}"
    state.note(outcome)
    return outcome


def _refuse(state: RunState, title: object, why: str) -> str:
    """Record a refusal, so that the root sees it before its run ends."""
    if len(state.refusals) < MAX_REFUSALS:
        state.refusals[render.title(str(title)[: common.NOTE_CHARS])] = why[: common.NOTE_CHARS]
    return f"refused: {why}"


def _original(state: RunState, finding: Finding) -> Finding:
    """Return the worker's finding, with its source and proof, if the root reports it unchanged."""
    for offer in state.offered_findings:
        same = all(getattr(offer, name) == getattr(finding, name) for name in ("path", "quote", "title", "why"))
        if same and offer.start in {finding.start, 0}:
            return replace(offer, severity=finding.severity, evidence=offer.evidence or finding.evidence)
    return finding


def _evidence(items: Sequence[Any]) -> tuple[Evidence, ...]:
    pairs = [(i.get("path"), i.get("quote")) if isinstance(i, dict) else i for i in items or ()]
    pairs = [(*pair, None, None)[:2] for pair in pairs if isinstance(pair, (list, tuple))]
    return tuple(Evidence(str(path), str(quote)) for path, quote in pairs if path and quote)
