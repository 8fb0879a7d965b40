"""Methods of routes that a change takes away while the path stays: `@router.post("/orders/cancel")` that became `.delete`.

No key is lost with it: who asks for it is looked up here, by the path and the method. A line that asks by another method is not
concerned; one that does not tell its method is, if its path has two segments.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from bot.dependents.keys.line_search import LineSearch, Row
from bot.dependents.keys.routes import DECLARES
from bot.text.filetypes import filetype
from bot.text.lines import is_comment
from bot.text.paths import is_output, is_prose, is_test
from bot.values import ChangedFile, Query, Reference

Methods = Mapping[str, frozenset[str]]  # path -> what may be asked of it
ROUTES = 60  # of one change that are looked up
ROWS = 2_000
LONG_LINE = 2_000
BESIDE = 6  # lines around a path in which the options of its request stand
_WORDS = "get|post|put|patch|delete"
_METHOD = re.compile(
    rf"(?<![A-Za-z])(?:{_WORDS}|{_WORDS.upper()})(?![a-z])|(?:Get|Post|Put|Patch|Delete)(?![a-z])", re.ASCII
)
_ASKED = re.compile(  # no part of another name: `getOrder`, but `MethodPost`, `http.postForEntity(`
    rf"(?<![A-Za-z])(?:{_WORDS}|{_WORDS.upper()})(?![A-Za-z_])|(?:(?<=Method)|(?<=Method\.))(?:Get|Post|Put|Patch|Delete)(?![a-z])"
    r"|(?<=\.)(?:get|post|put|patch|delete|Get|Post|Put|Patch|Delete)(?=[A-Z]\w*+[(<])",
    re.ASCII,
)
_DECLARED = re.compile(
    rf"(?P<before>{DECLARES})(?::(?P<name>\w+)|[\"'`](?P<text>[^\"'`\n]{{0,200}})[\"'`])", re.MULTILINE
)
_OPTIONS = re.compile(
    r"\bmethods?\s*+(?:=>|[=:(])\s*+([\[({]?[^\])}\n]{1,120})|\)\.Methods\(([^)\n]{1,120})|\)\s*+\.(\w+)\("
)
_PREFIX = re.compile(r"prefix\s*+=\s*+\Z|(?:Controller|RequestMapping)\([^()]*\Z")
_ANNOTATED = re.compile(
    r"^[ \t]*+(?:@|\[Http)(GET|POST|PUT|PATCH|DELETE|Get|Post|Put|Patch|Delete)(?:\(\s*+\)|\])?[ \t]*+$", re.MULTILINE
)
_GO_PATTERN = re.compile(r"([A-Z]{3,6}) +(?=/)")
_PARAMETER = re.compile(r"\$?\{[^{}]{0,80}\}|<[^<>]{0,80}>|\[[^\[\]]{0,80}\]|:\w+|\*\w*")
_FILE = re.compile(r"(?:^|/)(?:app|src/routes)/(.{1,200})/(?:route|\+server)\.[jt]sx?$")
_EXPORTED = re.compile(r"^export\s++(?:async\s++)?(?:function|const)\s++(GET|POST|PUT|PATCH|DELETE)\b", re.MULTILINE)
_GROUP = re.compile(r"\([^()]{0,80}\)/")
_OF_REQUEST = re.compile(rf"\b(?:method|type)\s*+(?:=>|[=:])\s*+[\"':]*({_WORDS})\b", re.IGNORECASE)
_URL = re.compile(r"\burl\s*+[:=]", re.IGNORECASE)
_READS = re.compile(r"\bfetch\(|\bhref=|\bsrc=|<form\b", re.IGNORECASE)
_REDIRECTS = re.compile(r"\bredirect\w*\(|\bRedirect\(", re.IGNORECASE)
_HEAD = 300  # characters behind a path in which its declaration ends


def _declared(path: str, text: str) -> Methods:
    """The methods of the routes that a file declares. A path of which no method is told may be asked by any."""
    methods: defaultdict[str, set[str]] = defaultdict(set)
    if (match := _FILE.search(path)) is not None:
        methods[_GROUP.sub("", f"/{match[1]}")].update(name.lower() for name in _EXPORTED.findall(text))
    prefixes: set[str] = set()
    for match in _DECLARED.finditer(text):
        route = match["name"] or match["text"] or ""
        if (pattern := _GO_PATTERN.match(route)) is not None:
            methods[route[pattern.end() :]].add(pattern[1].lower())
        elif _PREFIX.search(match["before"]) and not _OPTIONS.match(
            text[match.end() : match.end() + _HEAD].lstrip(", \n")
        ):
            prefixes.add(route)
        else:
            methods[route].update(_of_declaration(path, match, text) or {"any"})
    prefix = f"{prefixes.pop().rstrip('/')}/" if len(prefixes) == 1 else ""
    return {prefix + (route.lstrip("/") if prefix else route): frozenset(names) for route, names in methods.items()}


def _of_declaration(path: str, match: re.Match[str], text: str) -> set[str]:
    """The methods of one declaration: by its word, by its options, by an annotation beside it."""
    if words := _METHOD.findall(match["before"]):
        return {words[-1].lower()}
    following = re.split(r"\n[ \t\r]*+\n|;[ \t\r]*+\n", text[match.end() : match.end() + _HEAD])[0]
    if options := [word for parts in _OPTIONS.findall(following) for word in _METHOD.findall(" ".join(parts))]:
        return {word.lower() for word in options}
    around = text[max(0, match.start() - _HEAD) : match.start()].split("\n")[-3:-1] + following.split("\n")[1:3]
    if beside := _ANNOTATED.findall("\n".join(around)):
        return {beside[0].lower()}
    is_flask = filetype(path).parser == "python" and match["before"].rstrip("( ").endswith(".route")
    return {"get"} if is_flask else set()


def _pattern(route: str) -> str:
    """A route as others write it, behind whatever base; an empty text if nothing tells it from others."""
    parts = [part for part in _PARAMETER.sub("\0", route).strip("/^$").split("/") if part]
    if not any(re.fullmatch(r"[\w-]{3,}", part) for part in parts):
        return ""
    whole = "/".join("[^/\"'`\\s]+" if "\0" in part else re.escape(part) for part in parts)
    return rf"(?<![\w-]){whole}(?=/?(?:[\"'`?#\s)<]|$))"


async def lost_methods(
    search: LineSearch, files: Sequence[ChangedFile], texts: Mapping[tuple[str, str], str]
) -> list[Reference]:
    """The unchanged lines that ask for a path by a method that its file declares no more."""
    losses = [
        (file.path, route, method)
        for file in files
        if not is_test(file.path)
        and _loses_word(file)
        and ("base", file.old_path or file.path) in texts
        and ("head", file.path) in texts
        for route, method in _lost(file, texts)
        if _pattern(route)
    ]
    if len(losses) > ROUTES:
        search.cut.append(f"{ROUTES} of the {len(losses)} methods that routes lose were looked up")
    if not losses:
        return []
    forms = sorted({_pattern(route) for _, route, _ in losses[:ROUTES]})
    rows = [
        (path, line, text.rstrip("\r"))
        for path, line, text in await search.rows(
            Query(forms, syntax="perl", limit=ROWS), "may ask for routes by methods that go"
        )
        if len(text) <= LONG_LINE and not (is_prose(path) or is_output(path) or is_comment(text, path))
    ]
    sources = await search.tree.read_many(sorted({path for path, _, _ in rows}))
    lines = {path: source.decode("utf-8", "replace").split("\n") for path, source in sources.items()}
    references: list[Reference] = []
    for path, route, method in losses[:ROUTES]:
        look = re.compile(_pattern(route))
        mine = [row for row in rows if look.search(row[2])]
        if any(
            method in names and look.search(f'"{one}"')
            for home in {row[0] for row in mine if not is_test(row[0])}
            for one, names in _declared(home, "\n".join(lines.get(home, []))).items()
        ):
            continue  # another file declares it
        asking = [
            row for row in mine if search.is_old(row[0], row[1]) and _asks(row, look, method, lines.get(row[0], []))
        ]
        what = f"ask for {method.upper()} {route}"
        references += search.mentions(f"{path}:{method.upper()} {route}", route, asking, what, owner=path)
    return references


def _loses_word(file: ChangedFile) -> bool:
    """Whether a line that goes says a method: few changes are about one."""
    return any(line.kind == "-" and _METHOD.search(line.text) for hunk in file.hunks for line in hunk.lines)


def _lost(file: ChangedFile, texts: Mapping[tuple[str, str], str]) -> Iterator[tuple[str, str]]:
    """The routes of a file whose path stays, each with a method that goes."""
    old_path = file.old_path or file.path
    before, after = _declared(old_path, texts["base", old_path]), _declared(file.path, texts["head", file.path])
    for route, methods in before.items():
        now = after.get(route, frozenset())
        if now and "any" not in methods | now:
            yield from ((route, method) for method in sorted(methods - now))


def _asks(row: Row, look: re.Pattern[str], method: str, lines: Sequence[str]) -> bool:
    """Whether a line asks for the path by the method, as far as it tells."""
    path, line, text = row
    if not is_test(path) and _DECLARED.search(text):
        return False
    above = lines[line - 2] if line > 1 and lines[line - 2].rstrip().endswith("(") else ""
    methods = {word.lower() for word in _ASKED.findall(f"{above} {look.sub(' ', text)}")}
    if methods:
        return method in methods
    before = lines[max(0, line - 1 - BESIDE) : line - 1] if _URL.search(text) else []
    behind = lines[line : line + BESIDE] if text.rstrip().endswith((",", "{", "(")) else []
    request = "\n".join([*before, text, *behind])
    if (option := _OF_REQUEST.search(request)) is not None:
        return option[1].lower() == method
    if _REDIRECTS.search(text) or _READS.search(f"{above} {text}"):
        return method == "get"
    return look.pattern.count("/") > look.pattern.count("[^/") + 1
