"""Answer a coding agent that wants to stop with what its change still needs, for at most three reviews."""

import json
import sys
import tempfile
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.cli.exits import CLEAN, finish, say, tell
from bot.errors import DeepRepoError, NothingToReview, UsageError
from bot.levels import ReviewEffort, Severity
from bot.machine import files
from bot.stored import agents

if TYPE_CHECKING:
    from bot.values import Review
    from bot.wiring.settling import Round

EFFORT: ReviewEffort = "none"  # where nothing else is typed, as the plugin's hook does
FAIL_ON: Severity = "high"
STATE = "info/deeprepo-agent.json"  # in the git folder, as the list of what is ignored for one person
MAX_INPUT_BYTES = 1 << 20  # bytes of what the agent says, and of the state
GO_ON = (
    1  # the agent stops and its person is shown the sentence; 2 would have it go on for ever where something is wrong
)


def answer(effort: ReviewEffort | None = EFFORT, fail_on: Severity = FAIL_ON) -> int:
    """Answer what the agent says on standard input. Return the exit code; an error is one that lets the agent stop."""
    try:
        given = _given(sys.stdin.buffer.read(MAX_INPUT_BYTES))
        reason = _reason(given, effort, fail_on)
    except NothingToReview:
        return CLEAN
    except DeepRepoError as error:
        tell(f"deeprepo: {error}")
        return GO_ON
    if reason:
        say(json.dumps({"decision": "block", "reason": reason}))
    return CLEAN


def _given(text: bytes) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise UsageError("agent-hook expects JSON on standard input from a coding agent. See docs/command-line.md")
    return given


def _reason(given: dict[str, Any], effort: ReviewEffort | None, fail_on: Severity) -> str:
    """Return the instruction for the agent, or "". Raises DeepRepoError; NothingToReview where nothing has changed."""
    from bot.checkout.locate import git_dir
    from bot.outputs import facts, handover
    from bot.render import text
    from bot.values import at_least
    from bot.wiring import settling

    repo, session = str(given.get("cwd") or "."), str(given.get("session_id", ""))
    folder = Path(git_dir(repo))
    last, is_new = _last(folder, session), given.get("stop_hook_active") is not True
    if last is None and not is_new:
        return ""  # it goes on for another hook's sake, or nothing is known of our rounds: no loop begins here
    review, given_answers = finish(_reviewed(repo, effort))
    listed = [
        placed_finding
        for placed_finding in facts.listing(review).all
        if at_least(placed_finding.finding.severity, fail_on)
    ]
    findings = [placed_finding.finding for placed_finding in listed]
    round_ = settling.settle(review, findings, given_answers, last, is_new=is_new)
    files.write(folder / STATE, agents.write(session, asdict(round_)), below=folder, folders=True)
    if round_.settled or not round_.open:
        return ""
    mine = [placed_finding for placed_finding in listed if placed_finding.finding.number in round_.open]
    prompt = handover.prompt(mine, review.pull.head, handover.MAX_PROMPT_BYTES)
    return text("agent_stop.txt.j2", round=round_, most=settling.MAX_ROUNDS, prompt=prompt.strip()).strip()


async def _reviewed(repo: str, effort: ReviewEffort | None) -> "tuple[Review, tuple[tuple[int, str], ...]]":
    """The review of uncommitted work, or without any of what HEAD adds; and the findings that the code answers."""
    from bot import wiring
    from bot.checkout import typed
    from bot.cli import reviewing
    from bot.wiring.settling import answers

    flags = {"effort": effort, "local": reviewing.local(repo)}
    for is_uncommitted in (True, False):
        request = typed.read(None, repo, staged=False, uncommitted=is_uncommitted)
        try:
            with tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch:
                review = await wiring.local_review(request, flags, scratch, lambda _: None, warn=tell)
                return review, await answers(review.pull, review.open_findings)
        except NothingToReview:
            if not is_uncommitted:
                raise
    raise NothingToReview("there is no change")


def _last(folder: Path, session: str) -> "Round | None":
    """Return this session's last review, or None if nothing usable is stored."""
    from bot.wiring.settling import Round

    values = agents.read(files.content(folder / STATE, MAX_INPUT_BYTES, below=folder), session)
    if values is None:
        return None
    try:
        return Round(**{each.name: values[each.name] for each in fields(Round) if each.name in values})
    except TypeError:
        return None
