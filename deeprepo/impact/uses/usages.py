"""Find who calls or reads a name, even one without a definition."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Literal

from deeprepo.impact import resolving, structs
from deeprepo.impact.changes import Query, Reference
from deeprepo.impact.filetypes import filetype, filetypes
from deeprepo.impact.ports import Tree
from deeprepo.impact.text.lines import file_lines, is_comment
from deeprepo.impact.text.paths import is_output, is_prose, is_settings, is_test, is_test_scope
from deeprepo.impact.uses.budget import SearchLimits, is_minified
from deeprepo.impact.values import Definition, Side, Use

ENVIRONMENT = r"(environ|getenv|process\.env|import\.meta\.env|ENV)\b.{0,300}\bNAME"
LOOKS = (
    ("write", r"NAME[\"'\])]*+\s*+(?::[^=:]{1,300}+)?=(?![=>])"),
    ("key", r"[\"'`]NAME[\"'`]\s*\]|\.(get|pop|has|setdefault)\(\s*[\"'`]NAME[\"'`]|[\"'`]NAME[\"'`]\s*:"),
    ("attribute", r"(\.|->|::)\s*NAME\b"),
    ("string", r"[\"'`][^\"'`]*NAME[^\"'`]*+[\"'`]"),
)
Row = tuple[str, int, str, str]  # path, line, text, kind
FORMS: Mapping[str, Literal["import", "definition"]] = {
    "import": "import",
    "definition": "definition",
    "key": "definition",
}
ORDER = {"call": 0, "mention": 1, "import": 2, "definition": 3}
KINDS = ("attribute", "key", "string", "environment", "name", "write", "configuration", "test", "text")


async def callers(tree: Tree, name: str, limit: int = 200) -> tuple[Reference, ...]:
    """Return every place where a name is written as code.

    Calls come first, then mentions, imports and definitions (`form`). Strings and comments never count. A
    dotted name is looked up by its last part.
    """
    short = name.strip().rpartition(".")[2]
    if not re.fullmatch(r"[\w$]+", short):
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
    if not re.fullmatch(r"[\w$]+", name):
        return []
    sources = await _parsed_files(tree, name, side, paths)
    return [
        structs.replace(one, path=path, side=side)
        for path, source in sources.items()
        for one in resolving.outline(path, source, side).definitions
        if one.short == name
    ]


async def _parsed_files(tree: Tree, name: str, side: Side = "head", paths: Sequence[str] = ()) -> Mapping[str, bytes]:
    """Return the files that contain a name and that a parser reads, tests last, up to a limit."""
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


async def readers(tree: Tree, name: str, limit: int = 200, near: str = "") -> tuple[Row, ...]:
    """Return unchanged lines, in any files, that read a name.

    It may be an attribute, key, constant or environment variable. The likeliest come first: code before tests
    and prose, and files near `near`.
    """
    short_name = name.strip()
    if not short_name:
        return ()
    word = bool(re.fullmatch(r"[\w$].*[\w$]|[\w$]", short_name))
    now = await tree.grep_lines(Query([short_name], word=word, limit=20 * limit))
    before = {
        (path, text)
        for path, _, text in await tree.grep_lines(Query([short_name], word=word, side="base", limit=20 * limit))
    }
    rows = [
        (path, line, text.rstrip("\r"), _kind(short_name, path, text))
        for path, line, text in now
        if (path, text) in before
    ]
    rows.sort(
        key=lambda row: (
            KINDS.index(row[3]) >= KINDS.index("write"),
            _apart(near, row[0]),
            KINDS.index(row[3]),
            row[:2],
        )
    )
    return tuple(rows[:limit])


def _kind(name: str, path: str, text: str) -> str:
    """Return what a line seems to do with a name; the first form that matches."""
    if is_prose(path) or is_output(path) or is_comment(text, path):
        return "text"
    if is_test(path):
        return "test"
    word = re.escape(name)
    if re.search(ENVIRONMENT.replace("NAME", word), text):
        return "environment"
    if is_settings(path):
        return "configuration"
    return next((kind for kind, look in LOOKS if re.search(look.replace("NAME", word), text)), "name")


def _apart(near: str, path: str) -> int:
    """Return the number of folders up and down from one file to the other."""
    if not near:
        return 0
    one, two = posixpath.dirname(near).split("/"), posixpath.dirname(path).split("/")
    common = next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    return len(one) + len(two) - 2 * common
