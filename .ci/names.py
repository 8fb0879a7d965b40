"""Count the names that are a bare participle: `python .ci/names.py [FOLDER]`. A name says what it holds (`findings`), not what happened to it (`found`)."""

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
NOUNS = frozenset(
    ["bed", "breed", "embed", "exceed", "feed", "need", "proceed", "red", "seed", "shed", "speed", "succeed", "weed"]
)
KINDS = ("modules", "classes", "public functions", "fields", "parameters", "private functions", "locals")


def participle(name: str) -> bool:
    """Whether a name is one past participle and nothing else."""
    word = name.strip("_").lower()
    if name.strip("_")[1:] != word[1:]:  # two words: HostRefused
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
            yield "classes", node.name, node.lineno
            yield from _bound(node, "fields")
        else:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in seen:
                seen.add(node.id)
                yield inside, node.id, node.lineno
            waiting += [(child, inside) for child in ast.iter_child_nodes(node)]


def main(arguments: list[str]) -> int:
    """Print how many there are of each kind, and the most frequent words."""
    folder = Path(arguments[0]) if arguments else Path(__file__).parents[1] / "bot"
    held = [(kind, name) for path in sorted(folder.rglob("*.py")) for kind, name, _ in names(path) if participle(name)]
    kinds, words = Counter(kind for kind, _ in held), Counter(name.strip("_").lower() for _, name in held)
    sys.stdout.write("".join(f"{kinds[kind]:6,} {kind}\n" for kind in KINDS))
    sys.stdout.write(
        f"{len(held):6,} in all: {', '.join(f'{word} {count}' for word, count in words.most_common(12))}\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
