"""Ruby: requires, autoloads, and constants found by the names of files."""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

from bot.languages import misread, nesting, spots, syntax
from bot.languages.conditions import Conditions, with_conditions
from bot.languages.constructions import with_constructions
from bot.languages.ruby.outline import BLOCKS, outline_of
from bot.languages.ruby.requires import Requires
from bot.languages.ruby.results import of_method
from bot.languages.ruby.uses import CLASSES, READING, constructions
from bot.languages.unreadable import Unreadable, finds, outlines
from bot.ports import LanguageTraits
from bot.text.filetypes import RUBY
from bot.values import LIST, MAPPING, OFFERS, PERHAPS, REQUIRES, STREAM, TEXT, THERE, Outline, Side, Symbol, Use

TRAITS = LanguageTraits(
    unwritten_names=True,
    open_classes=True,
    makers={
        r"(?<![\w.:])CLASS\.(?:class_e\w++|define_method|extend|include|instance_eval|module_eval|prepend|(?:public_)?send)\b": "code",
        r"^[ \t]*+[a-z]\w*+[ (]:PART\b": "outside",  # what makes names of a symbol
    },
    loader="require",
    results=of_method,
    call_results={
        r"\.lazy(?:\.(?:map|collect|flat_map|select|filter|filter_map|reject|take_while|drop_while|take|drop|zip|uniq|compact|with_index)"
        r"(?:\([^()]*\)|\{_\})*+)*+$|\.(?:to_enum|each_entry)(?:\([^()]*\)|\{_\})*+$": STREAM,
        r"\.to_a$|\.(?:map|collect|flat_map|filter_map|split|lines)(?:\([^()]*\)|\{_\})+$": LIST,
        r"\.(?:index_by|group_by|to_h)(?:\([^()]*\)|\{_\})+$": MAPPING,
        r"\.(?:upcase|downcase|capitalize|strip|join|to_json)(?:\([^()]*\))?$": TEXT,
        r"\.(?:fetch|find|find_by!|find_or_create_by!?|find_or_initialize_by)\([^()]+\)$": THERE,
        r"\.(?:find_by|dig|match)\([^()]+\)$|\.(?:find|detect) ?\{_\}$|\[_\]$": PERHAPS,
    },
)
project = Requires
GIVEN = (
    "Array BasicObject Class Comparable Data Date DateTime Dir ENV Enumerable Enumerator Errno Exception FalseClass Fiber File "
    "Float Hash IO Integer Kernel Logger Module Mutex NilClass Numeric Object Proc Process Random Range Rational Regexp Set "
    "StandardError String Struct Symbol Thread Time TrueClass URI Warning abort at_exit binding block_given? caller catch exit "
    "fail format freeze gets include? initialize inspect lambda load loop new open p pp print printf proc public_send puts raise "
    "rand require require_relative select send sleep sprintf super system tap test then throw to_s trap warn yield"
)
AMBIENT = frozenset(GIVEN.split())
OPEN = 300  # blocks that no one closes


CONDITIONS = Conditions(
    around={
        "if": ("condition",), "unless": ("condition",), "elsif": ("condition",), "else": (), "if_modifier": ("condition",),
        "unless_modifier": ("condition",), "rescue": (), "module": ("name",), "class": ("name",), "singleton_class": ("value",),
    },
    blocks=lambda node: node.type in BLOCKS,
    sections={"identifier": re.compile(r"private|protected|public|module_function")},
    ends=re.compile(rb"^[ \t]*(?:raise|exit!?|abort|return)\b[^\n]*", re.MULTILINE),
    undoes=re.compile(
        rb"\b(?:undef|undef_method|remove_method|remove_const|private|protected|private_class_method|private_constant"
        rb"|module_function|alias|alias_method|define_method|define_singleton_method)\b[ \t(]*((?:[:\"'*%\[\]\w, \t?!]|\n[ \t]+:)+)"
    ),
)  # fmt: skip


MIXIN = re.compile(
    rb"^[ \t]*(?:([A-Z]\w{0,99})\.)?(include|extend|prepend)\b[ \t(]+([A-Z][\w:, \t]{0,200})", re.MULTILINE
)

# What leaves a class without its `new`, or gives it another one.
NEW = re.compile(
    rb"^[ \t]*(?:([A-Z]\w{0,99})\.)?(?:singleton_class\.)?"
    rb"(?:(?:private_class_method|undef|undef_method|remove_method|define_singleton_method)\b[ \t(]*:?|def[ \t]+self\.)new\b[^\n]*",
    re.MULTILINE,
)


def _check(source: bytes) -> None:
    """Raise Unreadable if the parser would look for the end of each bracket or block to the end of the file."""
    nesting.check(source)
    if source.count(b"begin") > source.count(b"end") + OPEN:
        raise Unreadable("it opens blocks that it never closes")


@outlines
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file and what who requires it can use."""
    _check(source)
    misread.check(source)
    misread.check_encoding(source)
    root = syntax.parse(RUBY, source)
    conditions = [] if path.endswith(".rb") else ["a file that is not required by its name"]
    outline_read = _with_mixins(outline_of(path, root, source, side), source)
    return with_conditions(outline_read, root, source, CONDITIONS, conditions)


def _with_mixins(outline_read: Outline, source: bytes) -> Outline:
    """The outline whose classes tell how they mix modules in, and what they do to `new`: a module that is prepended stands before what they define."""
    mixins: dict[str, list[str]] = defaultdict(list)
    classes = [symbol for symbol in outline_read.symbols if symbol.kind == "class"]
    for match in MIXIN.finditer(source):
        line = source.count(b"\n", 0, match.start()) + 1
        holder = _holder(classes, line)
        kind, module = match[2].decode(), " ".join(match[3].decode("utf-8", "replace").split())
        direction = REQUIRES if kind == "prepend" else OFFERS
        mixins[match[1].decode() if match[1] else holder].append(f"{direction}{kind} {module}")
    for match in NEW.finditer(source):
        holder = match[1].decode() if match[1] else _holder(classes, source.count(b"\n", 0, match.start()) + 1)
        mixins[holder].append(f"{REQUIRES}{' '.join(match[0].decode('utf-8', 'replace').split())}")
    symbols = [
        replace(symbol, conditions=tuple(mixins.get(symbol.name, ()))) if symbol.kind == "class" else symbol
        for symbol in outline_read.symbols
    ]
    return replace(outline_read, symbols=tuple(symbols))


def _holder(classes: Sequence[Symbol], line: int) -> str:
    """The name of the innermost class around a line."""
    holders = [symbol for symbol in classes if symbol.start <= line <= symbol.end]
    return max(holders, key=lambda symbol: symbol.start).name if holders else ""


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The names of a file that are spelt like one of the names; symbols count, they can name a method."""
    del path  # one grammar reads every file
    if not syntax.any_of(frozenset(names)).search(source):
        return ()
    _check(source)
    root = syntax.parse(RUBY, source)
    return with_constructions(root, spots.uses(root, source, names, READING), CLASSES, constructions)
