"""Rust: crates and workspaces, modules by files and inline, `use` trees and qualified paths."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from tree_sitter import Node

from bot.languages import misread, nesting, syntax
from bot.languages.conditions import Conditions, Span, with_conditions
from bot.languages.rust.layout import module_folder
from bot.languages.rust.modules import Crates
from bot.languages.rust.outline import outline_of
from bot.languages.rust.paths import bare_paths
from bot.languages.rust.surface import declaring as declaring
from bot.languages.rust.surface import openness as _openness
from bot.languages.rust.uses import SHAPE, in_macro
from bot.languages.unreadable import Unreadable, finds, outlines
from bot.ports import Decisions, LanguageTraits
from bot.text.filetypes import RUST
from bot.values import OFFERS, Outline, Side, Use

TRAITS = LanguageTraits(
    conditional_build=True,
    members_apart=True,
    decisions=Decisions(
        opens=re.compile(r"\bmatch\b[^{};]{0,200}\Z"),
        rest=re.compile(
            r"^[ \t]*+(?:(?:ref\s++|mut\s++){0,2}[a-z]\w*+(?:\s*+@\s*+_)?|_|(?:Ok|Err|Some)?\([a-z_]\w*+(?:,\s*+[a-z_]\w*+){0,9}\))"
            r"(?:\s++if\b[^\n]{0,200})?\s*+=>|[|,{]\s*+_\s*+=>",
            re.MULTILINE,
        ),
    ),
    makers={  # a macro that pastes names
        r"STATEMENT\w++![ \t]*+[({\[][ \t]*+(?:\w++[ \t]*+,[ \t]*+){0,20}PART[ \t]*+[,)}\]]": "outside"
    },
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


def _is_associated(node: Node) -> bool:
    """Whether a type or a constant belongs to a trait."""
    holder = node.parent.parent if node.parent is not None else None
    return (
        node.type in ("associated_type", "type_item", "const_item")
        and holder is not None
        and holder.type == "trait_item"
    )


CONDITIONS = Conditions(
    marks={
        "attribute_item": re.compile(r"#\s*\[\s*(?:cfg|test\b)"), "inner_attribute_item": re.compile(r"(?!)"),
    },
    abstract=re.compile(rb"\A[^{]*;\s*\Z"),
    of_interface=_is_associated,
    demands=lambda node: (
        _is_associated(node) and node.type != "type_item" and node.child_by_field_name("value") is None
    ),
)  # fmt: skip
DERIVED = re.compile(r"\bderive\s{0,4}\(([^)]{0,400})\)")
WORD = re.compile(r"[\w:]+")
PATH = re.compile(r"#\[\s*path\s*=\s*\"([^\"]{1,200})\"")
CODECS = frozenset({"serialize", "deserialize"})
WITH = re.compile(rb"(?<=[(,\s])with\s{0,4}=\s{1,4}([A-Za-z_]\w*+(?:::\w++)*+) [,)\s]")
INNER = re.compile(rb"#[ \t]*![ \t]*\[[ \t]*cfg\b[^\n]*")  # `cfg_attr` adds lints and documentation


@outlines
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file and what other modules can ask of it."""
    nesting.check(source)
    misread.check(source)
    root = syntax.parse(RUST, _readable(source))
    inner = [match[0].decode("utf-8", "replace") for match in INNER.finditer(source)]
    outline_read, traits = outline_of(path, root, side), _traits(root)
    symbols = [
        replace(symbol, conditions=tuple(traits.get(symbol.name, ()))) if symbol.kind == "class" else symbol
        for symbol in outline_read.symbols
    ]
    outline_read = replace(outline_read, symbols=tuple(symbols))
    return with_conditions(outline_read, root, source, CONDITIONS, inner, list(_macro_spans(source)))


def _traits(root: Node) -> Mapping[str, list[str]]:
    """Type -> the traits that the file derives or implements for it."""
    traits: dict[str, list[str]] = defaultdict(list)
    derived: list[str] = []
    for node in root.named_children:
        if node.type == "attribute_item":
            derived += [word for words in DERIVED.findall(syntax.text(node)) for word in WORD.findall(words)]
        elif "comment" not in node.type:
            is_impl = node.type == "impl_item"
            name = syntax.text(node.child_by_field_name("type" if is_impl else "name")).partition("<")[0]
            trait = " ".join(syntax.text(node.child_by_field_name("trait")).split())[:200] if is_impl else ""
            traits[name.rpartition("::")[2].strip()] += [f"{OFFERS}{one}" for one in (*derived, trait) if one]
            derived = []
    return traits


def _macro_spans(source: bytes) -> Iterator[Span]:
    """The lines of the conditional macros that are blanked out before the code is parsed."""
    for match, end in _wrappers(source):
        condition = match[0].decode("utf-8", "replace")
        yield source.count(b"\n", 0, match.start()) + 1, source.count(b"\n", 0, end) + 2, " ".join(condition.split())


def mounts(path: str, source: bytes) -> Mapping[str, str]:
    """The files that the `mod` lines of a file make modules, each with its line and what is above it."""
    try:
        nesting.check(source)
        root, around = syntax.parse(RUST, _readable(source)), list(_macro_spans(source))
        return dict(_mounts(path, root, module_folder(path), around))
    except Unreadable:
        return {}


def _mounts(path: str, node: Node, folder: str, around: Sequence[Span]) -> Iterator[tuple[str, str]]:
    above: list[str] = []
    for child in node.named_children:
        if child.type == "attribute_item":
            above.append(syntax.text(child))
        elif child.type == "mod_item":
            name, body = syntax.text(child.child_by_field_name("name")), child.child_by_field_name("body")
            above += [words for first, last, words in around if first <= syntax.first_line(child) <= last]
            if body is None:
                own = PATH.search(" ".join(above))
                home = posixpath.dirname(path)
                files = (
                    [posixpath.normpath(posixpath.join(home, own[1]))]
                    if own
                    else [f"{folder}/{name}.rs", f"{folder}/{name}/mod.rs"]
                )
                yield from ((one.lstrip("/"), " ".join([path, *above, syntax.text(child)])) for one in files)
            else:
                yield from _mounts(path, body, f"{folder}/{name}", around)
        if child.type not in ("attribute_item", "line_comment", "block_comment"):
            above = []


def openness(source: bytes) -> Mapping[str, bool]:
    """Each name that a file declares, and whether other crates may name it; nothing of a file that cannot be read."""
    try:
        nesting.check(source)
        return _openness(syntax.parse(RUST, _readable(source)))
    except Unreadable:
        return {}


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The identifiers of a file that are spelt like one of the names; a path before a name is written with dots."""
    del path  # one grammar reads every file
    codecs = CODECS.intersection(names) if b"with" in source else frozenset[str]()
    if not codecs and not syntax.any_of(frozenset(names)).search(source):
        return ()
    nesting.check(source)
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
