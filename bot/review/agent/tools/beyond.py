"""Let the root's code read the repositories that use this one.

Their files have paths of the form "name:path".
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.review.agent.state import RunState
from deeprepo.impact.ports import Tree

# The argument with the path or glob, by position and by name.
PLACES: Mapping[str, tuple[int, str]] = {
    "read": (0, "path"),
    "raw": (0, "path"),
    "search": (1, "glob"),
    "outline": (0, "source"),
    "parsed": (0, "source"),
}
Function = Callable[..., Awaitable[Any]]


async def consumers(state: RunState) -> list[dict[str, Any]]:
    """Return the repositories that are known to use this one: what each takes, whether it breaks, and its lines that use what changed."""
    code = state.session.consumer_code
    return code.describe() if code is not None else []


async def over(name: str, function: Function, state: RunState, *arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401 - whatever it takes
    """Call a function over the change's tree, or over a consumer's tree if the path or glob names one."""
    code = state.session.consumer_code
    position, keyword = PLACES[name]
    place = keywords.get(keyword, arguments[position] if len(arguments) > position else "")
    places = [
        path for path in ([place] if isinstance(place, str) else place) if isinstance(path, str) and "\n" not in path
    ]
    names = {code.repository_of(one) for one in places} - {""} if code is not None else set()
    if code is None or not names:
        return await function(state, *arguments, **keywords)
    if len(names) > 1:
        raise ValueError(f"one search looks into one repository: call {name}() for each of {', '.join(sorted(names))}")
    consumer = names.pop()

    async def look(tree: Tree) -> dict[str, Any]:
        there = replace(
            state,
            session=replace(state.session, tree=tree, survey=replace(state.session.survey, files=())),
            notes={},
            lines=set(),
        )
        value = await function(there, *arguments, **keywords)
        return {"value": value, "notes": [*there.notes]}

    reply = await code.answer(consumer, [name, list(arguments), dict(keywords)], look)
    if "error" in reply:
        raise ValueError(reply["error"])
    for note in reply["result"]["notes"]:
        state.note(note)
    return reply["result"]["value"]


async def texts(state: RunState, paths: Sequence[str]) -> dict[str, str]:
    """Return the consumers' files among these paths, as shown to workers."""
    code = state.session.consumer_code
    if code is None:
        return {}
    contents = {path: await code.text(path) for path in paths if code.repository_of(path)}
    return {path: text for path, text in contents.items() if text}
