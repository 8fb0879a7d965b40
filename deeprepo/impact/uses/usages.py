"""Find who calls or reads a name, even one without a definition."""

from collections.abc import Mapping, Sequence
from typing import Literal

from deeprepo.impact import resolving, structs
from deeprepo.impact.changes import Query, Reference
from deeprepo.impact.filetypes import filetype, filetypes
from deeprepo.impact.ports import Tree
from deeprepo.impact.text.lines import file_lines, is_comment, is_minified
from deeprepo.impact.text.paths import is_output, is_prose, is_settings, is_test, is_test_scope
from deeprepo.impact.uses.budget import SearchLimits
from deeprepo.impact.values import Definition, Side, Use

FORMS: Mapping[str, Literal["import", "definition"]] = {
    "import": "import",
    "definition": "definition",
    "key": "definition",
}
ORDER = {"call": 0, "mention": 1, "import": 2, "definition": 3}
KINDS = ("code", "configuration", "test", "text")


def _is_word(name: str) -> bool:
    return bool(name) and name.replace("$", "_").replace("_", "a").isalnum()


async def callers(tree: Tree, name: str, limit: int = 200) -> tuple[Reference, ...]:
    """Return every place where a name is written as code.

    Calls come first, then mentions, imports and definitions (`form`). Strings and comments never count. A
    dotted name is looked up by its last part.
    """
    short = name.strip().rpartition(".")[2]
    if not _is_word(short):
        return ()
    references: list[Reference] = []
    for path, source in (await _parsed_files(tree, short)).items():
        lines = file_lines(source)
        references += [_with_text(use, path, lines) for use in resolving.uses(path, source, {short})]
    references.sort(key=lambda row: (ORDER[row.form], row.test, row.path, row.line))
    return tuple(references[:limit])


async def definitions(tree: Tree, name: str, side: Side = "head", paths: Sequence[str] = ()) -> list[Definition]:
    """Return the definitions of a name, product code first.

    `paths`: globs that limit the search. Files that no parser reads are left out.
    """
    if not _is_word(name):
        return []
    sources = await _parsed_files(tree, name, side, paths)
    return [
        structs.replace(one, path=path, side=side)
        for path, source in sources.items()
        for one in resolving.outline(path, source, side).definitions
        if one.short == name
    ]


async def _parsed_files(tree: Tree, name: str, side: Side = "head", paths: Sequence[str] = ()) -> Mapping[str, bytes]:
    budget = SearchLimits()
    globs = paths or [f"*{suffix}" for one in filetypes() if one.is_parsed for suffix in one.suffixes]
    hits = await tree.grep(Query([name], globs, word=True, side=side))
    parsed = sorted((path for path in hits if filetype(path).is_parsed), key=lambda path: (is_test(path), path))
    sources = await tree.read_many(parsed[: budget.parsed_files], side)
    return {path: source for path, source in sources.items() if len(source) <= budget.bytes and not is_minified(source)}


def _with_text(use: Use, path: str, lines: Sequence[str]) -> Reference:
    form = FORMS.get(use.form) or ("call" if use.arguments is not None else "mention")
    return Reference(
        symbol=use.name,
        name=use.name,
        path=path,
        line=use.line,
        text=lines[use.line - 1].rstrip("\r") if use.line <= len(lines) else "",
        function=use.function,
        span=use.span,
        connection="name",
        test=is_test(path) or is_test_scope(use.function),
        arguments=use.arguments,
        form=form,
    )


async def readers(tree: Tree, name: str, limit: int = 200) -> tuple[Reference, ...]:
    """Return the lines with a name, in any files, as unsure references: code, settings, tests, then prose.

    It may be an attribute, key, constant or environment variable.
    """
    short_name = name.strip()
    if not short_name:
        return ()
    word = _is_word(short_name[0]) and _is_word(short_name[-1])
    rows = await tree.grep_lines(Query([short_name], word=word, limit=20 * limit))
    kinds = {(path, line): _kind(path, text) for path, line, text in rows}
    ordered = sorted(rows, key=lambda row: (KINDS.index(kinds[row[:2]]), row))
    return tuple(
        Reference("", short_name, path, line, text.rstrip("\r"), kinds[path, line], None, "name")
        for path, line, text in ordered[:limit]
    )


def _kind(path: str, text: str) -> str:
    if is_prose(path) or is_output(path) or is_comment(text, path):
        return "text"
    return "test" if is_test(path) else "configuration" if is_settings(path) else "code"
