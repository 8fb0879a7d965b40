"""Search for what the change removes, and return the unchanged lines that still mention it."""

import posixpath
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from deeprepo.impact.changes import ChangedFile, ChangedSymbol, Dependents, Query, Reference
from deeprepo.impact.everyday import is_specific
from deeprepo.impact.filetypes import family, filetype, module_path
from deeprepo.impact.language import rules_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.resolution import Absent
from deeprepo.impact.structs import Struct, replace
from deeprepo.impact.text.lines import is_comment
from deeprepo.impact.text.paths import (
    is_numbered_migration,
    is_page,
    is_prose,
    is_settings,
    is_style,
    is_test,
    is_workflow,
    uses_nothing,
    vendored_folder,
)
from deeprepo.impact.uses.budget import SearchLimits, by_risk
from deeprepo.impact.uses.sites import found_by_name
from deeprepo.impact.uses.texts import environment
from deeprepo.impact.uses.texts.ends import asks, calls, gives, is_id, is_of_another, receivers
from deeprepo.impact.uses.texts.leftovers import (
    TEMPLATE,
    Lost,
    asking_lines,
    assignment,
    is_given,
    lost_definitions_of_text,
)
from deeprepo.impact.uses.texts.pages import left_on_pages
from deeprepo.impact.uses.texts.words import (
    IMPORTS,
    LONE_WORD,
    LONG_LINE,
    LostWord,
    distinctive_words,
    lost_words,
    suffix,
)

WORDS = 200  # words per change that are searched
ROWS = 5_000  # lines of the tree that are read
ROWS_OF_UNPARSED = 2_000  # the same for words of unparsed files, most of which are common
LINES = 40  # lines per word that are listed
RARE = 8  # files with a word of an unparsed file; more mean that the word is common
NAMED = 6  # files in a sentence
# Maximum number of files with a removed definition or renamed word, and with any other word. In more files,
# it is an ordinary word.
FILES, FEW = 60, 6
_COMMON_FILES = re.compile(
    r"^(?:index|main|mod|__init__|readme|config|utils?|types?|test|setup|package)\.\w+$", re.IGNORECASE
)
_TEXT = re.compile(r"\"\"\"|'''|([\"'`])((?:\\.|(?!\1)[^\\\n]){0,400})\1")
_OF_SETTINGS = re.compile(r"(?:Options|Settings|Config|Configuration|Properties)$")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_PATH = re.compile(r"[\w.@+/-]++")
_NAMESPACE = re.compile(r"^[ \t]*+(?:namespace|package)[ \t]++([\w.:\\]++)", re.MULTILINE)
_GETTER = re.compile(r"(?:get|is)([A-Z]\w*)")
_Row = tuple[str, int, str]  # path, line, text


class _Lost(Struct, frozen=True):
    """What the change removes, by the way others use it."""

    every_word: Sequence[LostWord]
    definitions: Mapping[str, str]  # specific name of a removed definition -> its key
    properties: Mapping[str, str]  # the same for getters, by the names that templates have for them
    attributes: Mapping[str, str]  # the same for attributes that are no longer set and seem to be used
    options: Mapping[str, str]  # the same for fields of settings, in each spelling that a settings file may have
    paths: Mapping[str, str]  # spelling in a text -> the file
    without_definition: Sequence[Lost]
    unasked: frozenset[str]  # names of definitions that text elsewhere cannot mean
    functions: frozenset[str]  # names of removed functions
    namespaces: Mapping[str, str]  # those of removed definitions, by their names
    elsewhere: Mapping[str, tuple[str, str]]  # spelling in other languages -> a removed field and its key

    @property
    def words(self) -> Mapping[str, LostWord]:
        """The words that are searched, by their text."""
        return {one.text: one for one in self.every_word[:WORDS]}

    @property
    def gone(self) -> Mapping[str, str]:
        """What code defined or set."""
        return {**self.attributes, **self.definitions}

    @property
    def forms(self) -> list[str]:
        """The patterns of lines that mention any of it."""
        plain = [*self.words, *self.gone, *self.properties, *self.options, *self.paths, *self.elsewhere]
        return [
            *([_any_of(plain)] if plain else []),
            *([f"(?:{'|'.join(one.words for one in self.without_definition)})"] if self.without_definition else []),
        ]


