"""Whether a call fits a signature."""

import re
from dataclasses import dataclass, replace

from bot.values import ChangedSymbol, Definition, Parameter, Reference
from impact.filetypes import filetype


@dataclass(frozen=True, slots=True)
class Misfit:
    """What a call gets wrong: the rule, and the clause that reports it after the name of the caller's file."""

    rule: str
    says: str


def insists_on_signatures(definition: str, caller: str) -> bool:
    """Whether both files are in languages that insist on their signatures."""
    return not (filetype(definition).missing_arguments or filetype(caller).missing_arguments)


def misfit(before: Definition, after: Definition, call: Reference) -> Misfit | None:
    """The first thing that is wrong with a call. `before` tells what is new about it. One overload that fits is enough."""
    wrong = _wrong(before, after, call)
    others = (replace(after, parameters=parameters) for parameters in after.also)
    return wrong if wrong is None or all(_wrong(before, other, call) is not None for other in others) else None


def misconstruction(item: ChangedSymbol, call: Reference) -> Misfit | None:
    """What a call gets wrong of a function that became a class, or of a class that became a function without `new`."""
    before, after = item.before, item.after
    constructible = filetype(after.path).constructible if after is not None else ""
    if before is None or after is None or not constructible:
        return None
    is_construction = re.search(rf"\bnew\s+(?:[\w$]{{1,60}}\.)?{re.escape(call.name)}(?![\w$])", call.text) is not None
    if (before.kind, after.kind) == ("function", "class") and not is_construction:
        return Misfit("construction", "still calls it without `new`")
    head = after.head if after.called else ""
    is_plain = after.kind == "function" and not re.match(constructible, head)
    return (
        Misfit("construction", "still calls it with `new`")
        if before.kind == "class" and is_plain and is_construction and head
        else None
    )


def _wrong(before: Definition, after: Definition, call: Reference) -> Misfit | None:
    places = [item for item in after.listed if item.kind in ("positional", "only")]
    kinds = {item.kind for item in after.listed}
    for keyword in call.keywords:
        if not _accepts(after, keyword) and "named_rest" not in kinds:
            sign = filetype(call.path).named_arguments.strip() or "="
            return Misfit("keyword", f"still passes {keyword}{sign}")
    if call.spread:
        return None
    if call.positional > len(places) and "rest" not in kinds and not filetype(call.path).surplus_arguments:
        accepted = {0: "none is", 1: "one is"}.get(len(places), f"{len(places)} are")
        return Misfit("arity", f"still passes {_count(call.positional)}, of which {accepted} accepted")
    left = [*places[call.positional :], *(item for item in after.listed if item.kind == "keyword")]
    missing = [item for item in left if item.is_required and item.name not in call.keywords]
    if missing:
        names_before = {item.name for item in before.listed}
        new = [item for item in after.listed if item.is_required and item.name not in names_before]
        is_left = names_before <= {item.name for item in after.listed}  # else a new name may be that of an old one
        is_new = is_left and len(new) == len(missing)
        return _without(before, (new if is_new else missing)[0], call)
    return _disorder(after, call) if filetype(call.path).ordered_arguments else None


def _disorder(after: Definition, call: Reference) -> Misfit | None:
    """Whether a call names arguments in another order than the parameters have now."""
    order = [item.name for item in after.listed if item.kind == "keyword"]
    places = [order.index(keyword) for keyword in call.keywords if keyword in order]
    if places == sorted(places):
        return None
    return Misfit("keyword", f"still passes {', '.join(call.keywords)} in the old order")


def _accepts(one: Definition, keyword: str) -> bool:
    return any(item.name == keyword and item.kind in ("positional", "keyword") for item in one.listed)


def _without(before: Definition, parameter: Parameter, call: Reference) -> Misfit:
    required_names = {item.name for item in before.listed if item.is_required}
    rule = "arity" if parameter.name in required_names else "required-parameter"
    label = "the destructured parameter" if parameter.name == "{}" else parameter.name
    return Misfit(
        rule, f"passes {_count(call.positional + len(call.keywords))} and leaves out {label}, which is required now"
    )


def _count(number: int) -> str:
    return "no argument" if number == 0 else "1 argument" if number == 1 else f"{number} arguments"
