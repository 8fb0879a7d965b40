"""Find names that lost their definition while other files use them.

They are ids, nested keys, template paths and partial renames. The rule is the same for all languages. The
change removes every definition of a distinctive name, nothing else defines it, and an unchanged line uses it
in an unambiguous form. Each kind was mostly right on ordinary changes.
"""

import difflib
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal

from deeprepo.impact.changes import ChangedFile, DiffLine
from deeprepo.impact.everyday import is_specific
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.lines import is_comment
from deeprepo.impact.text.paths import is_prose, is_settings, is_style, is_test, names_file, uses_nothing
from deeprepo.impact.uses.texts.words import IMPORTS, VALUES, is_distinctive

MOST = 80  # names per change that are searched
MANY = 40  # lines with one name; more mean that it is an ordinary word
SHORTEST, SHORT = 6, 3  # letters of a name, and of one with its folder or key
_NAME = r"[A-Za-z][\w-]*(?:[.:][\w-]+)*"
_MARKUP = re.compile(
    r"\.(?:x?html?|xml|erb|ejs|hbs|vue|svelte|astro|[jt]sx|cshtml|razor|twig|liquid|jinja2?|j2|njk|heex|eex|php|gohtml|tmpl)$"
)
# An element's id; a named resource in an XML file.
_ID = re.compile(rf"(?<![\w:-])(?:android:)?id\s*=\s*\{{?[\"'`](?:@\+id/)?({_NAME})[\"'`]")
_RESOURCE = re.compile(rf"^\s*<[\w-]+\s+name=\"({_NAME})\"")
_KEY = re.compile(rf"^(\s*)[\"']?({_NAME})[\"']?\s*:(?:\s|$)")
_TOKEN = re.compile(r"[\w-]+(?:[.:][\w-]+)*")
_VERSION = re.compile(r"v?\d+(?:[.-]\d\w*)*(?:[-+.]?(?:rc|alpha|beta|dev|post)[.\w]*)?")
_BEFORE = re.compile(r"([\w$@.]*)\W*(?:[\"'`][^\"'`]*)?$")
_ATTRIBUTE = re.compile(r"(?<![\w:-])([\w:-]++)\s*+=\s*+\{?+[\"'`][^\"'`]*+$")
# The line gives something a whole text as its value: `export const theme = "dark-mode"`.
_ASSIGNED = re.compile(r"(?<![=!<>:])=\s*[\"'`][^\"'`]*[\"'`]\s*+(?:[;,]\s*+)?$")
_OF_DOMAIN = re.compile(
    r"[\"'`](?:com|org|net|io)\.[\w-]+\.[\w.-]+[\"'`]"
)  # a name from another project: `com.example.total`
_LINE = 2_000
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")  # a word of a name
_WORD_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
MOST_RENAMED = 3  # names of one line
ALIKE = 0.8  # of two spellings of one name
FEW = 6  # lines that a renaming may forget; more mean that the former name is in use


# What a renamed word is: the key of an object in code; a key of data, also with its value on the line; anything else
_Kind = Literal["", "key", "valued", "object"]


class Lost(Struct, frozen=True):
    """A name without a definition. `asks` and `gives` are patterns of lines that use and define it."""

    name: str
    home: str  # the file that defined it
    words: str  # a plain pattern that every use matches, for searching the whole tree
    asks: str
    gives: str = "(?!)"
    has_twins: bool = False  # data files next to its own repeat it, as translations do
    is_given_by_its_last_part: bool = False  # the defining lines need not match `words`
    new_name: str = ""  # what the change calls it now: it's a new name only if the base has it nowhere
    role: str = ""  # the word in front of the former name where it was renamed
    is_all_known: bool = False  # nothing but the lines that `gives` matches can define the name
    defines_route: bool = False  # another line that defines the path of an interface is not left behind
    is_registration: bool = False  # the name is still defined, but nothing is registered under it

    @property
    def key(self) -> str:
        """The key in the list of references."""
        return f"{self.home}:{self.name}"


