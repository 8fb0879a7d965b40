"""Count the names that are a bare participle: `python .ci/names.py [FOLDER]`; with `--check`, list those that may not be there.

A name says what it holds (`findings`), not what happened to it (`found`): a noun for a value, a verb for an action, `is_` or `has_` for a question.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

IRREGULAR = frozenset(
    [
        "begun",
        "bound",
        "broken",
        "brought",
        "built",
        "caught",
        "chosen",
        "cut",
        "done",
        "drawn",
        "driven",
        "felt",
        "forgotten",
        "found",
        "frozen",
        "given",
        "gone",
        "got",
        "grown",
        "heard",
        "held",
        "hidden",
        "hung",
        "kept",
        "known",
        "laid",
        "learnt",
        "led",
        "left",
        "lent",
        "lost",
        "made",
        "meant",
        "met",
        "mistaken",
        "paid",
        "put",
        "read",
        "said",
        "seen",
        "sent",
        "set",
        "shown",
        "shut",
        "sought",
        "spent",
        "split",
        "spoken",
        "spoilt",
        "spread",
        "stolen",
        "struck",
        "taken",
        "taught",
        "told",
        "thrown",
        "torn",
        "understood",
        "won",
        "worn",
        "written",
    ]
) - {"cut", "left", "put", "read", "set", "shut", "split", "spread", "bound", "lent"}  # nouns, verbs, and a side
# Adjectives that are the terms of the field: the plain word is what an engineer looks for.
TERMS = {
    "chunked": "the method of an evaluation that reads a text chunk by chunk",
    "masked": "a text without its secrets",
    "nested": "in one another, of folders",
    "quoted": "in quotes, of a text",
    "required": "not optional, of a parameter and in JSON Schema",
    "scripted": "of a model that plays a script, and the first part of such a model's name",
    "shared": "between processes or files",
    "staged": "in git's index; an option of the command line",
    "uncommitted": "in the work tree; an option of the command line",
    "unused": "declared and never read",
    "visited": "the nodes that a walk over a graph has met",
}
# Fields whose names are keys of something that is stored, sent or promised: another name there would not be read any more.
KEYS = {
    "columns of the database": (
        "DaySum Failure FindingOutcomes FinishedReview JobRow LearnedRule ListedReview OwnerRule ReviewFacts StoredFinding Suppression"
    ),
    "jobs that are stored, and what their steps came to": "HeardRemark PullFacts PullState RemarkAsk ReviewAsk",
    "the JSON of a review, and the digests of its parts in a journal": (
        "ArchivedFinding CoverageRow Finding IssueReport Observation PlacedFinding Reproduction Requirement Review Turn"
    ),
    "the first line of a journal": "Start",
    "the JSON of `deeprepo estimate`": "Estimate",
    "the JSON of `deeprepo status`": "FailedJob Recent ServerStatus",
    "words of `fail_also` in the settings": "Lacking",
    "what a model answers": "FinalAnswer LooseLook PairsAnswer",
    "the library's values": "Broken File Impact",
    "rows of results of the evaluation": "Facts Figures Mentions Outcome Run Score",
}
EXEMPT = {name: reason for reason, names in KEYS.items() for name in names.split()}
NOUNS = frozenset(
    [
        "bed",
        "breed",
        "deed",
        "embed",
        "exceed",
        "feed",
        "need",
        "proceed",
        "red",
        "seed",
        "shed",
        "speed",
        "succeed",
        "weed",
    ]
)
ROOT = Path(__file__).parents[1]
FOLDERS = ("bot", "deeprepo", "evals/deeprepo_evals", "sandbox/deeprepo_sandbox")
SAMPLE = re.compile(r"demo/sample/")  # code under review: it is as its author wrote it
MOST_LOCALS = 300
PUBLIC = 5  # of the kinds
KINDS = ("modules", "classes", "public functions", "fields", "parameters", "private functions", "locals")


def participle(name: str) -> bool:
    """Whether a name is one past participle and nothing else."""
    word = name.strip("_").lower()
    if name.strip("_")[1:] != word[1:]:  # two words: HostRefused
        return False
    if word in TERMS:
        return False
    return word in IRREGULAR or (bool(re.fullmatch(r"[a-z]{2,}ed", word)) and word not in NOUNS)


def names(path: Path) -> Iterator[tuple[str, str, int]]:
    """Return each name that a file binds, with its kind and its line; a parameter of a lambda counts, a repeated binding does not."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    yield "modules", path.parent.name if path.stem == "__init__" else path.stem, 1
    yield from _bound(tree, "locals")


def _bound(scope: ast.AST, kind: str) -> Iterator[tuple[str, str, int]]:
    seen: set[str] = set()
    waiting = [(child, kind) for child in ast.iter_child_nodes(scope)]
    while waiting:
        node, inside = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            if not isinstance(node, ast.Lambda):
                yield "private functions" if node.name.startswith("_") else "public functions", node.name, node.lineno
            given = node.args
            every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            yield from (("parameters", one.arg, one.lineno) for one in every if one is not None)
            yield from _bound(node, "locals")
        elif isinstance(node, ast.ClassDef):
            if node.name not in EXEMPT:
                yield "classes", node.name, node.lineno
            yield from (row for row in _bound(node, "fields") if row[0] != "fields" or node.name not in EXEMPT)
        else:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in seen:
                seen.add(node.id)
                yield inside, node.id, node.lineno
            waiting += [(child, inside) for child in ast.iter_child_nodes(node)]


def classes(folder: Path) -> Iterator[tuple[str, Path, int]]:
    """Return each class that others can import, with its file and its line."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name, path, node.lineno


def check() -> Iterator[str]:
    """Return what may not be there: public names that are participles, too many locals, a class name with two meanings."""
    for folder in FOLDERS:
        found = [
            (path, *row)
            for path in sorted((ROOT / folder).rglob("*.py"))
            if not SAMPLE.search(str(path))
            for row in names(path)
        ]
        bare = [row for row in found if participle(row[2])]
        for path, kind, name, line in bare:
            if kind in KINDS[:PUBLIC]:
                yield f"{path.relative_to(ROOT)}:{line}: {name}: a participle does not say what it holds ({kind})"
        count = sum(kind == "locals" for _, kind, _, _ in bare)
        if folder == "bot" and count > MOST_LOCALS:
            yield f"{folder}: {count:,} locals are participles; {MOST_LOCALS:,} may be"
    seen: dict[str, Path] = {}
    for name, path, line in classes(ROOT / "bot"):
        if name in seen:
            yield f"{path.relative_to(ROOT)}:{line}: class {name}: {seen[name].relative_to(ROOT)} has another of this name"
        seen.setdefault(name, path)


def main(arguments: list[str]) -> int:
    """Print how many there are of each kind, and the most frequent words; with `--check`, what may not be there."""
    if arguments == ["--check"]:
        problems = list(check())
        sys.stdout.write("".join(f"{each}\n" for each in problems))
        return 1 if problems else 0
    folder = Path(arguments[0]) if arguments else ROOT / "bot"
    held = [(kind, name) for path in sorted(folder.rglob("*.py")) for kind, name, _ in names(path) if participle(name)]
    kinds, words = Counter(kind for kind, _ in held), Counter(name.strip("_").lower() for _, name in held)
    sys.stdout.write("".join(f"{kinds[kind]:6,} {kind}\n" for kind in KINDS))
    sys.stdout.write(
        f"{len(held):6,} in all: {', '.join(f'{word} {count}' for word, count in words.most_common(12))}\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