async def also_says(
    tree: Tree,
    files: Sequence[ChangedFile],
    symbols: Iterable[ChangedSymbol],
    found: Sequence[Reference],
    budget: SearchLimits,
) -> Dependents:
    """Return the unchanged lines that still mention something removed, with the references found before.

    For unparsed files, these are lines with a distinctive word of a changed line. `found`: references found
    by syntax.
    """
    unparsed = [
        file
        for file in by_risk(files)
        if file.is_analyzed and not is_prose(file.path) and not filetype(file.path).is_parsed
    ]
    cut = [*_notes(unparsed, budget.install), *_beyond(unparsed, budget)]
    if not budget.sites:
        return Dependents(references=tuple(found), cut=tuple(cut))
    symbols = list(symbols)
    lost = await _lost(tree, files, symbols, found)
    rows = await tree.grep_lines(Query(lost.forms, syntax="perl", limit=ROWS)) if lost.forms else ()
    if len(lost.every_word) > WORDS:
        cut.append(f"{WORDS} of the {len(lost.every_word)} removed names were searched for")
    if len(rows) >= ROWS:
        cut.append(f"{ROWS:,} or more lines contain removed names, so the other lines were not checked")
    added = {file.path: file.added_lines for file in files}
    said = [(path, line, text.rstrip("\r")) for path, line, text in rows if len(text) <= LONG_LINE]
    speaking = [row for row in said if not _is_silent(row[0], row[2])]
    missed = _missed_of(speaking, lost, files, {row.place for row in found})
    by_syntax = [
        replace(row, asks=not ((row.is_bound and row.test) or row.is_lost or row.likely) and row.place in missed)
        for row in found
    ]
    places_used = {row.place for row in by_syntax if row.form != "definition" and not row.is_guessed}
    # the word is one of its keys
    reported = {(row.path, row.line) for row in by_syntax if row.missing_part is not None}
    paths = sorted(await tree.entries())
    by_text = [
        replace(row, asks=not row.is_lost and (_is_missed(row, missed) or _is_path_in_vain(row, lost.paths, paths)))
        for row in _by_text(_unchanged(speaking, added), lost, missed)
        if row.place not in places_used and (row.path, row.line) not in reported
    ]
    left_behind = await _left_behind(tree, said, lost.without_definition, added)
    left_behind += await left_on_pages(tree, files, symbols)
    elsewhere = _missed_elsewhere(_unchanged(speaking, added), lost.elsewhere, files)
    left_behind += [replace(row, asks=True) for row in elsewhere]
    by_text = _first(left_behind, by_text, places_used, reported)
    told_by_text = {row.place for row in by_text} | places_used
    of_unparsed = [
        row
        for row in await _of_unparsed(tree, unparsed[: budget.files], added, budget)
        if row.place not in told_by_text
    ]
    return Dependents(references=(*by_syntax, *by_text, *of_unparsed), cut=tuple(cut))


async def _lost(
    tree: Tree, files: Sequence[ChangedFile], symbols: Sequence[ChangedSymbol], found: Sequence[Reference]
) -> _Lost:
    """Return what the change removes."""
    texts = {
        path: raw.decode("utf-8", "replace")
        for path, raw in (await tree.read_many([file.path for file in files if file.is_analyzed])).items()
    }
    head_paths = await tree.entries()
    every_word = [one for one in lost_words(files, texts) if not _names_folder(one.text, head_paths)]
    homes = {one.path for item in symbols if (one := item.before) is not None}
    formerly = {one.old_path for one in files if one.old_path and one.is_analyzed and is_settings(one.old_path)}
    before = await tree.read_many(sorted({*homes, *formerly}), "base")
    was = {path: raw.decode("utf-8", "replace") for path, raw in before.items()}
    own = {one.short for item in symbols if (one := item.before) is not None and one.visible in ("file", "folder")}
    functions = {one.short for item in symbols if (one := item.before) is not None and one.signature}
    definitions = dict(_gone_names(symbols))
    return _Lost(
        every_word,
        definitions,
        dict(_properties(definitions)),
        _gone_attributes(symbols, found),
        dict(_gone_options(symbols)),
        dict(lost_paths(files, head_paths)),
        lost_definitions_of_text(files, was, texts, head_paths),
        frozenset(own),
        frozenset(functions),
        {
            one.short: " ".join(_NAMESPACE.findall(was.get(one.path, "")))
            for item in symbols
            if (one := item.before) is not None
        },
        {
            spelling: (name, key)
            for spelling, (name, key) in _fields_elsewhere(symbols, every_word, files)
            if key.rpartition(":")[0] in head_paths
        },
    )