def lost_definitions_of_text(
    files: Sequence[ChangedFile], before: Mapping[str, str], after: Mapping[str, str], paths: Collection[str]
) -> list[Lost]:
    """Return the names that the change removes.

    `before`, `after`: the changed files on both sides; `paths`: those of the head.
    """
    mine = [file for file in files if file.is_analyzed and not uses_nothing(file.path)]
    found: dict[tuple[str, str], Lost] = {}
    by_files = (*_templates(files, paths), *_scripts(files, paths), *_services(mine))
    by_lines = (*_ids(mine), *_keys(mine, before, after), *_renamings(mine, after), *_routes(mine, after))
    for one in (*by_lines, *_named_by_convention(mine, after), *by_files):
        found.setdefault((one.name, one.asks), one)
    return [*found.values()][:MOST]


def _removed(file: ChangedFile) -> Iterator[DiffLine]:
    return (
        line
        for hunk in file.hunks
        for line in hunk.lines
        if line.kind == "-" and not is_comment(line.text, file.path) and len(line.text) <= _LINE
    )


def _word(name: str) -> str:
    return rf"(?<![\w.-]){re.escape(name)}(?![\w-])"


def _ids(files: Sequence[ChangedFile]) -> Iterator[Lost]:
    """Yield the removed ids of elements and named resources."""
    for file in files:
        for line in _removed(file) if _MARKUP.search(file.path) else ():
            resources = _RESOURCE.findall(line.text) if file.path.endswith(".xml") else []
            for name in (*_ID.findall(line.text), *resources):
                if not is_distinctive(name) or len(name) < SHORTEST:
                    continue
                word = re.escape(name)
                camel = _camel(name)  # its name in the class generated from the layout
                is_bound = f"@+id/{name}" in line.text and camel != name
                binding = rf"|(?:inding\??(?:!!)?\.|^\s*|[(,]\s*){camel}(?=\??\.\w)" if is_bound else ""
                yield Lost(
                    name,
                    file.path,
                    rf"(?:{word}|{camel})" if is_bound else word,
                    rf"(?:\bR\.\w+\.|@\w+/|[\"'`\s,(]#|getElementById\(\s*[\"'`]"
                    rf"|(?<![\w-])(?:for|htmlFor|aria-\w+|list|form|headers)\s*=\s*\{{?[\"'`]){word}(?![\w-]){binding}",
                    rf"\b(?:va[lr]|let)\s+{camel}\b|\b{camel}\s*[:=](?!=)|(?:\bid\s*=\s*\{{?[\"'`]|@\+id/|\sname=\"|\bid:\s*[\"'`:]){word}(?![\w-])",
                    has_twins=name in resources,
                )


# A type that a container is told to build, `services.AddScoped<IMailer, Mailer>()`, and where a line needs it from there
_REGISTERED = re.compile(r"\.(?:Try)?Add[A-Z]\w*<(?:\w+\.)*(\w+)(?:,[^()]{0,200})?>\(")
_INJECTED = r"\bGet\w*<(?:\w+\.)*{0}>|(?:^\s*|[(,\]]\s*)(?:\w+\.)*{0}\s\w+\s*[,)]|@inject\s+(?:\w+\.)*{0}\s"
_BUILT = (
    r"\.(?!Get)\w{{1,60}}<[^()]{{0,200}}\b{0}\b[^()]{{0,200}}>\(|\btypeof\({0}\)|\bnew\s+{0}\b|\bas\s+{0}\b|\({0}\)"
)


def _services(files: Sequence[ChangedFile]) -> Iterator[Lost]:
    """Yield the types that the change no longer registers for injection."""
    for file in files:
        for line in _removed(file) if file.status != "deleted" and not is_test(file.path) else ():
            for name in filter(is_distinctive, _REGISTERED.findall(line.text)):
                # the usual class of an interface: `Mailer` of `IMailer`
                own = re.sub(r"^I(?=[A-Z])", "", name)
                gives = rf"{_BUILT.format(name)}|\bnew\s+{own}\b"
                yield Lost(name, file.path, own, _INJECTED.format(name), gives, is_registration=True)


