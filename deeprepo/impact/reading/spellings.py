"""Spell the path of a module as imports write it, before and after the module moves."""

from collections.abc import Iterator, Sequence
from posixpath import dirname, relpath, splitext

from deeprepo.impact.filetypes import module_path

Spelling = tuple[str, str]  # the old path, and the new path in the same form


def names(path: str) -> list[str]:
    """Return the parts of a module path without suffix; for a package's main file, of its folder."""
    return module_path(path).split("/")


def rooted(old: list[str], new: list[str], mark: str) -> Iterator[Spelling]:
    """Yield both paths relative to each folder that they share."""
    for size in range(len(old)):
        if old[:size] == new[:size]:
            yield mark.join(old[size:]), mark.join(new[size:])


def qualified(old: str, new: str, mark: str) -> Iterator[Spelling]:
    """Yield both paths with a mark between their parts, relative to each folder that they share."""
    yield from (pair for pair in rooted(names(old), names(new), mark) if mark in pair[0])


def quoted(importer: str, old: str, new: str, suffixes: Sequence[str] = ()) -> Iterator[Spelling]:
    """Yield both paths in quotes, also with each of the suffixes that an import may write."""
    for was, now in _paths(importer, old, new, suffixes):
        yield from ((f"{a}{was}{b}", f"{a}{now}{b}") for a, b in ('""', "''", "<>"))


def _paths(importer: str, old: str, new: str, suffixes: Sequence[str]) -> Iterator[Spelling]:
    """Yield paths relative to the importer, then to each shared folder, with and without suffix."""
    (stem, _), (new_stem, _), here = splitext(old), splitext(new), dirname(importer) or "."
    others = [(stem + suffix, new_stem + suffix) for suffix in suffixes]
    for was, now in ((old, new), (stem, new_stem), *others, (module_path(old), module_path(new))):
        from_here, to_there = relpath(was, here), relpath(now, here)
        yield f"./{from_here}", to_there if to_there.startswith("../") else f"./{to_there}"
        yield from_here, to_there if to_there.startswith("../") or from_here[0] != "." else f"./{to_there}"
        yield from rooted(was.split("/"), now.split("/"), "/")
