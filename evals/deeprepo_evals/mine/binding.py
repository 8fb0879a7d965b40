"""How a file is bound to what another one defines, told by plain text: an import that resolves, a qualifier, a receiver's type."""

import posixpath
import re
from collections.abc import Callable, Collection, Iterator

from deeprepo_evals.mine.grammar import suffix
from deeprepo_evals.mine.reading import Definition, Place

PYTHON_IMPORT = re.compile(
    r"^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]*(?:\\\n[^\n#;]*)*)|^[ \t]*import[ \t]+([\w., \t]+)",
    re.MULTILINE,
)
SCRIPT_IMPORT = re.compile(
    r"\b(?:import|export)\s+(?:type\s+)?([^;'\"()=]*?)\s*from\s*['\"](\.[^'\"]*)['\"]"
    r"|\b(?:const|let|var)\s+(\{[^{}]*\}|[\w$]+)\s*=\s*require\(\s*['\"](\.[^'\"]*)['\"]\s*\)"
)
ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".vue", ".svelte")
SCRIPTS = frozenset({".js", ".jsx", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx"})
TELLING = re.compile(r"[a-z0-9]_[a-z0-9]|[a-z0-9][A-Z]|[A-Z0-9]_[A-Z0-9]")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"\n]+)"', re.MULTILINE)
REQUIRE = re.compile(r"^\s*require_relative\s+[\"']([^\"'\n]+)[\"']", re.MULTILINE)
LUA_REQUIRE = re.compile(
    r"^[ \t]*(?:local[ \t]+(\w+)[ \t]*=[ \t]*)?require[ \t]*\(?[ \t]*[\"']([\w./-]+)[\"']", re.MULTILINE
)
CLASS_IMPORT = re.compile(r"^\s*import\s+(?:static\s+)?([\w.]+?)\s*;?\s*$", re.MULTILINE)
KEYWORDS = frozenset(
    ["return", "case", "await", "in", "not", "and", "or", "else", "throw", "yield", "new", "delete", "goto"]
)
ALIASED = 3  # words of `name as other`
SHORTEST_TELLING = 6  # letters
GLOBAL = frozenset({".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp"})
MANAGED = frozenset({".java", ".kt", ".cs"})
RESOLVED = frozenset({"import", "qualified", "package"})  # what is bound so means one file and no other


def telling(name: str) -> bool:
    """Whether a name is of two words at least, so that hardly anything else is called so."""
    return len(name) >= SHORTEST_TELLING and bool(TELLING.search(name))


def import_names(text: str, path: str, home: str) -> Iterator[tuple[str, str]]:
    """The names that a file takes from another: (name there, name here); ("*", here) is the whole file."""
    if suffix(path) == ".py":
        yield from _python(text, path, home)
    elif suffix(path) in SCRIPTS:
        yield from _script(text, path, home)
    elif suffix(path) == ".lua":
        yield from (
            ("*", match[1]) for match in LUA_REQUIRE.finditer(text) if match[1] and _is_lua_module(match[2], home)
        )


def _is_lua_module(spec: str, home: str) -> bool:
    tail = spec.replace(".", "/")
    return f"/{home}".endswith((f"/{tail}.lua", f"/{tail}/init.lua"))


def _python(text: str, path: str, home: str) -> Iterator[tuple[str, str]]:
    module = home.removesuffix(".py").removesuffix("/__init__")
    for match in PYTHON_IMPORT.finditer(text):
        if match[3]:
            for part in match[3].split(","):
                words = part.split()
                if words and _is_module(words[0], path, module):
                    yield "*", words[2] if len(words) == ALIASED else words[0]
            continue
        listed = re.sub(r"#[^\n]*|[()\\]", " ", match[2])
        for part in listed.split(","):
            words = part.split()
            if not words:
                continue
            here = words[2] if len(words) == ALIASED and words[1] == "as" else words[0]
            if _is_module(match[1], path, module):
                yield words[0], here
            dot = "" if match[1].endswith(".") else "."
            if _is_module(f"{match[1]}{dot}{words[0]}", path, module):
                yield "*", here


def _is_module(spec: str, path: str, module: str) -> bool:
    dots = len(spec) - len(spec.lstrip("."))
    if dots:
        folder = posixpath.dirname(path)
        for _ in range(dots - 1):
            folder = posixpath.dirname(folder)
        return posixpath.normpath(posixpath.join(folder, spec[dots:].replace(".", "/"))) == module
    tail = spec.replace(".", "/")
    return "/" in tail and (module == tail or module.endswith(f"/{tail}"))


def resolve(spec: str, path: str) -> str:
    """A relative path of a script's import, without its ending."""
    whole = posixpath.normpath(posixpath.join(posixpath.dirname(path), spec))
    return re.sub(r"\.(?:[cm]?[jt]sx?)$", "", whole)


def stem(home: str) -> str:
    """A script's path as others may write it."""
    return re.sub(r"(?:\.d)?\.[cm]?[jt]sx?$", "", home)


def _script(text: str, path: str, home: str) -> Iterator[tuple[str, str]]:
    for match in SCRIPT_IMPORT.finditer(text):
        clause, said = match[1] or match[3] or "", match[2] or match[4]
        if resolve(said, path) not in (stem(home), stem(home).removesuffix("/index")):
            continue
        braces = re.search(r"\{([^{}]*)\}", clause)
        for part in (braces[1] if braces else "").split(","):
            words = [word for word in re.split(r"\s+as\s+|\s*:\s*", re.sub(r"^\s*type\s+", "", part.strip())) if word]
            if words:
                yield words[0], words[-1]
        rest = re.sub(r"\{[^{}]*\}", "", clause)
        star = re.search(r"\*\s*as\s+([\w$]+)", rest)
        if star:
            yield "*", star[1]
        elif match[3] and not braces:
            yield "*", match[3]
        elif not match[3] and (plain := re.match(r"\s*([\w$]+)", rest)):
            yield "default", plain[1]


def bound(text: str, path: str, home: str, what: Definition, place: Place) -> str:
    """How this place is bound to the definition: "" if that cannot be told."""
    if suffix(path) in (".ex", ".exs"):
        return "qualified" if place.form == "member" and _is_module_here(text, place.receiver, what.owner) else ""
    return _of_class(text, what, place) if what.owner else _of_file(text, path, home, what.name, place)


def _is_module_here(text: str, receiver: str, owner: str) -> bool:
    """Whether a name of a module in an Elixir file means this one: it is written whole, or an alias shortens it."""
    outer, _, last = owner.rpartition(".")
    whole, start = re.escape(owner), re.escape(outer)
    short = rf"^[ \t]*alias {whole}[ \t]*$|^[ \t]*alias {start}\.\{{[^{{}}]*\b{re.escape(last)}\b[^{{}}.]*\}}"
    renamed = rf"^[ \t]*alias {whole}, as: {re.escape(receiver)}[ \t]*$"
    return receiver == owner or bool(
        (receiver == last and re.search(short, text, re.MULTILINE)) or re.search(renamed, text, re.MULTILINE)
    )


def _of_class(text: str, what: Definition, place: Place) -> str:
    """The same for a member."""
    if place.form != "member":
        return ""
    if re.split(r"::|\\|\.", place.receiver)[-1] == what.owner:
        return "qualified"
    if is_typed(text, place.receiver, what.owner):
        return "receiver"
    return "inherited" if is_inherited(text, place.receiver, what.owner) else ""


def _of_file(text: str, path: str, home: str, name: str, place: Place) -> str:
    """The same for what a file or its package offers."""
    taken, kind = set(import_names(text, path, home)), suffix(path)
    near = posixpath.dirname(path) == posixpath.dirname(home)
    bare = place.form in ("import", "name")
    rules = (
        ("import", bare and (name, name) in taken),
        ("qualified", place.form == "member" and ("*", place.receiver) in taken),
        ("package", kind in (".go", ".java", ".kt", ".scala") and near and place.form == "name"),
        ("package", kind == ".swift" and _target(path) == _target(home) != "" and place.form == "name"),
        ("import", kind == ".swift" and place.form == "name" and _takes_target(text, home)),
        ("import", kind == ".scala" and place.form in ("import", "name") and _selected(text, home, name)),
        ("qualified", kind == ".go" and _through_package(text, home, place)),
        ("import", kind == ".rs" and _through_module(text, home, name)),
        ("import", kind in (*MANAGED, ".php") and _package_import(text, home, name)),
    )
    return next((how for how, holds in rules if holds), "")


def _through_package(text: str, home: str, place: Place) -> bool:
    folder = posixpath.dirname(home)
    named = place.form == "member" and place.receiver == posixpath.basename(folder)
    return named and bool(re.search(rf'"[^"\n]*/?{re.escape(folder)}"', text))


def _through_module(text: str, home: str, name: str) -> bool:
    module = posixpath.basename(home.removesuffix(".rs").removesuffix("/mod"))
    if module in ("lib", "main"):
        return False
    return bool(re.search(rf"\b{re.escape(module)}::(?:\{{[^;]*\b{re.escape(name)}\b|{re.escape(name)}\b)", text))


def _target(path: str) -> str:
    """The target of a Swift package to whose sources a file belongs."""
    match = re.match(r"(?:.*/)?(?:Sources|Tests)/[^/]+(?=/)", path)
    return match[0] if match else ""


def _takes_target(text: str, home: str) -> bool:
    name = posixpath.basename(_target(home))
    return bool(name and re.search(rf"^[ \t]*(?:@\w+ )?import {re.escape(name)}[ \t]*$", text, re.MULTILINE))


def _selected(text: str, home: str, name: str) -> bool:
    """Whether an import of Scala takes the name of the package whose folder the file is in."""
    last, word = re.escape(posixpath.basename(posixpath.dirname(home))), re.escape(name)
    return bool(
        re.search(rf"^[ \t]*import [\w.]*\b{last}\.(?:{word}\s*$|\{{[^{{}}]*\b{word}\b[^{{}}]*\}})", text, re.MULTILINE)
    )


def _package_import(text: str, home: str, name: str) -> bool:
    folders = posixpath.dirname(home).split("/")
    last = re.escape(folders[-1]) if folders[-1] else ""
    return bool(
        last
        and re.search(
            rf"^\s*(?:import|use)\s+(?:static\s+)?[\w.\\]*\b{last}[.\\]{re.escape(name)}\s*;?\s*$",
            text,
            re.MULTILINE | re.IGNORECASE,
        )
    )


def is_typed(text: str, receiver: str, owner: str) -> bool:
    """Whether every declaration of a receiver in a file gives it this class."""
    short = re.sub(r"^(?:this\.|self\.|\$this->|\$|@|\*|&)+", "", receiver).strip("()")
    if not re.fullmatch(r"[A-Za-z_]\w*", short) or short in ("this", "self", "cls", "super", "parent", "static"):
        return bool(re.fullmatch(rf"(?:new\s+)?{re.escape(owner)}(?:\([^()]*\)|::new\([^()]*\))", receiver))
    r, o = re.escape(short), rf"(?:[\w$]+(?:\.|::|\\))*{re.escape(owner)}"
    mine = (
        rf"\b{o}(?:<[^<>;]*>)?[\s*&?]+[$@]?{r}\b(?!\s*\()|\b{r}\s*:\s*[&*?]*(?:'\w+\s+)?(?:mut\s+)?(?:Optional\[|[\"'])?{o}\b(?!\[)"
        rf"|\b{r}\s+\*?{o}\b|\b{r}\s*(?::=|=)(?!=)\s*(?:await\s+|new\s+|&)?{o}(?:\(|\{{|::new\b|\.new\b|<)"
    )
    if not re.search(mine, text):
        return False
    rest = re.sub(mine, " ", text)
    other = (
        rf"\b{r}\s*(?::=|=)(?![=>])(?!\s*(?:{r}\b|null|None|nil|nullptr))|\b(?:for|as|let|const|var|val|auto)\s+\(?{r}\b"
        rf"|\b(?P<word>\w+)[>\]]*[\s*&?]+\$?{r}\s*[,)=;]|\b{r}\s*:\s*[A-Z]\w+"
    )
    return all(match["word"] in KEYWORDS for match in re.finditer(other, rest))


def is_inherited(text: str, receiver: str, owner: str) -> bool:
    """Whether a file's only class names the owner as its base and the place is on the object itself."""
    if receiver not in ("self", "this", "super", "$this", "cls", "super()"):
        return False
    classes = re.findall(
        r"^\s*(?:export\s+|public\s+|abstract\s+|final\s+|default\s+|internal\s+|sealed\s+)*class\s+\w+([^\n{]*)",
        text,
        re.MULTILINE,
    )
    return len(classes) == 1 and bool(re.search(rf"\b{re.escape(owner)}\b", classes[0]))


def lost_module(text: str, path: str, home: str, tree: Collection[str]) -> re.Match[str] | None:
    """The import of a file that is not in the tree any more, if nothing else can be meant by it."""
    rule = next((rule for kinds, rule in LOST if suffix(path) in kinds), None)
    return rule(text, path, home, tree) if rule is not None else None


def _lost_python(text: str, path: str, home: str, tree: Collection[str]) -> re.Match[str] | None:
    module = home.removesuffix(".py").removesuffix("/__init__")
    match = next((one for one in PYTHON_IMPORT.finditer(text) if one[1] and _is_module(one[1], path, module)), None)
    if match is None:
        return None
    tail = match[1].lstrip(".").replace(".", "/")
    ends = (f"{tail}.py", f"{tail}/__init__.py", f"{tail}.pyi", f"{tail}.pyx")
    return None if any(one == end or one.endswith(f"/{end}") for one in tree for end in ends) else match


def _lost_script(text: str, path: str, home: str, tree: Collection[str]) -> re.Match[str] | None:
    homes = (stem(home), stem(home).removesuffix("/index"))
    for match in SCRIPT_IMPORT.finditer(text):
        whole = resolve(match[2] or match[4], path)
        if whole in homes:
            ends = [f"{whole}{end}" for end in (*ENDINGS, ".json")] + [f"{whole}/index{end}" for end in ENDINGS]
            return None if any(end in tree for end in (whole, *ends)) else match
    return None


def _lost_header(text: str, path: str, home: str, tree: Collection[str]) -> re.Match[str] | None:
    del path
    for match in INCLUDE.finditer(text):
        said = posixpath.normpath(match[1])
        if home.endswith(f"/{said}") or home == said:
            end = posixpath.basename(said)
            return None if any(posixpath.basename(one).removesuffix(".in") == end for one in tree) else match
    return None


def _lost_ruby(text: str, path: str, home: str, tree: Collection[str]) -> re.Match[str] | None:
    for match in REQUIRE.finditer(text):
        whole = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[1])).removesuffix(".rb")
        if f"{whole}.rb" == home:
            return None if home in tree else match
    return None


def _lost_class(text: str, path: str, home: str, tree: Collection[str]) -> re.Match[str] | None:
    for match in CLASS_IMPORT.finditer(text):
        said = match[1].replace(".", "/")
        if home.removesuffix(suffix(path)).endswith(f"/{said}"):
            ends = tuple(f"/{said}{end}" for end in (".java", ".kt", ".groovy", ".scala"))
            return None if any(one.endswith(ends) for one in tree) else match
    return None


def _lost_lua(text: str, path: str, home: str, tree: Collection[str]) -> re.Match[str] | None:
    del path
    match = next((one for one in LUA_REQUIRE.finditer(text) if _is_lua_module(one[2], home)), None)
    return None if match is None or any(_is_lua_module(match[2], one) for one in tree) else match


LOST: tuple[tuple[Collection[str], Callable[[str, str, str, Collection[str]], re.Match[str] | None]], ...] = (
    ((".py",), _lost_python),
    (SCRIPTS, _lost_script),
    (GLOBAL, _lost_header),
    ((".rb",), _lost_ruby),
    ((".lua",), _lost_lua),
    ((".java", ".kt"), _lost_class),
)