def _keys(files: Sequence[ChangedFile], before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Lost]:
    """Yield the removed keys of data files, qualified by their parent key: `links.title`."""
    for file in files:
        if not re.search(r"\.(?:ya?ml|json)$", file.path) or posixpath.basename(file.path) in _MANIFESTS:
            continue
        now, was = after.get(file.path, ""), before.get(file.old_path or "", "").split("\n")
        for line in _removed(file):
            match = _KEY.match(line.text)
            outer = _around(was, line.old, len(match[1])) if match and line.old else ""
            if (
                match is None
                or not outer
                or not (is_specific(match[2]) or is_specific(outer))
                or match[2].lower() in VALUES
            ):
                continue
            name = f"{outer}.{match[2]}"
            if len(match[2]) < SHORT or re.search(rf"(?m)^[ \t]*+[\"']?{re.escape(match[2])}[\"']?[ \t]*+:", now):
                continue
            yield Lost(
                name,
                file.path,
                re.escape(name),
                rf"(?<![\w-]){re.escape(name)}(?![\w-])",
                rf"^\s*[\"']?(?:[\w-]+\.)*{re.escape(match[2])}[\"']?\s*(?::|=>)(?!:)",
                has_twins=True,
                is_given_by_its_last_part=True,
            )


_MANIFESTS = frozenset({"package.json", "package-lock.json", "composer.json", "tsconfig.json", "pnpm-lock.yaml"})


def _around(lines: Sequence[str], number: int, indent: int) -> str:
    """Return the parent key of a line in a data file, by indentation; "" if there is none nearby."""
    for text in reversed(lines[max(0, number - 2_000) : number - 1]):
        match = _KEY.match(text)
        if match is not None and len(match[1]) < indent:
            return match[2]
    return ""


def _has_word(word: str, path: str, text: str) -> bool:
    """Return whether a file contains a word outside its comments."""
    pattern = re.compile(_word(word))
    return any(pattern.search(line) and not is_comment(line, path) for line in text.split("\n"))


def _renamings(files: Sequence[ChangedFile], after: Mapping[str, str]) -> Iterator[Lost]:
    """Yield the names in strings and data that edited lines rename.

    Either the name has two different roles, so that both ends of a contract change, or the new name resembles
    the old one, which is rare for an exchanged value.
    """
    roles: dict[tuple[str, str], set[tuple[str, str, bool]]] = defaultdict(set)
    kinds: dict[tuple[str, str], set[_Kind]] = defaultdict(set)
    ends: dict[tuple[str, str], set[str]] = defaultdict(set)
    homes: dict[str, str] = {}
    for file in sorted(files, key=lambda one: is_test(one.path)):  # tests last
        for old, new, role, kind in _replaced(file):
            kinds[old, new].add(kind)
            roles[old, new].add((role, posixpath.splitext(file.path)[1], is_test(file.path)))
            ends[old, new].add(file.path)
            if old not in homes or is_test(homes[old]):
                homes[old] = file.path
    for (old, new), seen in roles.items():
        is_new = len(seen) < 2 or len(ends[old, new]) < 2  # noqa: PLR2004 - both ends
        if is_new and "object" in kinds[old, new]:
            is_new = not any(_uses_as_member(file, old, new) for file in files if file.path != homes[old])
        left = [path for path, text in after.items() if not is_test(path) and _has_word(old, path, text)]
        is_like = _resembles(old, new) or not kinds[old, new].isdisjoint(("valued", "object"))
        is_like |= old.startswith("--") and any(_OF_OPTION.search(role) for role, _, _ in seen)
        if (is_new and (not is_like or left not in ([], [homes[old]]))) or (left and not is_new):
            continue
        role = min(seen)[0] if is_new else ""
        yield _renamed(old, new if is_new else "", homes[old], role, _forms_of(old, new, homes[old], kinds, after))


def _renamed(old: str, new: str, home: str, role: str, forms: tuple[str, str]) -> Lost:
    asks, gives = forms
    if old.startswith("--") and not is_style(home):  # an option, which code reads by an attribute or key
        snake = old.removeprefix("--").replace("-", "_")
        names = rf"(?:{snake}|{_camel(snake)})"
        asks = rf"{asks}|(?:\.|\[[\"']){names}(?![\w-])"
        gives = rf"(?<![\w.]){names}\s*:|\b{names}\s*=(?!=)|\b(?:dest|name|id)\s*[=:]\s*[\"']{names}[\"']"
        return Lost(old, home, rf"(?:{re.escape(old)}|{names})", asks, gives, new_name=new)
    return Lost(old, home, re.escape(old), asks, gives, new_name=new, role=role, is_all_known=is_style(home))


