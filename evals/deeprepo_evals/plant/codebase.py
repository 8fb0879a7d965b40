"""A generated code base with planted defects, as a pull request: for the training environment and the comparison of roots."""

import random
from collections.abc import Mapping, Sequence
from typing import Literal

from bot.errors import UsageError
from deeprepo_evals.plant.mutations import MUTATIONS, Scene
from deeprepo_evals.plant.older import older
from deeprepo_evals.plant.planting import Field, choose, edit_file, parses, plant_all, scene
from deeprepo_evals.plant.synthetic import make
from deeprepo_evals.plant.values import CodeBase

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
    """
    clean = make(seed, files)
    chance = random.Random(f"defects {seed}")  # noqa: S311 - data, not secrets
    ground = scene(clean)
    count = max(FEWEST, files // FILES_PER_DEFECT) if defects is None else defects
    field = Field(ground, sorted(clean), known_kinds(kinds))
    chosen = choose(field, count, chance)
    after, labels = plant_all(ground, chosen)
    if scope == "whole":
        base: Mapping[str, str] = {}
    else:
        touched = {(mutation.head.path, mutation.head.byte) for mutation in chosen}
        base = _before(ground, field, touched, DECOYS * len(chosen), chance)
    return CodeBase(
        name=f"made-{seed}-{files}",
        files={path: blob.decode("utf-8", "surrogateescape") for path, blob in after.items()},
        base=base,
        labels=tuple(sorted(labels, key=lambda label: (label.path, label.line))),
        title="Bring the back office in" if scope == "whole" else "Rework names and limits",
        body="All of it in one piece." if scope == "whole" else "Shorter names, and a few rules said more directly.",
    )


def known_kinds(kinds: Sequence[str]) -> tuple[str, ...]:
    """The classes of defects that are asked for, all where none is named. Raises UsageError for one that nobody knows."""
    if unknown := set(kinds) - set(MUTATIONS):
        raise UsageError(
            f"no class of defects is called {', '.join(sorted(unknown))}: known are {', '.join(MUTATIONS)}"
        )
    return tuple(sorted(kinds or MUTATIONS))


def _before(
    ground: Scene, field: Field, touched_functions: set[tuple[str, int]], decoys: int, chance: random.Random
) -> dict[str, str]:
    """The tree before the change: the touched functions, and some others, as they were written then."""
    rows = [(site.path, site.node.start_byte, older(site.path, site.node, site.kind)) for site in field.sites]
    others = [row for row in rows if row[:2] not in touched_functions and row[2]]
    chance.shuffle(others)
    wanted = [row for row in rows if row[:2] in touched_functions and row[2]] + others[:decoys]
    edits = [edit for *_, renamed in wanted for edit in renamed if parses(ground, renamed)]
    paths = {edit.path for edit in edits}
    texts = {path: edit_file(blob, path, edits) if path in paths else blob for path, blob in ground.files.items()}
    return {path: blob.decode("utf-8", "surrogateescape") for path, blob in texts.items()}
