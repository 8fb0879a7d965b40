"""Read folder aliases from the configuration of bundlers, test runners and frameworks.

The configuration is read as text, so computed aliases are unknown. An alias may replace a package, so it
applies only if it leads to a file of the tree.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from deeprepo.impact.paths import joined
from deeprepo.impact.text.brackets import before_close

Alias = tuple[str, tuple[str, ...]]  # a pattern, and the paths that it may stand for
# Required package -> aliases that it defines.
FRAMEWORKS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "@sveltejs/kit": {"$lib": ("src/lib",)},
    "nuxt": {"~": ("app", "."), "@": ("app", "."), "~~": (".",), "@@": (".",)},
    "@vue/cli-service": {"@": ("src",)},
    "laravel-vite-plugin": {"@": ("resources/js",)},
    "@docusaurus/core": {"@site": (".",)},
}
TABLE_START = re.compile(r"""["']?\b(?:alias(?:es)?|moduleNameMapper)["']?\s*+[:=]\s*+(?=[\[{])""")
ENTRY = re.compile(r"""\s*+(?:\[\s*+)?(?:(["'`])((?:(?!\1).)++)\1|([\w$]++))(?:\s*+\])?\s*+:""")
FIND = re.compile(r"""\bfind\s*+:\s*+(?:(["'`])((?:(?!\1).)++)\1|/((?:\\.|[^/\n])++)/)""")
REPLACEMENT = re.compile(r"\breplacement\s*+:")
TEXT = re.compile(r"""(["'`])((?:(?!\1)[^\n])*+)\1""")
# Code that may accompany the strings of a path; anything else means that it is computed.
PATH_CALLS = re.compile(
    r"\b(?:path|resolve|join|dirname|__dirname|fileURLToPath|new|URL|import\.meta\.(?:url|dirname)|process\.cwd|url)\b|[\s().,+\[\]]"
)
JEST_PATTERN = re.compile(r"\^?([\w@~#$/.-]*?)(?:\(\.[*+]\))?\$?$")  # a Jest pattern for one folder or file
MAX_TABLE_CHARS = 4_000  # characters of a table of aliases


def configured(folder: str, source: bytes) -> Iterator[Alias]:
    """Yield the aliases in a folder's configuration."""
    text = source.decode("utf-8", "replace")
    for begin in TABLE_START.finditer(text):
        table = before_close(text[begin.end() + 1 : begin.end() + MAX_TABLE_CHARS])
        for key, value in _objects(table) if text[begin.end()] == "[" else _entries(table):
            target = _path(value)
            if target is not None:
                yield from _patterns(folder, key, target)


def of_frameworks(folder: str, asked: Sequence[str]) -> Iterator[Alias]:
    """Yield the aliases of the frameworks that a folder's manifest requires."""
    for name in asked:
        for key, targets in FRAMEWORKS.get(name, {}).items():
            yield key, tuple(joined(folder, one) for one in targets)
            yield f"{key}/*", tuple(joined(folder, f"{one}/*") for one in targets)


def _entries(table: str) -> Iterator[tuple[str, str]]:
    """Yield the keys of an object with the code of their values."""
    for part in _parts(table):
        if entry := ENTRY.match(part):
            yield entry[2] or entry[3], part[entry.end() :]


def _objects(table: str) -> Iterator[tuple[str, str]]:
    """Yield the keys and values of a list of `{ find, replacement }` objects."""
    for part in _parts(table):
        find, value = FIND.search(part), REPLACEMENT.search(part)
        if find is not None and value is not None:
            rest = part[value.end() :]
            yield find[2] or find[3].replace("\\/", "/"), (_parts(rest) or [rest])[0].strip("} \n")


def _parts(table: str) -> list[str]:
    """Split a table at commas outside brackets and strings."""
    parts, depth, at, index = list[str](), 0, 0, 0
    while index < len(table):
        letter = table[index]
        if (quoted := TEXT.match(table, index)) is not None:
            index = quoted.end()
            continue
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append(table[at:index])
            at = index + 1
        index += 1
    return [*parts, table[at:]]


def _path(value: str) -> str | None:
    """Return the path in a value's code; None if it is computed."""
    texts = [match[2] for match in TEXT.finditer(value)]
    if not texts or "${" in "".join(texts) or PATH_CALLS.sub("", TEXT.sub("", value)):
        return None
    return "/".join(one.strip("/") for one in texts if one.strip("/")) or "."


def _patterns(folder: str, key: str, target: str) -> Iterator[Alias]:
    target = target.removeprefix("<rootDir>/").removeprefix("<rootDir>")
    if "$1" in target or key.startswith("^"):
        named = JEST_PATTERN.match(key.replace("\\", ""))
        if named is None:
            return
        if "$1" in target:
            yield f"{named[1]}*", (joined(folder, target.replace("$1", "*")),)
            return
        key = named[1]
    key = key.removesuffix("$")
    if "*" in key:
        yield key, (joined(folder, target),)
    elif key.endswith("/"):
        yield f"{key}*", (joined(folder, f"{target}/*"),)
    elif key:
        yield key, (joined(folder, target),)
        yield f"{key}/*", (joined(folder, f"{target}/*"),)
