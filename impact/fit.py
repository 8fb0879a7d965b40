"""Whether the arguments of a call fit the parameters of what it calls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from impact.filetypes import FileType
from impact.values import Arguments, Parameter


@dataclass(frozen=True, slots=True)
class Wrong:
    """The first thing that is wrong with a call: a keyword that nothing takes, too many arguments, ..."""

    kind: Literal["keyword", "surplus", "twice", "missing", "order"]
    names: tuple[str, ...] = ()  # of the parameters or keywords that it is about


def wrong(parameters: Sequence[Parameter], given: Arguments, language: FileType) -> Wrong | None:
    """What is wrong with a call in a file of a language; None if it fits or nobody can know."""
    places = places_of(parameters)
    kinds = {one.kind for one in parameters}
    accepted = {one.name for one in parameters if one.kind in ("positional", "keyword")}
    unknown = next((word for word in given.keywords if word not in accepted and "named_rest" not in kinds), "")
    if unknown:
        return Wrong("keyword", (unknown,))
    if given.spread:
        return None
    if given.positional > len(places) and "rest" not in kinds and not language.surplus_arguments:
        return Wrong("surplus")
    return _of_names(parameters, given, language) if not language.missing_arguments else None


def _of_names(parameters: Sequence[Parameter], given: Arguments, language: FileType) -> Wrong | None:
    """What is wrong with the parameters that a call gives a value, in a language in which each must get one."""
    places = places_of(parameters)
    twice = next((one.name for one in places[: given.positional] if one.name in given.keywords), "")
    if twice and "only" not in {one.kind for one in places if one.name == twice}:
        return Wrong("twice", (twice,))
    left = [*places[given.positional :], *(one for one in parameters if one.kind == "keyword")]
    missing = tuple(one.name for one in left if one.is_required and one.name not in given.keywords)
    if missing:
        return Wrong("missing", missing)
    order = [one.name for one in parameters if one.kind == "keyword"] if language.ordered_arguments else []
    written = [order.index(word) for word in given.keywords if word in order]
    return Wrong("order") if written != sorted(written) else None


def places_of(parameters: Sequence[Parameter]) -> list[Parameter]:
    """The parameters that take an argument by its place."""
    return [one for one in parameters if one.kind in ("positional", "only")]


def misfit(parameters: Sequence[Parameter], given: Arguments, language: FileType) -> str:
    """What is wrong with a call, as the end of a sentence that begins with "it"; "" if it fits or nobody can know."""
    found, places = wrong(parameters, given, language), places_of(parameters)
    if found is None or found.kind == "order":
        return ""
    if found.kind == "surplus":
        least = sum(one.is_required for one in places)
        takes = str(len(places)) if least == len(places) else f"{least} to {len(places)}"
        return f"takes {takes} {'argument' if takes == '1' else 'arguments'}, not {given.positional}"
    names = " and ".join(map(repr, found.names))
    return {"keyword": f"has no parameter {names}", "twice": f"gets {names} twice", "missing": f"is missing {names}"}[
        found.kind
    ]
