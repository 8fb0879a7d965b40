"""Members of one word that nothing else in the tree has: a value whose class nobody writes down may have them all the same.

`repo.find().total()` names neither the class of `total` nor its file. The word alone says what is meant if no other definition of the tree
bears it, no library is likely to, and the file leads to the class.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from bot.dependents.exports import Exports
from bot.dependents.names import Own, Spans
from bot.dependents.proof import BORNE
from bot.dependents.sites import UseTarget, telling
from bot.dependents.targets import former_names, words_of
from bot.ports import Language, Tree
from bot.text.filetypes import filetype
from bot.text.lines import file_lines
from bot.values import Side, Use
from bot.values.everyday import METHODS

WORD = 4  # letters: a shorter word is a member of too much
FUNCTIONS = ("function", "method")
CLASSES = ("class", "type")
OBJECTS = ("javascript", "lua")  # whose values may be of no class: `{ total: 1 }` has a `total`
IMPORTS = re.compile(r"^\s*+(?:import|from|use|using)\b")
NAME = re.compile(r"[A-Za-z_$][\w$]*")
LONG_LINE = 400  # characters; of a longer one the beginning is read


def words_of_members(targets: Iterable[UseTarget], language: Language) -> frozenset[str]:
    """The words that may be looked up: of members and attributes whose contract changed, without those that values of libraries have."""
    words = {
        word
        for target in targets
        if target.owner and target.contract and not target.constructor
        for word in (former_names(target) if target.is_gone else target.shorts)
    }
    return frozenset(word for word in words if len(word) >= WORD and not telling(word) and _is_own(word, language))


def _is_own(word: str, language: Language) -> bool:
    """Whether no library is likely to have a member of that name."""
    return not word.startswith("__") and word not in METHODS | language.AMBIENT and word.lower() not in BORNE


def with_definitions(spans: Mapping[Side, Spans], targets: Iterable[UseTarget]) -> Mapping[Side, Spans]:
    """The lines of the changed definitions, those included whose heads stayed: of a field with another type, of a property."""
    head = {path: {*rows} for path, rows in spans["head"].items()}
    for item in [target.symbol for target in targets if target.symbol is not None and target.contract]:
        if (after := item.after) is not None:
            head.setdefault(after.path, set()).add((after.start, after.end))
    return {"base": spans["base"], "head": head}


def of_a_value(
    language: Language,
    path: str,
    source: bytes,
    names: Collection[str],
    side: Side,
    own: Own,
) -> frozenset[str]:
    """The words that a file gives to a value: a definition outside of functions, an attribute that is set, a key of an object.

    The name of an argument gives nobody a member, nor does the literal of a struct that is defined elsewhere. A variable or a parameter
    of a function gives no value one: `total = cart.total()` says nothing of who has a `total`.
    """
    spans = own.spans[side].get(path, ())
    forms = {"definition", "key"} if filetype(path).parser in OBJECTS else {"definition"}
    symbols = [one for one in language.outline(path, source, side).symbols if "()" not in one.name]
    constructors = filetype(path).constructors
    functions = {one.name for one in symbols if one.kind in FUNCTIONS and one.short not in constructors}
    places = [(one.short, one.start) for one in symbols if one.short in names]
    places += [
        (use.name, use.line)
        for use in language.uses(path, source, names)
        if use.form in forms and not _is_variable(use, functions)
    ]
    return frozenset(name for name, line in places if not any(start <= line <= end for start, end in spans))


def _is_variable(use: Use, functions: Collection[str]) -> bool:
    """Whether a definition is a variable or a parameter of a function."""
    return use.form == "definition" and not use.receiver and use.function in functions


async def giver_names(tree: Tree, exports: Exports, paths: Sequence[str], target: UseTarget) -> frozenset[str]:
    """The names in these files of what may hand out the target's class: their classes, and what names it in its lines."""
    owner = re.compile(rf"\b{re.escape(target.owner)}\b")
    names: set[str] = set()
    for path, source in (await tree.read_many(paths)).items():
        outline, lines = await exports.outline("head", path), file_lines(source)
        for one in outline.symbols if outline is not None else ():
            if one.kind in CLASSES or any(owner.search(line[:LONG_LINE]) for line in lines[one.start - 1 : one.end]):
                names.add(one.short)
    return frozenset(names - {target.owner})


async def outside_names(
    language: Language, exports: Exports, path: str, source: bytes, names: Collection[str]
) -> dict[str, int]:
    """Those of these names that a file imports from outside the tree, each with the line of its import."""
    uses = language.uses(path, source, names) if names else ()
    import_lines = {use.name: use.line for use in uses if use.form == "import"}
    imports = await exports.imports(path) if import_lines else ()
    own_names = {name for item in imports for name in words_of(item)}
    own_lines = {item.line for item in imports}  # `from cart import Cart` binds no `cart`
    return {name: line for name, line in import_lines.items() if name not in own_names and line not in own_lines}


def names_one(source: bytes, names: Collection[str]) -> bool:
    """Whether a file writes one of these names: in an import any of them, elsewhere none that values of every language have."""
    telling_names = {name for name in names if len(name) >= WORD and name not in METHODS}
    return any(
        not frozenset(names if IMPORTS.match(line) else telling_names).isdisjoint(NAME.findall(line[:LONG_LINE]))
        for line in file_lines(source)
    )
