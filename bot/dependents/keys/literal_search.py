"""Names of one word that code elsewhere says as a text or a symbol: `getattr(cart, "total")`, `delegate :total, to: :cart`, `[$cart, 'total']`.

A text of one word may mean anything. So only files count that name the class or the file of what is gone, and of them only the places where a
text can stand for a member: an argument, an element of a list, the key behind a module. Nothing is proven by them.

The queries of Python's object-relational mappers say a field by a lookup: `filter(total__gte=1)`, `order_by("-total")`, `cart__total`. Two
underscores part the relation, the field and what is asked of it; a field behind a relation says its class by that.
"""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.dependents.keys.line_search import LineSearch, Row
from bot.dependents.sites import UseTarget, telling
from bot.text.filetypes import filetype, has_common_name
from bot.text.lines import is_comment
from bot.text.paths import is_output, is_prose, is_style, is_test
from bot.values import Query, Reference
from bot.values.everyday import METHODS

LEAST = 3  # letters of a name
MATCHES = 1_000  # lines of the tree
FILES = 120  # files that hold such a text and are read
LONG = 400  # characters of a line that a person wrote
KINDS = frozenset({"type", "namespace", "implementation"})  # what no text asks an object for
QUOTED, SYMBOL = r"[\"'`]NAME[\"'`]", r"(?<![\w:\"'`\\]):NAME(?![\w?!:\"'`(]|[ \t]{0,8}=>)"
QUALIFIED = r"[\"'`][\w\\/.]{1,100}(?:::|[.#@])NAME[\"'`(]"  # "orders#show", 'Cart::total'
LOADED = r"\b(?:import_module|__import__|import|require)\([^\n]{1,200}\)[^\n]{0,100}(?<![\w\"'])NAME(?!\w)"
LISTED_SYMBOLS = r"%[iwIW][\[({][^\n\])}]{0,200}(?<![\w:])NAME(?![\w:])"
READS = re.compile(  # what looks a text up in data or in a language's own words
    r"(?:get|pop|setdefault|fetch|dig|has|has_key|key\?|include\?|includes|contains|containsKey|getItem|setItem|getenv|getString|startsWith|endsWith"
    r"|startswith|endswith|split|join|replace|strip|print|println|puts|log|debug|info|warn|warning|error|raise|t|tr|_|gettext|translate|require|require_relative|import|raise\w{0,60}|\w{0,60}(?:Error|Exception))$"
)
MODULES = re.compile(
    r"(?:__dict__|\bvars\([^()\n]{0,80}\)|\bglobals\(\)|\bglobalThis|\bprototype|\bReflect\.\w{1,20})$"
)
PAGE = r"(?<!\w)HOME(?:\.|->|&\.|\?\.)NAME(?!\w)"  # in a page: "cart.total"
ROLE = re.compile(r"(?<=\w)(?:_?[Cc]ontroller|Service|Model|Serializer|Helper|Mailer|Job)$")
KEYED = r"(?<![\w$])OWNER\s{0,4}\[\s{0,4}[\"'`]NAME[\"'`]\s{0,4}\]"  # of a class: `State["DONE"]`
LOOKUP = r"(?<![\w.$-])(?:[\"']-)?(?:\w{1,80}__)?NAME(?:__\w{1,80})?(?:[\"']|\s{0,4}=(?![=>]))"
LOOKUP_LANGUAGE = "python"
WHAT = "say names that the change takes away as texts"
FORMS = (QUOTED, SYMBOL, LISTED_SYMBOLS, QUALIFIED, LOADED)
ABOVE = 12  # lines in which a call may begin whose argument is named on a line of its own
NAMED = re.compile(
    r"(?:\A|,)\s*+[A-Za-z_]\w*+\s*+=\s*+\Z"
)  # the name of an argument, before its text: `mappedBy = "owner"`
NAMED_LINE = re.compile(r"\s*+[A-Za-z_]\w*+\s*+=\s*+\Z")
ANNOTATION = re.compile(r"\s*+(?:@|\[)\w")  # what attributes of Rust name, its paths say
DEFINES = re.compile(r"\b(?:def|fun|class)\b[^()\n]{0,100}\Z")
CONTROLS = frozenset({"and", "elif", "for", "if", "in", "not", "or", "when", "where", "while"})
DECLARED = 4  # lines behind an annotation in which what it is about is declared
OPEN, CLOSED = "([{", ")]}"
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[^\W_]+")
WORD = re.compile(r"[\w$?!]{1,100}$")
QUERYING = frozenset({"jvm", "php"})  # parsers of languages whose mappers take queries with names of classes and fields


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line that says a name as a text, with the lines above it in which its call may begin."""

    path: str
    text: str
    above: str = ""


async def literal_names(
    search: LineSearch, targets: Sequence[UseTarget], known_references: Sequence[Reference]
) -> tuple[Reference, ...]:
    """Return the lines that say a name of one word which is gone, in files that name its class or its file.

    `known_references`: what was found by syntax.
    """
    lost_targets = [(target, name, _home(target)) for target in targets if (name := lost_name(target))]
    if not lost_targets:
        return ()
    rows = [
        (path, line, text[:LONG].rstrip("\r"))
        for path, line, text in dict.fromkeys(await _rows(search, lost_targets))
        if search.is_old(path, line)
        and not (is_prose(path) or is_output(path) or is_style(path) or is_test(path) or is_comment(text, path))
    ]
    paths = sorted({path for path, _, _ in rows})
    if len(paths) > FILES:
        search.cut.append(
            f"{len(paths)} files say names that the change takes away as texts: {FILES} of them were looked at"
        )
    sources = {
        path: source.decode("utf-8", "replace") for path, source in (await search.tree.read_many(paths[:FILES])).items()
    }
    known_places = {(row.path, row.line, row.name) for row in known_references if not row.is_guessed}
    references: list[Reference] = []
    for target, name, home in lost_targets:
        meant_rows = [
            row
            for row in rows
            if name in row[2]
            and row[0] in sources
            and (*row[:2], name) not in known_places
            and _means(row, name, target, home, sources[row[0]])
        ]
        references += search.mentions(target.key, name, meant_rows, f"say {name} as a text")
    if not any(filetype(home).parser in QUERYING for target, _, _ in lost_targets for home in target.homes):
        return tuple(references)
    from bot.dependents.keys.query_names import queried_names

    return (*references, *await queried_names(search, targets, (*known_references, *references), QUERYING))


async def _rows(search: LineSearch, lost_targets: Sequence[tuple[UseTarget, str, re.Pattern[str]]]) -> list[Row]:
    """The lines that may say one of the names: a common one counts as the key of a class alone."""
    own_targets = [row for row in lost_targets if not _is_common(row[1])]
    names = {name for target, name, _ in lost_targets if target.owner and _is_common(name)}
    forms = sorted(_keyed(r"\w{1,100}", name) for name in names)
    found_rows = list(await search.rows(Query(forms, syntax="perl", limit=MATCHES), WHAT)) if forms else []
    if not own_targets:
        return found_rows
    any_name = f"(?:{'|'.join(sorted({re.escape(name) for _, name, _ in own_targets}))})"
    homes = "|".join(sorted({home.pattern for _, _, home in own_targets}))
    forms = [form.replace("NAME", any_name).replace("HOME", homes) for form in (*FORMS, PAGE, LOOKUP)]
    pages = sorted({f"{posixpath.splitext(home)[0]}.*" for target, _, _ in own_targets for home in target.homes})
    return [
        *found_rows,
        *await search.rows(Query(forms, syntax="perl", limit=MATCHES), WHAT),
        *await search.rows(Query([_word(any_name)], pages, syntax="perl", limit=MATCHES), WHAT),
    ]


def _is_common(name: str) -> bool:
    """Whether a name is too short, or borne by too much, to mean a member wherever it is a text."""
    return len(name) < LEAST or name in METHODS


def _owner(target: UseTarget) -> str:
    return target.owner.rpartition(".")[2]


def _keyed(owner: str, name: str) -> str:
    return KEYED.replace("OWNER", owner).replace("NAME", re.escape(name))


def _is_key_of_class(row: Row, name: str, target: UseTarget, source: str) -> bool:
    """Whether a line asks the class for the member by its name, under what the file calls the class: `State["DONE"]`."""
    owner = _owner(target)
    if not owner or name not in row[2]:
        return False
    alias_pattern = re.compile(rf"(?<![\w$]){re.escape(owner)}\s{{1,20}}as\s{{1,20}}(\w{{1,100}})")
    owners = {owner, *alias_pattern.findall(source)}
    return any(re.search(_keyed(re.escape(one), name), row[2]) for one in sorted(owners))


def _means(row: Row, name: str, target: UseTarget, home: re.Pattern[str], source: str) -> bool:
    """Whether a line says the name for the member that is gone: in a page behind its variable, elsewhere as a text."""
    path, number, text = row
    lines = source.split("\n")
    if _is_key_of_class(row, name, target, source):
        return True
    if _is_common(name):
        return False
    if not target.is_visible(
        path
    ):  # what a framework reaches all the same, where the annotated declaration names the class
        declaration = "\n".join(lines[number - 1 : number + DECLARED])
        is_about = ANNOTATION.match(text) is not None and home.search(declaration) is not None
        return is_about and _stands_for_member(name, target, TextLine(path, text), home)
    if (filetype(path).grammar is None or "{{" in text) and re.search(_form(PAGE, name, home), text):
        return True
    if filetype(path).grammar is None and any(_is_page_of(path, home) for home in target.homes):
        return bool(re.search(_word(re.escape(name)), text))
    names_home = path in target.homes or home.search(source) or _is_qualified(text, name, target, home)
    above = "\n".join(lines[max(0, number - 1 - ABOVE) : number - 1])
    is_lookup = _says_lookup(name, target, path, text, home, is_home=bool(names_home))
    return is_lookup or (bool(names_home) and _stands_for_member(name, target, TextLine(path, text, above), home))


def lost_name(target: UseTarget) -> str:
    """Return the one-word name that the change removes or renames; an empty text for a name that is common in every language, and without one."""
    item = target.symbol
    before = item.before if item is not None else None
    after = item.after if item is not None else None
    if before is None or not {"removed", "renamed"} & set(target.contract) or before.kind in KINDS:
        return ""
    name = before.short
    is_word = re.fullmatch(r"\w+", name) is not None and not name.startswith("__")
    is_common = _is_common(name) and not target.owner
    is_kept = telling(name) or is_common or (after is not None and after.short == name)
    return name if is_word and not is_kept else ""


def _word(names: str) -> str:
    """A pattern for one of the names as a word of a page."""
    return rf"(?<![\w.-]){names}(?![\w-])"


def _is_page_of(path: str, home: str) -> bool:
    """Whether a page has the name of the code beside it: `price.component.html`, `Main.xaml` of `Main.xaml.cs`."""
    stem = posixpath.splitext(home)[0]
    return path != home and (path == stem or path.startswith(f"{stem}."))


def _form(form: str, name: str, home: re.Pattern[str]) -> str:
    return form.replace("NAME", re.escape(name)).replace("HOME", home.pattern)


def _home(target: UseTarget) -> re.Pattern[str]:
    """The names by which code calls the class of what is gone, or without one its file: `OrderItem`, `order_item`, `order-item`."""
    words = {target.owner.rpartition(".")[2]} if target.owner else set[str]()
    for home in () if target.owner else target.homes:
        own = posixpath.dirname(home) if has_common_name(home) else posixpath.splitext(home)[0]
        words.add(posixpath.basename(own))
    words |= {ROLE.sub("", word) for word in words}
    forms = ["[_-]?".join(map(re.escape, PARTS.findall(word))) for word in sorted(words) if len(word) >= LEAST]
    return re.compile(rf"(?i:(?<![^\W_])(?:{'|'.join(forms)})(?![^\W_]))" if forms else r"(?!)")


def _stands_for_member(name: str, target: UseTarget, line: TextLine, home: re.Pattern[str]) -> bool:
    """Whether a text or a symbol of a line can be the name of a member: an argument, an element of a list, the key behind a module."""
    text = line.text
    quoted, symbol, symbols, _, load = (_form(form, name, home) for form in FORMS)
    if re.search(symbols, text) or any(home.search(match[0]) for match in re.finditer(load, text)):
        return True
    if _is_qualified(text, name, target, home):
        return True
    if any(not _is_data(text[: match.start()]) for match in re.finditer(symbol, text)):
        return True
    return any(_asks(line, match, target) for match in re.finditer(quoted, text))


def _is_qualified(text: str, name: str, target: UseTarget, home: re.Pattern[str]) -> bool:
    """Whether a text names the class as well: `"orders#show"` of OrdersController, `'Cart::total'`."""
    owner = target.owner.rpartition(".")[2].lower()
    for match in re.finditer(_form(QUALIFIED, name, home), text):
        *_, last, _ = re.findall(r"\w+", match[0])
        if home.search(match[0]) or (len(last) >= LEAST and owner.startswith(last.replace("_", "").lower())):
            return True
    return False


def _asks(line: TextLine, match: re.Match[str], target: UseTarget) -> bool:
    """Whether what stands around a quoted word takes it for a name: no key, no comparison, nothing that is looked up in data."""
    before, following = line.text[: match.start()], line.text[match.end() :].lstrip()
    if following[:1] == ":" or following[:2] == "=>":
        return False
    if re.match(r"(?:not )?in\b", following):
        return True
    at = _bracket(before)
    if at is None and NAMED_LINE.match(before):  # `back_populates="owner"` on a line of its own
        before = f"{line.above}\n{before}"
        at = _bracket(before)
        return at is not None and _is_named(line.path, before, at)
    if at is None:
        return following[:1] in (",", "]", ")") and not before.strip(" \t\"'`,\\w")
    head = before[:at].rstrip()
    word = WORD.search(head)
    if before[at] == "[" and (word or head[-1:] in (")", "]")):
        receiver = word[0].lower() if word else ""
        stems = {posixpath.splitext(posixpath.basename(home))[0].lower() for home in target.homes}
        return bool(MODULES.search(head)) or receiver in stems
    comparison = re.search(r"[=!<>]=?\s*$|\bcase\s*$|\breturn\s*$", before)
    is_read = before[at] == "(" and word and READS.match(word[0]) and not MODULES.search(head)
    return (not comparison or _is_named(line.path, before, at)) and not is_read


def _is_named(path: str, before: str, at: int) -> bool:
    """Whether what follows is an argument that a call names, or an element of an annotation. `at`: the bracket that is open."""
    head = before[:at].rstrip()
    word = WORD.search(head)
    if before[at] != "(" or word is None or word[0] in CONTROLS or not NAMED.search(before[at + 1 :]):
        return False
    is_annotation = ANNOTATION.match(head.rpartition("\n")[2]) is not None
    is_call = filetype(path).named_arguments.strip() == "=" and not DEFINES.search(head)
    return is_annotation or (is_call and not READS.match(word[0]))


def _is_data(before: str) -> bool:
    """Whether what follows is looked up in data: `order[:total]`, `order.fetch(:total`."""
    at = _bracket(before)
    if at is None:
        return bool(re.search(r"==\s*$|\bwhen\s+$", before))
    word = WORD.search(before[:at])
    if before[at] == "[":
        return bool(word or before[:at][-1:] in (")", "]"))
    return bool(before[at] == "(" and word and READS.match(word[0]))


def _bracket(before: str) -> int | None:
    """Where the innermost bracket stands that is open at the end of a text; None if none is."""
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        if before[at] in CLOSED:
            depth += 1
        elif before[at] in OPEN:
            if not depth:
                return at
            depth -= 1
    return None


def _says_lookup(name: str, target: UseTarget, path: str, text: str, home: re.Pattern[str], *, is_home: bool) -> bool:
    """Whether a line asks for the field by a lookup. `home`: the names of its class; `is_home`: whether the file has one of them."""
    parsers = {filetype(one).parser for one in (path, *target.homes)}
    if not target.owner or parsers != {LOOKUP_LANGUAGE}:
        return False
    for match in re.finditer(LOOKUP.replace("NAME", re.escape(name)), text):
        words = re.sub(r"[\s=\"'-]", "", match[0]).split("__")
        if match[0][1:2] == "-" or len(words) > 1:
            relation = words[0] if words[0] != name else ""
            if home.search(relation) or home.search(relation.removesuffix("s")) or (is_home and not relation):
                return True
    return False