# What migrations call a column that they rename or remove, in any tool
_COLUMN = re.compile(
    r"(?i:\b(?:(rename)|remove|drop)_?columns?)\b[(\s]++((?:[\"'`:]\w++[\"'`]?[,\s]*+(?:to:\s*+)?+){1,4})"
    r"|(?i:\b(?:rename\s++column|drop\s++column(?:\s++if\s++exists)?)\s++[\"`\[]?)(\w++)"
)


def _gone_columns(files: Iterable[ChangedFile]) -> Iterator[tuple[str, str]]:
    """Yield the columns that added migrations rename or remove, with their keys, up to the lines that undo it."""
    for file in files:
        for hunk in file.hunks if file.status == "added" and _IS_MIGRATION.search(file.path) else ():
            for line in hunk.lines:
                if re.search(r"\bdown\b|\bdowngrade\b", line.text):
                    break
                for match in _COLUMN.finditer(line.text) if len(line.text) <= LONG_LINE else ():
                    names = re.findall(r"\w+", (match[2] or "").replace("to:", "")) or [match[3]]
                    name = names[max(0, len(names) - 2)] if match[1] else names[min(1, len(names) - 1)]
                    if is_specific(name):
                        yield name, f"{file.path}:{name}"


# Files that only describe what another program receives: models and initial values elsewhere add nothing to it
_PAYLOAD = re.compile(
    r"(?:Resource|Presenter|Serializer|Transformer|_serializer|_presenter|\.jbuilder)(?:\.\w{1,20}){0,3}$"
)
_IS_MIGRATION = re.compile(r"(?:^|/)(?:migrations?|migrate|versions|alembic|changelog)/|migration", re.IGNORECASE)


