"""Recognize calls that a new signature still accepts, but that may now do something else.

Parsers, compilers and the comparison of parameters accept them. There are two kinds: an argument reaches
another parameter because parameters changed places, or nothing waits for a function that became asynchronous.
"""

import re

from deeprepo.impact.changes import ChangedSymbol, Reference
from deeprepo.impact.language import rules_of
from deeprepo.impact.text.definitions import parts_of
from deeprepo.impact.values import Definition

# What a function returns that is finished later, or says about itself
_LATER = re.compile(r"\basync\b|\b(?:Promise|PromiseLike|Task|ValueTask|Future|Awaitable|Coroutine)\b")
# A line that waits for a result, or passes it on to something that may
_WAITS = re.compile(
    r"\bawait\b|\.(?:then|catch|finally|unwrap|Wait|Result|GetAwaiter|add_done_callback)\b"
    r"|\b(?:spawn\w*|block_on|gather|create_task|ensure_future|run|run_\w+|runBlocking|resolve|all|allSettled|race|join|select|WhenAll|Run)\s*\("
)
_HANDS_ON = re.compile(r"(?:=>|\b(?:return|yield|void|go))$")
# The end of what is before a call whose result is used: `x = `, `show(`, `if (!`, `total: `
_USED = re.compile(r"(?:(?<![=!<>])=|[(,:\[!&|?+*/%<>-]|\b(?:if|while|in|not|and|or|is|case|match))\s*$")
_RECEIVER = re.compile(r"(?:[\w$]+(?:\(\))?(?:\.|::|->|\?\.|!\.))+$")


def why_outdated(call: Reference, item: ChangedSymbol) -> str:
    """Return what may be wrong with a call that the new signature accepts, as a clause; "" if nothing is known."""
    if call.arguments is None or not call.is_certain or item.signatures is None or item.is_renamed:
        return ""
    before, after = item.signatures
    if before.opaque or after.opaque:
        return ""
    name = item.symbol.name
    moved = after.moved_places(before)
    if not call.arguments.spread and any(place < call.arguments.positional for place in moved):
        return f"the parameters of {name} changed places"
    is_newly_late = (
        item.before is not None and item.after is not None and _is_late(item.after) and not _is_late(item.before)
    )
    return f"{name} became asynchronous, and nothing here waits for it" if is_newly_late and _needs_now(call) else ""


def _is_late(definition: Definition) -> bool:
    before, _, behind = parts_of(definition.head)
    return _LATER.search(before) is not None or _LATER.search(behind) is not None


def _needs_now(call: Reference) -> bool:
    """Return whether the line uses the result immediately, or runs nothing without waiting."""
    start = re.search(rf"(?<![\w$]){re.escape(call.name)}\s*(?:<[^<>()]*>)?\(", call.text)
    if start is None or _WAITS.search(call.text):
        return False
    before = _RECEIVER.sub("", call.text[: start.start()]).strip()
    if not before:
        return rules_of(call.path).calls.runs_when_awaited
    return _HANDS_ON.search(before) is None and _USED.search(before) is not None
