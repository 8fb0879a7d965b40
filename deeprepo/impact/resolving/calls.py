"""Compare a call with the parameters of a definition."""

from collections.abc import Sequence
from typing import Literal

from deeprepo.impact.language import Language
from deeprepo.impact.structs import Struct
from deeprepo.impact.values import Arguments, Parameter, positional


class Wrong(Struct, frozen=True):
    """The first problem of a call, such as an unknown keyword or too many arguments."""

    kind: Literal["keyword", "surplus", "twice", "missing", "order"]
    names: tuple[str, ...] = ()  # of the parameters or keywords concerned


def misfit(rules: Language, given: Arguments, parameters: Sequence[Parameter]) -> Wrong | None:
    """Return what is wrong with a call for these parameters; None if it matches or is unknown."""
    kinds = {one.kind for one in parameters}
    accepted = {one.name for one in parameters if one.kind in ("positional", "keyword")}
    unknown = next((word for word in given.keywords if word not in accepted and "named_rest" not in kinds), "")
    if unknown:
        return Wrong("keyword", (unknown,))
    if given.spread:
        return None
    is_surplus = given.positional > len(positional(parameters)) and "rest" not in kinds
    if is_surplus and not rules.calls.surplus_arguments:
        return Wrong("surplus")
    return None if rules.calls.missing_arguments else _unfilled(rules, given, parameters)


def _unfilled(rules: Language, given: Arguments, parameters: Sequence[Parameter]) -> Wrong | None:
    """Return what is wrong with a call in a language where every parameter needs a value, or None."""
    places = positional(parameters)
    twice = next((one.name for one in places[: given.positional] if one.name in given.keywords), "")
    if twice and "only" not in {one.kind for one in places if one.name == twice}:
        return Wrong("twice", (twice,))
    left = [*places[given.positional :], *(one for one in parameters if one.kind == "keyword")]
    missing = tuple(one.name for one in left if one.is_required and one.name not in given.keywords)
    if missing:
        return Wrong("missing", missing)
    order = [one.name for one in parameters if one.kind == "keyword"] if rules.ordered_arguments else []
    written = [order.index(word) for word in given.keywords if word in order]
    return Wrong("order") if written != sorted(written) else None
