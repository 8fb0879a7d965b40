"""Declare modules for missing packages, with each imported name as an unknown value and type.

Otherwise a class with a base from a package would lack its inherited members, and every type from a package
would be an error.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

# The end of a statement that imports names from a module, and an import without names or a call, on one line.
FROM = re.compile(r"""\bfrom\s*['"]([^'"\n]{1,200})['"]""")
BARE = re.compile(r"""\bimport\s*['"]([^'"\n]{1,200})['"]|\b(?:require|import)\s*\(\s*['"]([^'"\n]{1,200})['"]""")
BRACES = re.compile(r"\{([^{}]*)\}")
NAME = re.compile(r"(?:type\s+)?([A-Za-z_$][\w$]*)(?:\s+as\s+([A-Za-z_$][\w$]*))?")
NAMESPACE = re.compile(r"\*\s*as\s+([A-Za-z_$][\w$]*)")
DEFAULT = re.compile(r"\s*([A-Za-z_$][\w$]*)\s*(?:,|$)")
MEMBER_NAME = re.compile(r"[A-Za-z_$][\w$]*")
MOST_CLAUSE = 4_000  # characters between `import` and `from`
ANY = "<A = any, B = any, C = any, D = any, E = any, F = any, G = any>"
MOST_MODULES = 2_000
MOST_TEXT = 400_000  # characters of a file
# What browsers, Node, tests and bundlers provide to every file.
ASSETS = "svg png jpg jpeg webp gif ico css scss sass less md mdx html gql graphql wasm txt yml yaml mp3 woff woff2 ttf"
GLOBALS = (
    "before after context process require module exports Buffer __dirname __filename global describe it test expect beforeEach afterEach"
    " beforeAll afterAll jest vi cy Cypress"
)
AMBIENT = (
    "".join(f"declare module '*.{end}' {{ const c: any; export default c; }}\n" for end in ("vue", "svelte", "astro"))
    + "".join(f"declare module '*.{end}';\n" for end in ASSETS.split())
    + "declare module '*?raw'; declare module '*?url'; declare module '*?worker'; declare module '~icons/*'; declare module 'virtual:*';\n"
    "declare namespace JSX { type Element = any; type ElementType = any; interface IntrinsicElements { [k: string]: any }"
    " interface ElementChildrenAttribute { children: {} } interface IntrinsicAttributes { [k: string]: any } }\n"
    f"declare var {', '.join(f'{name}: any' for name in GLOBALS.split())};\n"
    "declare type Buffer = any; declare namespace NodeJS { type Timeout = any; type Timer = any; type ReadableStream = any;"
    " type WritableStream = any; interface ProcessEnv { [k: string]: any } type ErrnoException = any; }\n"
    "interface ImportMeta { env: any; glob: any; hot: any; url: string; dirname: string; filename: string; }\n"
)


class Package:
    """What a tree imports from one module."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.inner: dict[str, set[str]] = defaultdict(set)  # members used of a name, "default" or "*"
        self.is_whole = False  # imported without names, so its members are unknown


def specifiers(text: str) -> Iterator[str]:
    """Yield the module specifiers in a file."""
    for line in text.split("\n"):
        if "from" in line:
            yield from FROM.findall(line)
        if "import" in line or "require" in line:
            yield from (one or other for one, other in BARE.findall(line))


# Words that no variable can have as its name, though a package can export them.
RESERVED_WORDS = (
    "await break case catch class const continue debugger delete do else enum export extends false finally for"
    " function if implements import in instanceof interface let new null package private protected public return"
    " static super switch this throw true try typeof var void while with yield"
)


def declared(files: Iterable[tuple[str, list[str]]]) -> str:
    """Return declarations for modules. `files` pairs each text with its specifiers of missing packages."""
    packages: dict[str, Package] = defaultdict(Package)
    for text, specs in files:
        missing = frozenset(specs)
        if missing and len(packages) < MOST_MODULES:
            _take(text[:MOST_TEXT], missing, packages)
    return "".join(_module(spec, packages[spec]) for spec in sorted(packages) if not packages[spec].is_whole)


def _take(text: str, missing: frozenset[str], packages: Mapping[str, Package]) -> None:
    """Record what a file imports from the missing packages."""
    called: dict[str, tuple[str, str]] = {}
    end = 0
    for line in text.split("\n"):
        begin, end = end, end + len(line) + 1
        for match in FROM.finditer(line) if "from" in line else ():
            if match[1] in missing:
                called |= _names(
                    text[max(0, begin + match.start() - MOST_CLAUSE) : begin + match.start()], match[1], packages
                )
        for one, other in BARE.findall(line) if "import" in line or "require" in line else ():
            if (one or other) in missing:
                packages[one or other].is_whole |= bool(other)
    for name, (spec, own) in called.items():
        members = {found[0] for part in text.split(f"{name}.")[1:] if (found := MEMBER_NAME.match(part))}
        packages[spec].inner[own] |= {member for member in members if own == "*" or member[0].isupper()}


def _names(before: str, spec: str, packages: Mapping[str, Package]) -> dict[str, tuple[str, str]]:
    """Return the names that one statement imports, as the file calls them.

    `before` is the text before `from`.
    """
    start = max(before.rfind("import"), before.rfind("export"))
    if start < 0:
        return {}
    keyword, clause, package = before[start : start + 6], before[start + 6 :], packages[spec]
    called: dict[str, tuple[str, str]] = {}
    for braces in BRACES.findall(clause):
        for part in braces.split(","):
            name = NAME.fullmatch(part.strip())
            if name is not None:
                package.names.add(name[1])
                called[name[2] or name[1]] = spec, name[1]
    rest = BRACES.sub("", clause).strip().removeprefix("type ").strip()
    if whole := NAMESPACE.search(rest):
        called[whole[1]] = spec, "*"
    elif (default := DEFAULT.match(rest)) and keyword == "import":
        package.names.add("default")
        called[default[1]] = spec, "default"
    return called


def _module(spec: str, package: Package) -> str:
    rows = []
    for name in sorted((package.names | package.inner.get("*", set())) - {"default"}):
        if name in RESERVED_WORDS.split():  # `z.enum(...)`: one that is declared by its name stops the whole program
            rows.append(f"var _{name}: any; export {{ _{name} as {name} }};")
            continue
        rows.append(f"export var {name}: any; export type {name}{ANY} = any;")
        if inner := package.inner.get(name):
            rows.append(f"export namespace {name} {{ {_types(inner)} }}")
    if "default" in package.names:
        inner = package.inner.get("default", set())
        space = f" namespace _default {{ {_types(inner)} }}" if inner else ""
        rows.append(f"var _default: any; type _default{ANY} = any;{space} export default _default;")
    return f"declare module {json.dumps(spec)} {{ {' '.join(rows)} }}\n"


def _types(names: Iterable[str]) -> str:
    return " ".join(f"export type {name}{ANY} = any;" for name in sorted(names))