def _fields_elsewhere(
    symbols: Iterable[ChangedSymbol], words: Iterable[LostWord], files: Iterable[ChangedFile]
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the spellings that other languages may have for removed fields, tags, entries and columns."""
    fields = [
        (one.short, item.key)
        for item in symbols
        if (one := item.before) is not None
        and one.owner
        and (item.after is None or item.after.short != one.short)
        and (one.signature is None or _GETTER.fullmatch(one.short))
    ]
    fields += [
        (word.text, word.key) for word in words if word.given in ("data", "entry") and not is_settings(word.path)
    ]
    for name, key in (*fields, *_gone_columns(files)):
        getter = _GETTER.fullmatch(name)
        parts = [part.lower() for part in _PART.findall(getter[1] if getter else name)]
        if len(parts) > 1 and name.isidentifier() and not name.isupper():
            pascal = "".join(part.capitalize() for part in parts)
            for spelling in (pascal[0].lower() + pascal[1:], "_".join(parts), name):
                yield spelling, (name, key)


def _missed_elsewhere(
    rows: Sequence[_Row], fields: Mapping[str, tuple[str, str]], files: Iterable[ChangedFile]
) -> list[Reference]:
    """Return the lines in other languages that still read a field which no code there sets and nothing here has.

    A column is read in any language. It belongs to one table only if no other migration adds another of the name.
    """
    by_word = _by_word(rows, {*fields, *(name for name, _ in fields.values())})
    removed = _removed_lines(files)
    found = []
    for spelling, (name, key) in fields.items():
        home = key.rpartition(":")[0]
        is_column = _IS_MIGRATION.search(home) is not None
        rows_of_name = [row for row in by_word.get(name, ()) if row[0] != home or not is_column]
        former = [row for row in rows_of_name if _IS_MIGRATION.search(row[0])] if is_column else []
        own = [row for row in rows_of_name if family(row[0]) == family(home) and row not in former]
        there = [
            row
            for row in by_word.get(spelling, ())
            if (is_column or family(row[0]) != family(home))
            and (filetype(row[0]).folder or is_page(row[0]) or TEMPLATE.search(row[0]))
            and not _IS_MIGRATION.search(row[0])
        ]
        reads = re.compile(rf"(?:\.|\?\.|->){spelling}(?![\w(])(?!\s*=(?!=))|\[[\"':]{spelling}[\"']?\]")
        typed = re.compile(rf"(?<![\w.]){spelling}\??\s*:\s*(?:number|string|boolean|Date|any|unknown|[A-Z]\w*)\b")
        sets = re.compile(rf"(?<![\w.$])[\"']?{spelling}[\"']?\s*(?::(?!:)|=(?![=>])|\()|[.>@]{spelling}\s*=(?![=>])")
        is_payload = _PAYLOAD.search(home) is not None
        is_given = (
            len(former) > 1
            or any(gives(name, path, text) for path, _, text in own if not is_payload or _PAYLOAD.search(path))
            or any(sets.search(text) and not typed.search(text) for _, _, text in there if not is_payload)
        )
        edited = {one for _, text in removed if name in text for one in receivers(name, text)}
        mine = [
            row
            for row in there
            if (reads.search(row[2]) or (is_column and asks(spelling, row[0], row[2])))
            and not is_given
            and not (edited and edited.isdisjoint(receivers(spelling, row[2])))
        ]
        if 0 < len({path for path, _, _ in mine}) <= FEW:
            here = [found_by_name(key, spelling, *row) for row in mine]
            found += [replace(row, resolution=Absent()) for row in here] if is_payload else here
    return found


def _unchanged(rows: Iterable[_Row], added: Mapping[str, Collection[int]]) -> list[_Row]:
    return [row for row in rows if row[1] not in added.get(row[0], ())]


def _is_missed(row: Reference, missed: Collection[tuple[str, int, str]]) -> bool:
    """Return whether a line uses a name in vain, as a whole or as the last part: `saved` in "settings.saved"."""
    return row.place in missed or (row.path, row.line, re.split(r"[.:]", row.name)[-1]) in missed


def _is_path_in_vain(row: Reference, lost: Mapping[str, str], paths: Sequence[str]) -> bool:
    """Return whether a line has the whole path of a removed file, from the root or from its own folder.

    `lost`: removed files, by how they are mentioned; `paths`: of all files, sorted.
    """
    home = lost.get(row.name, "")
    texts = [found for found in _PATH.findall(row.text) if "/" in found and row.name in found] if home else []
    here = posixpath.dirname(row.path)
    ends = [[posixpath.normpath(one) for one in (posixpath.join(here, found), found.lstrip("./"))] for found in texts]
    return any(
        (home in both or f"/{home}".endswith(f"/{both[1]}"))
        and not any(_begins_one(one, paths) for one in both)
        and not any(path.endswith(f"/{both[1]}") for path in paths)
        for both in ends
    )


def _by_text(rows: Sequence[_Row], lost: _Lost, missed: Collection[tuple[str, int, str]]) -> list[Reference]:
    """Return one reference per unchanged line, the most informative one.

    `rows`: lines that are not imports. `missed`: places of names that the line uses in vain, which come first.
    """
    unparsed = [row for row in rows if not filetype(row[0]).is_parsed]
    definitions = {name: key for name, key in lost.definitions.items() if name not in lost.words}
    references = [
        *_of_words(rows, lost.words),
        *_of_definitions(unparsed, lost.properties),
        *_of_definitions([row for row in unparsed if is_settings(row[0])], lost.options),
        *_of_definitions(rows, definitions),
        *_of_paths(rows, lost.paths),
    ]
    references.sort(key=lambda row: not _is_missed(row, missed))
    return [*reversed({(row.path, row.line): row for row in reversed(references)}.values())]


def _missed_of(
    rows: Sequence[_Row], lost: _Lost, files: Sequence[ChangedFile], found: Collection[tuple[str, int, str]]
) -> set[tuple[str, int, str]]:
    """Return the lines that use something no longer defined, or define something no longer used.

    Each is given as path, number and word. `found`: places of references, in the same form.
    """
    # their names may now come from a package
    deleted = {file.path for file in files if file.status == "deleted"}
    of_others = _called_by_others(rows, {name: key for name, key in lost.gone.items() if name in lost.functions}, found)
    gone = {
        name: LostWord(name, f"{lost.namespaces.get(name, '')}/{key}", given="code")
        for name, key in lost.gone.items()
        if name not in lost.unasked and name not in of_others
    }
    defined = {name: one for name, one in gone.items() if lost.gone[name].rpartition(":")[0] not in deleted}
    in_data = {row for row in _missed(rows, gone, files, lost.functions) if is_settings(row[0])}
    given = {
        name: one
        for name, one in lost.words.items()
        if one.given
        and not (one.is_plain or name in defined)
        and not (one.given == "data" and _goes_with_its_class(one, deleted))
    }
    in_vain = _set_in_vain(rows, environment.unread(files) & lost.words.keys())
    getters = {name: LostWord(name, key, given="code") for name, key in lost.properties.items()}
    read = {row for row in _missed(rows, getters, files) if not filetype(row[0]).is_parsed}
    in_vain |= _options_in_vain(rows, lost.options)
    return _missed(rows, given, files) | _missed(rows, defined, files, lost.functions) | in_data | read | in_vain


def _called_by_others(
    rows: Sequence[_Row], functions: Mapping[str, str], found: Collection[tuple[str, int, str]]
) -> set[str]:
    """Return the names that code calls without meaning the function, as its language defines them too.

    `functions`: keys by name. The search by syntax has read these calls, and `found` does not contain them.
    """
    by_name = _by_word([row for row in rows if filetype(row[0]).folder], functions)
    return {
        name
        for name, mine in by_name.items()
        for path, line, text in mine
        if filetype(path).folder == filetype(functions[name].rpartition(":")[0]).folder
        and (path, line, name) not in found
        and calls(name, path, _TEXT.sub("", text))
    }


def _goes_with_its_class(word: LostWord, deleted: Collection[str]) -> bool:
    """Whether a class took a key along that only its own fields have: the whole file of code was deleted."""
    return word.path in deleted and bool(filetype(word.path).folder)


async def _left_behind(
    tree: Tree, rows: Sequence[_Row], lost: Sequence[Lost], added: Mapping[str, Collection[int]]
) -> list[Reference]:
    """Return the unchanged lines that use a name without a definition."""
    paths = sorted(await tree.entries())
    asking = {
        one: [row for row in asking_lines(one, rows, _is_silent) if not _names_file(one.name, *row, paths)]
        for one in lost
    }
    keys = [one.gives.removeprefix("^") for one, mine in asking.items() if mine and one.is_given_by_its_last_part]
    giving = await tree.grep_lines(Query(keys, syntax="perl", limit=ROWS)) if keys else ()
    news = [one.new_name for one, mine in asking.items() if mine and one.new_name]
    before = await tree.grep_lines(Query([_any_of(news)], syntax="perl", side="base", limit=ROWS)) if news else ()
    # prose and comments may have used the new name as plain words
    known = _by_word([row for row in before if not (is_prose(row[0]) or is_comment(row[2], row[0]))], news)
    found = []
    for one, mine in asking.items():
        if one.new_name in known:
            continue
        unchanged = _unchanged(mine, added)
        # If the change itself still uses it, something unknown defines it.
        if len(unchanged) == len(mine) and not is_given(one, [*rows, *giving]):
            resolution = (
                Absent(is_registration=one.is_registration) if one.is_all_known or one.is_registration else None
            )
            found += [
                replace(found_by_name(one.key, one.name, *row), asks=True, resolution=resolution) for row in unchanged
            ]
    return found


def _names_file(name: str, path: str, _: int, text: str, paths: Sequence[str]) -> bool:
    """Return whether a line has a name only in relative paths of the tree's files: `"./cart-page.component.html"`.

    `paths`: of all files, sorted.
    """
    texts = [found[2] for found in _TEXT.finditer(text) if found[2] and name in found[2]]
    if not texts or name in _TEXT.sub("", text) or not all(one.startswith(("./", "../")) for one in texts):
        return False
    targets = [posixpath.normpath(posixpath.join(posixpath.dirname(path), one)) for one in texts]
    return all(_begins_one(one, paths) for one in targets)


def _begins_one(start: str, paths: Sequence[str]) -> bool:
    """Return whether one of the sorted paths is this one, in this folder, or this one with an ending."""
    if start in paths[(at := bisect_left(paths, start)) : at + 1]:
        return True
    places = ((wanted, bisect_left(paths, wanted)) for wanted in (f"{start}.", f"{start}/"))
    return any(at < len(paths) and paths[at].startswith(wanted) for wanted, at in places)


def _first(
    first: Sequence[Reference],
    others: Sequence[Reference],
    used: Collection[tuple[str, int, str]],
    reported: Collection[tuple[str, int]],
) -> list[Reference]:
    """Return the references in this order, one per line.

    `used` and `reported` are places found by syntax, which take precedence.
    """
    shown = {(path, line) for path, line, _ in used} | {*reported}
    mine = [row for row in first if (row.path, row.line) not in shown]
    taken = {(row.path, row.line) for row in mine}
    return [*mine, *(row for row in others if (row.path, row.line) not in taken or row.missing)]


async def _of_unparsed(
    tree: Tree, files: Sequence[ChangedFile], added: Mapping[str, Collection[int]], budget: SearchLimits
) -> list[Reference]:
    """Return the lines with a distinctive word of an unparsed file; only rare words are used."""
    owners: dict[str, str] = {}  # word -> file
    for file in files:
        for word in distinctive_words(file):
            owners.setdefault(word, file.path)
    any_word = rf"\b(?:{'|'.join(map(re.escape, sorted(owners)))})\b"
    rows = await tree.grep_lines(Query([any_word], syntax="perl", limit=ROWS_OF_UNPARSED)) if owners else ()
    by_word: dict[str, list[_Row]] = defaultdict(list)
    for path, line, text in rows:
        if not is_prose(path) and line not in added.get(path, ()):
            for word in sorted(owners.keys() & LONE_WORD.findall(text)):
                by_word[word].append((path, line, text.rstrip("\r")))
    references: list[Reference] = []
    for word, mine in by_word.items():
        others = sorted((row for row in mine if row[0] != owners[word]), key=lambda row: (is_test(row[0]), *row))
        if len({path for path, _, _ in mine if not is_test(path)}) <= RARE:
            references += [
                found_by_name(f"{owners[word]}:{word}", word, *row, unique=False) for row in others[: budget.sites]
            ]
    return references


def _removed_lines(files: Iterable[ChangedFile]) -> list[tuple[str, str]]:
    return [
        (one.old_path or one.path, line.text)
        for one in files
        for hunk in one.hunks
        for line in hunk.lines
        if line.kind == "-"
    ]


def _missed(
    rows: Sequence[_Row], words: Mapping[str, LostWord], files: Sequence[ChangedFile], functions: Collection[str] = ()
) -> set[tuple[str, int, str]]:
    """Return the lines (path, number, word) that use a word without a definition.

    `functions`: words that named one. Data define what code reads from them, and code its own names: a
    setting is not a field of the same name. If other data define the word, it only counts if it was renamed
    and the change touches no use.
    """
    by_word = _by_word(rows, words)
    removed = _removed_lines(files)
    missed: set[tuple[str, int, str]] = set()
    for text, rows_of_word in by_word.items():
        word, mine = words[text], rows_of_word
        known = {word.given, "entry", "code" if word.given == "entry" else word.given}
        is_given = any(gives(text, path, line) in known for path, _, line in mine)
        if is_given and word.given != "data" and (passing := set(_passing(text, files))):
            # a local variable whose value the change gives another name: `"sum": total`
            keeps = assignment(text)
            is_local = {row for row in mine if row[0] in passing and row[2][:1].isspace() and keeps.match(row[2])}
            others = [row for row in mine if row not in is_local]
            is_given = any(gives(text, path, line) in known for path, _, line in others)
        is_given |= TEMPLATE.search(word.path) is not None and any(is_id(text, line) for _, _, line in mine)
        if is_given and word.given == "code" and all(gives(text, path, line) != "code" for path, _, line in mine):
            # whatever the entries are for, `settings.LIMIT` means the same as where the change edits it
            edited = {one for path, line in removed if text in line for one in receivers(text, line)}
            mine = [row for row in rows_of_word if not edited.isdisjoint(receivers(text, row[2]))]
            is_given = not mine
        if word.given == "entry":  # `key.total` says nothing about `session.total`
            edited = {one for path, line in removed if text in line for one in receivers(text, line)}
            on = {row: receivers(text, row[2]) for row in mine}
            mine = [row for row in mine if not (edited and on[row] and edited.isdisjoint(on[row]))]
        is_setting = word.given == "data" and is_settings(word.path)
        in_code = is_setting and any(
            filetype(path).folder and gives(text, path, line) == "code" for path, _, line in mine
        )
        # A key removed alone usually belongs to a tool, and code defines its own names.
        is_given |= in_code and not word.is_renamed
        is_left_behind = word.is_renamed and word.given == "data"
        if is_given and not (is_left_behind and not any(asks(text, *one) for one in removed if text in one[1])):
            continue
        is_function = text in functions
        # the member of a returned object is not read by a string, and a string with the name of a key reads that
        is_key = word.given == "code" and (
            "()." in word.path or any(gives(text, path, line) == "data" for path, _, line in mine)
        )
        missed.update(
            (path, number, text)
            for path, number, line in mine
            if asks(
                text,
                path,
                line,
                is_function=is_function,
                members=not in_code,
                methods=word.given != "entry",
                strings=not is_key,
                home=word.path if word.given == "code" else "",
            )
            and not is_of_another(text, word.path, line)
            and not is_numbered_migration(path)
        )
    return missed


def _passing(name: str, files: Iterable[ChangedFile]) -> Iterator[str]:
    """Yield the files in which an added line passes a variable of this name on as a value."""
    value = re.compile(rf"[:=(,]\s*+{re.escape(name)}\s*+(?:[,)}}\]]|$)")
    for file in files:
        if any(
            line.kind == "+" and name in line.text and value.search(line.text)
            for hunk in file.hunks
            for line in hunk.lines
        ):
            yield file.path


def _set_in_vain(rows: Sequence[_Row], names: Collection[str]) -> set[tuple[str, int, str]]:
    """Return the lines (path, number, name) that set an environment variable that code no longer reads.

    Workflows are excluded, because their steps also set variables for tools.
    """
    found: set[tuple[str, int, str]] = set()
    for name, mine in _by_word(rows, names).items():
        does = [
            (row, role)
            for row in mine
            for role, one in environment.roles(row[0], row[2], is_described=True)
            if one == name
        ]
        if all(role == "sets" for _, role in does):
            found.update((path, line, name) for (path, line, _), _ in does if not is_workflow(path))
    return found


def _options_in_vain(rows: Sequence[_Row], options: Mapping[str, str]) -> set[tuple[str, int, str]]:
    """Return the lines (path, number, name) of settings that give a value to a field that no longer exists.

    Nothing but settings and prose may mention the name.
    """
    found: set[tuple[str, int, str]] = set()
    for name, mine in _by_word([row for row in rows if not is_prose(row[0])], options).items():
        if all(is_settings(path) and gives(name, path, text) == "data" for path, _, text in mine):
            found.update((path, line, name) for path, line, _ in mine if not is_test(path))
    return found


def _names_folder(word: str, paths: Collection[str]) -> bool:
    """Return whether a word is the import path of a package whose folder still exists: `example.org/shop/tax`."""
    host, _, inner = word.partition("/")
    folders = [inner.split("/", at)[at] for at in range(inner.count("/") + 1)] if "." in host and inner else []
    return any(path.startswith(f"{folder}/") for folder in folders for path in paths)


def _gone_names(symbols: Iterable[ChangedSymbol]) -> Iterable[tuple[str, str]]:
    """Yield the specific names of removed definitions, with their keys."""
    for item in symbols:
        before, after = item.before, item.after
        if before is not None and (after is None or after.short != before.short) and is_specific(before.short):
            yield before.short, item.key


def _gone_options(symbols: Iterable[ChangedSymbol]) -> Iterable[tuple[str, str]]:
    """Yield the spellings of removed fields of settings, with their keys: `PollSeconds`, `poll_seconds`, `poll-seconds`."""
    for item in symbols:
        before, after = item.before, item.after
        is_gone = before is not None and (after is None or after.short != before.short)
        if before is None or not is_gone or before.signature is not None or not _OF_SETTINGS.search(before.owner):
            continue
        parts = [part.lower() for part in _PART.findall(before.short)]
        if len(parts) > 1:
            pascal = "".join(part.capitalize() for part in parts)
            for spelling in (before.short, pascal, pascal[0].lower() + pascal[1:], "_".join(parts), "-".join(parts)):
                yield spelling, item.key


def _properties(names: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """Yield the names by which templates read getters: `total` for `getTotal`."""
    for name, key in names.items():
        match = _GETTER.fullmatch(name) if rules_of(key.rpartition(":")[0]).getters_are_properties else None
        if match and is_specific(own := match[1][0].lower() + match[1][1:]):
            yield own, key


def _gone_attributes(symbols: Iterable[ChangedSymbol], found: Iterable[Reference]) -> Mapping[str, str]:
    """Return the specific names of attributes that are no longer set and seem to be used, with their keys."""
    keys = {item.key for item in symbols}
    return {
        row.name: row.symbol for row in found if row.symbol not in keys and not row.is_guessed and is_specific(row.name)
    }


def _is_silent(path: str, text: str) -> bool:
    """Return whether a line is irrelevant, such as an import, which its language resolves."""
    is_import = filetype(path).is_parsed and IMPORTS.search(text) is not None
    return is_import or uses_nothing(path) or vendored_folder(path) is not None or is_comment(text, path)


def _any_of(words: Collection[str]) -> str:
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return rf"(?<![\w-])(?:{'|'.join(map(re.escape, ordered))})(?![\w-])"


def _by_word(rows: Sequence[_Row], words: Collection[str]) -> Mapping[str, list[_Row]]:
    """Return the lines that contain each of the words."""
    by_word: dict[str, list[_Row]] = defaultdict(list)
    if words:
        look = re.compile(_any_of(words))
        for row in rows:
            for word in dict.fromkeys(look.findall(row[2])):
                by_word[word].append(row)
    return by_word


def _of_words(rows: Sequence[_Row], words: Mapping[str, LostWord]) -> list[Reference]:
    references: list[Reference] = []
    for text, mine in _by_word(rows, words).items():
        word = words[text]
        said = [row for row in mine if _says(word, row[0], row[2], is_parsed=filetype(row[0]).is_parsed)]
        others = {path for path, _, _ in said if path != word.path}
        if 0 < len(others) <= (FILES if word.is_renamed and not word.is_plain else FEW):
            references += [found_by_name(word.key, text, *row) for row in said[:LINES]]
    return references


def _says(word: LostWord, path: str, text: str, *, is_parsed: bool) -> bool:
    """Return whether a line mentions a word as a string, key, member or symbol.

    Outside code, any occurrence of several words counts.
    """
    name = re.escape(word.text)
    if not word.is_plain and (not is_parsed or word.text.isupper()):
        return True
    if re.search(rf"[\"'`/]{name}[\"'`/?,]|\{{\{{[^}}\n]{{0,200}}(?<![\w-]){name}(?![\w-])|\[:{name}\]", text):
        return True
    if word.is_plain:
        return is_settings(path) and re.search(rf"^\s*+[\"']?{name}[\"']?\s*+[:=]", text) is not None
    return re.search(rf"(?:\.|->|(?<!:):){name}(?!\w)", text) is not None or _in_text(word.text, text)


def _in_text(word: str, text: str, path: str = "") -> bool:
    """Return whether a line of code has a word in a string or as a symbol."""
    if filetype(path).symbols and re.search(rf"(?<![\w:]):{re.escape(word)}(?![\w:])", text):
        return True
    look = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    return any(look.search(match[2]) for match in _TEXT.finditer(text) if match[2])


def _of_definitions(rows: Sequence[_Row], names: Mapping[str, str]) -> list[Reference]:
    """Return mentions of definitions in strings and unparsed files; code is searched elsewhere."""
    references: list[Reference] = []
    for name, mine in _by_word(rows, names).items():
        said = [
            row
            for row in mine
            if not is_style(row[0]) and (not filetype(row[0]).is_parsed or _in_text(name, row[2], row[0]))
        ]
        if 0 < len({path for path, _, _ in said}) <= FILES:
            references += [found_by_name(names[name], name, *row) for row in said[:LINES]]
    return references


def _of_paths(rows: Sequence[_Row], paths: Mapping[str, str]) -> list[Reference]:
    """Return mentions of removed files in strings, settings, build files and scripts.

    Imports are resolved elsewhere.
    """
    references: list[Reference] = []
    for said, mine in _by_word(rows, paths).items():
        home = paths[said]
        others = [row for row in mine if not filetype(row[0]).is_parsed or _in_text(said, row[2])]
        references += [found_by_name(f"{home}:{said}", said, *row) for row in others[:LINES] if row[0] != home]
    return references


def _beyond(files: Sequence[ChangedFile], budget: SearchLimits) -> tuple[str, ...]:
    if len(files) <= budget.files:
        return ()
    return (f"names were searched for {budget.files} of the {len(files)} changed files that are not parsed",)


def _notes(files: Sequence[ChangedFile], how_to_install: Callable[[str], str]) -> tuple[str, ...]:
    """Return a sentence about all unparsed files, and one for each grammar that can be installed."""
    if not files:
        return ()
    kinds = sorted({suffix(file.path) or posixpath.basename(file.path) for file in files})
    file_list = _some([file.path for file in files])
    note = f"{_some(kinds)} files are not parsed, so references to changes in {file_list} were only searched by name"
    lacking: dict[str, set[str]] = defaultdict(set)
    for file in files:
        if extra := filetype(file.path).extra:
            lacking[extra].add(suffix(file.path))
    return (
        note,
        *(f"to parse {_some(sorted(kinds))} files, {how_to_install(extra)}" for extra, kinds in lacking.items()),
    )


def _some(names: Sequence[str]) -> str:
    return f"{', '.join(names[:NAMED])}{' and more' if len(names) > NAMED else ''}"


def lost_paths(files: Sequence[ChangedFile], head_paths: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield (mention, path) for each removed file.

    It is mentioned with its folder, by a unique file name, or as a module.
    """
    names = {posixpath.basename(path) for path in head_paths}
    for file in files:
        path = file.old_path or ""
        is_gone = path and path not in head_paths and (file.status == "deleted" or path != file.path)
        if not is_gone or uses_nothing(path):
            continue
        name = posixpath.basename(path)
        parts = path.split("/")
        if len(parts) > 1:
            yield "/".join(parts[-2:]), path
        if name not in names and not _COMMON_FILES.match(name):
            yield name, path
        if filetype(path).dotted_modules and len(parts) > 1:
            yield ".".join(module_path(path).split("/")[-2:]), path
