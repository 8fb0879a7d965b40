"""What still says a name that is gone: templates, settings, strings, files of another language.

Code is searched by syntax, which sees neither strings nor templates. So a name that the change takes away is looked up as a word
in the whole tree, if it is telling and nothing defines it any more. Nobody can prove that such a line means the old definition:
it is evidence for a reader, and what no reader has seen stays open.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from bot.dependents.keys.forms import says_in_text
from bot.dependents.keys.line_search import LINES, LineSearch, Row
from bot.dependents.sites import UseTarget, mention, telling
from bot.text.filetypes import filetype
from bot.text.lines import binds, defines, is_comment
from bot.text.paths import is_output, is_prose, is_settings, is_style, is_test
from bot.values import Query, Reference

ROWS = 2_000
FAR = 20  # files that hold a word: in more it is a word of its own
WORD = re.compile(r"[\w$]+")
LONG = 400  # characters of a line that a person wrote
REQUIRES = re.compile(r"\A\s*+(?:require\w*|load)\b")
IMPORTS = re.compile(r"\A\s*+(?:import|from|use|using|require\w*|#\s*include)\b|\A[^\n]{0,200}\brequire\(")


async def mentions(
    search: LineSearch,
    targets: Sequence[UseTarget],
    known_references: Sequence[Reference],
    attributes: Mapping[str, str],
    suffixes: tuple[str, ...],
) -> tuple[Reference, ...]:
    """The lines that hold the name of what is gone as a word. Lines that the change adds make no name common.

    `known_references`: what was found by syntax; `attributes`: name -> key; `suffixes`: those of the language.
    """
    hidden_names = _gone(targets)  # what code elsewhere cannot mean
    owners = {name: key for name, key in attributes.items() if telling(name)}
    homes = {name: {key.rpartition(":")[0]} for name, key in owners.items()}  # the files that gave the name up
    for name, target in hidden_names.items():
        owners[name] = target.key
        homes.setdefault(name, set()).update(target.homes, (door for door, _ in target.doors))
    if not owners:
        return ()
    any_name = rf"(?<![\w$])(?:{'|'.join(re.escape(name) for name in sorted(owners))})(?![\w$])"
    query = Query([any_name], syntax="perl", limit=ROWS)
    rows = await search.rows(query, "hold names that the change takes away")
    lines_by_name, defined_names, rivals = _by_name(rows, re.compile(any_name), search)
    # A file that imports the name from elsewhere means that; an import from here was found by syntax, where the file is parsed.
    bound = {
        (path, name)
        for name, rows in lines_by_name.items()
        for path, _, text in rows
        if _imports(path, text) and (filetype(path).parser or not _may_lead_to(homes[name], text))
    }
    known_places = {(row.path, row.line, row.name) for row in known_references}
    references: list[Reference] = []
    for name in sorted(lines_by_name.keys() - defined_names):
        meant_rows = [
            (path, line, text)
            for path, line, text in lines_by_name[name]
            if (path, line, name) not in known_places
            and (path, name) not in bound
            and search.is_old(path, line)
            and not is_comment(text, path)
        ]
        hidden_rows = {
            row
            for row in meant_rows
            if row[0].endswith(suffixes) and _is_out_of_sight(hidden_names.get(name), name, row[0], row[2])
        }
        if hidden_rows:
            hidden_rows -= await _in_texts(search, hidden_names[name], name, hidden_rows)
        open_rows = [row for row in meant_rows if row not in hidden_rows]
        if sentence := _beyond(name, open_rows):
            search.cut.append(sentence)
        else:
            listed_rows = sorted(open_rows, key=lambda row: is_test(row[0]))[:LINES]
            references += [
                replace(mention(owners[name], name, *row), doubt=rivals.get(name, "")) for row in listed_rows
            ]
    return tuple(references)


async def _in_texts(search: LineSearch, target: UseTarget, name: str, rows: Collection[Row]) -> set[Row]:
    """The lines that say a member, which no code there can name, in a text of a file that names its class: a query, a sort, reflection."""
    owner = target.owner.rpartition(".")[2]
    paths = sorted({path for path, _, _ in rows if not target.is_visible(path)})[:FAR]
    raw_texts = await search.tree.read_many(paths) if owner else {}
    sources = {path: raw.decode("utf-8", "replace") for path, raw in raw_texts.items()}
    class_name = re.compile(rf"(?<![A-Za-z0-9]){re.escape(owner)}(?![a-z0-9])")  # OrderRepository is about Order
    return {
        row
        for row in rows
        if row[0] in sources and class_name.search(sources[row[0]]) and says_in_text(name, row[1], sources[row[0]])
    }


def _imports(path: str, text: str) -> bool:
    """Whether a line imports something: `use Rack::Cache` of Ruby is a call."""
    return bool((REQUIRES if filetype(path).line_imports else IMPORTS).match(text))


def _gone(targets: Sequence[UseTarget]) -> dict[str, UseTarget]:
    """The telling names that the change takes away, each with what it meant."""
    targets_by_name: dict[str, UseTarget] = {}
    for target in targets:
        before = target.symbol.before if target.symbol is not None else None
        after = target.symbol.after if target.symbol is not None else None
        removal = {"removed", "renamed"} & set(target.contract)
        if before is not None and removal and telling(before.short) and (after is None or after.short != before.short):
            targets_by_name[before.short] = target
    return targets_by_name


def _by_name(
    rows: Sequence[Row], words: re.Pattern[str], search: LineSearch
) -> tuple[dict[str, list[Row]], set[str], dict[str, str]]:
    """The lines of each name; the names that something defines; those that the change gives a meaning, which a reader has to tell."""
    lines_by_name: dict[str, list[Row]] = defaultdict(list)
    defined_names: set[str] = set()
    rivals: dict[str, str] = {}
    for path, line, text in rows:
        for name in dict.fromkeys(words.findall(text)):
            if not is_settings(path) and _gives_meaning(name, path, text[:LONG]):
                if search.is_old(path, line):
                    defined_names.add(name)
                else:
                    rivals.setdefault(name, f"{path}:{line}")
            elif not (is_prose(path) or is_output(path) or is_style(path)):
                lines_by_name[name].append((path, line, text.rstrip("\r")))
    return lines_by_name, defined_names, rivals


def _beyond(name: str, rows: Sequence[Row]) -> str:
    """The sentence about a name that too many lines hold for each to be listed. A test that is wrong about it fails."""
    rows = [row for row in rows if not is_test(row[0])]
    files = len({path for path, _, _ in rows})
    if files <= FAR and len(rows) <= LINES:
        return ""
    path, line, _ = rows[0]
    where = f"{files} files" if files > FAR else f"{len(rows)} lines"
    return f"{where} still hold {name}, which the change takes away, {path}:{line} among them: they were not looked at one by one"


def _may_lead_to(homes: Collection[str], text: str) -> bool:
    """Whether an import that no parser reads may mean one of these files: it names the file or a folder above it."""
    words = {word for home in homes for word in WORD.findall(posixpath.splitext(home)[0])}
    return not words.isdisjoint(WORD.findall(text[:LONG]))


def _is_out_of_sight(target: UseTarget | None, name: str, path: str, text: str) -> bool:
    """Whether a line of code cannot mean what only some files can name, or only without a receiver."""
    if target is None:
        return False
    receivers = re.findall(rf"(?<!\w)(\w{{0,100}})[ \t]{{0,8}}(?:&?\.|::){re.escape(name)}(?!\w)", text[:LONG])
    return not target.is_visible(path) or bool(receivers and all(target.is_beside(one, path) for one in receivers))


def _gives_meaning(name: str, path: str, text: str) -> bool:
    return defines(text, name, path) or binds(text, name)
