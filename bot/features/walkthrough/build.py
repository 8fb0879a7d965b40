"""The walkthrough put together: what models have told of the files of the change, and code's words for the rest. Pure.

Files are grouped by the themes that a model named, if these are few, else by kind and folder. The place to look at first is that of a
grave finding, of a model's choice, else the riskiest unit. Calls across files are drawn as far as three or more files meet.
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
    Dependents,
    Finding,
    LostGuard,
    ReaderNotes,
    Unit,
    severity_rank,
)
from deeprepo.impact.text import paths
from deeprepo.impact.text.paths import is_product, is_prose, is_test

OVERVIEW_CHARS, PHRASE_CHARS, THEME_CHARS = 900, 160, 40
SENTENCES = 4  # of an overview
PHRASES = 2  # of readers that have each seen a part of one file
MOST_THEMES = 6  # of a model; more than that orders nothing
MOST_FOLDERS = 6  # groups of code
LEAST_SPLIT = 7  # files of code that are worth several groups
CI = (".github/", ".gitlab/", ".circleci/", ".buildkite/")  # what runs tests is none
KINDS = ("code", "tests", "settings", "documents", "others")  # in the order of the table
LEAST_FILES, MOST_FILES = 3, 12  # that a sketch draws
MOST_CALLS = 24
CALLED = 3  # of one arrow


@dataclass(frozen=True, slots=True)
class WalkthroughFacts:
    """What the survey has read, and what the review has found."""

    files: Sequence[ChangedFile]
    units: Sequence[Unit]  # riskiest first
    dependents: Dependents
    findings: Sequence[Finding] = ()  # open ones, with their numbers
    reader_notes: Sequence[ReaderNotes] = ()  # by readers, in their order
    earlier: ReaderNotes = field(default_factory=ReaderNotes)  # by the round before
    unchanged_paths: Collection[str] = ()  # paths of which nothing was read again
    stands: bool = False  # whether some of what the round before has read was not read again


def walkthrough(facts: WalkthroughFacts, words: Phrases) -> Walkthrough:
    """Return what the change does. A model is believed only about files of the change, and within bounds."""
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
    """The phrase and the theme of each file that a model has told of: of this round, else of an earlier one if nothing has changed."""
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


def _group(
    files: Sequence[ChangedFile], rows: Mapping[str, FileRow], themes_by_path: Mapping[str, str], words: Phrases
) -> tuple[Theme, ...]:
    """Every file in one group, code first; within a group the largest change first. `themes_by_path`: path -> a model's theme."""
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
    """What a file is for."""
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
    """The folder under which each file of code stands, as deep as a few groups allow; nothing if they need no groups."""
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
    """Return where to begin. `model_choice`: the path that a model named, one of the change, or empty. `units`: riskiest first."""
    guards = [_guard(guard, words) for guard in dependents.guards]
    grave = sorted(
        (finding for finding in findings if finding.serious and finding.start and finding.number),
        key=lambda finding: severity_rank(finding.severity),
    )
    if grave:
        worst = grave[0]
        reason = words.say("walk_first_finding", finding=worst.number, severity=words.say(worst.severity))
        return FirstPlace(worst.path, worst.start, worst.side, " ".join([reason, *guards[:1]]))
    if guards:
        first, more = dependents.guards[0], len(guards) - 1
        reason = f"{guards[0]} {words.say('walk_guard_more', more)}" if more else guards[0]
        return FirstPlace(first.path, first.line, "head", reason)
    readable = [unit for unit in units if not is_prose(unit.path)]  # a line of documents is no place to begin
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
    if len(readable) == 1 and symbol is None and not unit.references:
        return None  # of one part there is no riskiest
    return FirstPlace(unit.path, unit.start, unit.side, _reason(unit, symbol, dependents, words))


def _guard(guard: LostGuard, words: Phrases) -> str:
    """What became of a guard, and no verdict: it may stand where nobody looked."""
    kind = "became" if guard.became else guard.kind
    name, before, after = (code.as_code(one) for one in (guard.scope, guard.name, guard.became))
    return words.say(f"walk_guard_{kind}", name=name, guard=before, became=after)


def _reason(unit: Unit, symbol: ChangedSymbol | None, dependents: Dependents, words: Phrases) -> str:
    deed = words.say("walk_is_riskiest")
    if symbol is not None:
        deed = words.say(f"walk_is_{code.deed(symbol)}", name=code.as_code(symbol.symbol.name))
    uses = {(reference.path, reference.line) for reference in unit.references if not reference.is_guessed}
    if not uses:
        return f"{deed}."
    used = words.say("walk_use_it", places=code.places(len(uses), dependents, words))
    return f"{words.say('both', one=deed, other=used)}."


def _calls(dependents: Dependents) -> tuple[FileCalls, ...]:
    """Who calls into which changed file, product before tests and the most calls first; nothing below three files that meet."""
    names: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for reference in dependents.references:
        callee = reference.symbol.rpartition(":")[0]
        if reference.form == "call" and not reference.is_guessed and callee != reference.path:
            names[reference.path, callee][reference.name] += 1
    sorted_pairs = sorted(names, key=lambda pair: (is_test(pair[0]), -sum(names[pair].values()), pair))
    chosen_pairs = _meeting(_few(sorted_pairs))
    return tuple(
        FileCalls(caller, callee, tuple(sorted(counts, key=lambda name: (-counts[name], name))[:CALLED]))
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
