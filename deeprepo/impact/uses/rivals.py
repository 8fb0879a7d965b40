"""Find other definitions that may be in use instead of a changed one, so that its signature proves nothing.

Another file that may be built instead can define the name differently, and any file can redefine it.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from deeprepo.impact.changes import ChangedSymbol, Query
from deeprepo.impact.language import rules_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import replace
from deeprepo.impact.uses.exports import Exports
from deeprepo.impact.uses.indirect import DECLARATION
from deeprepo.impact.values import Definition


async def with_doubts(
    symbols_by_file: Mapping[str, Sequence[ChangedSymbol]], tree: Tree, exports: Exports
) -> dict[str, tuple[ChangedSymbol, ...]]:
    """Return the symbols. A changed signature that may not be the one in use is marked as opaque."""
    redefined = await _redefined(symbols_by_file, tree)
    alike: dict[object, set[str]] = defaultdict(set)
    for items in symbols_by_file.values():
        for item in items:
            alike[_takes(item)].add(item.symbol.path)
    exact: dict[str, tuple[ChangedSymbol, ...]] = {}
    for path, items in symbols_by_file.items():
        rows = []
        for item in items:
            one = item.symbol
            is_doubtful = item.change == "signature" and (
                (one.path, one.short) in redefined
                or _has_overloads_elsewhere(item)
                or await exports.elsewhere(one.path, one.name, but=alike[_takes(item)])
            )
            rows.append(replace(item, before=_opaque(item.before), after=_opaque(item.after)) if is_doubtful else item)
        exact[path] = tuple(rows)
    return exact


async def _redefined(symbols_by_file: Mapping[str, Sequence[ChangedSymbol]], tree: Tree) -> Collection[tuple[str, str]]:
    """Return the paths and names of changed signatures for which another file has a line that redefines the name."""
    found = set[tuple[str, str]]()
    for path, items in symbols_by_file.items():
        pattern = rules_of(path).redefines
        names = {item.symbol.short for item in items if pattern and item.change == "signature"}
        any_name = pattern.replace("NAME", f"(?:{'|'.join(map(re.escape, sorted(names)))})")
        rows = await tree.grep_lines(Query([any_name], syntax="perl")) if names else ()
        found |= {
            (path, name)
            for other, _, line in rows
            for name in names.intersection(re.findall(r"\w+", line))
            if other != path and re.search(pattern.replace("NAME", re.escape(name)), line)
        }
    return found


def _has_overloads_elsewhere(item: ChangedSymbol) -> bool:
    """Return whether a function with overloads is only declared now, so that another file may define all of them."""
    before, after = item.before, item.after
    is_declared = after is not None and after.kind == DECLARATION and before is not None and before.kind != DECLARATION
    return is_declared and before is not None and before.signature is not None and bool(before.signature.overloads)


def _takes(item: ChangedSymbol) -> object:
    """Return a key of a definition's name and its parameters on both sides."""
    return (item.symbol.name, *(side and side.signature and side.signature.forms for side in (item.before, item.after)))


def _opaque(one: Definition | None) -> Definition | None:
    if one is None or one.signature is None:
        return one
    return replace(one, signature=replace(one.signature, opaque=True))
