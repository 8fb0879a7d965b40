"""Python: modules and packages wherever they start, `src` layouts included, without any configuration."""

import builtins
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial

from bot.languages import misread, syntax
from bot.languages.conditions import Conditions, with_conditions
from bot.languages.constructions import with_constructions
from bot.languages.lexical import HANDED
from bot.languages.python import binding
from bot.languages.python.binding import bindings, names_left_out, names_listed
from bot.languages.python.modules import PythonModules
from bot.languages.python.modules import import_bindings as import_bindings
from bot.languages.python.outline import outline_of
from bot.languages.python.uses import CLASSES, SHAPE, constructions
from bot.languages.unreadable import finds, outlines
from bot.ports import LanguageTraits
from bot.text.filetypes import PYTHON
from bot.values import (
    BYTES,
    DATA,
    KIND,
    LIST,
    MAPPING,
    NUMBER,
    PERHAPS,
    REQUIRES,
    SET,
    STREAM,
    TEXT,
    THERE,
    TRUTH,
    Outline,
    Side,
    Use,
)

BRACKETED = (
    "(assignment right: ({}) @brackets)", "(return_statement ({}) @brackets)", "(default_parameter value: ({}) @brackets)",
    "(typed_default_parameter value: ({}) @brackets)", "(keyword_argument value: ({}) @brackets)", "(raise_statement ({}) @brackets)",
)  # fmt: skip
FORMATTING = {
    "gone": ("(expression_statement . (string) .)", "(expression_statement . (concatenated_string) .)"),
    "brackets": (
        *(pattern.format("parenthesized_expression") for pattern in BRACKETED),
        *(pattern.format("tuple") for pattern in BRACKETED[:2]),
    ),
}
TRAITS = LanguageTraits(
    unwritten_names=True,
    makers={
        HANDED: "outside",
        r"(?<![\w.])setattr\(\s*+CLASS\s*+,": "code",
        r"(?<![\w.])(?:setattr\(|__getattr(?:ibute)?__\b)|\b__getattr(?:ibute)?__\s*+=(?!=)": "code",
        # The names that an object or a class holds, where they are written.
        r"(?:\b__dict__|\b(?:locals|vars)\([\w.]*+\))(?:\.(?:setdefault|update)\b|(?:\s*+\[[^\]\n]{1,200}+\])?\s*+\|?=(?!=))": "code",
    },
    uses_indentation=True,
    formatting=FORMATTING,
    call_results={
        r"^=(?:map|filter|zip|iter|reversed|enumerate|itertools\.\w+)\([^()]+\)$": STREAM,
        r"\.(?:keys|values|items)\(\)$": f"{KIND}view",
        r"^=(?:list|sorted)\([^()]*\)$|(?<!\.str)\.(?:r?split|splitlines|readlines|fetchall)\([^()]*\)$|^=re\.(?:findall|split)\(": LIST,
        r"^=(?:set|frozenset)\([^()]*\)$": SET,
        r"^=dict\([^()]*\)$": MAPPING,
        r"^=bytes\([^()]*\)$|(?:\.(?:encode|read_bytes|digest)\([^()]*\)|^=(?:[bB][rR]?|[rR][bB])[\"'][^()]*)"
        r"(?:\.(?:l?r?strip|lower|upper|title|capitalize|replace|removeprefix|removesuffix|join)\([^()]*\))*+$": BYTES,
        r"^=(?:str|repr)\([^()]*\)$|\.(?:decode|isoformat|strftime|hexdigest|as_posix|read_text)\([^()]*\)$|^=json\.dumps\([^()]*\)$": TEXT,
        r"(?<!\.str)\.(?:l?r?strip|lower|upper|title|capitalize|casefold|removeprefix|removesuffix|join|format)\([^()]*\)$"
        r"|(?<!\.str)\.replace\(_, _\)$": TEXT,
        r"^=(?:int|float|len|round)\([^()]*\)$": NUMBER,
        r"^=(?:bool|isinstance|issubclass|any|all|callable|hasattr)\([^()]*\)$|(?<!\.str)\.(?:starts|ends)with\(_\)$": TRUTH,
        r"^=json\.loads?\([^()]*\)$": DATA,
        r"^=(?:datetime\.)?datetime\.(?:now|utcnow|today|utcfromtimestamp)\(_?\)(?<!now\(_\))$": f"{KIND}time without a zone",
        r"^=(?:datetime\.)?datetime\.now\([^()]+\)$": f"{KIND}time of a zone",
        # What is known to be there: the one row, the next element, a match's group.
        r"\.objects(?:\.\w+\([^()]*\))*\.get\([^()]*\)$|^=get_object_or_404\(": THERE,
        r"^=next\(_\)$|^=getattr\(_, _\)$|\.(?:one|scalar_one|groups?|groupdict|latest|earliest)\([^()]*\)$|\.pop\(_?\)$": THERE,
        r"^=next\(_, None\)$|^=getattr\(_, _, None\)$|\.(?:get|pop)\(_(?:, None)?\)$|^=(?:os\.)?getenv\(_(?:, None)?\)$": PERHAPS,
        r"\.(?:search|match|fullmatch)\([^()]*\)$|\.(?:first|last|one_or_none|scalar_one_or_none|scalar|fetchone)\(\)$": PERHAPS,
        r"\.(?:find_one|select_one)\([^()]+\)$|^=shutil\.which\(": PERHAPS,
    },
)
project = PythonModules
AMBIENT = frozenset(dir(builtins)) | {
    "__file__",
    "__path__",
    "__builtins__",
    "reveal_type",
    "unicode",
    "basestring",
    "xrange",
}