def _forms_of(
    old: str, new: str, home: str, kinds: Mapping[tuple[str, str], set[_Kind]], after: Mapping[str, str]
) -> tuple[str, str]:
    """Return the patterns of lines that use a renamed name, and of lines that define it."""
    word, asks, key = re.escape(old), _asks(old, home), _key(old)
    is_entry = kinds[old, new] == {""} and any(
        is_settings(path) and re.search(_key(new), text, re.MULTILINE) for path, text in after.items()
    )
    if is_entry:  # the line now refers to another entry, which has its own line
        return asks, key
    if is_style(home):
        return asks, _GIVES_STYLE.format(word)
    if "object" in kinds[old, new]:
        return _TAKES.format(word), _GIVES_OBJECT.format(word)
    return f"{asks}|{key}", "(?!)"


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def _uses_as_member(file: ChangedFile, old: str, new: str) -> bool:
    """Return whether an edited line read a member by its old name and reads it by the new one."""
    lines = [line for hunk in file.hunks for line in hunk.lines]
    added = {line.text for line in lines if line.kind == "+"}
    return any(
        line.kind == "-" and f".{old}" in line.text and line.text.replace(f".{old}", f".{new}") in added
        for line in lines
    )


def _asks(name: str, home: str) -> str:
    """Return the pattern of lines that use a renamed name. A name of several parts is never a part of a longer one."""
    word = re.escape(name)
    if is_style(home):
        return rf"(?<![\w/-]){word}(?![\w-])"
    before, behind, member = (
        ("/#", "", "") if re.search(r"[.:]", name) else ("/:.#", r"|\.\w", rf"|(?<=\.){word}(?![\w(-])")
    )
    quoted = rf"[\"'`](?:[\w./:-]{{0,60}}[{before}])?{word}(?:[\"'`/?,]{behind})|(?<![\w:]):{word}(?![\w:])"
    # an element, an event or a slot of one
    element = rf"|<{word}[\s/>]|[@#]{word}(?=[\s=>/.])" if "-" in name else ""
    element += rf"|(?<!\w){word}_(?:path|url)\b" if posixpath.basename(home).startswith("routes.") else ""
    call = rf"|[\"'`\s.]{word}\(" if home.endswith(".sql") else ""
    return rf"{quoted}{member}|[$#]\{{{word}[:}}]{element}{call}"


# How styles define a name; how code takes the key of an object, and gives it
_GIVES_STYLE = r"(?:[.#%]|(?:mixin|keyframes|function) |(?=--)){0}(?![\w-])(?!\))[^;]*$"
_TAKES = r"(?<=[.@]){0}(?![\w-])|[\"'`][\w./:-]{{0,60}}[/:.]{0}[\"'`]|\{{(?:[^{{}}\n]{{0,200}},)?\s*{0}\s*(?:,[^{{}}\n]{{0,200}})?\}}\s*="
_GIVES_OBJECT = (
    r"(?<![\w$.])[\"']?+{0}[\"']?+\s*+\??+\s*+(?::(?!:)|=(?![=>])|\([^()\n]{{0,300}}+\)\s*+(?::[^{{}}\n]{{0,200}}+)?+\{{)"
    r"|\b(?:function|def|class|fun|func|fn|get|set)\s++{0}\b"
)
_OF_OPTION = re.compile(r"(?i)argument|option|flag|\barg|long")  # what defines an option of a command


# A path of an interface, in quotes: `"/orders/{id}/lines"`, `/orders/${id}/lines?all`
_ROUTE = re.compile(r"(?<=[\"'`])((?:[^\"'`\s/?]{0,80}/)?[^\"'`\s?]{2,200})(?=[\"'`?])")
_FILLED_IN = re.compile(r"\$?\{[^{}]*\}|<[^<>]*>|:\w+|%[sdv]|\[\w+\]|\d+")
_FILLS_IN = r"(?:\$?\{{1,2}[^{}\"'`\s]{1,80}\}{1,2}|<[^<>\"'`\s]{1,80}>|:\w{1,60}|%[sdv]|\[\w{1,60}\]|\d{1,20}|[\"'`]\s?[+.]\s?[\w.$()>-]{1,80}\s?[+.]\s?[\"'`])"
_DEFINES_ROUTE = re.compile(
    r"(?i:\b(?:get|post|put|patch|delete|head|options|any|all|route|handle\w*|path|re_path|url|match|scope|mapping|\w+mapping)\(\s*+(?:value\s*=\s*)?[\"'`]"
    r"|^\s*(?:get|post|put|patch|delete|match)\s[\"'])"
)
_CALLS_ROUTE = re.compile(r"(?i:\b(?:fetch|axios|http|client|api|request\w*+|session|\$)\.?+\w*+(?:<[^<>]*+>)?+\()")


