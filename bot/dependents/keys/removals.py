"""The keys that a change takes away: words of edited and removed lines, columns that statements drop, keys that a parser no longer finds."""

import time
from collections.abc import Collection, Sequence
from dataclasses import replace

from bot.dependents.budget import by_risk
from bot.dependents.byname import suffix
from bot.dependents.keys.definitions import dropped_columns, moved_keys, undefined_keys
from bot.dependents.keys.edits import removed_words
from bot.dependents.keys.forms import SAYS, SETS, announces, declares_setting, manners_of, removed_form
from bot.dependents.keys.key import Key, Texts, both_sides
from bot.dependents.keys.redefinitions import drop_redefined
from bot.dependents.keys.routes import Role, role, shapes
from bot.dependents.keys.settings_formats import UnreadableSettingsError, has_parser
from bot.dependents.keys.words import LONG_LINE, LONGEST, is_distinctive, is_route, may_be_looked_up
from bot.text.paths import decides_nothing, is_page, uses_nothing
from bot.values import ChangedFile

KEYS = 200  # of one change that are looked up


def removed_keys(
    files: Sequence[ChangedFile], suffixes: Collection[str], seconds: float, texts: Texts, cut: list[str]
) -> list[Key]:
    """The keys that the change takes away, renamed ones first. `cut`: gets a sentence for what a limit leaves out."""
    mine = [file for file in by_risk(files) if file.is_analyzed and not uses_nothing(file.path)]
    keys_by_word: dict[str, Key] = {}
    end = time.process_time() + seconds
    for count, file in enumerate(mine):
        if time.process_time() > end:
            cut.append(
                f"the search for renamed keys stopped after {seconds:g} s of computing, {count} of {len(mine)} files read"
            )
            break
        is_parsed = suffix(file.path) in suffixes
        for word, text, names in removed_words(file):
            earlier = keys_by_word.get(word)
            is_settled = earlier is not None and earlier.sets and bool(earlier.names or not names)
            if is_settled or not (names or is_distinctive(word) or declares_setting(file.path, word) or is_route(word)):
                continue
            what = removed_form(word, file.path, text, is_parsed=is_parsed)
            part: Role = role(word, text) if is_route(word) else "whole"
            if part != "whole" and not (names and (is_parsed or is_page(file.path))):
                continue  # outside code it is rather the path of a file
            is_announced = what == SAYS and not names and is_parsed and not is_route(word)
            is_announced = is_announced and announces(word, file.path, text)
            what = SETS if is_announced else what
            if what and (names or what == SETS):
                sets = what == SETS or (earlier is not None and earlier.sets)
                is_declared = sets and declares_setting(file.path, word)
                part = "whole" if earlier is not None and earlier.role == "whole" else part
                instead = names | (earlier.names if earlier is not None else frozenset())
                word_shapes = shapes(word, text) if is_route(word) else frozenset()
                word_shapes |= earlier.shapes if earlier is not None else frozenset()
                manners = manners_of(word, text) | (earlier.manners if earlier is not None else frozenset())
                is_announced &= earlier is None or earlier.is_announced
                keys_by_word[word] = Key(
                    word, file.path, sets, is_declared, instead, part, word_shapes, manners, is_announced=is_announced
                )
    for file in mine:
        try:
            _add_parsed(keys_by_word, file, suffixes, texts)
        except UnreadableSettingsError as error:
            cut.append(f"{error} as it did before the change: which keys it still defines is not known")
    drop_redefined(keys_by_word, mine, suffixes, texts, end + seconds / 2)
    keys = sorted(
        keys_by_word.values(), key=lambda key: (not key.names, not is_distinctive(key.word), -len(key.word), key.word)
    )
    if any(key.names or is_distinctive(key.word) for key in keys[KEYS:]):
        cut.append(f"{KEYS} of the {len(keys)} keys that the change takes away were looked up")
    return keys[:KEYS]


def _add_parsed(keys_by_word: dict[str, Key], file: ChangedFile, suffixes: Collection[str], texts: Texts) -> None:
    """Add the keys that a change takes away although no line that goes shows it: by a statement, by another section around them, within one line.

    Raises `UnreadableSettingsError`.
    """
    moved_words, lost_words = frozenset[str](), frozenset[str]()
    try:
        if suffix(file.path) not in suffixes and (both := both_sides(file, texts)):
            lost_words = undefined_keys(*both) if has_parser(file.path) else frozenset()
            moved_words = moved_keys(*both)
            if decides_nothing(file.path):  # data, which moves for many a reason
                data_words = moved_words if has_parser(file.path) and decides_nothing(file.path) == "dump" else ()
                lost_words |= frozenset(filter(is_distinctive, data_words))
                moved_words = frozenset()
    finally:
        for word in (*_lost_columns(file), *moved_words):
            if word not in keys_by_word and may_be_looked_up(word):
                keys_by_word[word] = Key(
                    word, file.path, sets=True, in_settings=True, names=frozenset(), is_dropped=True
                )
    for word in lost_words:
        key = keys_by_word.get(word)
        if key is None and len(word) <= LONGEST and declares_setting(file.path, word):
            keys_by_word[word] = Key(word, file.path, sets=True, in_settings=True, names=frozenset(), is_undefined=True)
        elif key is not None and key.path == file.path and not key.is_dropped:
            in_settings = key.in_settings or declares_setting(file.path, word)
            keys_by_word[word] = replace(key, sets=True, in_settings=in_settings, is_undefined=True)


def _lost_columns(file: ChangedFile) -> list[str]:
    """The columns that added statements drop."""
    added = [line for hunk in file.hunks for line in hunk.lines if line.kind == "+"]
    rows = [(word, added[at].new or 0) for word, at in dropped_columns([line.text[:LONG_LINE] for line in added])]
    return [word for word, _ in rows]
