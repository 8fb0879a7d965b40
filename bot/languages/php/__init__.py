"""PHP: namespaces, Composer's autoloading, includes."""

from collections.abc import Collection

from bot.languages import queried
from bot.languages.php.names import Names
from bot.ports import LanguageTraits
from bot.values import Use

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


outline = queried.outline


def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    r"""The names of a file that are spelt like one of the names; `Models\Order` is found by its last part."""
    return queried.uses(path, source, {name.rpartition("\\")[2] for name in names})