def _routes(files: Sequence[ChangedFile], after: Mapping[str, str]) -> Iterator[Lost]:
    """Yield the paths of an interface that an edited line renames, with any value for each parameter."""
    for file in files:
        for hunk in file.hunks:
            lines = [line for line in hunk.lines if line.kind != " " and not is_comment(line.text, file.path)]
            added = {route for line in lines if line.kind == "+" for route in _routes_in(line.text)}
            for line in lines:
                for route in _routes_in(line.text) - added if line.kind == "-" and len(line.text) <= _LINE else ():
                    rest = [one for one in added if _replaces(one, route)]
                    pattern = "/".join(re.escape(part) if part != "*" else _FILLS_IN for part in route)
                    look = re.compile(pattern + r"(?![\w-])")
                    if rest and not any(look.search(text) for text in after.values()):
                        asks = rf"[\"'`/}}%\w]/?{pattern}/?(?:[\"'`?]|\$\{{)"
                        word = max((part for part in route if part != "*"), key=len)
                        yield Lost(
                            "/".join(route), file.path, re.escape(word), asks, defines_route=_is_route(line.text)
                        )


def _replaces(new: tuple[str, ...], old: tuple[str, ...]) -> bool:
    """Return whether a path differs from another in one part, or has all its parts in another order or place."""
    if len(new) == len(old) and sum(map(str.__ne__, new, old)) == 1:
        return True
    # a path that only gains a prefix may have been mounted below it before
    return set(old) <= set(new) and new[-len(old) :] != old


def _is_route(text: str) -> bool:
    """Return whether a line defines the path of an interface, and doesn't call it."""
    return _DEFINES_ROUTE.search(text) is not None and _CALLS_ROUTE.search(text) is None


def _routes_in(text: str) -> set[tuple[str, ...]]:
    """Return the paths in a line of code by their parts, with `*` for each parameter."""
    found = set()
    for match in _ROUTE.finditer(text) if "/" in text and not IMPORTS.search(text) else ():
        parts = [("*" if _FILLED_IN.fullmatch(part) else part) for part in match[1].strip("/").split("/")]
        while parts and not re.fullmatch(r"[\w.-]+|\*", parts[0]):
            parts = parts[1:]
        is_whole = match[1].startswith("/") or "*" in parts
        names = [part for part in parts if re.fullmatch(r"[A-Za-z][\w-]*", part) and len(part) > SHORT]
        is_plain = len(parts) > 1 and all(part == "*" or re.fullmatch(r"[\w-]+", part) for part in parts)
        if is_whole and is_plain and (len(names) > 1 or (names and "*" in parts)):
            found.add(tuple(parts))
    return found


def _key(name: str) -> str:
    return rf"^\s*[\"']?{re.escape(name)}[\"']?\s*[:=]"


def _resembles(old: str, new: str) -> bool:
    """Return whether two names share a word or differ in a few letters, and neither has a digit as versions do."""
    if re.search(r"\d", old + new):
        return False
    one, other = ({part.lower() for part in _PART.findall(name) if len(part) >= SHORT} for name in (old, new))
    return not one.isdisjoint(other) or difflib.SequenceMatcher(None, old, new, autojunk=False).ratio() >= ALIKE


# Files with commands, whose words are names
_COMMANDS = re.compile(
    r"\.(?:sh|bash|mk|cmake|bat|ps1)$|(?:^|/)(?:Makefile|Dockerfile[\w.-]*|CMakeLists\.txt|Procfile|[Jj]ustfile|\.github/workflows/[^/]+)$"
)
_OBJECT = re.compile(r"(?:^|[{,])\s*+(?:async\s++)?$")
_OF_KEY = re.compile(r"\s*+(?::(?!:)|\([^()\n]*+\)\s*+\{)")
_SELECTOR = re.compile(r"[.#%]$|(?:mixin|keyframes|function) $")
# What takes a list of classes. Another class in several of them is one edit, not both ends of a contract.
_CLASS_LISTS = frozenset({"className", "classNames", "classnames", "clsx", "cn", "cva", "cx", "twMerge"})


