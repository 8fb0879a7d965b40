"""The sentences and phrases by code. Each is true whatever the change is: it counts what the survey holds and guesses nothing. Pure."""

from collections import Counter
from collections.abc import Sequence

from bot.render import Phrases
from bot.review.walkthrough import symbols
from bot.review.walkthrough.lists import as_code, join, names
from bot.values import ChangedFile, ChangedSymbol, Dependents

STATUSES = ("added", "deleted", "renamed", "modified")
USED = 3  # definitions whose users are counted


def overview(files: Sequence[ChangedFile], dependents: Dependents, words: Phrases) -> str:
    """Two to four sentences: the extent, what becomes of which definitions, and who uses them."""
    sentences = (_extent(files, words), _definitions(dependents.symbols, words), _users(files, dependents, words))
    return " ".join(filter(None, sentences))


def phrase(file: ChangedFile, mine: Sequence[ChangedSymbol], words: Phrases) -> str:
    """What the change does to one file."""
    names_by_deed = symbols.deeds(mine, words)
    if file.status == "added":
        return _with(words.say("walk_new"), names_by_deed.get("adds", ()), words)
    if file.status == "deleted":
        return _with(words.say("walk_deleted"), names_by_deed.get("removes", ()), words)
    phrases = [words.say(f"walk_{kind}", names=names(rows, words)) for kind, rows in names_by_deed.items()]
    if file.status == "renamed" and file.old_path:
        phrases.insert(0, words.say("walk_renamed_from", path=as_code(file.old_path)))
    size = f"+{words.number(len(file.added_lines))} -{words.number(len(file.removed_lines))}"
    return (
        "; ".join(phrases)
        if phrases
        else file.note
        if not (file.added_lines or file.removed_lines) and file.note
        else size
    )


def _with(head: str, sentences: Sequence[str], words: Phrases) -> str:
    return f"{head}: {names(sentences, words)}" if sentences else head


def _extent(files: Sequence[ChangedFile], words: Phrases) -> str:
    counts = Counter[str](file.status for file in files)
    files_text = join([words.say(f"walk_{name}_files", counts[name]) for name in STATUSES if counts[name]], words)
    added_count, removed_count = (
        sum(len(file.added_lines) for file in files),
        sum(len(file.removed_lines) for file in files),
    )
    if not added_count and not removed_count:
        return f"{files_text}."
    lines = f"+{words.number(added_count)} -{words.number(removed_count)}"
    most = _most(files)
    if most:
        return words.say("walk_extent_mostly", what=files_text, lines=lines, folder=as_code(f"{most}/"))
    return words.say("walk_extent", what=files_text, lines=lines)


def _most(files: Sequence[ChangedFile]) -> str:
    """The folder with more than half of the changed lines, if other folders have some too."""
    lines = Counter[str]()
    for file in files:
        lines[file.path.rpartition("/")[0]] += len(file.added_lines) + len(file.removed_lines)
    if len(lines) <= 1:
        return ""
    folder, number = lines.most_common(1)[0]
    return folder if 2 * number > lines.total() else ""


def _definitions(changed_symbols: Sequence[ChangedSymbol], words: Phrases) -> str:
    names_by_deed = symbols.deeds(symbols.product(changed_symbols), words)
    phrases = [words.say(f"walk_{kind}", names=names(rows, words)) for kind, rows in names_by_deed.items()]
    return words.say("walk_definitions", what=join(phrases, words)) if phrases else ""


def _users(files: Sequence[ChangedFile], dependents: Dependents, words: Phrases) -> str:
    """Who relies on what changed, outside the change. "At least" if the search may have missed some."""
    used_symbols = symbols.used_symbols(
        dependents, frozenset(path for file in files for path in (file.path, file.old_path) if path)
    )
    used_symbols = [one for one in used_symbols if one.contract] or used_symbols
    if not used_symbols:
        return ""
    shown_symbols = used_symbols[:USED]
    least = "" if symbols.complete(dependents) else f"{words.say('walk_least')} "
    places = words.say("walk_places", len(frozenset[tuple[str, int]]().union(*(one.places for one in shown_symbols))))
    paths = list(dict.fromkeys(path for one in shown_symbols for path in one.files))
    where = as_code(paths[0]) if len(paths) == 1 else words.say("files", len(paths))
    what = names(list(dict.fromkeys(as_code(one.name) for one in shown_symbols)), words)
    return words.say("walk_users", what=what, places=f"{least}{places}", where=where)
