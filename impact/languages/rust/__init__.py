"""Rust's modules below `crate`: which file a path means, told from where Cargo.toml lies.

What `super` and `self` mean depends on inline modules, and what a macro makes is not written: both are silent.
"""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import replace

from impact.language import Standalone
from impact.languages.rust.texts import readable as code
from impact.paths import Paths, above_of, joined
from impact.values import Import

__all__ = ["Modules", "code"]
PROGRAM = re.compile(r"(?m)^\s*path\s*=\s*\"([^\"\n]+\.rs)\"")


class Modules(Standalone):
    """The modules of one tree."""

    guesses = False

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        self._paths = paths
        self._packages = {posixpath.dirname(path) for path in configs if path.endswith("Cargo.toml")}
        self._programs = {  # the folders of crates that lie elsewhere than in `src`, each with its root
            posixpath.dirname(root): root
            for path, source in configs.items()
            for one in PROGRAM.findall(source.decode("utf-8", "replace"))
            if (root := joined(posixpath.dirname(path), one)) in paths.files
        }

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """The file of a module; None for one that no file is: an inline one, or a type."""
        parts = item.spec.split("::")
        source = self._source(importer)
        if parts[0] != "crate" or source is None:
            return None
        if len(parts) == 1:
            if name.islower():  # a macro of any file may be exported here
                return None
            roots = (self._programs.get(source, ""), joined(source, "lib.rs"), joined(source, "main.rs"))
            return tuple(path for path in dict.fromkeys(roots) if path in self._paths.files) or None
        base = joined(source, "/".join(parts[1:]))
        found = next((path for path in (f"{base}.rs", f"{base}/mod.rs") if path in self._paths.files), None)
        return (found,) if found else None

    def inner(self, importer: str, item: Import, name: str) -> tuple[str, ...] | None:
        """The file of a module of a module."""
        return self.files(importer, replace(item, spec=f"{item.spec}::{name}")) or ()

    def _source(self, importer: str) -> str | None:
        """The folder of the crate's sources; None for tests, examples and programs beside them, each a crate of its own."""
        folder = posixpath.dirname(importer)
        program = next((above for above in (folder, *above_of(importer)) if above in self._programs), None)
        if program:
            return program
        while folder and folder not in self._packages:
            folder = posixpath.dirname(folder)
        source = joined(folder, "src")
        is_own = importer.startswith(f"{source}/") and not importer.startswith(f"{source}/bin/")
        return source if folder in self._packages and is_own else None
