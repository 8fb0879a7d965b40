"""The sentences and phrases by code. Each is true whatever the change is: it counts what the survey holds and guesses nothing. Pure."""

from collections import Counter
from collections.abc import Sequence

from bot.render import Phrases
from bot.review.walkthrough import symbols
from bot.review.walkthrough.symbols import as_code, join, names
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
    if not phrases and not (file.added_lines or file.removed_lines) and file.note:
        return file.note
    size = f"+{words.number(len(file.added_lines))} -{words.number(len(file.removed_lines))}"
    return "; ".join(phrases) or size


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
    return words.say("walk_extent", what=files_text, lines=lines)


def _definitions(changed_symbols: Sequence[ChangedSymbol], words: Phrases) -> str:
    names_by_deed = symbols.deeds(symbols.product(changed_symbols), words)
    phrases = [words.say(f"walk_{kind}", names=names(rows, words)) for kind, rows in names_by_deed.items()]
    return words.say("walk_definitions", what=join(phrases, words)) if phrases else ""


def _users(files: Sequence[ChangedFile], dependents: Dependents, words: Phrases) -> str:
    """Who relies on what changed, outside the change. "At least" if the search may have missed some."""
    changed_paths = frozenset(path for file in files for path in (file.path, file.old_path) if path)
    used = dict(list(symbols.used_symbols(dependents, changed_paths).items())[:USED])
    if not used:
        return ""
    all_places = set().union(*used.values())
    paths = sorted({path for path, _ in all_places})
    where = as_code(paths[0]) if len(paths) == 1 else words.say("files", len(paths))
    what = names([as_code(name) for name in used], words)
    return words.say("walk_users", what=what, places=symbols.places(len(all_places), dependents, words), where=where)
