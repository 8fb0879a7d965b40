"""Resolve Ruby's `require_relative`; only a run decides what `require` finds and what a constant refers to."""

import posixpath
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from tree_sitter import Node

from deeprepo.impact.language import Language
from deeprepo.impact.paths import Paths, joined
from deeprepo.impact.reading.spellings import Spelling, quoted
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.values import Import

OPEN = 300  # unclosed blocks, which make a tree as deep as its file is long


class Modules(Resolver):
    """The files of one tree."""

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        self._paths = paths

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return the required file."""
        base = joined(posixpath.dirname(importer), item.spec)
        found = next((path for path in (base, f"{base}.rb", f"{base}.so") if path in self._paths.files), None)
        if found:
            return (found,)
        beside = self._paths.names(posixpath.dirname(base))
        # A library compiled from C or Rust, or a template.
        is_made = any(one.startswith(f"{posixpath.basename(base)}.") for one in beside)
        return None if is_made or self._paths.is_folder(base) or self._paths.is_open(f"{base}.rb") else ()

    def near(self, importer: str, item: Import) -> tuple[str, ...]:
        """Return similar file names next to a missing file."""
        base = joined(posixpath.dirname(importer), item.spec)
        names = {one.removesuffix(".rb") for one in self._paths.names(posixpath.dirname(base))}
        before = item.spec[: len(item.spec) - len(posixpath.basename(item.spec))]
        return tuple(before + one for one in get_close_matches(posixpath.basename(base), sorted(names), 3, 0.72))


class Ruby(Language, frozen=True):
    """Ruby."""

    modules = Modules
    open_classes = True
    loader = "require"
    paths = ("string_content",)

    def code(self, source: bytes) -> bytes:
        """Return the code of a file, without the `begin` of blocks if far more are opened than closed."""
        return source.replace(b"begin", b"     ") if source.count(b"begin") > source.count(b"end") + OPEN else source

    def is_argument(self, node: Node) -> bool:
        """Return whether a node is an argument; a block is none."""
        return super().is_argument(node) and node.type != "block_argument"

    def is_label(self, node: Node) -> bool:
        """Return whether a key is a symbol; other keys belong to a hash."""
        return node.type in ("hash_key_symbol", "simple_symbol")

    def spellings(self, importer: str, old: str, new: str) -> Iterator[Spelling]:
        """Yield paths in quotes."""
        return quoted(importer, old, new)
