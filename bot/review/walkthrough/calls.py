"""Calls across files, as far as three or more files meet. Pure."""

from collections import defaultdict
from collections.abc import Sequence

from bot.text.paths import is_test
from bot.values import Dependents, FileCalls

LEAST_FILES, MOST_FILES = 3, 12  # that a sketch draws
MOST_CALLS = 24
NAMES = 3  # of one arrow


def calls(dependents: Dependents) -> tuple[FileCalls, ...]:
    """Who calls into which changed file, product before tests and the most calls first; nothing below three files that meet."""
    names: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in dependents.references:
        callee = row.symbol.rpartition(":")[0]
        if row.form == "call" and not row.is_guessed and callee != row.path:
            names[row.path, callee][row.name] += 1
    sorted_pairs = sorted(names, key=lambda pair: (is_test(pair[0]), -sum(names[pair].values()), pair))
    chosen_pairs = _meeting(_few(sorted_pairs))
    return tuple(
        FileCalls(caller, callee, tuple(sorted(counts, key=lambda name: (-counts[name], name))[:NAMES]))
        for caller, callee in chosen_pairs
        for counts in (names[caller, callee],)
    )


def _few(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """As many pairs as a sketch holds, from the first on."""
    pairs_kept: list[tuple[str, str]] = []
    files: set[str] = set()
    for pair in pairs:
        if len(files | set(pair)) <= MOST_FILES and len(pairs_kept) < MOST_CALLS:
            pairs_kept.append(pair)
            files |= set(pair)
    return pairs_kept


def _meeting(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs of groups that are connected and large enough."""
    group: dict[str, set[str]] = {}
    for one, other in pairs:
        merged_group = group.get(one, {one}) | group.get(other, {other})
        group |= dict.fromkeys(merged_group, merged_group)
    return [pair for pair in pairs if len(group[pair[0]]) >= LEAST_FILES]
