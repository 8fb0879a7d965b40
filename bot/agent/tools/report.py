"""How the root's code hands in what it found, and how it ends."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot.agent.state import RunState
from bot.agent.tools import ask
from bot.findings.read import CATEGORIES
from bot.repl.stdlib import Value
from bot.review.session import admit
from bot.values import SEVERITIES, Evidence, Finding

MAX_ANSWER = 60_000  # characters
MAX_TITLE = 200


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
) -> str:
    """The finding's id, or "refused: " and the reason. Its quotes are looked up in the tree; nothing is taken on trust."""
    if severity not in SEVERITIES:
        return f"refused: severity must be one of {', '.join(SEVERITIES)}"
    if not str(title).strip() or not str(why).strip():
        return "refused: title and why must say something"
    given = Finding(
        path=str(path),
        quote=str(quote),
        title=" ".join(str(title).split())[:MAX_TITLE],
        why=str(why).strip(),
        consequence=str(consequence or "").strip(),
        severity=severity,
        category=category if category in CATEGORIES else "other",
        source=state.author,
        start=int(start or 0),
        evidence=_evidence(evidence),
        suggestion=suggestion,
    )
    return await _admitted(state, _original(state, given))


async def drop(state: RunState, id: str, reason: str) -> str:  # noqa: A002 - the name that models know it by
    """Take a finding back. The reason is kept in the transcript."""
    wanted, findings = str(id).split()[:1], state.session.findings
    gone = [finding for finding in findings if [finding.fingerprint] == wanted]
    if not gone:
        return f"refused: there is no finding {id}; findings() lists them"
    if gone[0].verdict == "proven":  # text under review may talk a root into silence, but not out of a fact
        return "refused: code has proven it, so it stands whatever is said about it"
    findings[:] = [finding for finding in findings if finding not in gone]
    state.dropped.append(f"{gone[0].path}:{gone[0].start} {gone[0].title}: {reason}")
    return "dropped"


async def findings(state: RunState) -> list[dict[str, Any]]:
    """Every finding that stands so far, with its id, line and who found it."""
    return [
        {"id": f.fingerprint, "line": f.start, "by": f.source, "verdict": f.verdict, **ask.told(f)}
        for f in state.session.findings
    ]


async def coverage(state: RunState) -> dict[str, Any]:
    """What was read and what was not."""
    seen, unread = state.session.tracker.coverage(), state.session.tracker.unread()
    return {
        "units": seen.count("unit"),
        "reviewed": seen.count("unit", "reviewed", "reused"),
        "unread": [unit.id for unit in unread],
        "dependents": seen.count("dependent"),
        "uses_open": [f"{row.path}:{row.line} {row.reason}" for row in seen.open if row.kind == "use"],
        "dependents_unread": list(dict.fromkeys(row.path for row in seen.open if row.kind == "use")),
        "skipped_files": [list(pair) for pair in seen.skipped_files],
    }


async def budget(state: RunState) -> dict[str, Any]:
    """What is left. No seconds: they would make every replay another run."""
    left = state.session.calls.budget.left()
    return {"usd": left.usd, "tokens": left.tokens, "calls": left.calls}


async def set_answer(state: RunState, text: Value) -> str:
    """The root's summary; the run ends after this block."""
    state.final = str(text)[:MAX_ANSWER]
    return "the answer is set; the run ends after this block"


async def final_var(state: RunState, name: str) -> str:
    """The value of a variable as the summary; the run ends after this block."""
    state.final_name = str(name).strip()
    return "the answer is set; the run ends after this block"


async def show_vars(state: RunState) -> str:
    """The names that earlier blocks assigned."""
    return f"assigned by your blocks: {', '.join(state.names) or 'nothing yet'}"


async def _admitted(state: RunState, finding: Finding) -> str:
    known = {f.fingerprint for f in state.session.findings}
    done = await admit(state.session, finding)
    if isinstance(done, str):
        return f"refused: {done}"
    which = done.fingerprint
    state.reported.append(which)
    lost = len(finding.evidence) - len(done.evidence)
    note = (
        f" ({lost} of {len(finding.evidence)} evidence quotes do not stand in the tree and were left out)"
        if lost > 0
        else ""
    )
    return f"{which}{note}" if which not in known else f"{which} (the same words elsewhere were reported before)"


def _original(state: RunState, given: Finding) -> Finding:
    """What a worker found and the root hands on unchanged keeps its finder, its rule and its proof."""
    for offered in state.offered.values():
        same = (offered.path, offered.quote, offered.title, offered.why) == (
            given.path,
            given.quote,
            given.title,
            given.why,
        )
        if same and offered.start in {given.start, 0}:
            return replace(offered, severity=given.severity, evidence=offered.evidence or given.evidence)
    return given


def _evidence(given: Sequence[Any]) -> tuple[Evidence, ...]:
    """[path, quote] pairs, or dicts of the two, as models write them."""
    pairs = [(i.get("path"), i.get("quote")) if isinstance(i, dict) else i for i in given or ()]
    pairs = [(*pair, None, None)[:2] for pair in pairs if isinstance(pair, (list, tuple))]
    return tuple(Evidence(str(path), str(quote)) for path, quote in pairs if path and quote)
