"""Parts of the project that are separate distributions."""

import re
import tomllib
from pathlib import Path

import pytest

from bot.cli.commands import OTHER_DISTRIBUTIONS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("folders", OTHER_DISTRIBUTIONS.values(), ids=OTHER_DISTRIBUTIONS)
def test_install_command_names_all_required_folders(folders: str) -> None:
    """The distributions are not on a registry, so the install command names the folders of all it needs."""
    projects = [tomllib.loads((ROOT / one / "pyproject.toml").read_text())["project"] for one in folders.split()]
    needed = {name for project in projects for name in re.findall(r"deeprepo-\w+", str(project["dependencies"]))}
    assert needed <= {"deeprepo-bot", *(project["name"] for project in projects)}
