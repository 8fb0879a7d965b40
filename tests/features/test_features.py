"""Features are isolated in their folders, and the product works without them."""

import ast
import json
import re
import shutil
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import bare
import pytest
from fakes import Repository

import bot
from bot import registry
from bot.action.hooks import StepHooks
from bot.cli.hooks import Command, Option
from bot.render.section import FindingSection, Section
from bot.review.hooks import ReviewHooks
from bot.workflow.described_hooks import DescribedHooks
from bot.workflow.given_command import CommentCommand
from bot.workflow.hooks import ServerHooks
from bot.workflow.posted_hooks import PostedHooks

HOUSE = Path(bot.__file__).parent
ROOT = HOUSE.parent
FORMS: dict[str, type] = {
    "settings": type,
    "variables": type,
    "section": Section,
    "finding": FindingSection,
    "review": ReviewHooks,
    "server": ServerHooks,
    "posted": PostedHooks,
    "described": DescribedHooks,
    "step": StepHooks,
    "command": Command,
    "options": Option,
    "comment": CommentCommand,
}
MAPS = "bot/config/other_reviewers/"  # conversions from other reviewers' settings may name any setting
ELSEWHERE: dict[str, dict[str, str]] = {  # files in which a feature's word has a different meaning
    "consumers": {"bot/config/action.py": "the inputs of action.yml, which one class reads"},
    "organization": {
        "bot/analyzers/zizmor.py": "a part of what GitHub tells a workflow",
        "bot/app/manifest.py": "the account at GitHub that owns the App",
        "bot/app/operator/signing_in.py": "the same",
        "bot/app/setup.py": "the same",
        "templates/setup/confirm.html.j2": "the same",
        "templates/setup/form.html.j2": "the same",
        "templates/reference/configuration.md.j2": "what the page of all settings links to",
    },
}
PLAIN = {  # ordinary English words, or words that the core uses too
    "run", "tried",
    "checks",  # also GitHub's checks and static checks
    "description", "labels", "approve",  # also parts of a pull request
    "consumers",  # the core also has values for other repositories: `bot/values/consumer.py`
}  # fmt: skip


def words(name: str) -> frozenset[str]:
    """Return a feature's words: its name, settings, phrases, keys and classes."""
    folder = registry.FOLDER / name
    found = {name}
    if (phrases := folder / "words.toml").is_file():
        found |= tomllib.loads(phrases.read_text()).keys()
    for module, part in entries(name):
        found |= {each.name for each in fields(part)} if module in ("settings", "variables") else set()
        found |= {part.key} if module in ("section", "finding") else set()
    for file in folder.glob("*.py"):
        found |= {node.name for node in ast.parse(file.read_bytes()).body if isinstance(node, ast.ClassDef)}
    return frozenset(found - names_of_others(name) - PLAIN)


def names_of_others(name: str) -> frozenset[str]:
    """Return names that modules outside the feature's folder define themselves."""
    files = [file for file in HOUSE.rglob("*.py") if registry.FOLDER / name not in file.parents]
    nodes = [node for file in files for node in ast.parse(file.read_bytes()).body]
    classes = {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    targets = [target for node in nodes if isinstance(node, ast.Assign) for target in node.targets]
    return frozenset(classes | {target.id for target in targets if isinstance(target, ast.Name)})


def entries(name: str) -> Iterator[tuple[str, Any]]:
    """Yield the modules in a feature's registry entry, with the object that each provides."""
    for entry in registry.FEATURES[name]:
        module, _, what = entry.partition(":")
        yield module, getattr(import_module(f"bot.features.{name}.{module}"), what)


def test_every_registry_entry_exists() -> None:
    """Each registry entry exists and has the type that its callers expect."""
    assert {path.parent.name for path in registry.FOLDER.glob("*/__init__.py")} == set(registry.FEATURES)
    for name in registry.FEATURES:
        for module, part in entries(name):
            assert isinstance(part, FORMS[module]), (name, module)


@pytest.mark.parametrize("name", registry.FEATURES)
def test_feature_words_appear_only_in_their_own_folder(name: str) -> None:
    """Other modules and templates only use the feature's words if they have a different meaning there."""
    word = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, sorted(words(name))))})(?![\w-])")
    files = [*HOUSE.rglob("*.py"), *(path for path in (ROOT / "templates").rglob("*") if path.is_file())]
    outside = [path for path in files if registry.FOLDER / name not in path.parents]
    told = [path.relative_to(ROOT) for path in outside if word.search(path.read_text("utf-8"))]
    outside_maps = {str(path) for path in told if not str(path).startswith(MAPS)}
    assert outside_maps == {"bot/registry.py", *ELSEWHERE.get(name, {})}


def test_review_works_without_any_feature(repository: Repository, tmp_path: Path) -> None:
    """With all features removed, a review has the same findings."""
    for room in ("bot", "deeprepo", "templates"):
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    for name in registry.FEATURES:
        shutil.rmtree(tmp_path / "bot/features" / name)
    line = tmp_path / "bot/registry.py"
    line.write_text(re.sub(r'(?ms)^    "\w+": \(.*?\),\n(?=    "|\})', "", line.read_text()))
    repository.commit({"a.py": "def f(x):\n    return x\n", "b.py": "from a import f\n\nf(1)\n"}, "before")
    repository.git("checkout", "-qb", "feature")
    repository.commit({"a.py": "def f(x, y):\n    return x + y\n"}, "after")
    command = "review", "--effort", "none", "--format", "json", "-q"
    reviews = [bare.deeprepo(repository.folder, str(root), *command) for root in (ROOT, tmp_path)]
    whole, without = (json.loads(done.stdout) for done in reviews)
    assert [row["title"] for row in without["findings"]] == [row["title"] for row in whole["findings"]] != []
    keys = {part.key for name in registry.FEATURES for module, part in entries(name) if module == "section"}
    assert whole.keys() - without.keys() == keys