def _replaced(file: ChangedFile) -> Iterator[tuple[str, str, str, _Kind]]:
    """Yield the old name, the new name, the word before it and what it is, for lines that differ in one name."""
    for hunk in file.hunks:
        for is_edit, lines in groupby(hunk.lines, key=lambda line: line.kind != " "):
            run = list(lines) if is_edit else []
            added = [line.text for line in run if line.kind == "+" and len(line.text) <= _LINE]
            for line in run:
                if line.kind == "-" and len(line.text) <= _LINE and _may_rename(line.text, file.path):
                    yield from _one_name(line.text, added, file.path)


def _may_rename(text: str, path: str) -> bool:
    """Return whether an edit of this line may rename something: not a comment, a package or the value of a variable."""
    is_value = not _MARKUP.search(path) and _ASSIGNED.search(text) is not None
    return not (is_value or is_comment(text, path) or posixpath.basename(path) in _MANIFESTS)


def _one_name(text: str, added: Sequence[str], path: str) -> Iterator[tuple[str, str, str, _Kind]]:
    words = list(_TOKEN.finditer(text))
    around = _TOKEN.sub("", text)
    for now in added:
        if now == text or IMPORTS.search(text) or _TOKEN.sub("", now) != around:
            continue
        news = _TOKEN.findall(now)
        pairs = [(match, new) for match, new in zip(words, news, strict=False) if match[0] != new]
        if len(news) == len(words) and len(pairs) <= MOST_RENAMED:
            for match, new in pairs:
                is_name = is_distinctive(match[0]) and len(match[0]) >= SHORTEST and not _VERSION.fullmatch(match[0])
                if is_name and not names_file(match[0]) and _is_said(match, text, path):
                    yield match[0], new, _role(text, match.start(), path), _kind(match, text, path)


def _kind(match: re.Match[str], text: str, path: str) -> _Kind:
    """Return whether a word is the key of an object in code, or of data, which may be followed by its value."""
    if _is_object_key(match, text, path):
        return "object"
    if not re.match(_key(match[0]), text):
        return ""
    return "valued" if re.match(rf"{_key(match[0])}\s*[^\s{{\[(]", text) else "key"


def _is_object_key(match: re.Match[str], text: str, path: str) -> bool:
    """Return whether a word is the bare key of an object in code, or a method there: `total: 3`, `total() {`."""
    before, behind = text[: match.start()], text[match.end() :]
    return (
        (filetype(path).family == "web" or filetype(path).symbols)
        and _OBJECT.search(before) is not None
        and _OF_KEY.match(behind) is not None
    )


def _role(text: str, at: int, path: str) -> str:
    """Return the word before a name: the function that it is passed to, or an element's attribute."""
    before = text[:at]
    match = (_ATTRIBUTE.search(before) if _MARKUP.search(path) else None) or _BEFORE.search(before)
    role = match[1] if match else ""
    return "class" if role in _CLASS_LISTS else role


def _is_said(match: re.Match[str], text: str, path: str) -> bool:
    """Return whether a word is in a string, a symbol, or a file without code."""
    before, behind = text[: match.start()], text[match.end() :]
    among = " " if _MARKUP.search(path) else ""  # an attribute of an element may be a list: `class="wide js-cart"`
    is_text = (
        re.search(rf"[\"'`][\w./:#{among}-]*$", before) is not None
        and re.match(rf"[\w./:?{among}-]*[\"'`]", behind) is not None
    )
    is_symbol = filetype(path).symbols and before.endswith(":") and not before.endswith("::")
    is_bare = filetype(path).symbols and re.fullmatch(r"\s*", before) is not None and not behind.strip(" ,")
    is_plain = is_settings(path) or _COMMANDS.search(path) is not None or path.endswith(".sql")
    is_selector = is_style(path) and (match[0].startswith("--") or _SELECTOR.search(before) is not None)
    return is_text or is_symbol or is_bare or is_plain or is_selector or _is_object_key(match, text, path)


