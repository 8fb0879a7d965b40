"""PHP: namespaces, Composer's autoloading, includes."""

import re
from collections.abc import Collection

from bot.languages import misread, spots, syntax
from bot.languages.conditions import Conditions, with_conditions
from bot.languages.constructions import with_constructions
from bot.languages.php.names import Names
from bot.languages.php.outline import BLOCKS, outline_of
from bot.languages.php.uses import OWNERS, READING, constructions
from bot.languages.unreadable import finds, outlines
from bot.ports import Decisions, LanguageTraits
from bot.text.filetypes import PHP
from bot.values import ARRAY, PERHAPS, STREAM, THERE, Outline, Side, Use

TRAITS = LanguageTraits(
    unique_names=True,
    decisions=Decisions(opens=re.compile(r"\b(?:match|switch)\b[^{};]{0,200}\Z"), rest=re.compile(r"\bdefault\b")),
    makers={r"\bfunction\s++__(?:call(?:Static)?|get)\b": "code", r"@(?:method|property)\b": "comments"},
    call_results={
        r"^=new [\w\\]*Iterator\([^()]*\)$|->getIterator\(\)$": STREAM,
        r"^=(?:iterator_to_array|array_\w+)\([^()]*\)$": ARRAY,
        r"(?:->|::)(?:firstOrFail|findOrFail|sole|firstOrCreate|firstOrNew|updateOrCreate)\([^()]*\)$": THERE,
        r"(?:->|::)(?:first|find|firstWhere|findOneBy|findOne|getOneOrNullResult)\([^()]*\)$": PERHAPS,
    },
)
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


CONDITIONS = Conditions(
    blocks=lambda node: node.type in BLOCKS,
    whole=frozenset({"namespace_definition"}),
    ends=re.compile(rb"^[ \t]*(?:exit\b|die\b|throw\b|__halt_compiler\b)[^\n]*", re.MULTILINE | re.IGNORECASE),
    abstract=re.compile(rb"\A[^{]*\babstract\b|\A[^{]*;\s*\Z"),
    operators=re.compile(rb"\bfunction\s+&?__(?!construct|destruct)\w+"),
)  # fmt: skip


TAG = re.compile(rb"<\?(?:php(?=\s|$)|=)", re.IGNORECASE)


@outlines
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file and what an importer can ask of it."""
    misread.check(source)
    root = syntax.shallow_root(PHP, source)
    tag = TAG.search(source)
    above = source.count(b"\n", 0, tag.start() if tag is not None else len(source))
    spans = [(1, above if tag is not None else above + 1, "above the opening tag")]
    conditions = [] if path.endswith(".php") else ["a file that is not loaded by the names of its classes"]
    return with_conditions(outline_of(path, root, source, side), root, source, CONDITIONS, conditions, spans)


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The names of a file that are spelt like one of the names."""
    del path  # one grammar reads every file
    names = {name.rpartition("\\")[2] for name in names}  # `Models\\Order` is found by its last part
    if not syntax.any_of(frozenset(names)).search(source):
        return ()
    root = syntax.shallow_root(PHP, source)
    return with_constructions(root, spots.uses(root, source, names, READING), OWNERS, constructions)
