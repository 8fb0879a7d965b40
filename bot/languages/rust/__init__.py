"""Rust: crates and workspaces, modules by files and inline, `use` trees and qualified paths."""

import re
from collections.abc import Collection, Iterator

from bot.languages import queried
from bot.languages.rust.modules import RustModules
from bot.languages.unreadable import finds
from bot.values import Use

project = RustModules
outline = queried.outline
CODECS = frozenset({"serialize", "deserialize"})
WITH = re.compile(rb"(?<=[(,\s])with\s{0,4}=\s{1,4}\"([A-Za-z_]\w*+(?:::\w++)*+)\"[,)\s]")


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The identifiers of a file that are spelt like one of the names; a path before a name is written with dots."""
    found = queried.uses(path, source, names)
    codecs = CODECS.intersection(names) if b"with" in source else frozenset[str]()
    return type(found)((*found, *_pair_uses(source, codecs)))


def _pair_uses(code: bytes, names: Collection[str]) -> Iterator[Use]:
    """The functions of a module that `#[serde(with = "order_date")]` names: of its two functions no other line speaks."""
    for match in WITH.finditer(code) if names else ():
        line = code.count(b"\n", 0, match.start(1)) + 1
        for name in sorted(names):
            yield Use(name, line, "member", match[1].decode().replace("::", "."), is_guarded=True)
