"""Describe the change in sentences and phrases that only state what static analysis has found."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

from bot import render
from bot.diff.skip import is_counted
from bot.render import Phrases
from bot.values import ChangedFile, ChangedSymbol, Dependents
from deeprepo.impact.text.paths import is_test

STATUSES = ("added", "deleted", "renamed", "modified")
MAX_USED_SYMBOLS = 3  # definitions whose references are counted in the overview
Verb = Literal["adds", "removes", "renames", "moves", "signs", "edits"]
VERBS: tuple[Verb, ...] = ("adds", "removes", "renames", "moves", "signs", "edits")  # in a sentence's order
VERB_BY_CHANGE: dict[str, Verb] = {"added": "adds", "removed": "removes", "renamed": "renames", "signature": "signs"}
ARROW = "→"
MAX_NAMES = 3  # names in a list; the rest is counted
MAX_NAME_CHARS = 80  # characters of a name or a path


def overview(files: Sequence[ChangedFile], dependents: Dependents, words: Phrases) -> str:
    """Return up to three sentences: the size, what happens to which definitions, and who uses them."""
    sentences = (_extent(files, words), _definitions(dependents.symbols, words), _users(files, dependents, words))
    return " ".join(filter(None, sentences))


def phrase(file: ChangedFile, mine: Sequence[ChangedSymbol], words: Phrases) -> str:
    """Return a phrase for what the change does to one file. `mine` are the file's changed definitions."""
    names_by_verb = group_by_verb(mine, words)
    if file.status == "added":
        return _with(words.say("walk_new"), names_by_verb.get("adds", ()), words)
    if file.status == "deleted":
        return _with(words.say("walk_deleted"), names_by_verb.get("removes", ()), words)
    phrases = [words.say(f"walk_{kind}", names=names(rows, words)) for kind, rows in names_by_verb.items()]
    if file.status == "renamed" and file.old_path:
        phrases.insert(0, words.say("walk_renamed_from", path=as_code(file.old_path)))
    if not phrases and not (file.added_lines or file.removed_lines) and file.note:
        return file.note
    if not phrases and file.skip and not is_counted(file):
        return file.skip
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
    names_by_verb = group_by_verb(product(changed_symbols), words)
    phrases = [words.say(f"walk_{kind}", names=names(rows, words)) for kind, rows in names_by_verb.items()]
    return words.say("walk_definitions", what=join(phrases, words)) if phrases else ""


def _users(files: Sequence[ChangedFile], dependents: Dependents, words: Phrases) -> str:
    """Return a sentence about who uses the changed definitions outside the change, or ""."""
    changed_paths = frozenset(path for file in files for path in (file.path, file.old_path) if path)
    used = dict(list(used_symbols(dependents, changed_paths).items())[:MAX_USED_SYMBOLS])
    if not used:
        return ""
    all_places = set().union(*used.values())
    paths = sorted({path for path, _ in all_places})
    where = as_code(paths[0]) if len(paths) == 1 else words.say("files", len(paths))
    what = names([as_code(name) for name in used], words)
    return words.say("walk_users", what=what, places=places(len(all_places), dependents, words), where=where)


def verb(symbol: ChangedSymbol) -> Verb:
    """Return what happened to a definition. A definition that is now in another file was moved."""
    if symbol.change == "renamed" and symbol.before and symbol.after and symbol.before.path != symbol.after.path:
        return "moves"
    return VERB_BY_CHANGE.get(symbol.change, "edits")


def group_by_verb(symbols: Iterable[ChangedSymbol], words: Phrases) -> dict[Verb, list[str]]:
    """Return the definitions' names, as code spans, grouped by what happened to them.

    A member is skipped if the same happened to its class, or if the class was moved.
    """
    by_verb: dict[Verb, list[ChangedSymbol]] = defaultdict(list)
    for symbol in symbols:
        by_verb[verb(symbol)].append(symbol)
    moved = {(side.path, side.name) for move in by_verb["moves"] for side in (move.before, move.after) if side}
    names_by_verb: dict[Verb, list[str]] = {}
    for name in VERBS:
        mine = by_verb[name]
        outer = {(move.symbol.path, move.symbol.name) for move in mine} | (set() if name == "signs" else moved)
        rows = [move for move in mine if (move.symbol.path, move.symbol.name.rpartition(".")[0]) not in outer]
        if rows:
            names_by_verb[name] = _moves(rows, words) if name == "moves" else list(dict.fromkeys(map(_label, rows)))
    return names_by_verb