def _templates(files: Sequence[ChangedFile], paths: Collection[str]) -> Iterator[Lost]:
    """Yield the paths by which code refers to a removed template.

    They are a folder and a name without suffixes, with any separator.
    """
    stems = {stem_of(path) for path in paths}
    for file in files:
        path = file.old_path or ""
        is_gone = path and path not in paths and (file.status == "deleted" or path != file.path)
        if not is_gone or is_test(path) or is_prose(path) or is_style(path) or not TEMPLATE.search(path):
            continue
        parts = stem_of(path)
        if len(parts) < 2 or len(parts[-1]) < SHORT or parts in stems:  # noqa: PLR2004 - a folder and a name
            continue
        ends = [parts[-count:] for count in range(2, min(len(parts), 6) + 1)]
        ends = [one for one in ends if not any(stem[-len(one) :] == one for stem in stems)]
        if not ends:
            continue
        forms = "|".join(r"[./]_?".join(map(re.escape, one)) for one in reversed(ends))
        words = r"[./]_?".join(map(re.escape, ends[0]))
        yield Lost("/".join(ends[0]), path, words, rf"[\"'`:](?:[\w-]+::)?(?:{forms})(?:\.[\w.]+)?[\"'`]")
        if is_distinctive(parts[-1]) and len(parts[-1]) >= SHORTEST and all(stem[-1] != parts[-1] for stem in stems):
            word = re.escape(parts[-1])
            asks = rf"(?i:render\w*|template\w*|view|layout|include|body)\b[^\n]{{0,80}}(?::{word}(?![\w:])|[\"'`]{word}(?:\.[\w.]+)?[\"'`])"
            yield Lost(parts[-1], path, word, asks, is_all_known=True)


# What other code has by a convention: a query by the name in the comment before it, a look-up by a field of a
# model. Name, its form in the defining line, the forms of its uses.
_CONVENTIONS = (
    (r"^\s*--\s*name:\s*([\w-]+)", r"[\"'`]{0}[\"'`]|(?<=\.){1}\("),
    (
        r"^\s*(\w+)\s*=\s*models\.\w+\(",
        r"(?<!\w)-?(?:\w{{1,60}}__)?{0}__\w{{1,60}}\s*=|[\"'](?:-?\w{{1,60}}__{0}|-?{0}__\w{{1,60}})[\"']",
    ),
    (
        r"\brelated_name\s*=\s*[\"'](\w+)",
        r"(?<!\w)(?:\w{{1,60}}__)?{0}(?:__\w{{1,60}})?\s*=[^=]|[\"'](?:\w{{1,60}}__)?{0}(?:__\w{{1,60}})?[\"']",
    ),
)


def _named_by_convention(files: Sequence[ChangedFile], after: Mapping[str, str]) -> Iterator[Lost]:
    """Yield the names that removed lines define by a convention, and that no line of a changed file defines now."""
    for file in files:
        lines = [
            line.text for hunk in file.hunks for line in hunk.lines if line.kind == "-" and len(line.text) <= _LINE
        ]
        for defines, asks in _CONVENTIONS if file.status != "deleted" else ():
            for name in (found for text in lines for found in re.findall(defines, text)):
                gives = defines.replace(r"([\w-]+)", rf"{re.escape(name)}(?![\w-])").replace(r"(\w+)", rf"{name}\b")
                look = re.compile(gives, re.MULTILINE)
                if len(name) >= SHORTEST and not any(look.search(text) for text in after.values()):
                    word, member = re.escape(name), name.replace("-", "_")
                    yield Lost(
                        name, file.path, rf"(?:{word}|{member})", asks.format(word, member), gives, is_all_known=True
                    )


# Attributes by which a page calls code: `data-controller="cart-total"`, `component="cart-total"`
_CALLING = r"(?:data-[\w-]+|x-[\w:-]+|component|controller|widget|module|is)"


