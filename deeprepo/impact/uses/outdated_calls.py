"""Recognize calls that a new signature still accepts, but that may now do something else.

The comparison of parameters accepts them. There are three kinds: an argument reaches another parameter because
parameters changed places, nothing waits for a function that became asynchronous, or a line uses a result that
is now wrapped in another type or has other parts.
"""

import re

from deeprepo.impact.changes import ChangedSymbol, Reference
from deeprepo.impact.language import rules_of
from deeprepo.impact.text.definitions import parts_of, result_of
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
# Types whose values are used like the wrapped ones
_TRANSPARENT = frozenset(
    """Annotated Arc Box ClassVar Cow Final Lazy Nullable NotNull NonNull Partial Rc Readonly Ref Required Union const shared_ptr
    unique_ptr""".split()  # noqa: SIM905
)
_MAY_BE_NONE = "Optional["  # which adds no layer; `Optional<` is a class
_ON_NOTHING = re.compile(r"\.(?:let|also|run|apply|takeIf|orEmpty|toString|isNull\w*|equals|hashCode|map|flatMap)\b")
_RECEIVER = re.compile(r"(?<![\w$.])(?<!::)(?<!->)(?:[\w$]++(?:\(\))?(?:\.|::|->|\?\.|!\.))++$")


def why_outdated(call: Reference, item: ChangedSymbol) -> str:
    """Return what may be wrong with a call that the new signature accepts, as a clause; "" if nothing is known."""
    if call.arguments is None or not call.is_certain or item.signatures is None or item.is_renamed:
        return ""
    before, after = item.signatures
    if before.opaque or after.opaque:
        return ""
    name = item.symbol.name
    is_collected = any(one.kind == "rest" for one in after.parameters)  # so no argument reaches a named parameter
    moved = after.moved_places(before) if not is_collected else ()
    if not call.arguments.spread and any(place < call.arguments.positional for place in moved):
        return f"the parameters of {name} changed places"
    was, now = item.before, item.after
    if was is None or now is None:
        return ""
    if _is_late(now) and not _is_late(was):
        return f"{name} became asynchronous, and nothing here waits for it" if _needs_now(call) else ""
    return f"{name} returns something else" if _is_wrapped(was, now, call) else ""


def _is_wrapped(was: Definition, now: Definition, call: Reference) -> bool:
    """Return whether a line uses a result that is wrapped now: `Order` is `Optional<Order>`, `error` is `(bool, error)`."""
    before, after = result_of(was.head, was.short), result_of(now.head, now.short)
    if not before or not after or before == after or "=>" in before + after:
        return False
    if after == f"{before}?":
        behind = _behind(call)
        return behind.startswith(".") and _ON_NOTHING.match(behind) is None
    if before.startswith("(") or after.startswith("("):
        return _parts(before) != _parts(after) and _uses_result(call)
    holder = re.fullmatch(rf"(?:\w+(?:\.|::))*(\w+[<\[]){re.escape(before)}(?:,.*)?[>\]]", after)
    is_list = after in (f"{before}[]", f"[]{before}", f"[{before}]")
    is_held = holder is not None and holder[1] != _MAY_BE_NONE and holder[1][:-1] not in _TRANSPARENT
    return (is_list or is_held) and _uses_result(call)


def _parts(result: str) -> int:
    """Return how many values a function returns."""
    return len(parts_of(f"f{result}")[1]) if result.startswith("(") else 1


def _uses_result(call: Reference) -> bool:
    start = _start(call)
    before = _RECEIVER.sub("", call.text[: start.start()]).strip() if start is not None else ""
    return (
        _HANDS_ON.search(before) is None and _USED.search(before) is not None and not re.search(r"\b_\s*:?=$", before)
    )


def _behind(call: Reference) -> str:
    """Return what follows a call on its line."""
    start, depth = _start(call), 0
    for at in range(start.end() - 1, len(call.text)) if start is not None else ():
        depth += {"(": 1, ")": -1}.get(call.text[at], 0)
        if depth == 0:
            return call.text[at + 1 :].strip()
    return ""


def _start(call: Reference) -> re.Match[str] | None:
    return re.search(rf"(?<![\w$]){re.escape(call.name)}\s*(?:<[^<>()]*>)?\(", call.text)


def _is_late(definition: Definition) -> bool:
    before, _, behind = parts_of(definition.head)
    return _LATER.search(before) is not None or _LATER.search(behind) is not None


def _needs_now(call: Reference) -> bool:
    """Return whether the line uses the result immediately, or runs nothing without waiting."""
    start = _start(call)
    if start is None or _WAITS.search(call.text):
        return False
    before = _RECEIVER.sub("", call.text[: start.start()]).strip()
    if not before:
        return rules_of(call.path).calls.runs_when_awaited
    return _HANDS_ON.search(before) is None and _USED.search(before) is not None
