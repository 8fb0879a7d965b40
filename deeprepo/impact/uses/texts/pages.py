"""Find what pages take from code by convention, so that no line names both.

Frameworks connect an action with the template of its name, and a component's properties with the attributes of
its elements. If the change renames one side only, nothing but a run notices.
"""

import re
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from posixpath import basename

from deeprepo.impact.changes import ChangedFile, ChangedSymbol, Query, Reference
from deeprepo.impact.ports import Tree
from deeprepo.impact.resolution import Absent
from deeprepo.impact.structs import replace
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.sites import found_by_name
from deeprepo.impact.uses.texts.leftovers import TEMPLATE, stem_of
from deeprepo.impact.values import Definition

MOST_FILES = 60  # with an element of the component
MOST_ROWS = 10  # per class or component
# The suffixes of classes whose methods or whole class have templates
_ROLE = re.compile(r"_(?:controller|mailer|view|html|text|json|component|live|cell)$")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_COMPONENT = re.compile(r"\.(?:vue|svelte|astro)$")
_MARKUP = ("*.vue", "*.svelte", "*.astro", "*.html", "*.mdx", "*.md")
# A property in the head of a component: `color: String,`, `color?: string`, `export let color`, `"color",`
_PROPERTY = re.compile(
    r"^\s*+(?:export\s++let\s++|[\"']|readonly\s++)?([A-Za-z]\w*+)\??(?:[\"']\s*+(?:,\s*+)?$|\s*+(?:[:=,;]|$))"
)
_ATTRIBUTE = re.compile(r"\s++([^\s\"'>=/{}]++)(?:=(?:\"[^\"]*+\"|'[^']*+'|\{[^}]*+\}|[^\s>\"']++))?+")
_BINDING = re.compile(r"^(?:v-bind:|v-model:|bind:|:)|\..*$")
# Attributes that plain HTML elements accept too
_NATIVE = frozenset(
    """accept action alt checked class cols content disabled download draggable for form height hidden href id is key label lang list loading max
    method min multiple name open pattern placeholder readonly ref rel required role rows selected size slot span src style tabindex target
    text title type value variant width wrap""".split()  # noqa: SIM905
)
_STYLE = re.compile(r"<style\b.*?(?:</style>|\Z)", re.DOTALL)
_PASSES_ON = re.compile(r"\$attrs|\$\$restProps|\$\$props|\.\.\.")


async def left_on_pages(tree: Tree, files: Sequence[ChangedFile], symbols: Iterable[ChangedSymbol]) -> list[Reference]:
    """Return the templates and attributes that the change leaves behind."""
    sources = await tree.read_many([file.path for file in files if file.is_analyzed])
    texts = {path: raw.decode("utf-8", "replace") for path, raw in sources.items()}
    found = [*await _of_actions(tree, files, symbols, texts), *await _of_components(tree, files, texts)]
    return [replace(row, asks=True, resolution=Absent()) for row in found]


# --- Templates of actions. ---


async def _of_actions(
    tree: Tree, files: Sequence[ChangedFile], symbols: Iterable[ChangedSymbol], texts: Mapping[str, str]
) -> list[Reference]:
    """Return the templates that have the former name of a renamed action, or the folders of a renamed class."""
    renamed = [pair for item in symbols if (pair := _renamed_action(item)) is not None]
    if not renamed:
        return []
    changed_paths = {path for file in files for path in (file.path, file.old_path)}
    stems = [(path, stem_of(path)) for path in sorted(await tree.entries()) if TEMPLATE.search(path)]
    found = []
    for item, before, after in renamed:
        folders = _folders(_owner(before))
        mine = [(path, stem[-1]) for path, stem in stems if len(stem) > 1 and _words_of(stem[-2]) in folders]
        is_there = any(_words_of(name) == _words_of(after.short) for _, name in mine)
        is_named = re.search(rf"[:\"'`/]{re.escape(before.short)}\b", texts.get(after.path, "")) is not None
        if not (is_there or is_named):
            found += [
                found_by_name(item.key, before.short, path, 1, await _first_line(tree, path))
                for path, name in mine[:MOST_ROWS]
                if _words_of(name) == _words_of(before.short) and path not in changed_paths and not is_test(path)
            ]
    return found


