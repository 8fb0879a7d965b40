"""Ruby: requires, autoloads, and constants found by the names of files."""

from collections.abc import Collection

from bot.languages import spots, syntax
from bot.languages.constructions import with_constructions
from bot.languages.ruby.outline import outline_of
from bot.languages.ruby.requires import Requires
from bot.languages.ruby.uses import CLASSES, READING, constructions
from bot.languages.unreadable import Unreadable, check_nesting, finds, outlines
from bot.ports import LanguageTraits
from bot.text.filetypes import RUBY
from bot.values import Outline, Side, Use

TRAITS = LanguageTraits(
    unwritten_names=True,
    open_classes=True,
    loader="require",
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


def _check(source: bytes) -> None:
    """Raise Unreadable if the parser would look for the end of each bracket or block to the end of the file."""
    check_nesting(source)
    if source.count(b"begin") > source.count(b"end") + OPEN:
        raise Unreadable("it opens blocks that it never closes")


@outlines
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file and what who requires it can use."""
    _check(source)
    return outline_of(path, syntax.parse(RUBY, source), source, side)


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The names of a file that are spelt like one of the names; symbols count, they can name a method."""
    del path  # one grammar reads every file
    if not syntax.any_of(frozenset(names)).search(source):
        return ()
    _check(source)
    root = syntax.parse(RUBY, source)
    return with_constructions(root, spots.uses(root, source, names, READING), CLASSES, constructions)
