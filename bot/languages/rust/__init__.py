"""Rust: crates and workspaces, modules by files and inline, `use` trees and qualified paths."""

import re
from collections.abc import Collection, Iterator

from bot.languages import queried
from bot.languages.rust.modules import RustModules
from bot.languages.unreadable import finds
from bot.ports import LanguageTraits
from bot.values import Use

TRAITS = LanguageTraits(
    conditional_build=True,
    members_apart=True,
)
project = RustModules
outline = queried.outline
# The prelude, the primitive types and the crates that every file has.
PRELUDE = (
    "AsMut AsRef Box Clone Copy Debug Default DoubleEndedIterator Drop Eq Err Extend Fn FnMut FnOnce From FromIterator "
    "Hash Into IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd Result Self Send Sized Some String Sync "
    "ToOwned ToString TryFrom TryInto Unpin Vec alloc bool char core crate drop f32 f64 i128 i16 i32 i64 i8 isize self std "
    "str super u128 u16 u32 u64 u8 usize"
)
AMBIENT = frozenset(PRELUDE.split())
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
