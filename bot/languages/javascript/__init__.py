"""JavaScript and TypeScript, JSX and the scripts of Vue and Svelte components: one family, because they import each other."""

import re
from collections.abc import Collection, Iterator
from itertools import islice

from tree_sitter import Node

from bot.languages import queried, syntax
from bot.languages.javascript.modules import JavaScriptModules
from bot.languages.javascript.outline import outline_of
from bot.languages.javascript.scripts import COMPONENTS, SVELTE, language_in, script
from bot.languages.modules import statements
from bot.languages.unreadable import check_nesting, finds, outlines
from bot.ports import LanguageTraits
from bot.text.filetypes import JAVASCRIPT, TSX, TYPESCRIPT, FileType
from bot.values import (
    Outline,
    Side,
    SomeUses,
    Use,
)
from impact.parsing import Lines

TRAITS = LanguageTraits(
    unwritten_names=True,
)
project = JavaScriptModules
# The globals of browsers, workers and Node that a file may well have had a function of the same name for.
GLOBALS = (
    "AbortController Array Blob Boolean Buffer Bun CustomEvent Date Deno Element Error Event File FormData Function Headers "
    "Image Infinity Intl JSON Map Math MessageChannel NaN Node Number Object Promise Proxy Range Reflect RegExp Request "
    "Response Set String Symbol Text TextDecoder TextEncoder URL URLSearchParams WeakMap WeakRef WeakSet WebSocket Worker "
    "afterAll afterEach alert atob beforeAll beforeEach blur btoa chai clearInterval clearTimeout close confirm console "
    "crypto customElements define describe document eval event expect exports fetch find focus frames global globalThis "
    "history importScripts isFinite isNaN it jest length localStorage location module moveBy moveTo name navigator open "
    "opener origin parent parseFloat parseInt performance postMessage print process prompt queueMicrotask "
    "requestAnimationFrame require screen scroll self sessionStorage setImmediate setInterval setTimeout status stop "
    "structuredClone test top undefined vi window"
)
AMBIENT = frozenset(GLOBALS.split())
STORE = re.compile(rb"(?<![\w$.])\$([A-Za-z_]\w{0,100})(?![\w$])")


@outlines
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file and what an importer can ask of it."""
    code = script(path, source)
    check_nesting(code)
    return outline_of(path, _root(path, code), code, side)


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The identifiers of a file that are spelt like one of the names."""
    code = script(path, source)
    check_nesting(code)
    code_uses = queried.uses(path, source, names)
    more = [*(_stores(source, names) if path.endswith(SVELTE) else ()), *_loaded_defaults(path, code, names)]
    if not more or isinstance(code_uses, SomeUses):
        return code_uses
    return tuple(sorted((*code_uses, *more), key=lambda use: use.at))


def _stores(source: bytes, names: Collection[str]) -> Iterator[Use]:
    """The values of stores in a component of Svelte, in its script and its markup: `$cart` reads and sets what `cart` holds."""
    lines = Lines(source)
    for match in islice(STORE.finditer(source), syntax.MOST_USES):
        if (name := match[1].decode("utf-8", "replace")) in names:
            yield Use(name, lines.at(match.start()), "name", at=match.start())


def _loaded_defaults(path: str, code: bytes, names: Collection[str]) -> Iterator[Use]:
    """The calls that load a module for its default, which none of them names: `lazy(() => import("./Button"))`."""
    language = language_in(path)
    for item in statements(language, code) if language is not None and "default" in names else ():
        for bound in item.names:
            if (bound.there, bound.here) == ("default", ""):
                yield Use("default", bound.line, "import", is_guarded=True)


def file_type(path: str, code: bytes) -> FileType:
    """The grammar that reads a file. JavaScript with types (Flow) is read as TSX if that gives fewer errors than its own grammar."""
    if path.endswith((".ts", ".mts", ".cts", *COMPONENTS)):
        return TYPESCRIPT
    if path.endswith(".tsx"):
        return TSX
    if syntax.parse(JAVASCRIPT, code).has_error:
        return JAVASCRIPT if syntax.parse(TSX, code).has_error and b"@flow" not in code[:2000] else TSX
    return JAVASCRIPT


def _root(path: str, code: bytes) -> Node:
    return syntax.parse(file_type(path, code), code)
