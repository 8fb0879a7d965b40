"""PHP: namespaces, Composer's autoloading, includes."""

from collections.abc import Collection

from bot.languages import spots, syntax
from bot.languages.constructions import with_constructions
from bot.languages.php.names import Names
from bot.languages.php.outline import outline_of
from bot.languages.php.uses import OWNERS, READING, constructions
from bot.languages.unreadable import finds, outlines
from bot.ports import LanguageTraits
from bot.text.filetypes import PHP
from bot.values import Outline, Side, Use

TRAITS = LanguageTraits()
project = Names
# Functions, classes and constants of PHP that a project may well have had a stand-in for.
GIVEN = (
    "array_all array_any array_find array_find_key array_first array_flip array_is_list array_key_exists array_key_first "
    "array_key_last array_last array_map array_merge call_user_func compact count ctype_alpha date define defined die dirname "
    "each empty enum_exists exit explode fdiv file_get_contents filter_var function_exists get_class get_debug_type hash "
    "hash_equals iconv implode in_array intdiv is_array is_callable is_countable is_iterable is_null is_string isset iterator_to_array "
    "json_decode json_encode json_validate mb_strlen mb_str_pad mb_str_split mb_strtolower mb_substr mb_trim mb_ucfirst "
    "password_hash preg_last_error_msg preg_match preg_replace print printf random_bytes random_int sprintf str_contains "
    "str_ends_with str_starts_with strlen strtolower substr trim unset usort var_dump ArrayAccess ArrayIterator ArrayObject Attribute "
    "BackedEnum Closure Countable DateTime DateTimeImmutable Error ErrorException Exception Generator InvalidArgumentException Iterator "
    "IteratorAggregate JsonSerializable LogicException Override RuntimeException SplObjectStorage Stringable Throwable Traversable "
    "TypeError UnexpectedValueException UnitEnum ValueError WeakMap parent self static stdClass PHP_EOL PHP_VERSION_ID"
)
AMBIENT = frozenset(GIVEN.split())


@outlines
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file and what an importer can ask of it."""
    return outline_of(path, syntax.shallow_root(PHP, source), source, side)


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The names of a file that are spelt like one of the names."""
    del path  # one grammar reads every file
    names = {name.rpartition("\\")[2] for name in names}  # `Models\\Order` is found by its last part
    if not syntax.any_of(frozenset(names)).search(source):
        return ()
    root = syntax.shallow_root(PHP, source)
    return with_constructions(root, spots.uses(root, source, names, READING), OWNERS, constructions)
