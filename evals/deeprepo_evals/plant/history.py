"""Defects in real commits: a change that somebody made, with one line of it wrong. Nothing of the repository is run or written."""

import random
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot import checkout, diff
from bot.checkout import Checkout, git
from bot.dependents.roles import changes_role
from bot.errors import RevisionError, UsageError
from bot.text.paths import is_test
from bot.values import ChangedFile, PullRequest, ReviewRequest
from deeprepo_evals.plant.grammar import SUFFIXES, family
from deeprepo_evals.plant.mutations import MUTATIONS, Mutation, Scene
from deeprepo_evals.plant.older import older
from deeprepo_evals.plant.planting import Field, choose, edit_file, of_bytes, parses, plant_all
from deeprepo_evals.plant.values import Label

COMMITS = 2_000  # the newest ones that are looked at
SMALLEST, LARGEST, MOST_FILES = 4, 400, 20  # changed lines and files of a change that a person would review in one go
TREE_BYTES, FILE_BYTES = 40_000_000, 300_000  # of sources that are searched for proofs
DATA = {".json", ".toml", ".yml", ".yaml", ".html", ".vue", ".svelte", ".sql", ".md", ".cfg", ".ini"}


@dataclass(frozen=True, slots=True)
class Change:
    """A pull request to be written: trees of the repository with some files exchanged on either side."""

    id: str
    base: str  # a tree of the repository; empty: none
    head: str
    before: Mapping[str, bytes]  # files that differ from the tree `base`
    after: Mapping[str, bytes]
    labels: tuple[Label, ...]
    title: str
    body: str
    language: str


async def plant(
    repo: str,
    count: int,
    seed: int,
    kinds: Sequence[str] = tuple(MUTATIONS),
    say: Callable[[str], None] = lambda _: None,
) -> tuple[Change, ...]:
    """So many changes with one defect each, from the newest commits in any order; where they do not suffice, from the tree itself.

    Raises RevisionError where there is no repository and UsageError where nothing can be planted in it.
    """
    chance = random.Random(f"history {seed}")  # noqa: S311 - data, not secrets
    made: list[Change] = []
    with tempfile.TemporaryDirectory(prefix="deeprepo-plant-") as scratch:
        last = await checkout.pull(ReviewRequest(repo, "range", "HEAD", "HEAD"), scratch)
        async for pull in _pulls(repo, last.git_dir, chance, scratch):
            if len(made) == count:
                break
            made += [change async for change in _in_commit(pull, kinds, chance)]
            say(f"{len(made)} of {count} planted")
        made += await _in_tree(last, count - len(made), kinds, chance)
    if not made and count:
        raise UsageError(f"nothing can be planted in {repo}: no function in {', '.join(sorted(SUFFIXES))} files fits")
    return tuple(made)


async def _pulls(repo: str, git_dir: str, chance: random.Random, scratch: str) -> AsyncIterator[PullRequest]:
    """The newest commits, each as a change against its parent."""
    out = await git.output("rev-list", "--no-merges", "--min-parents=1", f"--max-count={COMMITS}", "HEAD", cwd=git_dir)
    commits = out.decode().split()
    for commit in chance.sample(commits, len(commits)):
        try:
            yield await checkout.pull(ReviewRequest(repo, "range", f"{commit}^", commit), scratch)
        except RevisionError:  # a shallow clone ends here
            continue


async def _in_commit(pull: PullRequest, kinds: Sequence[str], chance: random.Random) -> AsyncIterator[Change]:
    """The commit with one of its own lines wrong; nothing where it is too large, too small, or no line fits."""
    async with Checkout(pull) as tree:
        files = {file.path: file for file in diff.read(await tree.change(changes_role)) if not file.skip}
        size = sum(len(file.added_lines) + len(file.removed_lines) for file in files.values())
        paths = [
            path for path, file in files.items() if file.added_lines and family(path) is not None and not is_test(path)
        ]
        if not paths or not SMALLEST <= size <= LARGEST or len(files) > MOST_FILES:
            return
        ground = await sources(tree, paths)
    added = {path: files[path].added_lines for path in paths if path in ground.files}
    field = Field(ground, tuple(added), kinds, added)
    chosen = choose(field, 1, chance, lambda proposal: _is_new_line(ground, proposal, files))
    if chosen:
        after, labels = plant_all(ground, chosen)
        changed = {path: blob for path, blob in after.items() if blob != ground.files[path]}
        yield Change(
            id=pull.head[:10],
            base=f"{pull.base}^{{tree}}",
            head=f"{pull.head}^{{tree}}",
            before={},
            after=changed,
            labels=labels,
            title=pull.title,
            body=pull.body,
            language=language(labels[0].path),
        )


async def sources(tree: Checkout, first: Sequence[str] = ()) -> Scene:
    """The texts of a tree that a proof may are in, these paths before all others, up to a limit."""
    entries = await tree.entries()
    suffixes = {*SUFFIXES, *DATA}
    rest = [path for path in entries if PurePosixPath(path).suffix.lower() in suffixes and path not in first]
    wanted, room = [], TREE_BYTES
    for path in (*first, *sorted(rest, key=lambda path: (family(path) is None, path))):
        entry = entries.get(path)
        if entry is not None and entry.kind == "file" and entry.size <= min(room, FILE_BYTES):
            wanted.append(path)
            room -= entry.size
    return of_bytes(await tree.read_many(wanted))


def _is_new_line(ground: Scene, proposal: Mutation, files: Mapping[str, ChangedFile]) -> bool:
    """Whether the defect replaces a line that the commit itself brought."""
    return any(
        edit.path in files
        and ground.files[edit.path].count(b"\n", 0, _letter(ground, edit.path, edit.start)) + 1
        in files[edit.path].added_lines
        for edit in proposal.edits
    )


def _letter(ground: Scene, path: str, byte: int) -> int:
    """The first byte from here on that is no blank: where a line that is taken out begins to say something."""
    source = ground.files[path]
    return len(source) - len(source[byte:].lstrip())


async def _in_tree(pull: PullRequest, count: int, kinds: Sequence[str], chance: random.Random) -> list[Change]:
    """Changes made up over the newest tree: one function each is rewritten, and wrong in one line."""
    if count < 1:
        return []
    async with Checkout(pull) as tree:
        ground = await sources(tree)
    field = Field(ground, sorted(ground.files), kinds)
    functions = {(site.path, site.node.start_byte): site for site in field.sites}
    made = []
    for number, mutation in enumerate(choose(field, count, chance)):
        after, labels = plant_all(ground, [mutation])
        site = functions[mutation.head.path, mutation.head.byte]
        edits = older(site.path, site.node, site.kind)
        edits = edits if parses(ground, edits) else ()
        whole = f"{pull.head}^{{tree}}"
        made.append(
            Change(
                id=f"{pull.head[:10]}-{number}",
                base=whole,
                head=whole,
                before={site.path: edit_file(ground.files[site.path], site.path, edits)} if edits else {},
                after={path: blob for path, blob in after.items() if blob != ground.files[path]},
                labels=labels,
                title=f"Rework {mutation.function}",
                body="",
                language=language(site.path),
            )
        )
    return made


def language(path: str) -> str:
    """The language of a path, as cases name it."""
    kind = family(path)
    name = kind.name if kind else ""
    return "typescript" if PurePosixPath(path).suffix in {".ts", ".tsx", ".mts", ".cts"} else name
