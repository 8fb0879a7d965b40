"""Read which files and packages the entries of a `package.json` lead to."""

import posixpath
import re
from collections.abc import Mapping

from deeprepo.impact.text import tables

ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".vue", ".svelte", ".json", ".astro")
BUILT = re.compile(r"^(\./)?(dist|lib|build|out|es|esm|cjs|types)/")
BUILT_ENDINGS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts")
ASKED = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
NESTED = 10  # levels of extended tsconfig files and of conditions
Table = Mapping[str, object]


def stem_of(path: str) -> str:
    """Return a path without the suffix of a compiled file or its declarations."""
    stem, ending = posixpath.splitext(path)
    return stem.removesuffix(".d") if ending in BUILT_ENDINGS else path


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
    return [form for path in targets for form in (path, BUILT.sub("src/", stem_of(path)))]