def _renamed_action(item: ChangedSymbol) -> tuple[ChangedSymbol, Definition, Definition] | None:
    before, after = item.before, item.after
    if before is None or after is None or not item.is_renamed or before.owner != after.owner or not _owner(before):
        return None
    return (item, before, after) if before.signature is not None and not is_test(before.path) else None


def _owner(action: Definition) -> str:
    """Return the class of an action, or the module that its file is named after."""
    stem = basename(action.path).partition(".")[0]
    return action.owner or (stem if _ROLE.search(stem) else "")


def _folders(owner: str) -> set[str]:
    """Return the folders of a class's templates, as words: `OrderMailer` has `order_mailer`, and also `order`."""
    name = _words_of(re.split(r"[.:]+", owner)[-1])
    return {name, _ROLE.sub("", name), *(f"{_ROLE.sub('', name)}_{role}" for role in ("html", "text", "json", "view"))}


def _words_of(name: str) -> str:
    return "_".join(part.lower() for part in _PART.findall(name))


async def _first_line(tree: Tree, path: str) -> str:
    source = await tree.read(path)
    return (source or b"").decode("utf-8", "replace").partition("\n")[0]


# --- Attributes of components. ---


async def _of_components(tree: Tree, files: Sequence[ChangedFile], texts: Mapping[str, str]) -> list[Reference]:
    """Return the attributes that name a property which a component no longer mentions."""
    found: list[Reference] = []
    for file in files:
        text = texts.get(file.path, "")
        if not _COMPONENT.search(file.path) or file.status != "modified" or _PASSES_ON.search(text):
            continue
        code = _STYLE.sub("", text)
        gone = {name for name in _properties(file) if not re.search(rf"(?<![\w$-]){name}(?![\w$-])", code)} - _NATIVE
        if gone:
            found += [row async for row in _elements(tree, file.path, gone, {one.path: one for one in files})]
    return found


def _properties(file: ChangedFile) -> Iterator[str]:
    for hunk in file.hunks:
        for line in hunk.lines:
            if line.kind == "-" and (match := _PROPERTY.match(line.text)):
                yield match[1]


async def _elements(
    tree: Tree, home: str, gone: Collection[str], changed: Mapping[str, ChangedFile]
) -> AsyncIterator[Reference]:
    name = basename(home).partition(".")[0]
    kebab = "-".join(_words_of(name).split("_"))
    names = f"(?:{re.escape(name)}|{re.escape(kebab)})" if "-" in kebab else re.escape(name)
    paths = await tree.grep(Query([rf"<{names}(?![\w-])"], _MARKUP, syntax="perl"))
    element = re.compile(rf"<{names}(?![\w-])((?:{_ATTRIBUTE.pattern.replace('([^', '(?:[^', 1)})*+)")
    for path, raw in (await tree.read_many([one for one in sorted(paths)[:MOST_FILES] if one != home])).items():
        text = raw.decode("utf-8", "replace")
        imports = name in re.findall(r"import\s+(\w+)\s+from\s+[\"'][^\"'\n]*", text)
        added = changed[path].added_lines if path in changed else frozenset()
        for tag in element.finditer(text) if imports else ():
            for attribute in _ATTRIBUTE.finditer(text, tag.start(1), tag.end(1)):
                words = _words_of(_BINDING.sub("", attribute[1]))
                said = next((one for one in gone if _words_of(one) == words), "")
                line = text.count("\n", 0, attribute.start(1)) + 1
                if said and line not in added:
                    yield found_by_name(f"{home}:{said}", said, path, line, text.split("\n")[line - 1])
