"""Rust: crates and workspaces, modules by files and inline, `use` trees and qualified paths."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from tree_sitter import Node

from bot.languages import syntax
from bot.languages.rust.modules import Crates
from bot.languages.rust.outline import outline_of
from bot.languages.rust.paths import bare_paths
from bot.languages.rust.uses import SHAPE, in_macro
from bot.languages.unreadable import Unreadable, check_nesting, finds, outlines
from bot.ports import LanguageTraits
from bot.text.filetypes import RUST
from bot.values import Outline, Side, Use

TRAITS = LanguageTraits(
    conditional_build=True,
    members_apart=True,
)
project = Crates
# The prelude, the primitive types and the crates that every file has.
PRELUDE = (
    "AsMut AsRef Box Clone Copy Debug Default DoubleEndedIterator Drop Eq Err Extend Fn FnMut FnOnce From FromIterator "
    "Hash Into IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd Result Self Send Sized Some String Sync "
    "ToOwned ToString TryFrom TryInto Unpin Vec alloc bool char core crate drop f32 f64 i128 i16 i32 i64 i8 isize self std "
    "str super u128 u16 u32 u64 u8 usize"
)
AMBIENT = frozenset(PRELUDE.split())
# A macro around items that makes them conditional, as large projects write `#[cfg]` for many items at once.
GENERIC = re.compile(r"(?:::)?<.*>")
WRAPPER = re.compile(rb"^([ \t]*)cfg_\w+!\s*\{[ \t]*(?:#!?\[[^\n]*)?$", re.MULTILINE)
RAW = re.compile(rb"(?<!\w)b?r#++\"")
OPEN = 50  # raw strings that no one closes
MOST = 200  # of them in one file


CODECS = frozenset({"serialize", "deserialize"})
WITH = re.compile(rb"(?<=[(,\s])with\s{0,4}=\s{1,4}([A-Za-z_]\w*+(?:::\w++)*+) [,)\s]")


@outlines
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file and what other modules can ask of it."""
    check_nesting(source)
    return outline_of(path, syntax.parse(RUST, _readable(source)), side)


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The identifiers of a file that are spelt like one of the names; a path before a name is written with dots."""
    del path  # one grammar reads every file
    codecs = CODECS.intersection(names) if b"with" in source else frozenset[str]()
    if not codecs and not syntax.any_of(frozenset(names)).search(source):
        return ()
    check_nesting(source)
    code = bare_paths(_readable(source))
    root = syntax.parse(RUST, code)
    code_uses = syntax.uses(root, code, names, SHAPE)
    pairs = _pair_uses(code, codecs)
    return type(code_uses)((*(_with_dots(_with_tokens(use, root)) for use in code_uses), *pairs))


def _pair_uses(code: bytes, names: Collection[str]) -> Iterator[Use]:
    """The functions of a module that `#[serde(with = "order_date")]` names: of its two functions no other line speaks."""
    for match in WITH.finditer(code) if names else ():
        line = code.count(b"\n", 0, match.start(1)) + 1
        for name in sorted(names):
            yield Use(name, line, "member", match[1].decode().replace("::", "."), is_guarded=True)


def _with_tokens(use: Use, root: Node) -> Use:
    return in_macro(use, root) if use.form == "member" and not use.receiver else use


def _with_dots(use: Use) -> Use:
    """`a::b::<T>` is `a.b`. A member among the tokens of a macro belongs to nobody knows what."""
    if use.form != "member":
        return use
    receiver = GENERIC.sub("", use.receiver).replace("::", ".") if "::" in use.receiver else use.receiver
    own = use.types[0] if use.receiver == "Self" and use.types else receiver
    return replace(use, receiver=own, types=use.types if use.receiver else syntax.UNKNOWN)


def _readable(source: bytes) -> bytes:
    """The source with the wrappers of conditional items blanked out; lines and columns stay what they are."""
    if len(RAW.findall(source)) > source.count(b'"#') + OPEN:
        raise Unreadable("it opens raw strings that it never closes")  # each is read to the end of the file
    code = bytearray(source)
    for match, end in _wrappers(source):
        code[match.start() : match.end()] = b" " * (match.end() - match.start())
        code[end + 1 : end + 2 + len(match[1])] = b" " * (len(match[1]) + 1)
    return bytes(code)


def _wrappers(source: bytes) -> Iterator[tuple[re.Match[bytes], int]]:
    """The macros around conditional items, each with where it ends."""
    for match in islice(WRAPPER.finditer(source), MOST):
        end = source.find(b"\n" + match[1] + b"}", match.end())
        if end < 0:
            return
        yield match, end