def _scripts(files: Sequence[ChangedFile], paths: Collection[str]) -> Iterator[Lost]:
    """Yield the names of removed scripts and components, as pages write them: `cart_total_controller.js` is `cart-total`."""
    names = {_on_page(path) for path in paths}
    for file in files:
        path = file.old_path or ""
        is_gone = path and path not in paths and (file.status == "deleted" or path != file.path)
        if not is_gone or is_test(path) or not (name := _on_page(path)) or name in names:
            continue
        if _blade_component(path):
            yield Lost(name, path, re.escape(name), rf"</?x-{re.escape(name)}(?![\w.-])")
        elif "-" in name and len(name) >= SHORTEST:
            word = re.escape(name)
            asks = rf"(?<![\w:-]){_CALLING}=[\"'](?:[^\"'<>]*\s)?{word}(?:\s[^\"'<>]*)?[\"']"
            yield Lost(name, path, word, asks)


def _blade_component(path: str) -> str:
    """Return the name of a Blade component: `forms.input` for views/components/forms/input.blade.php, or ""."""
    stem = path.removesuffix(".blade.php")
    name = f"/{stem}".partition("/components/")[2] if stem != path else ""
    return name.replace("/", ".").replace("_", "-")


def _on_page(path: str) -> str:
    """Return the name by which a page may use a script or component; "" for other files."""
    if component := _blade_component(path):
        return component
    name = posixpath.splitext(posixpath.basename(path))[0]
    stem = re.sub(r"[-_.](?:controller|component)$", "", name) if filetype(path).family == "web" else ""
    return "-".join(part.lower() for part in _WORD_PART.findall(stem))


TEMPLATE = re.compile(
    r"\.(?:erb|haml|slim|ejs|hbs|handlebars|mustache|njk|liquid|twig|pug|jade|j2|jinja2?|html?|cshtml|heex|eex|gohtml|tmpl|ftl|jsp|mjml|jbuilder)$"
    r"|\.blade\.php$"
)


def stem_of(path: str) -> tuple[str, ...]:
    """Return the folders of a file and its name without suffixes and the mark of a partial."""
    *folders, name = path.split("/")
    return (*folders, name.lstrip("_").partition(".")[0])


def asking_lines(
    lost: Lost, rows: Sequence[tuple[str, int, str]], is_silent: Callable[[str, str], bool]
) -> list[tuple[str, int, str]]:
    """Return the lines that use a name; none if the number shows that it is an ordinary word."""
    asks = re.compile(lost.asks)
    kept = assignment(lost.name)  # code may keep the variable for the value that has another key now

    def has_it(path: str, text: str) -> bool:
        text = kept.sub("", text) if filetype(path).folder else text
        is_command = lost.new_name and _COMMANDS.search(path) and re.search(_word(lost.name), text)
        return bool(asks.search(text if "." in lost.name else _OF_DOMAIN.sub("", text)) or is_command)

    mine = [
        row
        for row in rows
        if has_it(row[0], row[2])
        and not is_silent(row[0], row[2])
        and not ((is_style(row[0]) and not is_style(lost.home)) or is_prose(row[0]))
        and (row[0] != lost.home or lost.new_name or lost.is_registration)
        and not (lost.defines_route and _is_route(row[2]))
    ]
    if not lost.new_name:
        return mine if len(mine) <= MANY else []
    look = re.compile(_word(lost.name))
    like_it = {row for row in mine for one in look.finditer(row[2]) if _role(row[2], one.start(), row[0]) == lost.role}
    # the edit changed one of several definitions or uses; other uses in the same file are left behind
    if like_it:
        mine = [row for row in mine if row[0] == lost.home] if all(row[0] != lost.home for row in like_it) else []
    return mine if len(mine) <= FEW else []


def assignment(name: str) -> re.Pattern[str]:
    """Return the pattern of the start of a line that gives a variable of this name its value."""
    keyword = r"(?:(?:let|const|var|val|mut|final|auto)\s++)*+"
    return re.compile(rf"^\s*+{keyword}{re.escape(name)}\s*+(?::[^=\n]{{0,80}})?:?=(?!=)")


def is_given(lost: Lost, rows: Sequence[tuple[str, int, str]]) -> bool:
    """Return whether a line still defines a name.

    Tests, prose and translations next to the former file do not count.
    """
    gives, folder = re.compile(lost.gives), posixpath.dirname(lost.home)
    return any(
        gives.search(text)
        and not (is_test(path) or is_prose(path))
        and (is_style(path) or not is_style(lost.home))
        and not (lost.has_twins and path != lost.home and posixpath.dirname(path) == folder and is_settings(path))
        for path, _, text in rows
    )
