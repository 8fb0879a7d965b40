"""Conventions for names and structure in the source code."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import bot

HOUSE = Path(bot.__file__).parent
MOST_FILES = 3  # that may define a constant with the same name
MOST_FIELDS = 20  # of a class
MOST_FUNCTIONS = 0.4  # share of callables among a class's fields
ASKED_FOR = {
    "NAME",
    "ANALYZER",
    "COMMAND",
    "T",
    "QUESTION",
    "WORDS",
    "PATHS",
}  # names that every analyzer, linter, command must define


def constants(path: Path) -> Iterator[str]:
    """Yield the constants that a file defines at module level."""
    for node in ast.parse(path.read_bytes()).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            each = target.elts if isinstance(target, ast.Tuple) else [target]
            yield from (one.id for one in each if isinstance(one, ast.Name) and one.id.isupper())


def test_constant_names_are_specific() -> None:
    """Constant names are specific: a limit on bytes and one on files are not both called `MOST`."""
    files = defaultdict(set)
    for folder in ("bot", "deeprepo/rlm", "deeprepo/texts"):
        for path in (HOUSE.parent / folder).rglob("*.py"):
            for name in constants(path):
                files[name].add(path)
    assert len(files) > 500
    many = {name: len(paths) for name, paths in files.items() if len(paths) > MOST_FILES and name not in ASKED_FOR}
    assert many == {}
    assert len(files["MOST"]) == 0


def test_classes_have_few_fields() -> None:
    """Outside config and storage, a class has at most 20 fields, and few of them are functions."""
    named = defaultdict[str, list[tuple[Path, ast.ClassDef]]](list)
    for folder in ("bot", "deeprepo/rlm", "deeprepo/texts"):
        for path in (HOUSE.parent / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, ast.ClassDef):
                    named[node.name].append((path, node))

    def fields(node: ast.ClassDef) -> list[str]:
        """Return the annotations of all fields in a class, including inherited ones."""
        own = [ast.unparse(each.annotation) for each in node.body if isinstance(each, ast.AnnAssign)]
        bases = [named[name][0][1] for base in node.bases if len(named.get(name := ast.unparse(base), ())) == 1]
        return [*own, *(each for base in bases for each in fields(base))]

    values = {
        (path, name): fields(node)
        for name, classes in named.items()
        for path, node in classes
        if path.parent not in (HOUSE / "config", HOUSE / "storage")
    }
    assert len(values) > 300
    assert [name for name, held in values.items() if len(held) > MOST_FIELDS] == []
    functions = {name: sum("Callable" in each for each in held) for name, held in values.items()}
    assert [n for n, count in functions.items() if count > 1 and count > MOST_FUNCTIONS * len(values[n])] == []


NO_VERB = re.compile(  # words that can't begin an imperative sentence
    r"(?:the|an?|th(?:is|at|ese|ose|ere)|its?|our|what|wh(?:ether|ich|om?|ose|en|ere|y)|how|one|two|each|every|all|both|no|nothing|some(?:thing)?"
    r"|any(?:thing)?|everything|another|several|many|of|at|by|as|for|from|in|on|with|under|until|so)\b",
    re.IGNORECASE,
)


def test_function_docstring_starts_with_a_verb() -> None:
    """A public function's docstring starts with a verb ("Return the ..."), except for properties."""
    nouns = []
    read = 0
    for folder in ("bot", "deeprepo/rlm", "deeprepo/texts"):
        for path in (HOUSE.parent / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_bytes())):
                if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith("_"):
                    continue
                text = ast.get_docstring(node) or ""
                if text and not any("property" in ast.unparse(each) for each in node.decorator_list):
                    read += 1
                    nouns += [(path.name, node.name)] if NO_VERB.match(text) else []
    assert read > 1_000
    assert nouns == []


WRITTEN_TWICE = {
    frozenset({"file", "symlink", "submodule"}),  # git's kinds of entries, as `impact` reports them
}


def test_each_closed_set_of_words_is_defined_once() -> None:
    """Each closed set of words, such as review outcomes, is defined once, because copies would diverge."""
    places = defaultdict(set)
    for path in HOUSE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
                words = frozenset(each.value for each in ast.walk(node.slice) if isinstance(each, ast.Constant))
                places[words - {""}].add((path.name, node.lineno))
    assert len(places) > 50
    assert {words for words, found in places.items() if len(words) > 2 and len(found) > 1} <= WRITTEN_TWICE
    assert {words for words in WRITTEN_TWICE if words not in places} == set()


def test_there_are_no_import_cycles() -> None:
    """There are no import cycles, including imports inside functions."""
    paths = [path for folder in ("bot", "deeprepo") for path in (HOUSE.parent / folder).rglob("*.py")]
    names = {
        ".".join(path.relative_to(HOUSE.parent).with_suffix("").parts).removesuffix(".__init__"): path for path in paths
    }

    def needed(node: ast.AST) -> Iterator[str]:
        """Yield the modules that code imports, except those imported only for type checking."""
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.If) and "TYPE_CHECKING" in ast.unparse(inner.test):
                continue
            if isinstance(inner, ast.ImportFrom):
                yield from (
                    name if (name := f"{inner.module}.{one.name}") in names else str(inner.module)
                    for one in inner.names
                )
            elif isinstance(inner, ast.Import):
                yield from (one.name for one in inner.names)
            else:
                yield from needed(inner)

    graph = {name: {*needed(ast.parse(path.read_bytes()))} - {name} for name, path in names.items()}
    assert len(graph) > 500
    TopologicalSorter(graph).prepare()  # raises CycleError with the circle
