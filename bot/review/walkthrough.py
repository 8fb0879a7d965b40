"""Build the walkthrough from models' notes on files, and from static analysis for the rest. Pure functions.

Files are grouped by a model's themes if there are only a few, else by kind and folder. The first location is
that of a serious finding. Without one, it is a model's choice or the riskiest code region.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from bot import render
from bot.diff.read import is_counted
from bot.render import Phrases, line, sentences
from bot.sections.walkthrough import WALKTHROUGH, FileRow, FirstPlace, Theme, Walkthrough
from bot.values import (
    ChangedFile,
    ChangedSymbol,
    Coverage,
    Definition,
    Dependents,
    Finding,
    ReaderNotes,
    Unit,
    severity_rank,
)
from deeprepo.impact.language import CONSTRUCTOR, rules_of
from deeprepo.impact.structs import replace
from deeprepo.impact.text import paths
from deeprepo.impact.text.paths import is_product, is_prose, is_test

if TYPE_CHECKING:
    from bot.review.session import Session

STATUSES = ("added", "deleted", "renamed", "modified")
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
    changed_paths = frozenset(path for file in files for path in (file.path, file.old_path) if path)
    used = dict(list(used_symbols(dependents, changed_paths).items())[:MAX_NAMES])
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
    moved = {(side.path, side.name) for move in by_verb["moves"] for side in move.sides}
    names_by_verb: dict[Verb, list[str]] = {}
    for name in VERBS:
        mine = by_verb[name]
        outer = {(move.symbol.path, move.symbol.name) for move in mine} | (set() if name == "signs" else moved)
        rows = [move for move in mine if (move.symbol.path, move.symbol.name.rpartition(".")[0]) not in outer]
        if rows:
            names_by_verb[name] = _moves(rows, words) if name == "moves" else list(dict.fromkeys(map(_label, rows)))
    return names_by_verb


def _moves(rows: Iterable[ChangedSymbol], words: Phrases) -> list[str]:
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
    """Return the public definitions outside tests; if there are none, all outside tests, or else all."""
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
        for side in symbol.sides
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


OVERVIEW_CHARS, PHRASE_CHARS, THEME_CHARS = 900, 160, 40
SENTENCES = 4  # sentences in an overview
PHRASES = 2  # phrases per file, from models that each saw a part of it
MOST_GROUPS = 6  # of code files; if models name more themes, files are grouped by kind and folder
LEAST_SPLIT = 7  # number of code files from which they are grouped by folder
FILE_GROUPS = ("code", "tests", "settings", "documents", "others")  # in the table's order


@dataclass(frozen=True, slots=True)
class WalkthroughFacts:
    """The data from which the walkthrough is built."""

    files: Sequence[ChangedFile]
    units: Sequence[Unit]  # riskiest first
    dependents: Dependents
    findings: Sequence[Finding] = ()  # open findings with their numbers
    reader_notes: Sequence[ReaderNotes] = ()  # of the model passes, in their order
    earlier: ReaderNotes = field(default_factory=ReaderNotes)  # the notes of the previous review
    unchanged_paths: Collection[str] = ()  # files of which no region was reviewed again
    earlier_applies: bool = False  # whether any region was not reviewed again


def walkthrough(facts: WalkthroughFacts, words: Phrases) -> Walkthrough:
    """Return the walkthrough. Models' notes are shortened, and notes about other files are ignored."""
    known_paths = {file.path for file in facts.files}
    phrases, themes_by_path = _phrases(facts, known_paths)
    symbols: dict[str, list[ChangedSymbol]] = defaultdict(list)
    for symbol in facts.dependents.symbols:
        symbols[symbol.symbol.path].append(symbol)
        if symbol.before is not None and symbol.before.path != symbol.symbol.path:
            symbols[symbol.before.path].append(symbol)
    rows = {
        file.path: FileRow(file.path, phrases[file.path], "model")
        if file.path in phrases
        else FileRow(file.path, phrase(file, symbols[file.path], words))
        for file in facts.files
    }
    models_overview = _overview(facts)
    model_choice = next((notes.first for notes in reversed(facts.reader_notes) if notes.first in known_paths), "")
    return Walkthrough(
        models_overview or overview(facts.files, facts.dependents, words),
        "model" if models_overview else "code",
        _group(facts.files, rows, themes_by_path, words),
        first_place(facts.units, facts.findings, facts.dependents, model_choice, words),
    )


