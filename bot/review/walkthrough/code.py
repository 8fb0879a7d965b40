"""The sentences and phrases by code. Each is true whatever the change is: it counts what the survey holds and guesses nothing. Pure."""

from collections import Counter
from collections.abc import Sequence

from bot.render import Phrases
from bot.review.walkthrough import symbols
from bot.review.walkthrough.lists import coded, joined, names
from bot.values import ChangedFile, ChangedSymbol, Dependents

STATUSES = ("added", "deleted", "renamed", "modified")
USED = 3  # definitions whose users are counted


def overview(files: Sequence[ChangedFile], dependents: Dependents, words: Phrases) -> str:
    """Two to four sentences: the extent, what becomes of which definitions, and who uses them."""
    said = (_extent(files, words), _definitions(dependents.symbols, words), _users(files, dependents, words))
    return " ".join(filter(None, said))


def phrase(file: ChangedFile, mine: Sequence[ChangedSymbol], words: Phrases) -> str:
    """What the change does to one file."""
    found = symbols.deeds(mine)
    if file.status == "added":
        return _with(words.say("walk_new"), found.get("adds", ()), words)
    if file.status == "deleted":
        return _with(words.say("walk_deleted"), found.get("removes", ()), words)
    said = [words.say(f"walk_{deed}", names=names(rows, words)) for deed, rows in found.items()]
    if file.status == "renamed" and file.old_path:
        said.insert(0, words.say("walk_renamed_from", path=coded(file.old_path)))
    size = f"+{words.number(len(file.added_lines))} -{words.number(len(file.removed_lines))}"
    return (
        "; ".join(said) if said else file.note if not (file.added_lines or file.removed_lines) and file.note else size
    )


def _with(head: str, found: Sequence[str], words: Phrases) -> str:
    return f"{head}: {names(found, words)}" if found else head


def _extent(files: Sequence[ChangedFile], words: Phrases) -> str:
    counted = Counter[str](file.status for file in files)
    said = joined([words.say(f"walk_{name}_files", counted[name]) for name in STATUSES if counted[name]], words)
    added, removed = sum(len(file.added_lines) for file in files), sum(len(file.removed_lines) for file in files)
    if not added and not removed:
        return f"{said}."
    lines = f"+{words.number(added)} -{words.number(removed)}"
    most = _most(files)
    if most:
        return words.say("walk_extent_mostly", what=said, lines=lines, folder=coded(f"{most}/"))
    return words.say("walk_extent", what=said, lines=lines)


def _most(files: Sequence[ChangedFile]) -> str:
    """The folder with more than half of the changed lines, if other folders have some too."""
    lines = Counter[str]()
    for file in files:
        lines[file.path.rpartition("/")[0]] += len(file.added_lines) + len(file.removed_lines)
    if len(lines) <= 1:
        return ""
    folder, number = lines.most_common(1)[0]
    return folder if 2 * number > lines.total() else ""


def _definitions(changed: Sequence[ChangedSymbol], words: Phrases) -> str:
    found = symbols.deeds(symbols.product(changed))
    said = [words.say(f"walk_{deed}", names=names(rows, words)) for deed, rows in found.items()]
    return words.say("walk_definitions", what=joined(said, words)) if said else ""


def _users(files: Sequence[ChangedFile], dependents: Dependents, words: Phrases) -> str:
    """Who relies on what changed, outside the change. "At least" if the search may have missed some."""
    found = symbols.used(dependents, frozenset(path for file in files for path in (file.path, file.old_path) if path))
    found = [one for one in found if one.contract] or found
    if not found:
        return ""
    shown = found[:USED]
    least = "" if symbols.complete(dependents) else f"{words.say('walk_least')} "
    places = words.say("walk_places", len(frozenset[tuple[str, int]]().union(*(one.places for one in shown))))
    paths = list(dict.fromkeys(path for one in shown for path in one.files))
    where = coded(paths[0]) if len(paths) == 1 else words.say("files", len(paths))
    what = names(list(dict.fromkeys(coded(one.name) for one in shown)), words)
    return words.say("walk_users", what=what, places=f"{least}{places}", where=where)
