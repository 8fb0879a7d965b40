"""A generated code base with planted defects, as a pull request: for the training environment and the comparison of roots."""

import random
from collections.abc import Mapping, Sequence
from typing import Literal

from bot.errors import UsageError
from deeprepo_evals.plant import defects as table
from deeprepo_evals.plant.synthetic import draw
from deeprepo_evals.plant.values import CLASSES, CodeBase

FILES_PER_DEFECT, FEWEST = 8, 3
DECOYS = 2  # functions that a change also rewrites, rightly, for each defect
Scope = Literal["whole", "change"]


def codebase(
    seed: int,
    files: int,
    *,
    defects: int | None = None,
    scope: Scope = "whole",
    kinds: Sequence[str] = (),
) -> CodeBase:
    """A code base of so many files and its planted defects. The same arguments give the same value.

    In the scope "whole" the pull request brings all of it; in "change" it rewrites some functions, most of them rightly.
    Raises UsageError for a class of defects that nobody knows.
    """
    if unknown := set(kinds) - set(CLASSES):
        raise UsageError(f"no class of defects is called {', '.join(sorted(unknown))}: known are {', '.join(CLASSES)}")
    clean, entities = draw(seed, files)
    chance = random.Random(f"defects {seed}")  # noqa: S311 - data, not secrets
    head = _rows(clean)
    count = max(FEWEST, files // FILES_PER_DEFECT) if defects is None else defects
    chosen = table.choose(table.places(head, entities, sorted(kinds or CLASSES)), count, chance)
    base: Mapping[str, str] = {}
    if scope == "change":
        before = _rows(clean)
        touched = {(one.defect.path, one.head.text) for one in chosen}
        heads = {id(row) for path, rows in before.items() for row in rows if (path, row.text) in touched}
        table.rewrite(before, entities, heads, DECOYS * len(chosen), chance)
        base = _texts(before)
    labels = table.plant(head, chosen)
    return CodeBase(
        name=f"made-{seed}-{files}",
        files=_texts(head),
        base=base,
        labels=tuple(sorted(labels, key=lambda label: (label.path, label.line))),
        title="Bring the back office in" if scope == "whole" else "Rework names and limits",
        body="All of it in one piece." if scope == "whole" else "Shorter names, and a few rules said more directly.",
    )


def _rows(files: Mapping[str, str]) -> dict[str, list[table.Row]]:
    return {path: [table.Row(line) for line in text.split("\n")] for path, text in files.items()}


def _texts(files: table.Files) -> dict[str, str]:
    return {path: "\n".join(row.text for row in rows) for path, rows in files.items()}
