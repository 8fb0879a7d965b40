"""Answer a coding agent's Stop hook.

While the agent's change has open findings, the answer instructs the agent to fix them, at most three times.
"""

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

EFFORT: ReviewEffort = "none"  # the default, which the plugin's hook uses
FAIL_ON: Severity = "high"
STATE = "info/deeprepo-agent.json"  # in the git folder, next to the user's list of ignored findings
MAX_INPUT_BYTES = 1 << 20  # of the agent's input, and of the state
# With exit code 1, the agent stops and shows the message to its user. With 2, it would continue forever if an
# error persists.
ERROR_STATUS = 1


def answer(effort: ReviewEffort | None = EFFORT, fail_on: Severity = FAIL_ON) -> int:
    """Read the hook's input from standard input, print the answer, and return the exit code.

    After an error, the agent is allowed to stop.
    """
    try:
        hook_input = _parse(sys.stdin.buffer.read(MAX_INPUT_BYTES))
        reason = _reason(hook_input, effort, fail_on)
    except NothingToReview:
        return CLEAN
    except DeepRepoError as error:
        tell(f"deeprepo: {error}")
        return ERROR_STATUS
    if reason:
        say(json.dumps({"decision": "block", "reason": reason}))
    return CLEAN


def _parse(text: bytes) -> dict[str, Any]:
    """Return the hook's input. Raises UsageError if it is not a JSON object."""
    try:
        hook_input = json.loads(text)
    except ValueError:
        hook_input = None
    if not isinstance(hook_input, dict):
        raise UsageError("agent-hook expects JSON on standard input from a coding agent. See docs/command-line.md")
    return hook_input


def _reason(hook_input: dict[str, Any], effort: ReviewEffort | None, fail_on: Severity) -> str:
    """Review the agent's change, and return what the agent still has to do, or "" if it may stop.

    Raises NothingToReview if nothing has changed, and DeepRepoError.
    """
    from bot.checkout.locate import git_dir
    from bot.outputs import facts, handover
    from bot.render import text
    from bot.values import at_least
    from bot.wiring import settling

    repo, session = str(hook_input.get("cwd") or "."), str(hook_input.get("session_id", ""))
    folder = Path(git_dir(repo))
    last, is_new = _last(folder, session), hook_input.get("stop_hook_active") is not True
    if last is None and not is_new:
        return ""  # another hook keeps the agent going, or our state was lost: don't start an endless loop
    review, answers = finish(_review(repo, effort))
    listed = [
        placed_finding
        for placed_finding in facts.listing(review).all
        if at_least(placed_finding.finding.severity, fail_on)
    ]
    findings = [placed_finding.finding for placed_finding in listed]
    round_ = settling.settle(review, findings, answers, last, is_new=is_new)
    files.write(folder / STATE, agents.write(session, asdict(round_)), below=folder, folders=True)
    if round_.settled or not round_.open:
        return ""
    mine = [placed_finding for placed_finding in listed if placed_finding.finding.number in round_.open]
    prompt = handover.prompt(mine, review.pull.head, handover.MAX_PROMPT_BYTES)
    return text("agent_stop.txt.j2", round=round_, most=settling.MAX_ROUNDS, prompt=prompt.strip()).strip()


async def _review(repo: str, effort: ReviewEffort | None) -> "tuple[Review, tuple[tuple[int, str], ...]]":
    """Review the uncommitted work, or if there is none, the commits that HEAD adds to the default branch.

    Return the review, and the findings that a comment in the code postpones. Raises NothingToReview.
    """
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
