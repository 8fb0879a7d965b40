"""The walkthrough put together: what models have told of the files of the change, and code's words for the rest. Pure."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from bot.render import Phrases, line, sentences
from bot.review.walkthrough import code, first, themes
from bot.review.walkthrough.calls import calls
from bot.values import ChangedFile, ChangedSymbol, Dependents, FileRow, Finding, ReaderNotes, Unit, Walkthrough

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
    told: Sequence[ReaderNotes] = ()  # by readers, in their order
    earlier: ReaderNotes = field(default_factory=ReaderNotes)  # by the round before
    unchanged: Collection[str] = ()  # paths of which nothing was read again
    stands: bool = False  # whether some of what the round before has read was not read again


def walkthrough(facts: Facts, words: Phrases) -> Walkthrough:
    """What the change does. A model is believed only about files of the change, and within bounds."""
    known = {file.path for file in facts.files}
    phrases, named = _phrases(facts, known)
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
    chosen = next((told.first for told in reversed(facts.told) if told.first in known), "")
    return Walkthrough(
        overview or code.overview(facts.files, facts.dependents, words),
        "model" if overview else "code",
        themes.grouped(facts.files, rows, named, words),
        first.place(facts.units, facts.findings, facts.dependents, chosen, words),
        calls(facts.dependents),
    )


def _phrases(facts: Facts, known: Collection[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The phrase and the theme of each file that a model has told of: of this round, else of an earlier one if nothing has changed."""
    phrases: dict[str, list[str]] = defaultdict(list)
    named: dict[str, str] = {}
    for told in facts.told:
        for one in told.files:
            phrase, theme = _short(one.phrase, PHRASE_CHARS).rstrip(". "), _short(one.theme, THEME_CHARS)
            if one.path in known and phrase and phrase not in phrases[one.path]:
                phrases[one.path].append(phrase)
                if theme:
                    named.setdefault(one.path, theme)
    found = {path: "; ".join(mine[:PHRASES]) for path, mine in phrases.items() if mine}
    for one in facts.earlier.files:
        phrase, theme = _short(one.phrase, PHRASES * PHRASE_CHARS), _short(one.theme, THEME_CHARS)
        if one.path in known and one.path in facts.unchanged and one.path not in found and phrase:
            found[one.path] = phrase
            if theme:
                named[one.path] = theme
    return found, named


def _overview(facts: Facts) -> str:
    """What a model says of the whole, in this round or, if some of it still stands, in an earlier one."""
    said = next((told.overview for told in reversed(facts.told) if told.overview.strip()), "")
    return _bounded(said or (facts.earlier.overview if facts.stands else ""))


def _bounded(text: str) -> str:
    return _short(sentences(line(text[: 2 * OVERVIEW_CHARS]), SENTENCES)[0], OVERVIEW_CHARS)


def _short(text: str, most: int) -> str:
    """The text on one line and no longer than that; it ends at a blank if it has one."""
    said = line(text[: 4 * most])
    if len(said) <= most:
        return said
    return f"{said[:most].rpartition(' ')[0] or said[:most]}…"
