"""`deeprepo eval plant`: planted changes and twins of a repository, or of generated code bases, as cases for `deeprepo eval reviews`."""

import random
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot import checkout
from bot.checkout import Checkout, git
from bot.errors import UsageError
from bot.values import ReviewRequest
from deeprepo_evals.plant import history
from deeprepo_evals.plant.codebase import codebase, known_kinds
from deeprepo_evals.plant.history import Change
from deeprepo_evals.plant.mutations import Scene
from deeprepo_evals.plant.planting import of_bytes
from deeprepo_evals.plant.shelf import Shelf
from deeprepo_evals.plant.synthetic import make
from deeprepo_evals.plant.twins import twin_choice as twins
from deeprepo_evals.plant.values import CodeBase

TWIN_FILES = 60  # of a generated code base with a twin


@dataclass(frozen=True, slots=True)
class Plan:
    """What to plant. `repo` is None where the code bases are made up."""

    out: Path
    repo: str | None = None
    count: int = 20
    twins: int = 0
    files: int = 60
    seed: int = 1
    kinds: tuple[str, ...] = ()  # classes of defects; none: all


async def write(plan: Plan, say: Callable[[str], None] = lambda _: None) -> tuple[Path, ...]:
    """Plant and write; the paths of the cases. Raises UsageError and RevisionError with a sentence for the user."""
    kinds = known_kinds(plan.kinds)
    if plan.repo is None:
        return await _make(plan, kinds, say)
    changes = await history.plant(plan.repo, plan.count, plan.seed, kinds, say)
    with tempfile.TemporaryDirectory(prefix="deeprepo-plant-") as scratch:
        pull = await checkout.pull(ReviewRequest(plan.repo, "range", "HEAD", "HEAD"), scratch)
        top = (await git.output("rev-parse", "--absolute-git-dir", cwd=pull.git_dir)).decode().strip()
        shelf = Shelf(plan.out, _name(top), pull.git_dir)
        await shelf.open()
        paths = [await shelf.add(change) for change in changes]
        if plan.twins:
            async with Checkout(pull) as tree:
                ground = await history.sources(tree)
            paths += await _twins(shelf, f"{pull.head}^{{tree}}", ground, plan)
        await shelf.close()
    return tuple(paths)


async def _make(plan: Plan, kinds: Sequence[str], say: Callable[[str], None]) -> tuple[Path, ...]:
    """Cases of code bases that are made up, one for each."""
    shelf = Shelf(plan.out, f"made-{plan.seed}", None)
    await shelf.open()
    paths = []
    for number in range(plan.count):
        code = codebase(plan.seed * 1_000 + number, plan.files, scope="change", kinds=kinds)
        paths.append(await shelf.add(_change(code, number)))
        say(f"{number + 1} of {plan.count} planted")
    if plan.twins:
        clean = {path: text.encode() for path, text in make(plan.seed, max(plan.files, TWIN_FILES)).items()}
        paths += await _twins(shelf, "", of_bytes(clean), plan)
    return tuple(paths)


async def _twins(shelf: Shelf, tree: str, ground: Scene, plan: Plan) -> list[Path]:
    """Twins over one commit of this tree (of these files, where there is none)."""
    chance = random.Random(f"twins {plan.seed}")  # noqa: S311 - data, not secrets
    found = twins.choose(ground, sorted(ground.files), plan.twins, chance)
    if not found:
        raise UsageError("no twin fits here: no function has users elsewhere that could tolerate its change")
    base = await shelf.commit(f"{shelf.name}-twins", tree, {} if tree else dict(ground.files), "base")
    return [
        shelf.write(
            name, twins.case_fields(name, shelf.clone, base, twin, history.language(twin.proposal.at.path)), twin=True
        )
        for name, twin in ((f"twin-{shelf.name}-{plan.seed}-{n}", twin) for n, twin in enumerate(found, 1))
    ]


def _change(code: CodeBase, number: int) -> Change:
    """A generated code base as a change without trees of git's."""
    before = {path: text.encode("utf-8", "surrogateescape") for path, text in code.base.items()}
    after = {path: text.encode("utf-8", "surrogateescape") for path, text in code.files.items()}
    return Change(str(number), "", "", before, after, code.labels, code.title, code.body, "python")


def _name(git_dir: str) -> str:
    """What a repository is called, from its folder."""
    place = Path(git_dir)
    named = place.parent.name if place.name in {".git", "repo", "repo.git"} else place.name
    return re.sub(r"[^\w.-]+", "-", named.removesuffix(".git")) or "repository"