CONDITIONS = Conditions(
    blocks=lambda node: node.type in binding.BLOCKS,
    ends=re.compile(rb"^[ \t]*(?:raise\b|(?:sys\.)?exit\(|quit\(|os\._exit\()[^\n]*", re.MULTILINE),
    undoes=re.compile(rb"^[ \t]*(?:del\b|delattr\(|globals\(\)\.pop\()([^\n#]*)", re.MULTILINE),
    binds=bindings,
    abstract=re.compile(rb"\A\s*@(?:\w+\.)?abstract"),
    operators=re.compile(rb"\bdef\s+__(?!init__|new__|repr__|str__|doc__|post_init__|del__)\w+__"),
)  # fmt: skip


@outlines
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file and what an importer can ask of it."""
    misread.check(source)
    misread.check_encoding(source)
    root = syntax.shallow_root(PYTHON, source)
    outline_read = outline_of(path, root, source, side, partial(syntax.shallow_root, PYTHON))
    misread.check_names(outline_read.names)
    whole = [*(["a stub"] if path.endswith(".pyi") else []), *binding.replacements(path, source)]
    listing = names_listed(source)
    hidden_names = names_left_out(listing, outline_read.defined_names)
    spans = [
        (symbol.start, symbol.start, f"{REQUIRES}an import by its name")
        for symbol in outline_read.symbols
        if symbol.name in hidden_names
    ]
    return with_conditions(replace(outline_read, listing=listing), root, source, CONDITIONS, whole, spans)


def mounts(path: str, source: bytes) -> Mapping[str, str]:
    """The modules that a package hides behind other things of their names."""
    return binding.mounts(path, syntax.shallow_root(PYTHON, source)) if path.endswith("__init__.py") else {}


def patches(source: bytes) -> frozenset[tuple[str, str]]:
    """The members of classes and modules that a file sets or deletes."""
    return binding.patches(source)


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The identifiers of a file that are spelt like one of the names."""
    del path  # one grammar reads every file
    root = syntax.shallow_root(PYTHON, source)
    return with_constructions(root, syntax.uses(root, source, names, SHAPE), CLASSES, constructions)
