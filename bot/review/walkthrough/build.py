"""The walkthrough put together: what models have told of the files of the change, and code's words for the rest. Pure."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from bot.render import Phrases, line, sentences
from bot.review.walkthrough import code, first, themes
from bot.values import (
    ChangedFile,
    ChangedSymbol,
    Dependents,
    FileCalls,
    FileRow,
    Finding,
    ReaderNotes,
    Unit,
    Walkthrough,
)

OVERVIEW_CHARS, PHRASE_CHARS, THEME_CHARS = 900, 160, 40
SENTENCES = 4  # of an overview
PHRASES = 2  # of readers that have each seen a part of one file


@dataclass(frozen=True, slots=True)
class Facts:
    """What the survey has read, and what the review has found."""

    files: Sequence[ChangedFile]
    units: Sequence[Unit]  # riskiest first
    dependents: Dependents
    findings: Sequence[Finding] = ()  # open ones, with their numbers
    reader_notes: Sequence[ReaderNotes] = ()  # by readers, in their order
    earlier: ReaderNotes = field(default_factory=ReaderNotes)  # by the round before
    unchanged_paths: Collection[str] = ()  # paths of which nothing was read again
    stands: bool = False  # whether some of what the round before has read was not read again


def walkthrough(facts: Facts, words: Phrases) -> Walkthrough:
    """What the change does. A model is believed only about files of the change, and within bounds."""
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
        themes.group(facts.files, rows, themes_by_path, words),
        first.place(facts.units, facts.findings, facts.dependents, model_choice, words),
        _calls(facts.dependents),
    )


def _calls(dependents: Dependents) -> tuple[FileCalls, ...]:
    if not dependents.references:
        return ()
    from bot.review.walkthrough.calls import calls

    return calls(dependents)


def _phrases(facts: Facts, known_paths: Collection[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The phrase and the theme of each file that a model has told of: of this round, else of an earlier one if nothing has changed."""
    phrases: dict[str, list[str]] = defaultdict(list)
    themes_by_path: dict[str, str] = {}
    for notes in facts.reader_notes:
        for one in notes.files:
            phrase, theme = _short(one.phrase, PHRASE_CHARS).rstrip(". "), _short(one.theme, THEME_CHARS)
            if one.path in known_paths and phrase and phrase not in phrases[one.path]:
                phrases[one.path].append(phrase)
                if theme:
                    themes_by_path.setdefault(one.path, theme)
    phrases_found = {path: "; ".join(mine[:PHRASES]) for path, mine in phrases.items() if mine}
    for one in facts.earlier.files:
        phrase, theme = _short(one.phrase, PHRASES * PHRASE_CHARS), _short(one.theme, THEME_CHARS)
        if one.path in known_paths and one.path in facts.unchanged_paths and one.path not in phrases_found and phrase:
            phrases_found[one.path] = phrase
            if theme:
                themes_by_path[one.path] = theme
    return phrases_found, themes_by_path


def _overview(facts: Facts) -> str:
    """What a model says of the whole, in this round or, if some of it still stands, in an earlier one."""
    model_text = next((notes.overview for notes in reversed(facts.reader_notes) if notes.overview.strip()), "")
    return _within_limit(model_text or (facts.earlier.overview if facts.stands else ""))


def _within_limit(text: str) -> str:
    return _short(sentences(line(text[: 2 * OVERVIEW_CHARS]), SENTENCES)[0], OVERVIEW_CHARS)


def _short(text: str, most: int) -> str:
    """The text on one line and no longer than that; it ends at a blank if it has one."""
    one_line = line(text[: 4 * most])
    if len(one_line) <= most:
        return one_line
    return f"{one_line[:most].rpartition(' ')[0] or one_line[:most]}…"
