"""Whether the arguments of a call fit the parameters of what it calls."""

from collections.abc import Sequence

from impact.language import CallRules
from impact.values import Arguments, Parameter


def misfit(parameters: Sequence[Parameter], given: Arguments, rules: CallRules) -> str:
    """What is wrong with a call, as the end of a sentence that begins with "it"; "" if it fits or nobody can know."""
    places = [one for one in parameters if one.kind in ("positional", "only")]
    kinds = {one.kind for one in parameters}
    accepted = {one.name for one in parameters if one.kind in ("positional", "keyword")}
    for keyword in given.keywords:
        if keyword not in accepted and "named_rest" not in kinds:
            return f"has no parameter '{keyword}'"
    if given.spread:
        return ""
    if given.positional > len(places) and "rest" not in kinds and not rules.positional_surplus:
        least = sum(one.is_required for one in places)
        takes = str(len(places)) if least == len(places) else f"{least} to {len(places)}"
        return f"takes {takes} {'argument' if takes == '1' else 'arguments'}, not {given.positional}"
    if rules.missing:
        return ""
    twice = next((one.name for one in places[: given.positional] if one.name in given.keywords), "")
    if twice and places and "only" not in {one.kind for one in places if one.name == twice}:
        return f"gets '{twice}' twice"
    missing = [
        one.name
        for at, one in enumerate(places)
        if one.is_required and at >= given.positional and one.name not in given.keywords
    ]
    missing += [
        one.name for one in parameters if one.kind == "keyword" and one.is_required and one.name not in given.keywords
    ]
    return f"is missing {' and '.join(repr(name) for name in missing)}" if missing else ""
