"""Whether a line that the change adds defines a removed key again: a comment, a text, a value and another reader define nothing."""

import re
import time
from collections.abc import Collection, Iterator, Sequence

from bot.dependents.byname import suffix
from bot.dependents.keys.definitions import (
    comparison,
    declares_in_schema,
    lines_inside_texts,
    owners,
    places,
    plain_places,
)
from bot.dependents.keys.forms import SCHEMA, SETS, form, manners_of
from bot.dependents.keys.key import Key, Texts, both_sides
from bot.dependents.keys.routes import shapes, with_slashes
from bot.dependents.keys.settings_formats import Place, UnreadableSettingsError, format_of, has_parser
from bot.dependents.keys.words import LONG_LINE, NAME, is_route, words_of
from bot.text.lines import code_of, defines, is_comment, says
from bot.values import ChangedFile, DiffLine

DOTTED_KEY = r"^\s*+[\"']?NAME(?:\.[\w-]++)++[\"']?\s*+[:=]"
OWN_MEMBER = re.compile(r"(?:self|this|cls)(?:\.|->)|@")


def drop_redefined(
    keys_by_word: dict[str, Key], files: Sequence[ChangedFile], suffixes: Collection[str], texts: Texts, end: float
) -> None:
    """Leave out the keys that an added line defines again: it writes the key as the removed one did.

    In the key's own file that is enough; settings have to define it in the same section. Another file defines a key again that moved
    there: it is of the same type, and no other word took the key's place. Lines that are not looked at by `end` define nothing.
    """
    last = {name for word in keys_by_word for name in NAME.findall(word)[-1:]}
    by_path = {file.path: file for file in files}
    for file in files if keys_by_word else ():
        is_parsed = suffix(file.path) in suffixes
        hidden_lines: frozenset[int] | None = None
        for line in _added_lines(file, end):
            if last.isdisjoint(NAME.findall(line.text[:LONG_LINE])) or is_comment(line.text, file.path):
                continue
            code = with_slashes(code_of(line.text[:LONG_LINE], file.path))
            for word in words_of(code) & keys_by_word.keys():
                key = keys_by_word[word]
                is_own = file.path == key.path
                has_moved = not key.names and format_of(file.path) == format_of(key.path)
                if key.is_dropped or not (is_own or has_moved):
                    continue
                is_defined = None if is_parsed else _is_parsed_again(key, file, by_path.get(key.path), texts)
                if is_defined is None and _defines_again(key, file.path, code, is_parsed=is_parsed):
                    if hidden_lines is None:
                        hidden_lines = lines_inside_texts(texts.get(("head", file.path), ""))
                    is_defined = line.new not in hidden_lines and _is_in_place(key, file, texts, is_parsed=is_parsed)
                if is_defined:
                    del keys_by_word[word]


def _added_lines(file: ChangedFile, end: float) -> Iterator[DiffLine]:
    """The lines that the change adds to a file, as long as there is time."""
    for line in (line for hunk in file.hunks for line in hunk.lines if line.kind == "+"):
        if time.process_time() > end:
            return
        yield line


def _defines_again(key: Key, path: str, code: str, *, is_parsed: bool) -> bool:
    """Whether a line does with the key what the line did that is gone: a text that holds its name does not."""
    is_member = any(OWN_MEMBER.match(manner) for manner in key.manners)
    if is_parsed and is_member and defines(code, key.word, path):
        return True  # an attribute became a property; what another class has is told from its syntax
    if not is_parsed and says(DOTTED_KEY, key.word, code):
        return True
    what = form(key.word, path, code, is_parsed=is_parsed, whole=True)
    if not what or (is_route(key.word) and key.shapes.isdisjoint(shapes(key.word, code))):
        return False
    if SCHEMA.search(path):
        return declares_in_schema(key.word, code, path)
    return what == SETS if key.sets else not key.manners.isdisjoint(manners_of(key.word, code))


def _is_parsed_again(key: Key, file: ChangedFile, own: ChangedFile | None, texts: Texts) -> bool | None:
    """Whether a file of settings defines a key as the key's own file did; None if no parser tells."""
    if own is None or not has_parser(file.path):
        return None
    try:
        if file is own:
            if (both := both_sides(file, texts)) is None:
                return None
            old = _of_word(key.word, both[0])
            return old <= both[1] if old else None
        old_path = own.old_path or own.path
        old = _of_word(key.word, places(old_path, texts.get(("base", old_path), "")))
        new = places(file.path, texts.get(("head", file.path), ""))
    except UnreadableSettingsError:
        return False
    return plain_places(old) <= plain_places(new) if old else None


def _of_word(word: str, some_places: frozenset[Place]) -> frozenset[Place]:
    return frozenset(one for one in some_places if one[-1] == word)


def _is_in_place(key: Key, file: ChangedFile, texts: Texts, *, is_parsed: bool) -> bool:
    """Whether a file that is no code defines the key wherever it did: in the same section, type or table."""
    before, after = texts.get(("base", file.old_path or file.path)), texts.get(("head", file.path))
    if is_parsed or file.path != key.path or before is None or after is None:
        return True
    if SCHEMA.search(file.path):
        return owners(key.word, before, file.path) <= owners(key.word, after, file.path)
    try:
        old, new = comparison(file.path, after, file.old_path or file.path, before)
    except UnreadableSettingsError:
        return False
    return _of_word(key.word, old) <= new
