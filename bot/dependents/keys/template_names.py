"""Names that a template gives to a part of it, and that other templates and code ask for: blocks, macros, partials, sections.

No parser reads the languages of templates. A part that its file no longer has is looked up in the forms of its own engine, of one word
as well. Who asks for it is open where no other template has a part of that name, or where the file names the one that lost it.
"""

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from bot.dependents.keys.key import Texts
from bot.dependents.keys.line_search import LineSearch, Row
from bot.text.lines import is_comment
from bot.text.paths import uses_nothing
from bot.values import ChangedFile, Query, Reference

ROWS = 2_000
NAMES = 100  # of one change that are looked up
FILES = 200  # that ask for them and are read
IMPORTS = re.compile(r"\{%[-+~]?\s*+from\b[^%\n]{0,200}?\bimport\b([^%\n]{0,400})")
NAME = r"[A-Za-z_][\w.-]{0,79}"


@dataclass(frozen=True, slots=True)
class Engine:
    """How the templates of an engine give a part its name, and ask for one. NAME stands for it."""

    gives: str
    asks: str
    inherits: str = ""  # how a file says that it fills the parts of another one: then giving is asking
    is_imported: bool = False  # who asks for a part names its file


ENGINES = (
    Engine(  # Go
        r"\{\{-?\s*+(?:define|block)\s++[\"`]NAME[\"`]",
        r"\{\{-?\s*+(?:template|include)\s++[\"`]NAME[\"`]|\b(?:ExecuteTemplate|Lookup)\([^\n]{0,200}?[\"`]NAME[\"`]",
    ),
    Engine(  # Jinja, Django, Twig, Nunjucks
        r"\{%[-+~]?\s*+block\s++NAME(?![\w.-])",
        r"\{%[-+~]?\s*+block\s++NAME(?![\w.-])|\bblock\(\s*+[\"']NAME[\"']",
        inherits=r"\{%[-+~]?\s*+(?:extends|embed)\b",
    ),
    Engine(
        r"\{%[-+~]?\s*+macro\s++NAME\s*+\(",
        r"\{[%{][^\n]{0,200}?(?<![\w-])NAME(?![\w-])",
        is_imported=True,
    ),
    Engine(  # Handlebars
        r"\{\{#\*\s*+inline\s++[\"']NAME[\"']|\bregisterPartial\(\s*+[\"']NAME[\"']",
        r"\{\{~?#?>\s*+NAME(?![\w./-])",
    ),
    Engine(  # Blade
        r"@(?:yield|stack)\(\s*+[\"']NAME[\"']",
        r"@(?:section|push|prepend)\(\s*+[\"']NAME[\"']",
    ),
)  # fmt: skip


async def template_names(search: LineSearch, files: Sequence[ChangedFile], texts: Texts) -> list[Reference]:
    """The lines that ask for a part which a changed file no longer has."""
    references: list[Reference] = []
    for engine in ENGINES:
        lost_names = _lost_names(engine, files, texts)
        if len(lost_names) > NAMES:
            search.cut.append(f"{NAMES} of the {len(lost_names)} parts of templates that go were looked up")
        if lost_names:
            names = dict(sorted(lost_names.items())[:NAMES])
            handing = {home for home in names.values() if _inherits(engine, texts.get(("head", home), ""))}
            references += await _of_engine(search, engine, names, handing)
    return references


def _lost_names(engine: Engine, files: Sequence[ChangedFile], texts: Texts) -> dict[str, str]:
    """The names of parts that files no longer have, each with its file."""
    gives = re.compile(engine.gives.replace("NAME", f"({NAME})"))
    lost_names: dict[str, str] = {}
    for file in files:
        before, after = texts.get(("base", file.old_path or file.path), ""), texts.get(("head", file.path), "")
        if _inherits(engine, before):
            continue  # it filled the part of another one
        gone_names = _given(gives, before) - _given(gives, after)
        if engine.is_imported:  # what it imports now it still offers
            gone_names -= {word for part in IMPORTS.findall(after) for word in re.findall(NAME, part)}
        lost_names |= dict.fromkeys(gone_names, file.old_path or file.path)
    return lost_names


def _inherits(engine: Engine, text: str) -> bool:
    return bool(engine.inherits) and re.search(engine.inherits, text) is not None


def _given(gives: re.Pattern[str], text: str) -> set[str]:
    return {name for match in gives.finditer(text) for name in match.groups() if name}


async def _of_engine(
    search: LineSearch, engine: Engine, lost_names: Mapping[str, str], handing: Collection[str]
) -> list[Reference]:
    """The lines that ask for parts. `handing`: the files that hand on what another template gives."""
    any_name = f"(?:{'|'.join(map(re.escape, lost_names))})"
    forms = [form.replace("NAME", any_name) for form in (engine.gives, engine.asks)]
    rows = await search.rows(Query(forms, syntax="perl", limit=ROWS), "ask for parts of templates that go")
    rows = [row for row in rows if not uses_nothing(row[0]) and not is_comment(row[2], row[0])]
    paths = sorted({path for path, _, _ in rows})
    if len(paths) > FILES:
        search.cut.append(f"{len(paths)} files ask for parts of templates that go: {FILES} of them were looked at")
    raw_texts = await search.tree.read_many(paths[:FILES])
    sources = {path: raw.decode("utf-8", "replace") for path, raw in raw_texts.items()}
    references: list[Reference] = []
    for name, home in lost_names.items():
        mine = [row for row in rows if name in row[2] and row[0] in sources]
        is_given = any(_gives(engine, name, row[2], sources[row[0]]) for row in mine if row[0] != home)
        asking_rows = [
            row
            for row in mine
            if search.is_old(row[0], row[1])
            and _asks(engine, name, row, sources[row[0]])
            and _may_mean(engine, home, sources[row[0]], is_given=is_given, is_handed=home in handing)
        ]
        references += search.mentions(f"{home}:{name}", name, asking_rows, f"ask for {name}", owner=home)
    return references


def _may_mean(engine: Engine, home: str, source: str, *, is_given: bool, is_handed: bool) -> bool:
    """Whether a file that asks for a part means the one that went. `is_given`: whether another template gives one of that name."""
    if not is_given and not engine.is_imported:
        return True
    return _names_file(home, source) and not (is_given and is_handed)


def _gives(engine: Engine, name: str, text: str, source: str) -> bool:
    """Whether a line gives a part that name by itself."""
    return not _inherits(engine, source) and re.search(engine.gives.replace("NAME", re.escape(name)), text) is not None


def _asks(engine: Engine, name: str, row: Row, source: str) -> bool:
    is_filled = not engine.inherits or _inherits(engine, source)
    return is_filled and re.search(engine.asks.replace("NAME", re.escape(name)), row[2]) is not None


def _names_file(home: str, source: str) -> bool:
    """Whether a file names the one that lost the part: by its name, or by its stem as a text's last part."""
    name = posixpath.basename(home)
    stem = name.partition(".")[0]
    return re.search(rf"(?<![\w-])(?:{re.escape(name)}|{re.escape(stem)})(?:\.[\w.]{{1,30}})?[\"']", source) is not None
