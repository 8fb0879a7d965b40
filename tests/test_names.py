"""A name says of what: no constant is called as in many other files, where it means something else."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import bot

HOUSE = Path(bot.__file__).parent
MOST_FILES = 3  # in which constants may have one name
MOST_FIELDS = 20  # of a value
MOST_FUNCTIONS = 0.4  # of the fields of a value
ASKED_FOR = {
    "NAME",
    "READS",
    "LINTER",
    "COMMAND",
    "T",
    "QUESTION",
    "WORDS",
    "PATHS",
}  # what each analyser, linter, command and lens has to offer


def constants(path: Path) -> Iterator[str]:
    """The names in capitals that a file binds at its top."""
    for node in ast.parse(path.read_bytes()).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            each = target.elts if isinstance(target, ast.Tuple) else [target]
            yield from (one.id for one in each if isinstance(one, ast.Name) and one.id.isupper())


def test_a_constants_name_says_of_what() -> None:
    """`MOST` of bytes, of files and of rounds are three constants with three names."""
    files = defaultdict(set)
    for folder in ("bot", "deeprepo/rlm", "deeprepo/texts"):
        for path in (HOUSE.parent / folder).rglob("*.py"):
            for name in constants(path):
                files[name].add(path)
    assert len(files) > 500
    many = {name: len(paths) for name, paths in files.items() if len(paths) > MOST_FILES and name not in ASKED_FOR}
    assert many == {}
    assert len(files["MOST"]) == 0


def test_a_class_is_a_concept() -> None:
    """No value has more than twenty fields, settings and rows of tables apart, and none is a bag of functions: that is a class with methods."""
    named = defaultdict[str, list[tuple[Path, ast.ClassDef]]](list)
    for folder in ("bot", "deeprepo/rlm", "deeprepo/texts"):
        for path in (HOUSE.parent / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, ast.ClassDef):
                    named[node.name].append((path, node))

    def fields(node: ast.ClassDef) -> list[str]:
        """The annotations of the fields that a class has, inherited ones too."""
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


NO_VERB = re.compile(  # no imperative begins with one of these
    r"(?:the|an?|th(?:is|at|ese|ose|ere)|its?|our|what|wh(?:ether|ich|om?|ose|en|ere|y)|how|one|two|each|every|all|both|no|nothing|some(?:thing)?"
    r"|any(?:thing)?|everything|another|several|many|of|at|by|as|for|from|in|on|with|under|until|so)\b",
    re.IGNORECASE,
)


def test_a_functions_docstring_begins_with_a_verb() -> None:
    """What a public function does is said first: "Return the ..." and not "The ...". A property is named for what it is."""
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
    frozenset({"bubblewrap", "docker", "podman"}),  # a variable's values stand beside its description
    frozenset({"file", "symlink", "submodule"}),  # git's kinds of entries, as `impact` says them
}


def test_a_closed_list_of_words_is_one_type() -> None:
    """Words for the same thing, such as how a review ended, are written in one place: two lists of them would drift apart."""
    places = defaultdict(set)
    for path in HOUSE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
                words = frozenset(each.value for each in ast.walk(node.slice) if isinstance(each, ast.Constant))
                places[words - {""}].add((path.name, node.lineno))
    assert len(places) > 50
    assert {words for words, found in places.items() if len(words) > 2 and len(found) > 1} <= WRITTEN_TWICE
    assert {words for words in WRITTEN_TWICE if words not in places} == set()


def test_no_module_needs_itself() -> None:
    """Imports go round in no circle, those inside functions included: each module can be read after those that it names."""
    paths = [path for folder in ("bot", "deeprepo") for path in (HOUSE.parent / folder).rglob("*.py")]
    names = {
        ".".join(path.relative_to(HOUSE.parent).with_suffix("").parts).removesuffix(".__init__"): path for path in paths
    }

    def needed(node: ast.AST) -> Iterator[str]:
        """The modules that code imports; what only annotations name is not imported."""
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
