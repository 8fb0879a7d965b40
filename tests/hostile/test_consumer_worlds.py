"""Random repositories and readers: a private consumer's data never reaches people who can't read it.

Each world has repositories with random visibility and owners on the sandbox GitHub, and random
settings. It is reviewed twice with visibility changes in between, and all outputs are searched.
"""

import asyncio
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from fakes import Repository
from families import few
from pydantic import SecretStr

from bot import config, pipeline
from bot.brief import Brief
from bot.github import RequestPace
from bot.github import apps as github_apps
from bot.outputs import console, json_file, markdown, posts, sarif
from bot.stored import states
from bot.values import PullRef, PullRequest, Review
from bot.values.consumer import Audience, Consumers, NamedConsumer
from bot.wiring import review
from bot.workflow import consumers
from deeprepo.rlm.journal.writer import Journal
from deeprepo_sandbox import github as sandbox

LIBRARY: dict[str, str | bytes | None] = {
    "pyproject.toml": '[project]\nname = "quotes"\nversion = "1.4.0"\n',
    "quotes/__init__.py": "def quote(cents, express=False):\n    return cents\n",
}
BROKEN: dict[str, str | bytes | None] = {"quotes/__init__.py": "def quote(cents):\n    return cents\n"}
ANIMALS = ("aardwolf", "bandicoot", "capybara")
KINDS = ("public", "internal", "private")
WORLDS, BLOCK = 100, 20  # in the slow tests; in one of them


@dataclass
class Consumer:
    """A repository that uses the library, with its folder, and whether its settings allow the library to show it."""

    animal: str
    allows: bool
    place: Path

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the words in its code and paths that may have to stay hidden."""
        return (f"{self.animal}_file", f"{self.animal}_value", f"{self.animal}_folder")


def made(folder: Path, animal: str, *, allows: bool) -> Consumer:
    """Create a clone of a consumer that allows the library to show it, or another repository."""
    repository = Repository(folder / f"{animal}-{allows}")
    repository.commit(
        {
            f"{animal}_folder/requirements.txt": "quotes>=1.2,<2\n",
            f"{animal}_folder/{animal}_file.py": f"from quotes import quote\n\n{animal}_value = quote(3, express=True)\n",
            ".deeprepo.yml": f"shown_to: [acme/{'quotes' if allows else 'other'}]\n",
        }
    )
    return Consumer(animal, allows, repository.folder)


def left_by(one: Review, pull: PullRef, journal: str) -> dict[str, str]:
    """Return everything that a review leaves behind, by where it can be read."""
    content = json_file.content(one)
    return {
        "comments": repr(posts.comments(one, lambda review: states.pack(json_file.content(review)))),
        "check run and page": markdown.render(one),
        "console": console.render(one),
        "json": states.write(content),
        "sarif": sarif.render(one),
        "memory": states.store(content).decode("utf-8", "replace"),
        "journal": journal,
        "values": repr(one),
    }


def is_allowed(subject: str, kind: str, owner: str, *, allows: bool, stranger: bool) -> bool:
    """Return whether a review may show a consumer, as an independent implementation."""
    order = {"private": 0, "internal": 1, "public": 2}
    if kind == "public":
        return True
    return allows and not stranger and owner == "acme" and order[kind] >= order[subject]


class World:
    """Owners, visibility and settings, and the checks of what reviews leave behind."""

    def __init__(
        self, rng: random.Random, gh: sandbox.GitHub, repos: dict[str, sandbox.Repo], clones: Sequence[Consumer]
    ) -> None:
        self.rng, self.gh, self.repos, self.clones = rng, gh, repos, clones
        self.stranger = rng.random() < 0.2
        self.chosen = [rng.choice([one for one in clones if one.animal == animal]) for animal in ANIMALS]
        self.shown = 0  # number of reviews that show a consumer's lines
        self.homes = {one.animal: rng.choice(["acme", "others"]) for one in self.chosen}

    def shuffle(self) -> None:
        """Change every repository's visibility at random."""
        for repo in self.repos.values():
            kind = self.rng.choice(KINDS)
            repo.repository.private, repo.repository.internal = kind != "public", kind == "internal"

    def kind(self, name: str) -> str:
        """Return a repository's visibility."""
        repository = self.repos[name].repository
        return "public" if not repository.private else "internal" if repository.internal else "private"

    def checked(self, places: dict[str, str]) -> None:
        """Assert that no output contains text that its readers may not see."""
        for one in self.chosen:
            owner = self.homes[one.animal]
            kind, subject = self.kind(f"{owner}/{one.animal}"), self.kind("acme/quotes")
            stays_open = is_allowed(subject, kind, owner, allows=one.allows, stranger=self.stranger)
            words = () if stays_open else (one.animal,)
            found = [(where, word) for where, text in places.items() for word in words if word in text]
            assert found == [], (kind, subject, owner, one.allows, self.stranger)
            self.shown += one.lines[1] in places["json"]


async def rounds(world: World, pull: PullRequest, host: PullRef, token: str, folder: Path) -> int:
    """Review twice, with new visibility each time. Return how often a consumer's lines were shown."""
    for number in range(2):
        world.shuffle()
        async with github_apps.open_with_token(SecretStr(token), world.gh.api, RequestPace(between=0)) as client:
            subject = await consumers.subject(client, "acme/quotes")
            named = []
            for one in world.chosen:
                home = await consumers.look_up(client, f"{world.homes[one.animal]}/{one.animal}")
                problem = "GitHub refused access" if world.rng.random() < 0.2 else ""
                named.append(NamedConsumer(str(one.place), name=home.name, access=home.access, problem=problem))
        if number and world.rng.random() < 0.3:
            named = []
        journal = folder / f"{number}.jsonl"
        journal.unlink(missing_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            fetch_tip = Consumers(Audience(subject, "acme/quotes", can_write=not world.stranger), tuple(named))
            settings = config.resolve({"effort": "none"}, None, config.environment(on_server=True))
            brief = Brief(pull, settings, consumers=fetch_tip)
            opened = partial(Journal, journal)
            one = await pipeline.review(brief, review.tools(brief, scratch, lambda _: None, opened, on_server=True))
        world.checked(left_by(one, host, journal.read_text()))
    return world.shown


@pytest.mark.parametrize("block", few(range(-1, WORLDS // BLOCK), 0))
def test_private_consumer_data_never_reaches_unauthorized_readers(tmp_path: Path, block: int) -> None:
    """No output of a review contains what its readers may not see of a consumer, in random worlds."""
    seeds = range(BLOCK * block, BLOCK * (block + 1)) if block >= 0 else range(WORLDS, WORLDS + 4)
    library = Repository(tmp_path / "library")
    pull = library.change(LIBRARY, BROKEN)
    clones = [made(tmp_path, animal, allows=allows) for animal in ANIMALS for allows in (True, False)]

    async def go() -> int:
        shown = 0
        async with sandbox.github(tmp_path / "github") as gh:
            names = [("acme", "quotes"), *((owner, animal) for owner in ("acme", "others") for animal in ANIMALS)]
            repos = {f"{owner}/{name}": await gh.repository(owner, name) for owner, name in names}
            for repo in repos.values():
                repo.add("reader", "read")
            token = gh.personal_token("reader")
            host = PullRef(1, repos["acme/quotes"].id, "acme", "quotes", 1)
            for seed in seeds:
                world = World(random.Random(seed), gh, repos, clones)  # noqa: S311 - no secret
                shown += await rounds(world, pull, host, token, tmp_path)
        return shown

    assert asyncio.run(go()) > len(seeds) / 4  # permitted lines are in fact shown
