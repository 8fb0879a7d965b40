"""Recognize calls that a new signature still accepts, but that may now do something else.

The comparison of parameters accepts them. There are four kinds: an argument reaches another parameter because
parameters changed places, a parameter's type is of another kind now, a line waits for a function that is no
longer asynchronous (or the reverse), or it uses a result that is now wrapped in another type or has other parts.
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
_AWAITS = re.compile(r"\bawait\b")
_THROWS = re.compile(r"\s*(?:async\s+)?throws\s*(?:->|\{|where\b|$)")
_RECEIVES = re.compile(r"(?:&\s*)?(?:'\w+\s+)?(?:mut\s+)?(?:self|this)\b")  # the object itself
_WITHOUT = re.compile(
    r"@\w+(?:\([^()]*\))?|\[[\w.]+(?:\([^()]*\))?\]\s|'\w+\b|[&*$?!]|\b(?:const|final|in|ref|mut|inout|struct|unsigned|signed|readonly|val|var|_)\b"
)
_PLAIN = frozenset(
    """bool boolean Boolean Bool byte Byte char Char short Short int Int Integer long Long float Float double Double number string String str i8
    i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float32 float64
    Int32 Int64 UInt size_t int32_t int64_t uint32_t uint64_t decimal""".split()  # noqa: SIM905
)
_ACCEPTS_MUCH = frozenset(
    """Any Object Number Numeric CharSequence Comparable Serializable StringProtocol BinaryInteger Self Node Value JsonNode JSValue
    StringView StringPiece StringRef Path URL Uri Url Duration Date""".split()  # noqa: SIM905
)
_HANDS_ON = re.compile(r"(?:=>|\b(?:return|yield|void|go))$")
# The end of what is before a call whose result is used: `x = `, `show(`, `if (!`, `total: `, `${`, `f"{`
_USED = re.compile(
    r"(?:(?<![=!<>])=|[(,:\[!&|?+*/%<>-]|[$#]\{|(?:(?<![\w\"'])[rR]?[fF][rR]?|\$@?)([\"'])(?:(?!\1).){0,200}\{"
    r"|\b(?:if|while|in|not|and|or|is|case|match))\s*$"
)
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
    name, was, now = item.symbol.name, item.before, item.after
    is_collected = any(one.kind == "rest" for one in after.parameters)  # so no argument reaches a named parameter
    moved = after.moved_places(before) if not is_collected else ()
    passed = call.arguments.positional if not call.arguments.spread and not call.is_handled else 0
    if any(place < passed for place in moved):
        return f"the parameters of {name} changed places"
    if was is None or now is None:
        return ""
    if any(place < passed for place in other_kinds(was.head, now.head)):
        return f"{name} takes a value of another type now"
    return _why_result(call, was, now, name)


def _why_result(call: Reference, was: Definition, now: Definition, name: str) -> str:
    """Return what may be wrong with the use of a call's result, as a clause."""
    late, throws = ([is_so(side) for side in (was, now)] for is_so in (_is_late, _throws))
    if throws == [False, True] and call.call and not re.search(r"\btry\b", call.text):
        return f"{name} may throw now, and this line has no `try`"
    if late == [True, False]:
        is_refused = rules_of(call.path).calls.runs_when_awaited and _AWAITS.search(call.text)
        return f"{name} is no longer asynchronous, and this line waits for it" if is_refused else ""
    if late == [False, True]:
        return f"{name} became asynchronous, and nothing here waits for it" if _needs_now(call) else ""
    return f"{name} returns something else" if _is_wrapped(was, now, call) else ""


def _throws(definition: Definition) -> bool:
    return _THROWS.match(parts_of(definition.head)[2]) is not None


def other_kinds(before: str, after: str) -> list[int]:
    """Return the places of parameters whose type was a class and is a number, text or truth value now, or the reverse."""
    pairs = [[part for part in parts_of(head)[1] if not _RECEIVES.match(part)] for head in (before, after)]
    if len(pairs[0]) != len(pairs[1]):
        return []
    kinds = [
        tuple(_kind_of(part, head) for part, head in zip(both, (before, after), strict=True))
        for both in zip(*pairs, strict=True)
    ]
    return [at for at, (was, now) in enumerate(kinds) if was and now and (was == "class") != (now == "class")]


def _kind_of(parameter: str, head: str) -> str:
    """Return the kind of a parameter's type; "" if it is unknown, generic or may accept several."""
    if re.match(r"(?:const\s+)?(?:struct|enum)\s", parameter):
        return "class"
    text = _WITHOUT.sub(" ", parameter.partition("=")[0])
    words = text.split(":", 1)[1].split() if ":" in text.replace("::", "") else text.split()
    if ":" not in text.replace("::", ""):  # `user User` after `func`, else `User user`
        words = words[1:] if head.startswith("func") else words[:-1]
    if len(words) != 1 or not (match := re.fullmatch(r"(?:\w+(?:\.|::|\\))*(\w+)", words[0])):
        return ""
    if match[1] in _PLAIN:
        return "plain"
    is_class = re.fullmatch(r"[A-Z][A-Z0-9_]*+[a-z]\w*+", match[1]) and match[1] not in _ACCEPTS_MUCH
    before, name = parts_of(head)[0], re.escape(match[1])
    is_generic = re.search(
        rf"(?:^|\s|template)<[^()>]{{0,200}}\b{name}\b|[<\[][^()<>]{{0,200}}\b{name}\b[^()<>]{{0,200}}[>\]]\s*+$",
        before,
    )
    return "class" if is_class and not is_generic else ""


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
