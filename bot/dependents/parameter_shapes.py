"""What the parameters of a signature take, whatever they are called: by this a compiler tells overloads apart, and what overrides what."""

import re

from bot.values import Signature, Symbol

BEGIN, END = "([{<", ")]}>"
RECEIVER = re.compile(r"^func\s*+\([^)]{0,200}\)")  # of a method of Go
OWN = re.compile(r"\s*+&?\s*+(?:'\w+\s++)?(?:mut\s++)?self\b")  # of a method of Rust
DEFAULT = re.compile(r"(?<![=<>!])=(?![=>])")
TOKEN = re.compile(r"\w+|[^\w\s]")
MODIFIERS = frozenset({"final", "mut", "const"})


def shape(signature: Signature, *, labels: bool = False) -> tuple[str, ...]:
    """The parameters without their defaults and their names; `labels`: with the names, which belong to the name of the function."""
    names = {one.name for one in signature.parameters} | MODIFIERS
    plain = [DEFAULT.split(one, maxsplit=1)[0] for one in _parameters(signature.text) if not OWN.match(one)]
    if labels:
        return tuple(" ".join(one.split()) for one in plain)
    return tuple(" ".join(word for word in TOKEN.findall(one) if word not in names) for one in plain)


def asks_for_pointer(was: Symbol, now: Symbol) -> bool:
    """Whether a method of Go that values had is now one of pointers alone: a value satisfies no interface by it any more."""
    if was.signature is None or now.signature is None:
        return False
    before, after = (RECEIVER.match(one.signature.text) for one in (was, now) if one.signature is not None)
    return before is not None and after is not None and "*" in after[0] and "*" not in before[0]


def _parameters(text: str) -> list[str]:
    """The parameters of a signature as they are written."""
    _, _, rest = RECEIVER.sub("", text).partition("(")
    parts, depth, at = [], 0, 0
    for index, letter in enumerate(rest):
        is_arrow = letter == ">" and rest[index - 1 : index] in ("-", "=")
        depth += (letter in BEGIN) - (letter in END and not is_arrow)
        if depth < 0 or (letter == "," and not depth):
            parts.append(rest[at:index])
            at = index + 1
        if depth < 0:
            break
    return [one for one in parts if one.strip()]