def _moves(rows: Iterable[ChangedSymbol], words: Phrases) -> list[str]:
    """Return a phrase for each pair of files between which definitions were moved."""
    by_paths: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows:
        if row.before and row.after:
            by_paths[row.before.path, row.after.path].append(_label(row))
    return [
        f"{names(list(dict.fromkeys(labels)), words)} ({as_code(before)} {ARROW} {as_code(after)})"
        for (before, after), labels in by_paths.items()
    ]


def _label(symbol: ChangedSymbol) -> str:
    """Return a definition's name as a code span, or both names if the change renamed it.

    The new name of a member that stays in its class is written without the class.
    """
    before, after = symbol.before, symbol.after
    if before is None or after is None or symbol.change != "renamed" or before.name == after.name:
        return as_code(symbol.symbol.name)
    stays = before.name.rpartition(".")[0] == after.name.rpartition(".")[0]
    return f"{as_code(before.name)} {ARROW} {as_code(after.short if stays else after.name)}"


def product(symbols: Sequence[ChangedSymbol]) -> list[ChangedSymbol]:
    """Return the public definitions outside tests.

    If there are none, return all outside tests, or else all.
    """
    code = [symbol for symbol in symbols if not is_test(symbol.symbol.path)] or list(symbols)
    return [symbol for symbol in code if not symbol.symbol.private] or code


def used_symbols(dependents: Dependents, changed_paths: frozenset[str]) -> dict[str, set[tuple[str, int]]]:
    """Return the changed definitions that are used outside the change, with path and line of each reference.

    If the contract of any definition changed, only such definitions are returned. Those with most references
    come first. References that were only matched by name don't count. A renamed definition is listed by its
    old name if references use that.
    """
    by_key = {
        f"{side.path}:{side.name}": (symbol, side)
        for symbol in dependents.symbols
        if symbol.change != "added"
        for side in (symbol.before, symbol.after)
        if side
    }
    places: dict[bool, dict[str, set[tuple[str, int]]]] = {True: defaultdict(set), False: defaultdict(set)}
    for reference in dependents.references:
        if reference.symbol in by_key and not reference.is_guessed and reference.path not in changed_paths:
            symbol, side = by_key[reference.symbol]
            sides = (
                definition
                for definition in (symbol.after, symbol.before)
                if definition is not None and definition.short == reference.name
            )
            is_broken = bool(symbol.contract) or symbol.change in ("removed", "renamed", "signature")
            places[is_broken][next(sides, side).name].add((reference.path, reference.line))
    mine = places[True] or places[False]
    return {name: mine[name] for name in sorted(mine, key=lambda name: (-len(mine[name]), name))}


def places(number: int, dependents: Dependents, words: Phrases) -> str:
    """Return the number of locations in words, with "at least" if the search may be incomplete."""
    is_complete = not (
        dependents.cut or dependents.missed_uses or any(reference.is_guessed for reference in dependents.references)
    )
    counted = words.say("walk_places", number)
    return counted if is_complete else f"{words.say('walk_least')} {counted}"


def as_code(name: str) -> str:
    """Return a name as a code span, which backticks in the name cannot end."""
    return str(render.code(name if len(name) <= MAX_NAME_CHARS else f"…{name[-MAX_NAME_CHARS:]}"))


def join(parts: Sequence[str], words: Phrases) -> str:
    """Join parts as "a, b and c" in the review's language."""
    if len(parts) <= 1:
        return "".join(parts)
    return words.say("both", one=", ".join(parts[:-1]), other=parts[-1])


def names(all_names: Sequence[str], words: Phrases) -> str:
    """Return the first names and how many more there are."""
    shown_names = list(all_names[:MAX_NAMES])
    left = len(all_names) - MAX_NAMES
    return f"{', '.join(shown_names)} {words.say('and_more', left)}" if left > 0 else join(shown_names, words)
