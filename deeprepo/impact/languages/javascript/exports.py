"""Read which files and packages the entries of a `package.json` lead to."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping

from deeprepo.impact.text import tables

ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".vue", ".svelte", ".json", ".astro")
SCRIPT = re.compile(r"\.([cm]?)jsx?$")
BUILT = re.compile(r"^(\./)?(dist|lib|build|out|es|esm|cjs|types)/")
BUILT_ENDING = re.compile(r"(\.d)?\.[cm]?[jt]s$")
ASKED = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
# A package under another name: `npm:@acme/shop@^1`, `workspace:shop@*`, `jsr:@acme/shop`.
ALIAS = re.compile(r"(?:npm|jsr|workspace|patch):/?(@[^@/]+/[^@/]+|[A-Za-z][^@/]*)(?:[@/](.*))?$")
NESTED = 10  # levels of extended tsconfig files and of conditions
Table = Mapping[str, object]


def star_part(pattern: str, spec: str) -> str | None:
    """Return what the star of a pattern matches in a specifier, or None."""
    before, star, after = pattern.partition("*")
    if not star:
        return "" if spec == pattern else None
    fits = spec.startswith(before) and spec.endswith(after) and len(spec) >= len(before) + len(after)
    return spec[len(before) : len(spec) - len(after)] if fits else None


def targets_of(exports: object, below: str) -> list[str]:
    """Return the targets in `exports` for the subpath of a package."""
    table = tables.table(exports)
    if not any(key.startswith(".") for key in table):
        return [] if below else relative_paths(exports)
    spec = f"./{below}" if below else "."
    if spec in table:
        return relative_paths(table[spec])
    for key, value in table.items():
        part = star_part(key, spec) if "*" in key else None
        if part is not None:
            return [one.replace("*", part) for one in relative_paths(value)]
    return []


def relative_paths(value: object, depth: int = 0) -> list[str]:
    """Return the relative paths anywhere in a value, in order."""
    if isinstance(value, str):
        return [value] if value.startswith("./") else []
    parts = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for part in parts for text in relative_paths(part, depth + 1)] if depth < NESTED else []


def mains(table: Table) -> list[str]:
    """Return the entries of a manifest other than those in `exports`."""
    return [value for key in ("types", "module", "main") if isinstance(value := table.get(key), str)]


def forms(targets: list[str]) -> list[str]:
    """Return the built files of a manifest with their sources."""
    return [form for path in targets for form in (path, BUILT.sub("src/", BUILT_ENDING.sub("", path)))]


def exported_files(folder: str, table: Table, paths: Collection[str]) -> tuple[str, ...] | None:
    """Return the files that the `exports` of a manifest lead to, with sources instead of built files.

    None if a script has no source of its name, such as a bundle, since its sources are unknown.
    """
    found: set[str] = set()
    for target in relative_paths(table.get("exports")):
        sources = {path for form in forms([target]) for path in _led_to(folder, form, paths)}
        if not sources and SCRIPT.search(target):
            return None
        found |= sources
    found |= {path for form in forms(mains(table)) for path in _led_to(folder, form, paths)}
    return tuple(sorted(found))


def _led_to(folder: str, form: str, paths: Collection[str]) -> Iterator[str]:
    """Yield the files that a manifest path matches, with or without a suffix or star."""
    base = posixpath.normpath(posixpath.join(folder, form))
    if "*" in base:
        before, _, after = base.partition("*")
        has_ending = bool(posixpath.splitext(after)[1])
        yield from (path for path in paths if path.startswith(before) and (path.endswith(after) or not has_ending))
        return
    stem = SCRIPT.sub("", BUILT_ENDING.sub("", base))
    yield from (path for end in ("", *ENDINGS) for path in (stem + end, f"{stem}/index{end}") if path in paths)