def _phrases(facts: WalkthroughFacts, known_paths: Collection[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return models' phrases and themes by path. For unchanged files, they are from the previous review."""
    phrases: dict[str, list[str]] = defaultdict(list)
    themes_by_path: dict[str, str] = {}
    for notes in facts.reader_notes:
        for note in notes.files:
            phrase, theme = _short(note.phrase, PHRASE_CHARS).rstrip(". "), _short(note.theme, THEME_CHARS)
            if note.path in known_paths and phrase and phrase not in phrases[note.path]:
                phrases[note.path].append(phrase)
                if theme:
                    themes_by_path.setdefault(note.path, theme)
    phrases_found = {path: "; ".join(mine[:PHRASES]) for path, mine in phrases.items() if mine}
    for note in facts.earlier.files:
        phrase, theme = _short(note.phrase, PHRASES * PHRASE_CHARS), _short(note.theme, THEME_CHARS)
        if (
            note.path in known_paths
            and note.path in facts.unchanged_paths
            and note.path not in phrases_found
            and phrase
        ):
            phrases_found[note.path] = phrase
            if theme:
                themes_by_path[note.path] = theme
    return phrases_found, themes_by_path


def _overview(facts: WalkthroughFacts) -> str:
    model_text = next((notes.overview for notes in reversed(facts.reader_notes) if notes.overview.strip()), "")
    text = model_text or (facts.earlier.overview if facts.earlier_applies else "")
    return _short(sentences(line(text[: 2 * OVERVIEW_CHARS]), SENTENCES)[0], OVERVIEW_CHARS)


def _short(text: str, most: int) -> str:
    """Return the text on one line, cut at a space to `most` characters followed by an ellipsis."""
    one_line = line(text[: 4 * most])
    if len(one_line) <= most:
        return one_line
    return f"{one_line[:most].rpartition(' ')[0] or one_line[:most]}…"


def _group(
    files: Sequence[ChangedFile], rows: Mapping[str, FileRow], themes_by_path: Mapping[str, str], words: Phrases
) -> tuple[Theme, ...]:
    """Return the files in groups: models' themes, then code, then other kinds; larger groups first.

    `themes_by_path` maps paths to models' themes.
    """
    if len({theme.casefold() for theme in themes_by_path.values()}) > MOST_GROUPS:
        themes_by_path = {}
    first: dict[str, str] = {}
    for theme in themes_by_path.values():
        first.setdefault(theme.casefold(), theme)
    files_by_theme: dict[tuple[int, str, str], list[ChangedFile]] = defaultdict(list)
    folders = _folders([file.path for file in files if _kind(file) == "code" and file.path not in themes_by_path])
    for file in files:
        theme, which = first.get(themes_by_path.get(file.path, "").casefold(), ""), _kind(file)
        key = (
            (-1, theme, "")
            if theme
            else (FILE_GROUPS.index(which), words.say(f"walk_{which}"), folders.get(file.path, ""))
        )
        files_by_theme[key].append(file)
    sorted_themes = sorted(files_by_theme.items(), key=lambda item: (item[0][0], -sum(map(_size, item[1])), item[0]))
    return tuple(
        Theme(
            title,
            tuple(rows[file.path] for file in sorted(mine, key=lambda one: (-_size(one), one.path))),
            "model" if rank < 0 else "code",
        )
        for (rank, title, _), mine in sorted_themes
    )


def _kind(file: ChangedFile) -> str:
    path = file.path
    if paths.is_vendored(path):
        return "others"
    if paths.is_test(path) and not paths.is_workflow(path):
        return "tests"
    if paths.is_prose(path):
        return "documents"
    if paths.is_settings(path):
        return "settings"
    return "code" if paths.is_code(path) else "others"


def _folders(code: Sequence[str]) -> dict[str, str]:
    """Return the folder by which each code file is grouped, as deep as MOST_GROUPS allows.

    It is empty if there are fewer than LEAST_SPLIT files.
    """
    if len(code) < LEAST_SPLIT:
        return {}
    best: dict[str, str] = {}
    for depth in range(1, max(path.count("/") for path in code) + 1):
        folders_by_path = {path: "/".join(path.split("/")[:-1][:depth]) for path in code}
        if len(set(folders_by_path.values())) > MOST_GROUPS:
            break
        best = folders_by_path
    return best


def _size(file: ChangedFile) -> int:
    return len(file.added_lines) + len(file.removed_lines)


def first_place(
    units: Sequence[Unit], findings: Sequence[Finding], dependents: Dependents, model_choice: str, words: Phrases
) -> FirstPlace | None:
    """Return the location at which to start reading; None if there is no reason to start anywhere.

    `units` are sorted by risk, the riskiest first. `model_choice` is the path that a model suggests, or "".
    """
    serious = sorted(
        (finding for finding in findings if finding.serious and finding.start and finding.number),
        key=lambda finding: severity_rank(finding.severity),
    )
    if serious:
        worst = serious[0]
        reason = words.say("walk_first_finding", finding=worst.number, severity=words.say(worst.severity))
        return FirstPlace(worst.path, worst.start, worst.side, reason)
    # Don't start in documentation.
    readable = [unit for unit in units if not is_prose(unit.path)]
    mine = (
        [unit for unit in readable if unit.path == model_choice]
        or [unit for unit in readable if is_product(unit.path)]
        or readable
    )
    if not mine:
        return None
    unit = mine[0]
    symbols_by_key = {(one.symbol.path, one.symbol.name): one for one in dependents.symbols}
    symbol = symbols_by_key.get((unit.path, unit.name.partition("#")[0]))
    suggested = words.say("walk_is_suggested") if unit.path == model_choice else ""
    reason = _reason(unit, symbol, dependents, words) or suggested
    return FirstPlace(unit.path, unit.start, unit.side, reason) if reason else None


def _reason(unit: Unit, symbol: ChangedSymbol | None, dependents: Dependents, words: Phrases) -> str:
    """Return a sentence about what happens in a region, and who uses it; "" if it is an edit without users."""
    uses = {(reference.path, reference.line) for reference in unit.references if not reference.is_guessed}
    used = words.say("walk_use_it", places=places(len(uses), dependents, words)) if uses else ""
    if symbol is None:
        return f"{words.say('walk_this_code')} {used}." if used else ""
    action = verb(symbol)
    if not used and action in ("adds", "edits"):
        return ""
    former = symbol.before if action == "renames" else None
    told = words.say(f"walk_is_{action}", name=as_code((former or symbol.symbol).name))
    return f"{words.say('both', one=told, other=used)}." if used else f"{told}."


def _has_name_of_its_class(symbol: Definition) -> bool:
    """Return whether the code has no separate name for this constructor, as in Java or for a struct."""
    return symbol.short == CONSTRUCTOR and "=" in rules_of(symbol.path).types.constructors


def made(session: "Session", coverage: Coverage, findings: Sequence[Finding]) -> Walkthrough:
    """Return the walkthrough from models' notes and static analysis. `findings`: the open ones."""
    subject = session.survey
    states: dict[str, set[str]] = {}
    for reading in coverage.readings:
        if reading.kind == "unit":
            states.setdefault(reading.path, set()).add(reading.state)
    earlier = subject.past.earlier.parts.get(WALKTHROUGH.key) if subject.past.earlier else None
    symbols = subject.dependents.symbols
    facts = WalkthroughFacts(
        subject.files,
        subject.units,
        replace(subject.dependents, symbols=tuple(one for one in symbols if not _has_name_of_its_class(one.symbol))),
        findings,
        tuple(session.results.reader_notes),
        earlier if isinstance(earlier, ReaderNotes) else ReaderNotes(),
        frozenset(path for path, labels in states.items() if labels == {"reused"}),
        any("reused" in labels for labels in states.values()),
    )
    return walkthrough(facts, render.load())
