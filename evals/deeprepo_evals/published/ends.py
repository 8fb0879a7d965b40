"""The two commits of a pull request, looked for in a clone: those of the set, else those of the clone's own references."""

from dataclasses import dataclass
from pathlib import Path

from deeprepo_evals.clones import ask
from deeprepo_evals.published.sets import Pull


@dataclass(frozen=True, slots=True)
class Ends:
    """Base and head. `exact`: the known comments are about this very head."""

    base: str
    head: str
    exact: bool


async def ends(pull: Pull, clone: Path) -> Ends | None:
    """The commits in the order of trust; None if the clone holds neither them nor a reference to the pull request."""
    number = pull.parts[2]
    named = await _commit(clone, pull.head) if pull.head else ""
    head = named or await _commit(clone, f"refs/pull/{number}/head")
    if head:
        known_base = await _commit(clone, pull.base) if pull.base else ""
        base = await ask(clone, "merge-base", known_base or "HEAD", head) or known_base
        return Ends(base, head, bool(named) or not pull.head) if base not in ("", head) else None
    merged = await _merged(clone, number)
    base = await _commit(clone, f"{merged}^1") if merged else ""
    return Ends(base, merged, not pull.head) if base else None


async def _merged(clone: Path, number: str) -> str:
    """The commit as which it was merged: hosts end its subject with the number."""
    end = f"(#{number})"
    rows = (await ask(clone, "log", "--all", "--fixed-strings", f"--grep={end}", "--format=%H %s")).split("\n")
    return next((row.split(" ", 1)[0] for row in rows if row.endswith(end)), "")


async def _commit(clone: Path, name: str) -> str:
    """The commit of this name, if the clone holds its tree too."""
    tree = await ask(clone, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{tree}}")
    there = tree and await ask(clone, "cat-file", "-t", tree)
    return await ask(clone, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}") if there else ""
