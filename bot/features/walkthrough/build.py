"""Build the walkthrough from models' notes on files, and from static analysis for the rest. Pure functions.

Files are grouped by a model's themes if there are only a few, else by kind and folder. The first location is
that of a serious finding. Without one, it is a model's choice or the riskiest code region. Calls between
files are drawn if at least three files are connected.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from bot.features.walkthrough import code
from bot.features.walkthrough.values import FileCalls, FileRow, FirstPlace, Theme, Walkthrough
from bot.render import Phrases, line, sentences
from bot.values import (
    ChangedFile,
    ChangedSymbol,
    Definition,
    Dependents,
    Finding,
    ReaderNotes,
    Unit,
    severity_rank,
)
from deeprepo.impact.text import paths
from deeprepo.impact.text.paths import is_product, is_prose, is_test

OVERVIEW_CHARS, PHRASE_CHARS, THEME_CHARS = 900, 160, 40
SENTENCES = 4  # sentences in an overview
PHRASES = 2  # phrases per file, from models that each saw a part of it
MOST_THEMES = 6  # if models name more themes, files are grouped by kind and folder
MOST_FOLDERS = 6  # groups of code files
LEAST_SPLIT = 7  # number of code files from which they are grouped by folder
# Folders with settings for tests, but without tests.
CI = (".github/", ".gitlab/", ".circleci/", ".buildkite/")
KINDS = ("code", "tests", "settings", "documents", "others")  # in the table's order
LEAST_FILES, MOST_FILES = 3, 12  # files in a drawing
MOST_CALLS = 24  # arrows in a drawing
CALLED = 3  # names per arrow


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
        else FileRow(file.path, code.phrase(file, symbols[file.path], words))
        for file in facts.files
    }
    overview = _overview(facts)
    model_choice = next((notes.first for notes in reversed(facts.reader_notes) if notes.first in known_paths), "")
    return Walkthrough(
        overview or code.overview(facts.files, facts.dependents, words),
        "model" if overview else "code",
        _group(facts.files, rows, themes_by_path, words),
        first_place(facts.units, facts.findings, facts.dependents, model_choice, words),
        _calls(facts.dependents),
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
    """Return a model's overview from this review, or from the previous one if part of it still applies."""
    model_text = next((notes.overview for notes in reversed(facts.reader_notes) if notes.overview.strip()), "")
    return _within_limit(model_text or (facts.earlier.overview if facts.earlier_applies else ""))


def _within_limit(text: str) -> str:
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
    if len({theme.casefold() for theme in themes_by_path.values()}) > MOST_THEMES:
        themes_by_path = {}
    first: dict[str, str] = {}
    for theme in themes_by_path.values():
        first.setdefault(theme.casefold(), theme)
    files_by_theme: dict[tuple[int, str, str], list[ChangedFile]] = defaultdict(list)
    folders = _folders([file.path for file in files if _kind(file) == "code" and file.path not in themes_by_path])
    for file in files:
        theme, which = first.get(themes_by_path.get(file.path, "").casefold(), ""), _kind(file)
        key = (-1, theme, "") if theme else (KINDS.index(which), words.say(f"walk_{which}"), folders.get(file.path, ""))
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
    """Return the kind of a file, one of KINDS."""
    path = file.path
    if paths.is_output(path) or paths.vendored_folder(path):
        return "others"
    if paths.is_test(path) and not path.startswith(CI):
        return "tests"
    if paths.is_prose(path):
        return "documents"
    if paths.is_settings(path):
        return "settings"
    return "code" if paths.is_code(path) else "others"


def _folders(code: Sequence[str]) -> dict[str, str]:
    """Return the folder by which each code file is grouped, as deep as MOST_FOLDERS allows.

    It is empty if there are fewer than LEAST_SPLIT files.
    """
    if len(code) < LEAST_SPLIT:
        return {}
    best: dict[str, str] = {}
    for depth in range(1, max(path.count("/") for path in code) + 1):
        folders_by_path = {path: "/".join(path.split("/")[:-1][:depth]) for path in code}
        if len(set(folders_by_path.values())) > MOST_FOLDERS:
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


def _is_named(former: Definition | None, unit: Unit) -> bool:
    """Return whether a reference to a code region still uses the former name of its definition."""
    return former is not None and any(one.name == former.short for one in unit.references)


def _reason(unit: Unit, symbol: ChangedSymbol | None, dependents: Dependents, words: Phrases) -> str:
    """Return a sentence about what happens in a region, and who uses it; "" if it is an edit without users."""
    uses = {(reference.path, reference.line) for reference in unit.references if not reference.is_guessed}
    used = words.say("walk_use_it", places=code.places(len(uses), dependents, words)) if uses else ""
    if symbol is None:
        return f"{words.say('walk_this_code')} {used}." if used else ""
    verb = code.verb(symbol)
    if not used and verb in ("adds", "edits"):
        return ""
    former = symbol.before if verb == "renames" and _is_named(symbol.before, unit) else None
    told = words.say(f"walk_is_{verb}", name=code.as_code((former or symbol.symbol).name))
    return f"{words.say('both', one=told, other=used)}." if used else f"{told}."


def _calls(dependents: Dependents) -> tuple[FileCalls, ...]:
    """Return the calls into changed files, those from tests last, else those with most calls first.

    Groups of fewer than LEAST_FILES connected files are dropped.
    """
    names: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for reference in dependents.references:
        callee = reference.symbol.rpartition(":")[0]
        if reference.form == "call" and not reference.is_guessed and callee != reference.path:
            names[reference.path, callee][reference.name] += 1
    sorted_pairs = sorted(names, key=lambda pair: (is_test(pair[0]), -sum(names[pair].values()), pair))
    chosen_pairs = _connected_pairs(_few(sorted_pairs))
    return tuple(
        FileCalls(caller, callee, tuple(sorted(counts, key=lambda name: (-counts[name], name))[:CALLED]))
        for caller, callee in chosen_pairs
        for counts in (names[caller, callee],)
    )


def _few(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the first pairs that fit into a drawing."""
    pairs_kept: list[tuple[str, str]] = []
    files: set[str] = set()
    for pair in pairs:
        if len(files | set(pair)) <= MOST_FILES and len(pairs_kept) < MOST_CALLS:
            pairs_kept.append(pair)
            files |= set(pair)
    return pairs_kept


def _connected_pairs(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pairs whose files are in a connected group of at least LEAST_FILES."""
    group: dict[str, set[str]] = {}
    for one, other in pairs:
        merged_group = group.get(one, {one}) | group.get(other, {other})
        group |= dict.fromkeys(merged_group, merged_group)
    return [pair for pair in pairs if len(group[pair[0]]) >= LEAST_FILES]
