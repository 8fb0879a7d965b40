"""Filters, tags and helpers of pages: a function that a program registers by its name, and that no page imports.

`{{ sum|money }}` calls the function below `@register.filter`, `<%= money(3) %>` a method of a helper. A name of one word counts too: the
form in which an engine asks for it leaves nothing else that could be meant, unless another file registers the name.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.dependents.keys import LineSearch
from bot.dependents.propose import globs
from bot.dependents.sites import mention
from bot.dependents.symbols import ChangedSource
from bot.ports import Language
from bot.text.paths import is_test
from bot.values import Query, Reference

ROWS = 2_000  # lines of pages that are looked at
FILES = 100  # that may register a name as well
LONG_LINE = 1_000  # characters; of a longer one the beginning is read
HEAD = 1_000  # characters from a decorator to what it stands above
PAGES = re.compile(
    r"\.(?:x?html?|txt|xml|jinja2?|j2|twig|njk|liquid|hbs|handlebars|ejs|erb|haml|slim|vue|mjml)\Z", re.IGNORECASE
)
HELPERS = re.compile(r"(?:\A|/)app/helpers/[^\n]*\.rb\Z")
DECORATOR = re.compile(
    r"^[ \t]*+@[\w.]{1,80}\.(?:(?:app_)?template_(filter|test|global)|(filter)|(?:simple_|simple_block_|inclusion_|assignment_)?(tag))\b",
    re.MULTILINE,
)
FUNCTION = re.compile(r"^[ \t]*+(?:async[ \t]++)?def[ \t]++(?:self\.)?(\w{1,80})", re.MULTILINE)
NAMED = re.compile(r"\bname\s*+=\s*+[\"'](\w{1,80})[\"']")
FIRST = re.compile(r"\.(?:filter|tag|(?:app_)?template_(?:filter|test|global))\(\s*+[\"'](\w{1,80})[\"']")
CALL = re.compile(
    r"\b(?:register\.(filter|tag)|register(Filter|Tag|Helper)|register_(helper|filter|tag)|add(Filter|Global|Shortcode|PairedShortcode)|Twig(Filter|Function|Test))"
    r"\(\s*+[\"'](\w{1,80})[\"']"
)
ENTRY = re.compile(r"\.(filter|global|test)s\[[\"'](\w{1,80})[\"']\]\s*+=(?!=)")
ADDED = re.compile(
    r"\.add_(?:app_)?template_(filter|global|test)\([\w.]{1,80},\s*+(?:name\s*+=\s*+)?[\"'](\w{1,80})[\"']"
)
HELPER_METHODS = re.compile(r"^[ \t]*+helper_method\b([^\n]{1,400})", re.MULTILINE)
SYMBOL = re.compile(r":(\w{1,80})")
METHOD = "method"  # of a helper of Rails, which a page calls bare
# How a page asks for NAME, by the word with which a program registers it.
_FILTER, _TAG = r"(?<!\|)\|\s*+NAME(?!\w)", r"\{%[-+]?\s*+NAME(?!\w)"
_FUNCTION = r"\{[{%][^\n]{0,300}(?<![\w.])NAME\s*+\("
USES: Mapping[str, str] = {
    "filter": _FILTER,
    "tag": _TAG,
    "shortcode": _TAG,
    "pairedshortcode": _TAG,
    "global": _FUNCTION,
    "function": _FUNCTION,
    "test": r"\{[{%][^\n]{0,300}\bis\s++(?:not\s++)?NAME(?!\w)",
    "helper": r"\{\{[{~#^]{0,3}\s*+NAME(?!\w)",
    METHOD: r"(?:<%|^\s*+[-=%.#])[^\n]{0,300}(?<![\w.:@$\"'-])NAME(?![\w:?!\"'-])",
}
# What may give the name to a page beside a helper: a variable, a key, a parameter of a block.
GIVEN = r"(?<!\w)(?:NAME\s*+(?:=(?!=)|:(?!:))|:NAME(?!\w)|\|[^|\n]{0,100}\bNAME\b[^|\n]{0,100}\|)"
Registered = tuple[str, str]  # (word of `USES`, name)


async def registered_names(
    search: LineSearch, language: Language, sources: Sequence[ChangedSource], known_references: Sequence[Reference]
) -> tuple[Reference, ...]:
    """The lines of pages that ask for what the change registers no longer, under any name."""
    gone = _gone(sources)
    for pair in await _registered_elsewhere(search, language, sources, {name for _, name in gone}) if gone else ():
        gone.pop(pair, None)
    if not gone:
        return ()
    patterns = {pair: USES[pair[0]].replace("NAME", re.escape(pair[1])) for pair in sorted(gone)}
    query = Query(list(patterns.values()), syntax="perl", limit=ROWS)
    rows = await search.rows(query, "hold names by which pages ask for what the change takes away")
    rivals = await _given(search, {name for form, name in gone if form == METHOD})
    places = {(row.path, row.line, row.name) for row in known_references}
    pages = [row for row in rows if PAGES.search(row[0]) and search.is_old(row[0], row[1])]
    references: list[Reference] = []
    for pair, pattern in patterns.items():
        name = pair[1]
        asks = re.compile(pattern + (r"\s*+\(" if name in rivals else ""))
        for path, line, text in pages:
            if (path, line, name) not in places and asks.search(text[:LONG_LINE]):
                references.append(mention(f"{gone[pair]}:{name}", name, path, line, text.rstrip("\r")))
    return tuple(references)


def _gone(sources: Sequence[ChangedSource]) -> dict[Registered, str]:
    """What the changed files registered and register no longer -> the file that did."""
    names_now = {pair for source in sources for pair in _registered(source.file.path, source.after)}
    return {
        pair: source.file.old_path or source.file.path
        for source in sources
        if not is_test(source.file.path)
        for pair in _registered(source.file.old_path or source.file.path, source.before)
        if pair not in names_now
    }


async def _registered_elsewhere(
    search: LineSearch, language: Language, sources: Sequence[ChangedSource], names: Collection[str]
) -> set[Registered]:
    """What the files beside the changed ones register of these names."""
    changed_paths = {source.file.path for source in sources}
    paths = await search.tree.grep(Query(sorted(names), globs(language), word=True))
    others = [path for path in sorted(paths) if path not in changed_paths and not is_test(path)]
    texts = await search.tree.read_many(others[:FILES])
    return {pair for path, text in texts.items() for pair in _registered(path, text)}


async def _given(search: LineSearch, names: Collection[str]) -> frozenset[str]:
    """The names that something else may give to a page: without brackets they say nothing."""
    if not names:
        return frozenset()
    patterns = [GIVEN.replace("NAME", re.escape(name)) for name in sorted(names)]
    rows = await search.tree.grep_lines(Query(patterns, syntax="perl", limit=ROWS))
    text = "\n".join(row[2] for row in rows)
    return frozenset(name for name in names if re.search(GIVEN.replace("NAME", re.escape(name)), text))


def _registered(path: str, source: bytes | None) -> Iterator[Registered]:
    """What a file registers for pages."""
    text = (source or b"").decode("utf-8", "replace")
    for decorator in DECORATOR.finditer(text):
        if name := _decorated(text[decorator.start() : decorator.start() + HEAD]):
            yield _first_word(decorator), name
    for pattern in (CALL, ENTRY, ADDED):
        yield from ((_first_word(call).lower(), call[call.re.groups]) for call in pattern.finditer(text))
    if HELPERS.search(path):
        yield from ((METHOD, name) for name in FUNCTION.findall(text))
    for line in HELPER_METHODS.findall(text):
        yield from ((METHOD, name) for name in SYMBOL.findall(line))


def _first_word(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group)


def _decorated(text: str) -> str:
    """The name under which a decorator registers what stands below it; "" if nothing does."""
    function = FUNCTION.search(text)
    head = text[: function.start()] if function else ""
    label = NAMED.search(head) or FIRST.search(head)
    return label[1] if label else function[1] if function else ""
