"""Features are isolated from each other."""

import ast
from pathlib import Path

import pytest

from bot import features

FOLDERS = sorted(path.parent for path in Path(features.__file__).parent.glob("*/__init__.py"))


@pytest.mark.parametrize("folder", FOLDERS, ids=[folder.name for folder in FOLDERS])
def test_feature_imports_no_other_feature(folder: Path) -> None:
    """A feature's modules import the feature itself and the rest of the product, but no other feature."""
    nodes = [node for file in folder.rglob("*.py") for node in ast.walk(ast.parse(file.read_bytes()))]
    modules = [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    names = {module.split(".")[2] for module in modules if module.startswith("bot.features.")}
    assert names <= {folder.name}
