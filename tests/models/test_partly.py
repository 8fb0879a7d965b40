"""Providers' libraries are loaded in parts: what nobody uses stays away, and what anybody asks for is what the library has."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES = """
import importlib, json
library = importlib.import_module({library!r})
names = {names!r} or library.__all__
print(json.dumps({{name: getattr(getattr(library, name), "__qualname__", "") for name in names}}))
"""


def printed(code: str, *paths: Path) -> list[str]:
    """What a fresh interpreter prints."""
    env = {"PYTHONPATH": ":".join(map(str, (*paths, ROOT)))}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(("dialect", "most"), [("openai", 60), ("anthropic", 1_200)])
def test_a_model_loads_a_part_of_its_library(dialect: str, most: int) -> None:
    """The whole of them are more than 500 and 2,800 modules."""
    loaded = printed(
        f"import sys, bot.models.{dialect}\nprint(sum(name.partition('.')[0] == {dialect!r} for name in sys.modules))"
    )
    assert int(loaded[0]) < most


@pytest.mark.parametrize("library", ["openai", "anthropic"])
def test_every_public_name_is_there(library: str) -> None:
    """It is the same thing as without the parts, in whatever order the names are asked for."""
    whole = json.loads(printed(NAMES.format(library=library, names=[]))[0])
    parts = printed("import bot.models\n" + NAMES.format(library=library, names=sorted(whole, reverse=True)))
    assert json.loads(parts[0]) == whole != {}


def test_what_an_init_does_itself_happens_before_its_names_are_used(tmp_path: Path) -> None:
    """Modules that import each other in one order alone, names that are bound twice, and star imports: the whole `__init__` runs."""
    package = tmp_path / "openai"
    (package / "inner").mkdir(parents=True)
    files = {
        "__init__.py": "from .plain import PLAIN\nfrom .first import FIRST\nfrom .second import TWO\nfrom .inner import *\nTWICE = 1\nfrom .plain import TWICE\nTWICE += 1\n",
        "plain.py": "PLAIN, TWICE = 'plain', 5\n",
        "first.py": "ONE = 1\nfrom .second import TWO\nFIRST = TWO\n",
        "second.py": "from .first import ONE\nTWO = 2\n",
        "inner/__init__.py": "__all__ = ['STAR']\nSTAR = 'star'\n",
    }
    for name, text in files.items():
        (package / name).write_text(text)
    code = (
        "import sys, bot.models, openai\nprint(openai.PLAIN, 'openai.first' in sys.modules)\n"
        "print(openai.TWO, openai.TWICE, openai.STAR)\n"
    )
    assert printed(code, tmp_path) == ["plain False", "2 6 star"]
    assert printed("import bot.models, openai\nprint(hasattr(openai, 'nothing'))", tmp_path) == ["False"]
