"""Names that a framework makes of a file's path: `view('orders.index')` of Laravel, `render "orders/row"` of Rails, `View("Row")` of Razor, commands of Django.

A file that goes takes its name with it, unless another one has a path of which the same name is made.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.dependents.keys.line_search import LineSearch
from bot.text.lines import is_comment
from bot.text.paths import uses_nothing
from bot.values import ChangedFile, Query, Reference

FILES = 100  # of one change that are looked up
ROWS = 2_000
LONG_LINE = 2_000


@dataclass(frozen=True, slots=True)
class PathNaming:
    """How a framework makes a name of a path, by its one or two groups, and how others ask for it. NAME stands for it."""

    path: str
    asks: str
    asked_by: str = ""  # the paths of those that ask
    mark: str = "/"  # between the parts of the name
    beside: str = ""  # how a file of the same folder asks for it, by its last part
    in_file: bytes = b""  # what a file that asks says somewhere: a text alone is no name elsewhere


_RAILS = r"\.(?:erb|rb|haml|slim|jbuilder|builder)$"
_RENDERS = r"\b(?:render\w*|partial:|:partial\s*+=>|layout:|template:|:template\s*+=>|json\.partial!)[\s(]*+(?:(?:partial|template|layout):\s*+|:(?:partial|template)\s*+=>\s*+)?"
VIEWS = (
    PathNaming(
        r"(?:^|/)resources/views/(.{1,300}?)(?:\.blade)?\.php$",
        r"(?:\b(?:[vV]iew|make|first|markdown|component|includeIf|includeWhen|render|text|html|each|layout|extends|include|loadView)(?:\(|:)|[vV]iew\s*+=)[^\n]{0,100}?[\"'](?:[\w-]{1,60}::)?NAME[\"']",
        asked_by=r"\.php$",
        mark=".",
    ),
    PathNaming(
        r"(?:^|/)resources/views/components/(.{1,300}?)(?:/index)?\.blade\.php$",
        r"<x-NAME(?![\w.:-])|@component\(\s*+[\"']components\.NAME[\"']",
        asked_by=r"\.php$",
        mark=".",
    ),
    PathNaming(
        r"(?:^|/)app/views/([\w./-]{1,200})/_([a-z]\w{0,80})\.[\w.+]{1,40}$",
        rf"{_RENDERS}[\"']/?NAME[\"']",
        asked_by=_RAILS,
        beside=rf"{_RENDERS}[\"']NAME[\"']",
    ),
    PathNaming(
        r"(?:^|/)app/views/([\w./-]{1,200}/[a-z]\w{0,80})\.[\w.+]{1,40}$",
        rf"{_RENDERS}[\"']/?NAME[\"']",
        asked_by=_RAILS,
        beside=r"\brender[\s(]*+(?:action:\s*+)?(?:[\"']NAME[\"']|:NAME\b)",
    ),
    PathNaming(
        r"(?:^|/)app/views/layouts/([a-z][\w/]{0,80})\.[\w.+]{1,40}$",
        r"(?<![\w.])layout(?::|\s)\s*+(?:->|[\"'])\s*+(?:layouts/)?NAME[\"']",
        asked_by=r"\.rb$",
    ),
    PathNaming(
        r"(?:^|/)views/(.{1,200}?)\.(?:ejs|pug|jade|hbs|handlebars|mustache|njk|eta|liquid|twig)$",
        r"\.(?:render|view)\(\s*+[\"'`]/?NAME[\"'`]",
        asked_by=r"\.[cm]?[jt]sx?$",
    ),
    PathNaming(
        r"(?:^|/)(?:templates|WEB-INF/(?:views|jsp))/(.{1,200}?)\.(?:html|ftlh?|jsp|mustache|vm|gsp)$",
        r"(?:\breturn\s++|\bModelAndView\(\s*+|[sS]etViewName\(\s*+|\.process\(\s*+)\"/?NAME(?:\s++::[^\"\n]{0,80})?\"|~?\{/?NAME(?:\s++::|\})",
        asked_by=r"\.(?:java|kt|groovy|html)$",
        in_file=rb"Controller\b|ModelAndView|[tT]emplateEngine|\bth:",
    ),
    PathNaming(
        r"(?:^|/)(?:Views|Pages)/(?:[\w./-]{1,200}/)?(\w{1,100})\.cshtml$",
        r"(?<![\w.])(?:(?:this|Html|await|Controller)\.)?(?:View|PartialView|PartialAsync|RenderPartialAsync|Partial|RenderPartial)\(\s*+\"NAME\"|<partial\s[^>\n]{0,100}?\bname=\"NAME\"|\bLayout\s*+=\s*+\"NAME\"",
        asked_by=r"\.(?:cs|cshtml)$",
    ),
    PathNaming(
        r"(?:^|/)management/commands/([a-z]\w*)\.py$",
        r"\bcall_command\(\s*+[\"']NAME[\"']|\bmanage(?:\.py)?[\"',\s]{1,6}NAME(?![\w-])|\bdjango-admin\s++NAME(?![\w-])",
    ),
    PathNaming(
        r"(?:^|/)templatetags/([a-z]\w*)\.py$",
        r"\{%-?\s*+load\b[^%\n]{0,200}?(?<![\w.])NAME(?![\w.])",
    ),
)  # fmt: skip


async def view_names(search: LineSearch, files: Sequence[ChangedFile]) -> list[Reference]:
    """The lines that ask by its name for a file which went."""
    gone_paths = [
        file.old_path
        for file in files
        if file.old_path
        and (file.status == "deleted" or file.old_path != file.path)
        and not uses_nothing(file.old_path)
    ]
    references: list[Reference] = []
    for naming in VIEWS:
        homes = {name: path for path in gone_paths if (name := _name(naming, path))}
        if not homes:
            continue
        alive_names = {_name(naming, path) for path in await search.tree.entries()}
        homes = {name: path for name, path in sorted(homes.items()) if name not in alive_names}
        if len(homes) > FILES:
            search.cut.append(
                f"{FILES} of the {len(homes)} files that go were looked up by the names of their framework"
            )
        references += await _of_naming(search, naming, dict(list(homes.items())[:FILES])) if homes else []
    return references


def _name(naming: PathNaming, path: str) -> str:
    """What the framework calls a file; an empty text if it calls it nothing."""
    match = re.search(naming.path, path)
    return "/".join(filter(None, match.groups())).replace("/", naming.mark) if match else ""


async def _of_naming(search: LineSearch, naming: PathNaming, homes: dict[str, str]) -> list[Reference]:
    asks = {name: re.compile(naming.asks.replace("NAME", re.escape(name))) for name in homes}
    beside = {name: naming.beside.replace("NAME", re.escape(name.rpartition(naming.mark)[2])) for name in homes}
    forms = [*(one.pattern for one in asks.values()), *filter(None, beside.values())]
    rows = [
        (path, line, text.rstrip("\r"))
        for path, line, text in await search.rows(Query(forms, syntax="perl", limit=ROWS), "may ask for files that go")
        if re.search(naming.asked_by, path)
        and search.is_old(path, line)
        and len(text) <= LONG_LINE
        and not (uses_nothing(path) or is_comment(text, path))
    ]
    if naming.in_file:
        sources = await search.tree.read_many(sorted({path for path, _, _ in rows}))
        rows = [row for row in rows if re.search(naming.in_file, sources.get(row[0], b""))]
    references: list[Reference] = []
    for name, home in homes.items():
        mine = [
            row
            for row in rows
            if asks[name].search(row[2])
            or (beside[name] and _is_beside(row[0], name) and re.search(beside[name], row[2]))
        ]
        references += search.mentions(f"{home}:{name}", name, mine, f"ask for {home}", owner=home)
    return references


def _is_beside(path: str, name: str) -> bool:
    """Whether a view, or the controller of its folder, asks for what is in that folder."""
    folder = name.rpartition("/")[0]
    return f"app/views/{folder}/" in path or path.endswith(f"app/controllers/{folder}_controller.rb")
